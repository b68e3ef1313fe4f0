// A line that the user types while something else goes on. The keys come in raw mode, so editing is done here.

/// A line of text under way.
struct InputLine: Equatable {
    /// What a key made of it.
    enum Outcome: Equatable {
        case goesOn
        case done(String)
        case givenUp
    }

    /// What is asked for: "name".
    let question: String
    private(set) var text = ""

    /// More than any name; what is typed beyond it is left out.
    private static let mostBytes = 1000

    init(question: String, text: String = "") { (self.question, self.text) = (question, text) }

    /// Takes a key.
    mutating func take(_ key: KeyBytes.Key) -> Outcome {
        if case .text(let character) = key { add(character) }
        // Arrows and their like have no meaning in so short a line.
        guard case .plain(let byte) = key else { return .goesOn }
        switch byte {
        case 0x0A, 0x0D: return .done(trimmed)
        case 0x1B, 0x07: return .givenUp
        case 0x7F, 0x08: if !text.isEmpty { text.removeLast() }
        case 0x15: text = ""
        case 0x17:
            while text.last == " " { text.removeLast() }
            while let last = text.last, last != " " { text.removeLast() }
        case 0..<0x20: break
        default: add(Character(UnicodeScalar(byte)))
        }
        return .goesOn
    }

    private mutating func add(_ character: Character) {
        if text.utf8.count + character.utf8.count <= Self.mostBytes { text.append(character) }
    }

    private var trimmed: String {
        var text = text[...]
        while text.first == " " { text.removeFirst() }
        while text.last == " " { text.removeLast() }
        return String(text)
    }

    /// The line, with its end in view.
    func line(columns: Int) -> String {
        let head = "\(question): "
        let room = max(1, columns - 2 - displayWidth(head))
        var shown = printable(text)
        while displayWidth(shown) > room { shown.removeFirst() }
        return fitted(head + shown + "_", cells: max(1, columns - 1), ellipsis: "")
    }
}
