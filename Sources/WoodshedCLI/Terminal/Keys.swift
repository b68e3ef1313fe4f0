// From the bytes a terminal sends to what the player is asked to do. An escape sequence may arrive in pieces, so the
// reader keeps what is unfinished; it never waits.

/// What a key asks for.
enum KeyAction: Equatable, Sendable {
    case togglePause
    case quit
    /// Jump by this many seconds of the recording.
    case jump(seconds: Double)
    /// Go this many sections forth or back.
    case skip(sections: Int)
    /// Change the speed by this much of the normal speed.
    case changeSpeed(by: Double)
    case normalSpeed
    /// Higher or lower, in semitones.
    case changePitch(by: Double)
    /// Louder or softer, in decibels.
    case changeGain(by: Double)
    /// Show or hide the waveform.
    case waveform
    case help
    case redraw
}

/// Tells single keys from the sequences that others send.
struct KeyBytes {
    /// What one key sent.
    enum Key: Equatable {
        case plain(UInt8)
        case sequence([UInt8])
    }

    private var pending: [UInt8] = []

    init() {}

    /// All keys the bytes complete.
    mutating func keys(_ bytes: some Sequence<UInt8>) -> [Key] {
        var result: [Key] = []
        for byte in bytes {
            if pending.isEmpty && byte != 0x1B {
                result.append(.plain(byte))
                continue
            }
            pending.append(byte)
            if let end = Self.sequenceEnd(pending) {
                if end { result.append(.sequence(pending)) }
                pending = []
            }
        }
        return result
    }

    /// nil: more to come; true: a whole sequence; false: no sequence we know the shape of.
    private static func sequenceEnd(_ bytes: [UInt8]) -> Bool? {
        switch bytes.count {
        case 1: return nil
        case 2: return bytes[1] == UInt8(ascii: "[") || bytes[1] == UInt8(ascii: "O") ? nil : false
        default:
            guard let last = bytes.last else { return false }
            if (0x40...0x7E).contains(last) { return true }
            // Sixteen bytes is longer than any key's sequence; what keeps coming is not a key.
            return bytes.count < 16 ? nil : false
        }
    }

}

/// Turns bytes into actions; unknown keys are passed over in silence.
struct KeyReader {
    private var bytes = KeyBytes()

    init() {}

    /// All actions the bytes complete.
    mutating func actions(_ bytes: some Sequence<UInt8>) -> [KeyAction] {
        self.bytes.keys(bytes).compactMap { key in
            switch key {
            case .plain(let byte): Self.plain(byte)
            case .sequence(let bytes): Self.arrow(bytes)
            }
        }
    }

    private static func arrow(_ bytes: [UInt8]) -> KeyAction? {
        // A modifier (`ESC [ 1 ; 2 C` is Shift and right) makes the jump small.
        let step = bytes.count > 3 ? 1.0 : 5.0
        switch bytes.last {
        case UInt8(ascii: "A"): return .skip(sections: -1)
        case UInt8(ascii: "B"): return .skip(sections: 1)
        case UInt8(ascii: "C"): return .jump(seconds: step)
        case UInt8(ascii: "D"): return .jump(seconds: -step)
        default: return nil
        }
    }

    private static func plain(_ byte: UInt8) -> KeyAction? {
        switch byte {
        case UInt8(ascii: " "), UInt8(ascii: "p"): .togglePause
        case UInt8(ascii: "q"), UInt8(ascii: "Q"): .quit
        case UInt8(ascii: "n"): .skip(sections: 1)
        case UInt8(ascii: "N"): .skip(sections: -1)
        case UInt8(ascii: "["): .changeSpeed(by: -0.05)
        case UInt8(ascii: "]"): .changeSpeed(by: 0.05)
        case UInt8(ascii: "{"): .changeSpeed(by: -0.01)
        case UInt8(ascii: "}"): .changeSpeed(by: 0.01)
        case 0x7F, 0x08: .normalSpeed
        case UInt8(ascii: "<"): .changePitch(by: -1)
        case UInt8(ascii: ">"): .changePitch(by: 1)
        case UInt8(ascii: "+"), UInt8(ascii: "="): .changeGain(by: 1)
        case UInt8(ascii: "-"): .changeGain(by: -1)
        case UInt8(ascii: "w"), UInt8(ascii: "W"): .waveform
        case UInt8(ascii: "?"), UInt8(ascii: "h"): .help
        case 0x0C: .redraw
        default: nil
        }
    }

    /// One screen about the keys.
    static let help = """
        space  pause, go on          n, down   next section
        left   back 5 s              N, up     previous section
        right  on 5 s                + -       louder, softer
        [ ]    5 % slower, faster    { }       1 % slower, faster
        Backspace  normal speed      < >       a semitone lower, higher
        w      waveform              q          quit
        """
}
