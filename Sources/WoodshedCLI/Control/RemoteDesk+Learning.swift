// Learning a pedal: the user presses the pedal, then the key of its future action.
import RemoteControl
import Settings
import Terminal
import UserState

extension RemoteDesk {
    /// Stages of learning.
    enum Learning: Equatable {
        case nothing
        case forPress
        /// Waiting for the key.
        case forKey(ControllerTrigger)
    }

    /// Message for a run without a controller.
    static let noController = "no controller is used; start with --control midi"

    /// Starts learning, or cancels.
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

    /// Takes a press while learning.
    ///
    /// - Returns: True if learning used the press.
    func learn(_ trigger: ControllerTrigger, _ run: some RemoteControlled) -> Bool {
        switch learning {
        case .nothing: return false
        // The release of the pedal has no other meaning meanwhile.
        case .forKey: return true
        case .forPress:
            // The release of a pad is no press. A pedal may be wired in reverse and report "up" when pressed.
            if trigger.isUp, case .note = trigger.part { return true }
            let trigger = ControllerTrigger(trigger.part, isUp: trigger.isUp)
            learning = .forKey(trigger)
            run.say(["\(trigger): now the key of its action"], evenQuiet: true)
            return true
        }
    }

    /// Takes a key while learning.
    ///
    /// - Parameter actions: The key's actions.
    /// - Returns: True if learning used the key.
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
        // Another program may lock the file, and neither sound nor keys may wait for the lock.
        report { .stored(Self.store(trigger, words)) }
        return true
    }

    /// Stores the assignment for later runs.
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
