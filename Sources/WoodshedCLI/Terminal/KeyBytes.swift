// Separates the bytes of a terminal into keys. An escape sequence may arrive in pieces, so an unfinished one is kept; nothing
// waits here.

/// Separates single keys from escape sequences.
struct KeyBytes {
    /// The bytes of one key.
    enum Key: Equatable {
        case plain(UInt8)
        case sequence([UInt8])
        /// A character that is not ASCII.
        case text(Character)
    }

    /// An unfinished sequence: Escape, and the bytes so far.
    private var pending: [UInt8] = []
    /// The first bytes of a character.
    private var character: [UInt8] = []
    /// The keys that have an action together with Alt. Of others, Escape and the key count each by itself.
    private let altKeys: Set<UInt8>

    private static let escape: UInt8 = 0x1B

    init(altKeys: Set<UInt8> = KeyMap.standard.altKeys) { self.altKeys = altKeys }

    /// Whether an Escape has arrived that may begin a sequence. The rest of a sequence follows
    /// at once; if nothing follows for a moment, call `giveUpWaiting`.
    var isWaiting: Bool { !pending.isEmpty }

    /// The Escape was a key of its own.
    ///
    /// - Returns: That key; nil if there was more than an Escape.
    mutating func giveUpWaiting() -> Key? {
        defer { pending = [] }
        return pending == [Self.escape] ? .plain(Self.escape) : nil
    }

    /// All keys the bytes complete.
    mutating func keys(_ bytes: some Sequence<UInt8>) -> [Key] {
        var result: [Key] = []
        for byte in bytes {
            if byte == Self.escape {
                // Whatever was under way ends here.
                pending = [byte]
                continue
            }
            guard !pending.isEmpty else {
                if let key = take(byte) { result.append(key) }
                continue
            }
            pending.append(byte)
            switch state(pending) {
            case .unfinished: break
            case .whole:
                result.append(.sequence(pending))
                pending = []
            case .escapeAlone:
                result.append(.plain(byte))
                pending = []
            case .unknown: pending = []
            }
        }
        return result
    }

    /// Takes a byte of a character; returns the key when it is complete.
    private mutating func take(_ byte: UInt8) -> Key? {
        // A byte that begins a character ends whatever was incomplete.
        if byte & 0xC0 != 0x80 { character = [] }
        if byte < 0x80 { return .plain(byte) }
        character.append(byte)
        if let text = String(validating: character, as: UTF8.self), let first = text.first {
            character = []
            return .text(first)
        }
        if character.count >= 4 { character = [] }
        return nil
    }

    private enum State {
        case unfinished
        case whole
        /// Escape, then another key.
        case escapeAlone
        case unknown
    }

    private func state(_ bytes: [UInt8]) -> State {
        guard bytes.count > 2, let last = bytes.last else {
            if bytes[1] == UInt8(ascii: "[") || bytes[1] == UInt8(ascii: "O") { return .unfinished }
            // A terminal sends Escape before a key that is pressed together with Alt.
            return altKeys.contains(bytes[1]) ? .whole : .escapeAlone
        }
        if (0x40...0x7E).contains(last) { return .whole }
        // Sixteen bytes are longer than any key's sequence; anything longer is not a key.
        return bytes.count < 16 ? .unfinished : .unknown
    }
}
