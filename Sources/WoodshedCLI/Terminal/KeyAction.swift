// Actions of keys during playback, and their names: in the configuration, and for every other control of a player.
import Terminal
import WoodshedPractice

/// The action of a key.
enum KeyAction: NamedAction {
    /// Key actions on the loop set by ear.
    enum Loop: Equatable, Sendable {
        case setStart
        case setEnd
        /// Leave or re-enter the loop.
        case toggle
        /// Go to the loop's first frame.
        case goToStart
        /// Loop the sound just heard.
        case lastHeard
        /// Move an edge by seconds of the recording.
        case nudge(LoopMarks.Edge, seconds: Double)
        /// Move an edge by frames of the recording's file.
        case nudgeFrames(LoopMarks.Edge, Int)
    }

    /// Key actions on the saved sections.
    enum Sections: Equatable, Sendable {
        /// Split the recording at the audible place.
        case mark
        /// Save the loop as a section, with a typed name.
        case save
        /// Give the playing section another, typed name.
        case rename
        /// Remove the playing section.
        case remove
        /// Mark the playing section as hard, or unmark it.
        case toggleHard
        case undo
        case redo

        /// The input requested before the action; nil for none.
        var question: String? { self == .save || self == .rename ? "name" : nil }
    }

    /// Key actions on the newest take of the playing passage.
    enum Take: Equatable, Sendable {
        /// Hear the take, its model, or both.
        case hear(HeardSound)
        /// Hear the loop again.
        case end
        /// Compare the take with its model.
        case compare
    }

    /// Key actions on the channel strip.
    enum Strip: Equatable, Sendable {
        enum Band: String, Sendable {
            case low
            case mid
            case high
        }

        /// Cycle the centre: as recorded, removed, alone.
        case centre
        /// Cycle the channels: all, then each channel alone.
        case channel
        /// Shift the balance to the right, by a step on the scale -1 to 1.
        case balance(by: Double)
        /// Raise a band, in decibels.
        case equaliser(Band, by: Double)
        /// Hear the recording unchanged.
        case off
    }

    case togglePause
    /// Hold the present sound, or continue from it.
    case freeze
    /// End the run; `remembers` stores the position and settings for the next run.
    case quit(remembers: Bool)
    /// Jump by this many seconds of the recording.
    case jump(seconds: Double)
    /// Go to this share of the recording, from 0 to 1.
    case seek(share: Double)
    /// Go this many sections forth or back.
    case skip(sections: Int)
    /// Change the speed by this much of the normal speed.
    case changeSpeed(by: Double)
    /// Set the speed to this much of the normal speed.
    case setSpeed(Double)
    /// Higher or lower, in semitones.
    case changePitch(by: Double)
    /// Play each section this many times; 0 means endlessly.
    case passes(Int)
    /// Play backwards, or forwards again.
    case reverse
    /// Cycle the gap after a pass: none, one pass length, one and a half.
    case changeGap
    /// Louder or softer, in decibels.
    case changeGain(by: Double)
    case strip(Strip)
    case loop(Loop)
    case sections(Sections)
    case take(Take)
    /// Grade the pass as clean or missed: a little faster, or slower.
    case grade(isClean: Bool)
    /// Start or stop recording over the loop.
    case record
    /// Ask for a rating of the playing section.
    case rate
    /// Say the section, the position and the speed.
    case tell
    /// Open or close the list for choosing a section.
    case list
    /// Show or hide the waveform.
    case waveform
    /// Learn the action of a controller's pedal or button.
    case learn
    case help
    case redraw
}

extension KeyAction {
    /// Parses the name of an action.
    init(words text: some StringProtocol) throws(ArgumentError) {
        // Fast path: names of actions without a number.
        if let action = Self.simple[String(text)] {
            self = action
            return
        }
        let words = String(text).split(separator: " " as Character).map(String.init)
        guard let first = words.first, words.count <= 3 else { throw Self.unknown(text) }
        if let action = Self.simple[words.joined(separator: " ")] {
            self = action
            return
        }
        guard words.count == 2 || words.count == 3 && (first == "nudge" || first == "eq") else {
            throw Self.unknown(text)
        }
        switch first {
        case "seek":
            if words[1].hasSuffix("%") {
                guard let percent = decimal(words[1].dropLast()), percent <= 100 else { throw Self.unknown(text) }
                self = .seek(share: percent / 100)
            } else {
                self = .jump(seconds: try Self.signed(words[1], of: text))
            }
        case "section":
            let count: Double = try Self.signed(words[1], of: text)
            self = .skip(sections: Int(count))
        case "speed":
            if words[1].hasPrefix("+") || words[1].hasPrefix("-") {
                let step = try SpeedText.number(words[1].dropFirst())
                self = .changeSpeed(by: words[1].hasPrefix("-") ? -step : step)
            } else {
                self = .setSpeed(try SpeedText(parsing: words[1]).factor)
            }
        case "pitch": self = .changePitch(by: try PitchText(parsing: words[1]).semitones)
        case "gain": self = .changeGain(by: try Self.signed(words[1], of: text))
        case "passes": self = .passes(try boundedInteger(words[1], in: 1...1_000_000))
        case "balance": self = .strip(.balance(by: try Self.signed(words[1], of: text)))
        case "eq":
            guard words.count == 3, let band = Strip.Band(rawValue: words[1]) else { throw Self.unknown(text) }
            self = .strip(.equaliser(band, by: try Self.signed(words[2], of: text)))
        case "nudge": self = .loop(try Self.nudge(words, of: text))
        default: throw Self.unknown(text)
        }
    }

    /// The action's name.
    var words: String {
        if let words = Self.simple.first(where: { $0.value == self })?.key { return words }
        func signed(_ value: Double) -> String { (value < 0 ? "-" : "+") + shortest(abs(value)) }
        return switch self {
        case .jump(let seconds): "seek " + signed(seconds)
        case .seek(let share): "seek " + shortest(share * 100) + "%"
        case .skip(let sections): "section " + signed(Double(sections))
        case .changeSpeed(let step): "speed " + signed(step * 100) + "%"
        case .setSpeed(let factor): "speed " + shortest(factor * 100) + "%"
        case .changePitch(let semitones): "pitch " + signed(semitones)
        case .changeGain(let decibels): "gain " + signed(decibels)
        case .passes(let count): "passes \(count)"
        case .strip(.balance(let step)): "balance " + signed(step)
        case .strip(.equaliser(let band, let decibels)): "eq \(band.rawValue) " + signed(decibels)
        case .loop(.nudge(let edge, let seconds)): "nudge \(edge.rawValue) \(signed(seconds * 1000))ms"
        case .loop(.nudgeFrames(let edge, let frames)): "nudge \(edge.rawValue) \(signed(Double(frames)))f"
        default: "none"
        }
    }

    /// The actions without a number.
    private static let simple: [String: KeyAction] = [
        "pause": .togglePause, "freeze": .freeze, "quit": .quit(remembers: true),
        "quit forget": .quit(remembers: false),
        "gap": .changeGap, "reverse": .reverse, "centre": .strip(.centre), "channel": .strip(.channel),
        "strip off": .strip(.off),
        "passes endless": .passes(0), "loop start": .loop(.setStart), "loop end": .loop(.setEnd),
        "loop toggle": .loop(.toggle), "loop jump": .loop(.goToStart), "loop last": .loop(.lastHeard),
        "mark": .sections(.mark), "save": .sections(.save), "rename": .sections(.rename),
        "remove": .sections(.remove), "hard": .sections(.toggleHard), "undo": .sections(.undo),
        "redo": .sections(.redo), "grade clean": .grade(isClean: true), "grade missed": .grade(isClean: false),
        "record": .record, "hear model": .take(.hear(.model)), "hear take": .take(.hear(.take)),
        "hear turn": .take(.hear(.turn)), "hear both": .take(.hear(.both)), "hear end": .take(.end),
        "compare": .take(.compare), "rate": .rate, "tell": .tell, "learn": .learn, "list": .list,
        "waveform": .waveform, "help": .help, "redraw": .redraw,
    ]

    /// The words of all actions without a number.
    static var plainWords: [String] { simple.keys.sorted() }

    /// Parses a number with a sign, in an action's name.
    private static func signed(_ text: some StringProtocol, of words: some StringProtocol) throws(ArgumentError)
        -> Double
    {
        guard text.hasPrefix("+") || text.hasPrefix("-"), let size = decimal(text.dropFirst()), size <= 1e6 else {
            throw unknown(words)
        }
        return text.hasPrefix("-") ? -size : size
    }

    private static func nudge(_ words: [String], of text: some StringProtocol) throws(ArgumentError) -> Loop {
        guard words.count == 3, let edge = LoopMarks.Edge(rawValue: words[1]) else { throw unknown(text) }
        if words[2].hasSuffix("ms") {
            return .nudge(edge, seconds: try signed(words[2].dropLast(2), of: text) / 1000)
        }
        guard words[2].hasSuffix("f") else { throw unknown(text) }
        let count: Double = try signed(words[2].dropLast(), of: text)
        return .nudgeFrames(edge, Int(count))
    }
}
