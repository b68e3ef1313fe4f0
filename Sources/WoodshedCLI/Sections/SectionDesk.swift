// Keys for the saved sections, and the line in which a name is typed while the recording plays on.
import Woodshed

/// Takes the keys of the saved sections.
final class SectionDesk {
    private let keys: SectionKeys
    /// What is being typed, and the key that it is for.
    private var typing: (line: InputLine, order: SectionKeys.Order)?

    private let table: KeyTable<InputAction>

    /// - Parameter table: The keys for a line that is typed.
    init(_ keys: SectionKeys, _ table: KeyTable<InputAction>) { (self.keys, self.table) = (keys, table) }

    /// Follows what other programs change.
    func followOthers() { keys.followOthers() }

    /// The line that is being typed; nil if none is.
    var line: InputLine? { typing?.line }

    /// Takes a key that has a meaning for the saved sections.
    ///
    /// - Returns: Lines for the user: why nothing can follow, or what is asked for.
    func press(_ key: KeyAction.Sections) -> [String] {
        let order: SectionKeys.Order
        do throws(SessionError) { order = try keys.order(key) } catch { return [error.message, error.remedy] }
        guard let question = key.question else {
            keys.carryOut(order)
            return []
        }
        typing = (InputLine(question: question), order)
        return ["type a \(question), then \(shown(.accept)); \(shown(.cancel)) gives up"]
    }

    /// The key for an action, as it stands in a sentence: `Enter`, `Ctrl+g`.
    private func shown(_ action: InputAction) -> String {
        guard let key = table.key(for: action) else { return "no key" }
        return key.count > 1 ? key.prefix(1).uppercased() + key.dropFirst() : key
    }

    /// Takes a key while a line is being typed.
    ///
    /// - Returns: Words for the user, if the line is over.
    func type(_ key: KeyBytes.Key) -> String? {
        edit { line in line.take(key, table) }
    }

    /// Carries out an action on the line that is typed.
    ///
    /// - Returns: Words for the user, if the line is over.
    func take(_ action: InputAction) -> String? { edit { line in line.take(action) } }

    /// Types text.
    func type(text: some StringProtocol) { typing?.line.type(text) }

    private func edit(_ change: (inout InputLine) -> InputLine.Outcome) -> String? {
        guard let order = typing?.order, var line = typing?.line else { return nil }
        switch change(&line) {
        case .goesOn:
            typing = (line, order)
            return nil
        case .givenUp:
            typing = nil
            return "given up"
        case .done(let name):
            typing = nil
            keys.carryOut(order, name: name)
            return nil
        }
    }
}
