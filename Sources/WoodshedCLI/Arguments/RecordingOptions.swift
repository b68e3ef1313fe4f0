// Source and mode of recording over the loops of a session.
import ArgumentParser
import Terminal
import WoodshedPractice

/// Recording mode for takes, as typed.
enum TakeModeText: String, CaseIterable, Sendable {
    case passes
    case gaps
    case key

    var mode: TakeMode {
        switch self {
        case .passes: .passes
        case .gaps: .gaps
        case .key: .key
        }
    }
}

/// Options for recording over the loops.
struct RecordingOptions: ParsableArguments {
    @Option(
        name: .long, help: .init("Record takes: passes, gaps, or key (r starts a take).", valueName: "when"),
        transform: { try TakeModeText(parsing: optionValue($0)) })
    var record: TakeModeText?

    @Option(
        name: .long,
        help: .init(
            "Input: an ALSA device, null or file:PATH. (default: the output's name)", valueName: "device",
            visibility: .hidden))
    var input: String?

    @Option(
        name: .long, parsing: .unconditional,
        help: .init(
            "Record these input channels, 1 to 64: 3, or 1,2.", valueName: "list", visibility: .hidden),
        transform: { try ChannelListText(parsing: optionValue($0)) })
    var inputChannel: ChannelListText?

    @Flag(name: .long, help: .init("Play the input through the output, too.", visibility: .hidden))
    var monitor = false

    @Option(
        name: .long, parsing: .unconditional,
        help: .init(
            "Recording delay beyond the drivers' report, -2000 to 2000 ms; replaces the value from calibrate.",
            valueName: "ms", visibility: .hidden),
        transform: { try MillisecondsText(parsing: optionValue($0)) })
    var takeOffset: MillisecondsText?

    @Option(
        name: .long,
        help: .init(
            "Folder for takes. (default: woodshed/takes in the user's data folder)", valueName: "folder",
            visibility: .hidden),
        completion: .directory)
    var takeFolder: String?

    mutating func validate() throws {
        let names = [
            "--input": input != nil, "--input-channel": inputChannel != nil, "--monitor": monitor,
            "--take-offset": takeOffset != nil, "--take-folder": takeFolder != nil,
        ]
        if record == nil, let name = names.filter(\.value).keys.min() {
            throw ValidationError("\(name) needs --record; add --record key, --record passes or --record gaps.")
        }
    }
}

/// Milliseconds as typed: `12.5`, `-3`, `12.5ms`.
struct MillisecondsText: Hashable, Sendable {
    let milliseconds: Double

    private static let most = 2000.0

    init(parsing text: String) throws(ArgumentError) {
        let isBelow = text.hasPrefix("-")
        let digits = text.drop { $0 == "-" || $0 == "+" }
        let number = decimal(digits.hasSuffix("ms") ? digits.dropLast(2) : digits)
        guard text.count - digits.count <= 1, let number, number <= Self.most else {
            throw ArgumentError.unreadable(
                text, as: "a time in milliseconds", remedy: "Write 12.5 or -3, at most \(Int(Self.most)).")
        }
        milliseconds = isBelow ? -number : number
    }
}
