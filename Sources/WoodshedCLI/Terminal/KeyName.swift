// Names of keys, as users write them: `space`, `shift+left`, `ctrl+l`, `alt+,`, `[`, `ö`.
import Terminal

/// The name of a key.
struct KeyName: Hashable, Sendable, CustomStringConvertible {
    /// The modifiers in the order ctrl, alt, shift, then the key.
    let description: String

    private static let special: Set<String> = [
        "space", "enter", "tab", "escape", "backspace", "up", "down", "left", "right", "home", "end", "insert",
        "delete", "pageup", "pagedown",
    ]

    private init(_ base: String, ctrl: Bool = false, alt: Bool = false, shift: Bool = false) {
        description = (ctrl ? "ctrl+" : "") + (alt ? "alt+" : "") + (shift ? "shift+" : "") + base
    }

    /// Parses a typed name, with modifiers in any order and in upper or lower case.
    init(parsing text: String) throws(ArgumentError) {
        var (rest, ctrl, alt, shift) = (text[...], false, false, false)
        while let plus = rest.dropFirst().firstIndex(of: "+"), rest.index(after: plus) < rest.endIndex {
            switch rest[..<plus].lowercased() {
            case "ctrl": ctrl = true
            case "alt": alt = true
            case "shift": shift = true
            default: throw Self.unknown(text)
            }
            rest = rest[rest.index(after: plus)...]
        }
        // "=" and "#" have a meaning of their own in a line of the configuration, so they have names.
        let lowercased = rest.lowercased()
        let base = lowercased == "equals" ? "=" : lowercased == "hash" ? "#" : String(rest)
        let isSpecial = Self.special.contains(lowercased)
        guard isSpecial || base.count == 1 && base != " " else { throw Self.unknown(text) }
        // A terminal sends the same byte for both cases of a letter with Ctrl, and a letter with Shift is another
        // letter.
        let isLetter = base.count == 1 && base.first?.isLetter == true
        guard isSpecial || !(shift && !isLetter), !(ctrl && !isSpecial && !isLetter) else {
            throw Self.unknown(text)
        }
        let character = ctrl ? base.lowercased() : shift ? base.uppercased() : base
        self.init(
            isSpecial ? lowercased : character, ctrl: ctrl, alt: alt, shift: isSpecial && shift)
    }

    private static func unknown(_ text: String) -> ArgumentError {
        ArgumentError.unreadable(
            text, as: "a key",
            remedy:
                "Write a character, or a name such as space, left or backspace, after any of ctrl+, alt+ and shift+.")
    }

    /// Returns the name of a pressed key; nil for a key without a name.
    init?(_ key: KeyBytes.Key) {
        switch key {
        case .text(let character): self.init(String(character))
        case .plain(let byte):
            guard let name = Self.plain(byte) else { return nil }
            self = name
        case .sequence(let bytes):
            guard let name = bytes.count == 2 ? Self.alt(bytes[1]) : Self.sequence(bytes) else { return nil }
            self = name
        }
    }

    private static func plain(_ byte: UInt8) -> KeyName? {
        switch byte {
        case 0x20: KeyName("space")
        case 0x0A, 0x0D: KeyName("enter")
        case 0x09: KeyName("tab")
        case 0x1B: KeyName("escape")
        case 0x7F, 0x08: KeyName("backspace")
        case 0x01...0x1A: KeyName(String(UnicodeScalar(byte + 0x60)), ctrl: true)
        case 0x21...0x7E: KeyName(String(UnicodeScalar(byte)))
        default: nil
        }
    }

    private static func alt(_ byte: UInt8) -> KeyName? {
        plain(byte).map { KeyName($0.description, alt: true) }
    }

    /// Parses `ESC [ 1 ; 2 C`, `ESC O A`, `ESC [ 5 ~`: the second number less one holds the modifiers as bits.
    private static func sequence(_ bytes: [UInt8]) -> KeyName? {
        guard bytes.count >= 3, let last = bytes.last else { return nil }
        let numbers = String(decoding: bytes[2..<bytes.count - 1], as: UTF8.self).split(
            separator: ";", omittingEmptySubsequences: false
        ).map { Int($0) ?? 1 }
        let bits = numbers.count > 1 ? max(0, numbers[1] - 1) : 0
        let base: String?
        switch last {
        case UInt8(ascii: "A"): base = "up"
        case UInt8(ascii: "B"): base = "down"
        case UInt8(ascii: "C"): base = "right"
        case UInt8(ascii: "D"): base = "left"
        case UInt8(ascii: "H"): base = "home"
        case UInt8(ascii: "F"): base = "end"
        case UInt8(ascii: "~"):
            let names = [
                1: "home", 2: "insert", 3: "delete", 4: "end", 5: "pageup", 6: "pagedown", 7: "home", 8: "end",
            ]
            base = numbers.first.flatMap { names[$0] }
        default: base = nil
        }
        return base.map { KeyName($0, ctrl: bits & 4 != 0, alt: bits & 2 != 0, shift: bits & 1 != 0) }
    }

    /// The byte after Escape for a key with Alt alone; nil for other keys.
    var altByte: UInt8? {
        guard description.hasPrefix("alt+"), let byte = description.dropFirst(4).utf8.first,
            description.utf8.count == 5
        else { return nil }
        return byte
    }
}
