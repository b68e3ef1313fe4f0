// Separates the bytes of a terminal into keys. An escape sequence may arrive in pieces, so an unfinished sequence is
// kept. Nothing waits here.
import Files

/// Separates single keys from escape sequences.
struct KeyBytes {
    /// The bytes of a key.
    enum Key: Equatable {
        case plain(UInt8)
        case sequence([UInt8])
        /// A character outside ASCII.
        case text(Character)
    }

    /// An unfinished sequence: Escape, and the bytes so far.
    private var pending: [UInt8] = []
    /// Time of the last bytes, which may begin a sequence.
    private var lastTime: Int64 = 0
    /// The first bytes of a character.
    private var character: [UInt8] = []
    /// Keys with an action together with Alt. For other keys, Escape and the key count separately.
    private let altKeys: Set<UInt8>

    private static let escape: UInt8 = 0x1B
    /// The rest of a sequence arrives at once, even over a slow line.
    private static let escapeNanoseconds: Int64 = 50_000_000

    init(altKeys: Set<UInt8> = KeyMap.standard.altKeys) { self.altKeys = altKeys }

    /// True after an Escape that may begin a sequence. The rest of a sequence follows at once. If nothing follows for a
    /// moment, call `giveUpWaiting`.
    var isWaiting: Bool { !pending.isEmpty }

    /// Treats the pending Escape as a separate key, once the rest of a sequence would have arrived.
    ///
    /// - Returns: The Escape key; nil before that time, and if more than an Escape was pending.
    mutating func giveUpWaiting(now: Int64) -> Key? {
        guard isWaiting, now - lastTime >= Self.escapeNanoseconds else { return nil }
        defer { pending = [] }
        return pending == [Self.escape] ? .plain(Self.escape) : nil
    }

    /// Returns all keys completed by the bytes.
    ///
    /// - Parameter time: The time at which the bytes were read.
    mutating func keys(_ bytes: some Sequence<UInt8>, at time: Int64 = MonotonicTime.now()) -> [Key] {
        lastTime = time
        var result: [Key] = []
        for byte in bytes {
            if byte == Self.escape {
                // An Escape ends every unfinished sequence.
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

    /// Takes a byte of a character; returns the key of a complete character.
    private mutating func take(_ byte: UInt8) -> Key? {
        // A byte that begins a character ends an incomplete character.
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
            // A terminal sends Escape before a key pressed together with Alt.
            return altKeys.contains(bytes[1]) ? .whole : .escapeAlone
        }
        if (0x40...0x7E).contains(last) { return .whole }
        // Every key's sequence is shorter than sixteen bytes; a longer sequence is no key.
        return bytes.count < 16 ? .unfinished : .unknown
    }
}
