// Converts the bytes of a terminal to requests to the player. An escape sequence may arrive in pieces, so an
// unfinished one is kept; nothing waits here.
import Woodshed

/// The action of a key.
enum KeyAction: Equatable, Sendable {
    /// What a key does to the loop that is set by ear.
    enum Loop: Equatable, Sendable {
        case setStart
        case setEnd
        /// Leave it, or enter it again.
        case toggle
        /// Go to its first frame.
        case goToStart
        /// Loop what was just heard.
        case lastHeard
        /// Move an edge by seconds of the recording.
        case nudge(LoopMarks.Edge, seconds: Double)
        /// Move an edge by frames of the recording's file.
        case nudgeFrames(LoopMarks.Edge, Int)
    }

    /// What a key does to the saved sections.
    enum Sections: Equatable, Sendable {
        /// Split the recording at what is heard.
        case mark
        /// Keep the loop as a section; its name is typed.
        case save
        /// Give the section that plays another name, which is typed.
        case rename
        /// Remove the section that plays.
        case remove
        /// Mark the section that plays as hard, or no longer.
        case toggleHard
        case undo
        case redo

        /// What is asked for before it is carried out; nil if nothing is.
        var question: String? { self == .save || self == .rename ? "name" : nil }
    }

    case togglePause
    /// End; nothing is remembered for the next time unless `remembers`.
    case quit(remembers: Bool)
    /// Jump by this many seconds of the recording.
    case jump(seconds: Double)
    /// Go this many sections forth or back.
    case skip(sections: Int)
    /// Change the speed by this much of the normal speed.
    case changeSpeed(by: Double)
    case normalSpeed
    /// Higher or lower, in semitones.
    case changePitch(by: Double)
    /// Play each section so often; 0 is without an end.
    case passes(Int)
    /// The next of the gaps after a pass: none, as long as the pass, half as long again.
    case changeGap
    /// Louder or softer, in decibels.
    case changeGain(by: Double)
    case loop(Loop)
    case sections(Sections)
    /// The pass was clean, or a miss: a little faster, or slower.
    case grade(isClean: Bool)
    /// Say the section, the position and the speed.
    case tell
    /// Show or hide the waveform.
    case waveform
    case help
    case redraw
}

/// Separates single keys from escape sequences.
struct KeyBytes {
    /// The bytes of one key.
    enum Key: Equatable {
        case plain(UInt8)
        case sequence([UInt8])
    }

    /// An unfinished sequence: Escape, and the bytes so far.
    private var pending: [UInt8] = []

    private static let escape: UInt8 = 0x1B

    init() {}

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
                result.append(.plain(byte))
                continue
            }
            pending.append(byte)
            switch Self.state(pending) {
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

    private enum State {
        case unfinished
        case whole
        /// Escape, then another key.
        case escapeAlone
        case unknown
    }

    /// The keys that have an action together with Alt.
    private static let altKeys: Set<UInt8> = Set(",.<>".utf8)

    private static func state(_ bytes: [UInt8]) -> State {
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

extension KeyAction {
    /// The action of a key on a player; nil for keys without one.
    init?(_ key: KeyBytes.Key) {
        let action =
            switch key {
            case .plain(let byte): Self.plain(byte)
            case .sequence(let bytes): bytes.count == 2 ? Self.alt(bytes[1]) : Self.arrow(bytes)
            }
        guard let action else { return nil }
        self = action
    }

    private static func alt(_ byte: UInt8) -> KeyAction? {
        switch byte {
        case UInt8(ascii: ","): .loop(.nudgeFrames(.start, -1))
        case UInt8(ascii: "."): .loop(.nudgeFrames(.start, 1))
        case UInt8(ascii: "<"): .loop(.nudgeFrames(.end, -1))
        case UInt8(ascii: ">"): .loop(.nudgeFrames(.end, 1))
        default: nil
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
        case UInt8(ascii: "q"): .quit(remembers: true)
        case UInt8(ascii: "Q"): .quit(remembers: false)
        case UInt8(ascii: "n"): .skip(sections: 1)
        case UInt8(ascii: "N"): .skip(sections: -1)
        case UInt8(ascii: "["): .changeSpeed(by: -0.05)
        case UInt8(ascii: "]"): .changeSpeed(by: 0.05)
        case UInt8(ascii: "{"): .changeSpeed(by: -0.01)
        case UInt8(ascii: "}"): .changeSpeed(by: 0.01)
        case 0x7F, 0x08: .normalSpeed
        case UInt8(ascii: "("): .changePitch(by: -1)
        case UInt8(ascii: ")"): .changePitch(by: 1)
        case UInt8(ascii: "a"): .loop(.setStart)
        case UInt8(ascii: "b"): .loop(.setEnd)
        case UInt8(ascii: "l"): .loop(.toggle)
        case UInt8(ascii: "j"): .loop(.goToStart)
        case UInt8(ascii: "L"): .loop(.lastHeard)
        case UInt8(ascii: ","): .loop(.nudge(.start, seconds: -0.01))
        case UInt8(ascii: "."): .loop(.nudge(.start, seconds: 0.01))
        case UInt8(ascii: "<"): .loop(.nudge(.end, seconds: -0.01))
        case UInt8(ascii: ">"): .loop(.nudge(.end, seconds: 0.01))
        case UInt8(ascii: "m"): .sections(.mark)
        case UInt8(ascii: "S"): .sections(.save)
        case UInt8(ascii: "R"): .sections(.rename)
        case UInt8(ascii: "X"): .sections(.remove)
        case UInt8(ascii: "H"): .sections(.toggleHard)
        case UInt8(ascii: "u"): .sections(.undo)
        case UInt8(ascii: "U"): .sections(.redo)
        case UInt8(ascii: "y"): .grade(isClean: true)
        case UInt8(ascii: "x"): .grade(isClean: false)
        case UInt8(ascii: "i"): .tell
        case UInt8(ascii: "g"): .changeGap
        case UInt8(ascii: "0")...UInt8(ascii: "9"): .passes(Int(byte - UInt8(ascii: "0")))
        case UInt8(ascii: "+"), UInt8(ascii: "="): .changeGain(by: 1)
        case UInt8(ascii: "-"): .changeGain(by: -1)
        case UInt8(ascii: "w"), UInt8(ascii: "W"): .waveform
        case UInt8(ascii: "?"), UInt8(ascii: "h"): .help
        case 0x0C: .redraw
        default: nil
        }
    }

    /// One screen of help for the keys.
    static let keyHelp = KeyHelp(entries: [
        ("space", "pause, go on"), ("arrows", "5 s back, on; Shift: 1 s"),
        ("[ ] { }", "5 %, 1 % slower, faster"), ("Backspace", "normal speed"),
        ("a b", "loop: starts, ends here"), ("l j", "leave or enter; to start"), ("L", "loop the last 4 s, 8 s"),
        (", .", "loop's start 10 ms -, +"), ("< >", "loop's end 10 ms -, +"), ("Alt ,.<>", "the same by a frame"),
        ("m", "mark a point"), ("S R", "save the loop; new name"), ("X H", "remove section; hard"),
        ("u U", "undo, redo"), ("n N", "next, previous section"), ("1 to 9", "so many passes; 0: endless"),
        ("g", "gap: none, 1, 1.5 passes"), ("y x", "clean faster; missed slower"), ("i", "say the place"),
        ("Ctrl-L w", "clear screen; waveform"), ("( )", "a semitone -, +"), ("+ -", "louder, softer"),
        ("q Q", "quit; forget the place"),
    ])
}
