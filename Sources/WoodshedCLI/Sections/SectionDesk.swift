// Keys for the saved sections, and the input line for a name while the recording plays on.
import WoodshedPractice

/// Takes the keys of the saved sections.
final class SectionDesk {
    private let keys: SectionKeys
    /// The input line, and the pending order of its key; nil without a line.
    private var typing: (line: InputLine, order: SectionKeys.Order)?

    private let table: KeyTable<InputAction>

    /// - Parameter table: The keys of the input line.
    init(_ keys: SectionKeys, _ table: KeyTable<InputAction>) { (self.keys, self.table) = (keys, table) }

    /// Follows changes by other programs.
    func followOthers() { keys.followOthers() }

    /// The input line; nil if no line is being typed.
    var line: InputLine? { typing?.line }

    /// Handles a key for the saved sections.
    ///
    /// - Returns: Lines for the user: a refusal, or a request for input.
    func press(_ key: KeyAction.Sections) -> [String] {
        let order: SectionKeys.Order
        do throws(SessionError) { order = try keys.order(key) } catch { return [error.message, error.remedy] }
        guard let question = key.question else {
            return keys.carryOut(order).map { [$0] } ?? []
        }
        typing = (InputLine(question: question), order)
        return ["type a \(question), then \(shown(.accept)); \(shown(.cancel)) gives up"]
    }

    /// Returns the key for an action, as written in a sentence: `Enter`, `Ctrl+g`.
    private func shown(_ action: InputAction) -> String {
        guard let key = table.key(for: action) else { return "no key" }
        return key.count > 1 ? key.prefix(1).uppercased() + key.dropFirst() : key
    }

    /// Handles a key while a line is being typed.
    ///
    /// - Returns: Words for the user, if the line is over.
    func type(_ key: KeyBytes.Key) -> String? {
        edit { line in line.take(key, table) }
    }

    /// Carries out an action on the input line.
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
            return "cancelled"
        case .done(let name):
            typing = nil
            return keys.carryOut(order, name: name)
        }
    }
}
