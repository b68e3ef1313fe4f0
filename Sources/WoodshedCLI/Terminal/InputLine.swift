// A line typed while a recording plays. Keys arrive in raw mode, so editing is done here.
import AudioFiles
import Explanations
import Terminal

/// An unfinished line of text.
struct InputLine: Equatable {
    /// Result of a key.
    enum Outcome: Equatable {
        case goesOn
        case done(String)
        case givenUp
    }

    /// The requested input, such as "name".
    let question: String
    private(set) var text = ""

    /// Limit in bytes, longer than any name; further text is dropped.
    private static let mostBytes = 1000

    init(question: String, text: String = "") { (self.question, self.text) = (question, text) }

    /// Takes a key. A character without an action is typed. Arrow keys have no meaning in so short a line.
    mutating func take(_ key: KeyBytes.Key, _ table: KeyTable<InputAction>) -> Outcome {
        let actions = table.actions(of: key)
        if actions.isEmpty, let character = Self.character(key) { add(character) }
        for action in actions {
            let outcome = take(action)
            if outcome != .goesOn { return outcome }
        }
        return .goesOn
    }

    /// Carries out an action.
    mutating func take(_ action: InputAction) -> Outcome {
        switch action {
        case .accept: return .done(text.trimmed { $0 == " " })
        case .cancel: return .givenUp
        case .deleteCharacter: if !text.isEmpty { text.removeLast() }
        case .deleteLine: text = ""
        case .deleteWord:
            while text.last == " " { text.removeLast() }
            while let last = text.last, last != " " { text.removeLast() }
        }
        return .goesOn
    }

    /// Types text without its line ends.
    mutating func type(_ text: some StringProtocol) {
        for character in text where !character.isNewline { add(character) }
    }

    private static func character(_ key: KeyBytes.Key) -> Character? {
        switch key {
        case .text(let character): character
        case .plain(let byte) where (0x20..<0x7F).contains(byte): Character(UnicodeScalar(byte))
        case .plain, .sequence: nil
        }
    }

    private mutating func add(_ character: Character) {
        if text.utf8.count + character.utf8.count <= Self.mostBytes { text.append(character) }
    }

    /// Returns the line, with its end visible.
    func line(columns: Int) -> String {
        let head = "\(question): "
        let room = max(1, columns - 2 - displayWidth(head))
        var shown = printable(text)
        while displayWidth(shown) > room { shown.removeFirst() }
        return fitted(head + shown + "_", cells: max(1, columns - 1), ellipsis: "")
    }
}
