// Actions of pedals and buttons in the configuration: `midi.cc64 = pause`.
import RemoteControl
import Terminal

extension ControllerMap {
    /// Creates the map from the configuration.
    ///
    /// - Throws: A `CommandFailure` for an unknown part of a controller, or an unknown action.
    init(_ layers: SettingsLayers) throws(CommandFailure) {
        self.init()
        var map = self
        try layers.forEachLine(SettingsLayers.controllerPrefix) { (name, words) throws(ArgumentError) in
            try map.bind(name, to: words)
        }
        self = map
    }

    /// Assigns other actions to a press, or none.
    ///
    /// - Parameters:
    ///   - name: Name of the press, such as `cc64`, `ch2.note60` or `cc64.up`.
    ///   - words: Actions of playing or of recording, or `none`.
    mutating func bind(_ name: String, to words: String) throws(ArgumentError) {
        guard let trigger = ControllerTrigger(name) else {
            throw ArgumentError.unreadable(
                name, as: "a control of a controller",
                remedy:
                    "Write cc64, note60 or program5, with ch2. before it for one channel, "
                    + "or .up after it for the release.")
        }
        guard words != "none" else {
            self[trigger] = nil
            return
        }
        let parts = words.split(separator: ";").map(String.init)
        for part in parts where (try? RecordAction(words: part)) == nil { _ = try KeyAction(words: part) }
        if parts.isEmpty {
            throw ArgumentError.unreadable(words, as: "an action", remedy: "Write none for a pedal without an action.")
        }
        self[trigger] = words
    }
}
