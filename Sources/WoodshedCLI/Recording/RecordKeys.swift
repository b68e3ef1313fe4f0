// Converts the bytes of a terminal to requests to the recorder.

/// The action of a key while recording.
enum RecordAction: Equatable, Sendable {
    /// Begin, pause, or go on.
    case toggle
    /// Stop and keep.
    case stop
    /// Stop and discard; needs a confirmation.
    case discard
    case mark
    case help
    case redraw
    /// Ask "throw it away?".
    case ask
    /// The answer to the question was no.
    case goOn
}

/// Turns keys into actions.
struct RecordKeys {
    /// Whether the next key answers "throw it away?".
    private(set) var isAsking = false

    static let question = "Throw this take away? y: yes, any other key: no"

    init() {}

    /// The action of a key; nil for keys without one. `d` asks; only `y` after it discards, and every other key
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

    /// One screen of help for the keys.
    static let help = KeyHelp(entries: [
        ("space", "begin, pause, go on"), ("s, q", "stop and keep"), ("Ctrl-L", "clear the screen"),
        ("m", "mark this place"), ("d", "stop and throw away (asks)"),
    ])
}
