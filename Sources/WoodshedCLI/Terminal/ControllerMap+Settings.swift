// What pedals and buttons do, in the configuration: `midi.cc64 = pause`.
import RemoteControl
import Terminal

extension ControllerMap {
    /// What the configuration says.
    ///
    /// - Throws: A `CommandFailure` for a part that no controller has, or an action that there is not.
    init(_ layers: SettingsLayers) throws(CommandFailure) {
        self.init()
        var map = self
        try layers.forEachLine(SettingsLayers.controllerPrefix) { (name, words) throws(ArgumentError) in
            try map.bind(name, to: words)
        }
        self = map
    }

    /// Gives a press other actions, or none.
    ///
    /// - Parameters:
    ///   - name: Such as `cc64`, `ch2.note60` or `cc64.up`.
    ///   - words: Actions of playing or of recording.
    mutating func bind(_ name: String, to words: String) throws(ArgumentError) {
        guard let trigger = ControllerTrigger(name) else {
            throw ArgumentError(
                "'\(name)' is nothing on a controller; write cc64, note60 or program5, with ch2. before it for one channel, "
                    + "or .up behind it for letting go")
        }
        guard words != "none" else {
            self[trigger] = nil
            return
        }
        let parts = words.split(separator: ";").map(String.init)
        for part in parts where (try? RecordAction(words: part)) == nil { _ = try KeyAction(words: part) }
        if parts.isEmpty { throw ArgumentError("'\(words)' is no action; write none for a pedal without one") }
        self[trigger] = words
    }
}
