// Options shared by several verbs. Parsed values are already checked against their bounds. Their meaning for a file is
// decided once the file is known.
//
// Options with numbers are parsed unconditionally: a value may begin with a minus sign and is accepted or refused as a
// value. `optionValue` then detects a missing value.
import ArgumentParser
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
}

/// Contents of the screen while playing, beside the status line.
struct ScreenOptions: ParsableArguments {
    @Flag(
        name: .long, inversion: .prefixedNo,
        help: "Show the waveform on a terminal; the key w toggles it.")
    var waveform = true
}

/// The size of the device's buffer.
struct PeriodOptions: ParsableArguments {
    @Option(
        name: .long, parsing: .unconditional, help: "Frames per block, 1 to 8192; live 256, offline 4096.",
        transform: { try boundedInteger($0, in: 1...8192) })
    var period: Int?

    @Option(
        name: .long, parsing: .unconditional, help: "Blocks in the buffer, 2 to 4; 3 for playing.",
        transform: { try boundedInteger($0, in: 2...4) })
    var periods: Int?
}

/// Source of the device's timing: the real clock or a virtual clock.
enum ClockText: String, CaseIterable {
    case real
    case virtual
}

/// The output device.
struct DeviceOptions: ParsableArguments {
    @Option(
        name: .long,
        help: .init("An ALSA device, null or file:PATH.", valueName: "device"))
    var output = "default"

    @Option(
        name: .long, parsing: .unconditional,
        help: .init(
            "Play on these output channels, 1 to 64: 3, or 3,4.", valueName: "list", visibility: .hidden),
        transform: { try ChannelListText(parsing: optionValue($0)) })
    var outputChannel: ChannelListText?

    // Hidden in the short help, which has no room for rarely used options. `--help-hidden` shows this group.
    @OptionGroup(visibility: .hidden) var stream: StreamOptions
}

/// Settings for opening a device, for playing or recording.
struct StreamOptions: ParsableArguments {
    @Flag(
        name: .long,
        help: "Open the card exclusively: no mixing with other programs, no conversion by ALSA.")
    var exclusive = false

    @Option(
        name: .long, help: "real, or virtual: as fast as possible (null and file: only). (default: real)",
        completion: .list(ClockText.allCases.map(\.rawValue)), transform: { try ClockText(parsing: optionValue($0)) })
    var clock: ClockText = .real

    @OptionGroup var periods: PeriodOptions

    @Option(
        name: .long, parsing: .unconditional,
        help: .init("Real-time priority, 1 to 99; 0 for none. (default: 70)", valueName: "n"),
        transform: { try boundedInteger($0, in: 0...99) })
    var priority = 70
}

/// Reaction to the loss of the device while it plays.
enum LossText: String, CaseIterable {
    case wait
    case pause
    case fallback
}

/// Options of verbs with live playback.
struct LossOptions: ParsableArguments {
    @Option(
        name: .long,
        help: .init(
            "After a device loss: wait for the device and resume (default), pause, or fallback to the default device.",
            valueName: "what"),
        completion: .list(LossText.allCases.map(\.rawValue)), transform: { try LossText(parsing: optionValue($0)) })
    var onLoss: LossText = .wait
}

/// Sections, passes and speeds to play.
struct PlanOptions: ParsableArguments {
    @Option(
        name: .customLong("section"), parsing: .unconditionalSingleValue,
        help: .init(
            "Section: 2.0-3.0, 1:20-1:45, 90112f-131072f (frames), or a saved name or number; may be repeated.",
            valueName: "a-b"),
        completion: .custom(SectionNames.complete),
        transform: { try SectionArguments.sections(optionValue($0)) })
    var sections: [[SectionText]] = []

    @OptionGroup var range: RangeOptions

    @Option(
        name: [.customShort("n"), .customLong("passes")], parsing: .unconditional,
        help: .init("Passes of each section; 5 plays it five times.", valueName: "n"),
        transform: { try boundedInteger($0, in: 1...1_000_000) })
    var passes: Int?

    @OptionGroup var speed: SpeedOptions

    @OptionGroup var pitch: PitchOptions

    @OptionGroup var direction: DirectionOptions

    @Option(
        name: .long, parsing: .unconditional,
        help: .init(
            "Change the speed with each pass (60%:100%:5%), or within each pass (60%:100%).", valueName: "a:b[:step]"),
        transform: { try RampText(parsing: optionValue($0)) })
    var ramp: RampText?

    @Option(
        name: .long, parsing: .unconditional,
        help: .init("Silence after each pass: 0.1 (s), 12f, 1.0x (passes).", valueName: "g"),
        transform: { try GapText(parsing: optionValue($0)) })
    var gap: GapText?

    @Option(name: .long, help: "Join the passes by a crossfade, a fade or a hard cut.")
    var joint: JointText = .crossfade

    @OptionGroup var method: MethodOptions

    mutating func validate() throws {
        if ramp != nil && speed.isGiven {
            throw ValidationError("Use only one of --speed, --curve and --ramp.")
        }
        if !sections.isEmpty && range.isGiven {
            throw ValidationError("--from and --to set one section. Leave them out if you use --section.")
        }
    }

    /// Sections in the order of playing; empty without a given section.
    var chosenSections: [SectionText] {
        range.isGiven ? [.range(range.range)] : sections.flatMap { $0 }
    }
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
