// A pedal is learned: it is pressed, then the key whose action it is to have.
import RemoteControl
import Settings
import Terminal
import UserState

extension RemoteDesk {
    /// How far learning has come.
    enum Learning: Equatable {
        case nothing
        case forPress
        /// For the key.
        case forKey(ControllerTrigger)
    }

    /// What is said where there is nothing to learn.
    static let noController = "no controller is used; start with --control midi"

    /// Begins to learn, or gives up.
    func toggleLearning(_ run: some RemoteControlled) {
        guard hasControllers else {
            return run.say([Self.noController], evenQuiet: true)
        }
        guard learning == .nothing else { return giveUp(run) }
        learning = .forPress
        run.say(
            ["press the pedal or button to be learned, then the key of its action; Escape gives up"], evenQuiet: true)
    }

    private func giveUp(_ run: some RemoteControlled) {
        learning = .nothing
        run.say(["nothing learned"], evenQuiet: true)
    }

    /// Takes a press while something is learned.
    ///
    /// - Returns: Whether it was for learning.
    func learn(_ trigger: ControllerTrigger, _ run: some RemoteControlled) -> Bool {
        switch learning {
        case .nothing: return false
        // The pedal is let go, and has no other meaning meanwhile.
        case .forKey: return true
        case .forPress:
            // A pad that is let go is no press. A pedal may be wired the other way round, and be "let go" when it is pressed.
            if trigger.isUp, case .note = trigger.part { return true }
            let trigger = ControllerTrigger(trigger.part, isUp: trigger.isUp)
            learning = .forKey(trigger)
            run.say(["\(trigger): now the key of its action"], evenQuiet: true)
            return true
        }
    }

    /// Takes a key while something is learned.
    ///
    /// - Parameter actions: What the key does.
    /// - Returns: Whether it was for learning.
    func learn(_ key: KeyBytes.Key, _ actions: [KeyAction], _ run: some RemoteControlled) -> Bool {
        if learning == .nothing { return false }
        if key == .plain(0x1B) || actions == [.learn] {
            giveUp(run)
            return true
        }
        guard case .forKey(let trigger) = learning else { return false }
        guard !actions.isEmpty else {
            run.say(["this key does nothing; press another, or Escape"], evenQuiet: true)
            return true
        }
        learning = .nothing
        let words = actions.map(\.words).joined(separator: "; ")
        map[trigger] = words
        // The file may be locked by another program, and the sound must not wait for it, nor keys.
        report { .stored(Self.store(trigger, words)) }
        return true
    }

    /// Keeps it for the next runs.
    ///
    /// - Returns: Lines for the user.
    private static func store(_ trigger: ControllerTrigger, _ words: String) -> [String] {
        let learned = "\(trigger) = \(words)"
        guard let file = SettingsFile() else { return ["\(learned), in this run only: there is no home folder"] }
        do throws(SettingsFile.Fault) {
            try file.change { text in
                text.set(SettingsLayers.controllerPrefix + trigger.description, to: words)
                return true
            }
            return ["learned: \(learned)"]
        } catch {
            let failure = SettingsLayers.failure(error, path: file.path)
            return ["\(learned), in this run only: \(failure.message)"]
        }
    }
}
