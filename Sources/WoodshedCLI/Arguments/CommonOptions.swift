// Options shared by several verbs. Parsed values are already checked against their bounds. Their meaning for a file is
// decided once the file is known.
//
// Options with numbers are parsed unconditionally: a value may begin with a minus sign and is accepted or refused as a
// value. `optionValue` then detects a missing value.
import ArgumentParser
import AudioFiles
import Terminal

/// Amount of printed messages.
struct MessageOptions: ParsableArguments {
    @Flag(name: .long, help: "Write JSON lines to standard output.")
    var json = false

    @Flag(name: [.short, .long], help: "Print no messages except errors.")
    var quiet = false

    @Flag(name: [.short, .long], help: "Print device settings and final statistics.")
    var verbose = false

    @Flag(name: .long, help: "Print few plain lines, for screen readers and logs.")
    var plain = false

    /// Prints a line for people, in full output without `--json`.
    func note(_ words: String) {
        if !quiet, !json { StandardStream.error.note(printable(words)) }
    }
}

/// Contents of the screen while playing, beside the status line.
struct ScreenOptions: ParsableArguments {
    @Flag(
        name: .long, inversion: .prefixedNo,
        help: "Show the waveform on a terminal; the key w toggles it.")
    var waveform = true
}

/// A range of a recording.
struct RangeOptions: ParsableArguments {
    @Option(
        name: .long, parsing: .unconditional,
        help: .init("Start: 83.5 (seconds), 1:23.5, 12f (frame) or 50%.", valueName: "time"),
        transform: { try TimePoint(parsing: optionValue($0)) })
    var from: TimePoint?

    @Option(
        name: .long, parsing: .unconditional,
        help: .init("End, in the units of --from.", valueName: "time"),
        transform: { try TimePoint(parsing: optionValue($0)) })
    var to: TimePoint?

    var isGiven: Bool { from != nil || to != nil }

    var range: TimeRange { TimeRange(start: from, end: to) }
}

/// A single speed for everything, or a single curve for every pass.
struct SpeedOptions: ParsableArguments {
    @Option(
        name: [.short, .long], parsing: .unconditional,
        help: .init("Speed, 25% to 400%; also 0.7 or 0.7x. (default: 100%)", valueName: "speed"),
        transform: { try SpeedText(parsing: optionValue($0)) })
    var speed: SpeedText?

    @Option(
        name: .long, parsing: .unconditional,
        help: .init(
            "Speed over the seconds of each pass: 0=70%,10~100% (glide), or 0=70%,4=90%,8=repeat.",
            valueName: "t=speed,..."),
        transform: { try CurveText(parsing: optionValue($0)) })
    var curve: CurveText?

    var isGiven: Bool { speed != nil || curve != nil }

    mutating func validate() throws {
        if speed != nil && curve != nil {
            throw ValidationError("Use only one of --speed, --curve and --ramp.")
        }
    }
}

/// A single pitch for everything.
struct PitchOptions: ParsableArguments {
    @Option(
        name: .long, parsing: .unconditional,
        help: .init("Transpose, -24 to 24 semitones: +3, -2.5, 30c (cents).", valueName: "pitch"),
        transform: { try PitchText(parsing: optionValue($0)) })
    var pitch: PitchText?

    @Flag(name: .long, help: "Change the pitch with the speed, as on a tape.")
    var varispeed = false

    @Option(name: .long, help: "Formants, if transposed: auto (keep in speech), keep or move.")
    var formants: FormantText = .auto

    mutating func validate() throws {
        if varispeed && pitch != nil { throw ValidationError("Use only one of --pitch and --varispeed.") }
    }
}

/// Towards the end, or towards the beginning.
struct DirectionOptions: ParsableArguments {
    @Flag(name: .long, help: "Play backwards, from the end to the start.")
    var reverse = false
}

/// The method for other speeds.
struct MethodOptions: ParsableArguments {
    @Option(name: .long, help: "Stretch as music or as speech; auto chooses.")
    var material: MaterialText = .auto

    @Option(
        name: .long,
        help: .init(
            "Stretch quality: full (default), or light (less work, slightly rougher low chords).", visibility: .hidden),
        completion: .list(QualityText.allCases.map(\.rawValue)),
        transform: { try QualityText(parsing: optionValue($0)) })
    var quality: QualityText = .full
}

/// The kind of recording.
enum MaterialText: String, CaseIterable, ExpressibleByArgument {
    case auto
    case music
    case speech
}

/// The amount of work.
enum QualityText: String, CaseIterable {
    case full
    case light
}

/// Treatment of formants.
enum FormantText: String, CaseIterable, ExpressibleByArgument {
    case auto
    case keep
    case move
}

/// Transition from a pass to the next pass.
enum JointText: String, CaseIterable, ExpressibleByArgument {
    case crossfade
    case fade
    case hard
}

/// Parses a whole number within bounds.
func boundedInteger(_ text: String, in range: ClosedRange<Int>) throws(ArgumentError) -> Int {
    let text = try optionValue(text)
    let isBelowZero = range.lowerBound < 0 && text.hasPrefix("-")
    guard let number = isBelowZero ? wholeNumber(text.dropFirst()).map({ -$0 }) : wholeNumber(text),
        number <= range.upperBound, number >= range.lowerBound
    else {
        throw ArgumentError.unreadable(
            text, as: "a possible number",
            remedy: "Write a whole number from \(range.lowerBound) to \(range.upperBound).")
    }
    return Int(number)
}

/// Returns the text of an option's value. Another option's name in its place means a missing value.
func optionValue(_ text: String) throws(ArgumentError) -> String {
    guard !text.hasPrefix("--") else {
        throw ArgumentError(
            "the value is missing, and '\(text)' is the next option", remedy: "Write a value before '\(text)'.")
    }
    return text
}
