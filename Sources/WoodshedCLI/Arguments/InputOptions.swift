// The input of a recording, as typed.
import ArgumentParser
import Terminal
import Woodshed

/// Usual combinations of rate, bits and channels.
enum RecordQuality: String, CaseIterable, ExpressibleByArgument {
    case low
    case medium
    case high

    var rate: Int {
        switch self {
        case .low: 22_050
        case .medium: 44_100
        case .high: 48_000
        }
    }

    var bits: BitsText {
        switch self {
        case .low, .medium: .sixteen
        case .high: .twentyFour
        }
    }

    var channels: Int { self == .low ? 1 : 2 }
}

/// The recorded device, and the rate, bits and channels of the take.
struct InputOptions: ParsableArguments {
    @Option(name: .long, help: .init("An ALSA device, null or file:PATH.", valueName: "device"))
    var input = "default"

    @Option(name: .long, help: "Rate, bits and channels: low, medium or high.")
    var quality: RecordQuality = .high

    @Option(
        name: .long, parsing: .unconditional, help: .init("Sample rate, 8000 to 768000 Hz.", valueName: "hz"),
        transform: { try boundedInteger($0, in: 8000...768_000) })
    var rate: Int?

    @Option(name: .long, help: "Bits per sample.")
    var bits: BitsText?

    @Option(
        name: .long, parsing: .unconditional,
        help: .init("Channels, 1 to 64; 1 is the mean of all channels.", valueName: "n"),
        transform: { try boundedInteger($0, in: 1...64) })
    var channels: Int?

    @Option(
        name: .long, parsing: .unconditional,
        help: .init("Record these input channels, 1 to 64: 3, or 1,2.", valueName: "list"),
        transform: { try ChannelListText(parsing: optionValue($0)) })
    var inputChannel: ChannelListText?

    @Flag(name: .long, help: "Refuse an input with another rate or fewer channels.")
    var exact = false

    /// Requested rate.
    var wantedRate: Int { rate ?? quality.rate }

    /// Number of channels to record, without chosen channels.
    var channelCount: Int { channels ?? quality.channels }

    var sampleFormat: WaveSampleFormat { (bits ?? quality.bits).format }

    /// Opens the input.
    func open(_ stream: StreamOptions) throws -> IdleRecorder {
        let device = try InputDevice(parsing: input)
        // An error of the file is clearer as a file error than as a device error.
        if case .file(let path) = device { _ = try Clip(path: path) }
        let request = try stream.request(
            sampleRate: wantedRate, channelCount: inputChannel?.deviceChannels ?? channelCount,
            usualPeriods: 4)
        return try IdleRecorder(
            input: device, request: stream.periods.periods == nil ? request.withLongBuffer() : request)
    }
}
