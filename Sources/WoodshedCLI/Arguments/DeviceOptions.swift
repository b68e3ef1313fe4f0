// Options for opening a device, and their requests.
import ArgumentParser
import Terminal
import WoodshedPractice

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
    private var outputChannel: ChannelListText?

    // Hidden in the short help, which has no room for rarely used options. `--help-hidden` shows this group.
    @OptionGroup(visibility: .hidden) var stream: StreamOptions
}

/// Settings for opening a device, for playing or recording.
struct StreamOptions: ParsableArguments {
    @Flag(
        name: .long,
        help: "Open the card exclusively: no mixing with other programs, no conversion by ALSA.")
    private var exclusive = false

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

extension DeviceOptions {
    /// True if a user listens: to a file or under the virtual clock, an endless loop would never end.
    var listensInRealTime: Bool { stream.clock == .real && !output.hasPrefix("file:") }

    /// Returns the requested device.
    func outputDevice() throws(DeviceError) -> OutputDevice { try OutputDevice(parsing: output) }

    /// Returns the request for a rate and a channel count.
    func request(sampleRate: Int, channelCount: Int) throws(DeviceError) -> StreamRequest {
        let request = try stream.request(sampleRate: sampleRate, channelCount: channelCount, usualPeriods: 3)
        return try outputChannel.map { (list) throws(DeviceError) in try request.playing(on: list.channels) } ?? request
    }
}

extension StreamOptions {
    /// Returns the request for a rate and a channel count, with `usualPeriods` if the user gave no number of periods.
    func request(
        sampleRate: Int, channelCount: Int, usualPeriods: Int
    ) throws(DeviceError) -> StreamRequest {
        // Without a device's deadline, larger blocks only save work.
        let usual = clock == .virtual ? 4096 : 256
        return try StreamRequest(
            sampleRate: sampleRate, channelCount: channelCount, periodFrames: periods.period ?? usual,
            periodCount: periods.periods ?? usualPeriods, clock: clock == .virtual ? .virtual : .real,
            realtimePriority: priority == 0 ? nil : priority, isExclusive: exclusive)
    }
}

extension LossOptions {
    /// The requested policy.
    var policy: LossPolicy {
        switch onLoss {
        case .wait: .wait
        case .pause: .pause
        case .fallback: .fallback()
        }
    }
}
