// From the bytes a terminal sends to what the recorder is asked to do.

/// What a key asks of a recording.
enum RecordAction: Equatable, Sendable {
    /// Begin, pause, or go on.
    case toggle
    /// Stop and keep.
    case stop
    /// Stop and throw away, once that was confirmed.
    case discard
    case mark
    case help
    case redraw
    /// Any other key: an answer, if something was asked.
    case other
}

/// Turns bytes into actions.
struct RecordKeyReader {
    private var bytes = KeyBytes()
    /// Whether the next key answers "throw it away?".
    private(set) var isAsking = false

    /// All actions the bytes complete.
    mutating func actions(_ bytes: some Sequence<UInt8>) -> [RecordAction] {
        self.bytes.keys(bytes).compactMap { key in
            guard case .plain(let byte) = key else { return nil }
            return action(byte)
        }
    }

    /// `d` asks; only `y` after it throws away, and every other key means no.
    private mutating func action(_ byte: UInt8) -> RecordAction? {
        if isAsking {
            isAsking = false
            return byte == UInt8(ascii: "y") || byte == UInt8(ascii: "Y") ? .discard : .other
        }
        switch byte {
        case UInt8(ascii: " "), UInt8(ascii: "p"), UInt8(ascii: "r"): return .toggle
        case UInt8(ascii: "s"), UInt8(ascii: "q"): return .stop
        case UInt8(ascii: "d"):
            isAsking = true
            return .other
        case UInt8(ascii: "m"): return .mark
        case UInt8(ascii: "?"), UInt8(ascii: "h"): return .help
        case 0x0C: return .redraw
        default: return nil
        }
    }

    /// One screen about the keys.
    static let help = """
        space  begin, pause, go on   m  mark this place
        s, q   stop and keep         d  stop and throw away (asks)
        """
}
