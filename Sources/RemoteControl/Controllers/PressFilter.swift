/// Turns values into presses and releases.
///
/// A pedal may be a switch, which sends 127 and 0, or go through all values between them, and tremble at each. It is pressed from
/// the middle on, and let go clearly below it.
package struct PressFilter {
    private struct State {
        /// nil until the first value that tells.
        var isDown: Bool?
        var value = -1
    }

    private var states: [Key: State] = [:]

    private struct Key: Hashable {
        let part: ControllerMessage.Part
        let channel: Int
    }

    /// The value from which a pedal is pressed, by the MIDI standard for switches.
    package static let pressed = 64
    /// The value below which it is let go.
    package static let released = 48

    package init() {}

    /// What a message means; nil if nothing changes. At most 4,096 parts have a state.
    package mutating func trigger(of message: ControllerMessage) -> ControllerTrigger? {
        guard let isDown = isDown(message) else { return nil }
        return ControllerTrigger(message.part, channel: message.channel, isUp: !isDown)
    }

    private mutating func isDown(_ message: ControllerMessage) -> Bool? {
        switch message.part {
        // A key is hit anew each time, also where its release is never sent.
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
            // Some buttons send their value with each press and nothing when they are let go; what moves never sends a value twice.
            guard state.isDown != true || state.value == message.value else { return nil }
            state.isDown = true
            return true
        }
        guard message.value < Self.released, state.isDown != false else { return nil }
        state.isDown = false
        return false
    }
}
