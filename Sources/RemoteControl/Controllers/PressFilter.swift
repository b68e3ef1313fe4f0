/// Converts values to presses and releases.
///
/// A pedal may be a switch, which sends 127 and 0, or a continuous pedal, which passes through all values in between,
/// with jitter. A press begins at the middle, and a release clearly below.
package struct PressFilter {
    private struct State {
        /// nil until the first decisive value.
        var isDown: Bool?
        var value = -1
    }

    private var states: [Key: State] = [:]

    private struct Key: Hashable {
        let part: ControllerMessage.Part
        let channel: Int
    }

    /// The least value of a press, by the MIDI standard for switches.
    package static let pressed = 64
    /// Values below this value are a release.
    package static let released = 48

    package init() {}

    /// Returns the trigger of a message; nil if nothing changes. Only controls have a state: from a MIDI cable at most
    /// 2,048, for 128 controls on 16 channels.
    package mutating func trigger(of message: ControllerMessage) -> ControllerTrigger? {
        guard let isDown = isDown(message) else { return nil }
        return ControllerTrigger(message.part, channel: message.channel, isUp: !isDown)
    }

    private mutating func isDown(_ message: ControllerMessage) -> Bool? {
        switch message.part {
        // Each hit of a key is a new press, even if its release is never sent.
        case .note: return message.value > 0
        case .program: return true
        case .control: break
        }
        let key = Key(part: message.part, channel: message.channel)
        var state = states[key] ?? State()
        defer {
            state.value = message.value
            states[key] = state
        }
        if message.value >= Self.pressed {
            // Some buttons send their value with each press and nothing on release; a moving control never sends a
            // value twice.
            guard state.isDown != true || state.value == message.value else { return nil }
            state.isDown = true
            return true
        }
        guard message.value < Self.released, state.isDown != false else { return nil }
        state.isDown = false
        return false
    }
}
