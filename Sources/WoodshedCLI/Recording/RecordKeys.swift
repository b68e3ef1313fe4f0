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
    /// "Throw it away?" is to be asked.
    case ask
    /// It was asked, and the answer is no.
    case goOn
}

/// Turns keys into actions.
struct RecordKeys {
    /// Whether the next key answers "throw it away?".
    private(set) var isAsking = false

    static let question = "Throw this take away? y: yes, any other key: no"

    init() {}

    /// What a key asks for; nil for keys that ask for nothing. `d` asks; only `y` after it throws away, and every other key
    /// means no.
    mutating func action(_ key: KeyBytes.Key) -> RecordAction? {
        if isAsking {
            isAsking = false
            return key == .plain(UInt8(ascii: "y")) || key == .plain(UInt8(ascii: "Y")) ? .discard : .goOn
        }
        guard case .plain(let byte) = key else { return nil }
        switch byte {
        case UInt8(ascii: " "), UInt8(ascii: "p"), UInt8(ascii: "r"): return .toggle
        case UInt8(ascii: "s"), UInt8(ascii: "q"): return .stop
        case UInt8(ascii: "d"):
            isAsking = true
            return .ask
        case UInt8(ascii: "m"): return .mark
        case UInt8(ascii: "?"), UInt8(ascii: "h"): return .help
        case 0x0C: return .redraw
        default: return nil
        }
    }

    /// One screen about the keys.
    static let help = KeyHelp(entries: [
        ("space", "begin, pause, go on"), ("s, q", "stop and keep"), ("Ctrl-L", "clear the screen"),
        ("m", "mark this place"), ("d", "stop and throw away (asks)"),
    ])
}
