public import AudioFiles

/// The clock of a stream.
///
/// (Not called `Clock`, which would hide Swift's own protocol in every file that imports this module.)
public enum StreamClock: String, Sendable, Hashable, CaseIterable {
    /// `real` for a system device and for a ``PulledOutput``, `virtual` for files and `null`.
    case automatic
    /// The device's own clock; files and `null` use the system's monotonic clock.
    case real
    /// As fast as possible and deterministic: each block waits for `prepare`, and nothing is ever late.
    case virtual
}

/// Requested settings of a stream. A request that exists is within the permitted ranges.
public struct StreamRequest: Sendable, Hashable {
    package let sampleRate: Int
    package let channelCount: Int
    package let periodFrames: Int
    package let periodCount: Int
    package private(set) var clock: StreamClock
    package let fileFormat: FileFormat?
    package let realtimePriority: Int?
    package private(set) var isExclusive: Bool
    /// Channels of the device that play the sound, from 0, in the order of the blocks' channels; nil for all channels.
    ///
    /// The stream's blocks and its configuration then have as many channels as this list; the device's other channels
    /// stay silent.
    package private(set) var outputChannels: [Int]?
    /// True if the buffer of an input is as long as the device permits, up to half a second, whatever `periodCount`
    /// says.
    package private(set) var hasLongBuffer = false

    static let sampleRates = 8000...768_000
    static let channelCounts = 1...64

    /// Makes a request for 44.1 kHz and two channels: the default of every function that opens a device.
    public init() {
        (sampleRate, channelCount, periodFrames, periodCount) = (44_100, 2, 256, 3)
        (clock, fileFormat, realtimePriority, isExclusive) = (.automatic, nil, 70, false)
    }

    /// Checks and makes a request.
    ///
    /// A system device may be unable to meet the request: the stream's configuration has the achieved values. The
    /// latency under the real clock is about `periodFrames × periodCount` frames. Throws `invalidRequest` with the
    /// provided value and the permitted range. Real-time safe: no.
    ///
    /// - Parameters:
    ///   - sampleRate: Frames a second, 8000 … 768000.
    ///   - channelCount: Channels, 1 … 64.
    ///   - periodFrames: Frames in a block, 1 … 8192.
    ///   - periodCount: Blocks in the device's buffer, 2 … 16.
    ///   - clock: The clock; a system device refuses the virtual clock.
    ///   - fileFormat: The format of a file; nil for the format given by the file's name. System devices negotiate
    ///     their own.
    ///   - realtimePriority: The SCHED_FIFO priority of the device thread, 1 … 99, or nil for an ordinary thread.
    ///     Ignored under the virtual clock.
    ///   - isExclusive: True to open the hardware itself, for this stream alone. No other program can use the card
    ///     while the stream is open, and only this program converts: sample formats are converted here, and the stream
    ///     has the rate of the card. `default` is then ALSA's first card.
    public init(
        sampleRate: Int = 44_100, channelCount: Int = 2, periodFrames: Int = 256, periodCount: Int = 3,
        clock: StreamClock = .automatic, fileFormat: FileFormat? = nil, realtimePriority: Int? = 70,
        isExclusive: Bool = false
    ) throws(DeviceError) {
        try Self.check(sampleRate, in: Self.sampleRates, "sample rate", unit: "Hz")
        try Self.check(channelCount, in: Self.channelCounts, "number of channels", unit: "channels")
        try Self.check(periodFrames, in: 1...8192, "period", unit: "frames")
        try Self.check(periodCount, in: 2...16, "number of periods", unit: "periods")
        if let realtimePriority { try Self.check(realtimePriority, in: 1...99, "real-time priority", unit: "") }
        self.sampleRate = sampleRate
        self.channelCount = channelCount
        self.periodFrames = periodFrames
        self.periodCount = periodCount
        self.clock = clock
        self.fileFormat = fileFormat
        self.realtimePriority = realtimePriority
        self.isExclusive = isExclusive
    }

    /// Returns the same request for chosen channels of the output, such as 3 and 4 of an interface with eight.
    ///
    /// The stream's blocks and its configuration then have as many channels as the list; the device's other channels
    /// stay silent.
    ///
    /// Opening throws `formatRefused` if the device has fewer channels. Throws `invalidRequest` for no channel, a
    /// channel named twice, or a channel outside 0 … 63. Real-time safe: no.
    ///
    /// - Parameter channels: From 0; the first block channel plays on the first channel of this list.
    public func playing(on channels: [Int]) throws(DeviceError) -> StreamRequest {
        guard let highest = channels.max(), Set(channels).count == channels.count else {
            throw DeviceError(
                kind: .invalidRequest, message: "the list of output channels is empty, or names a channel twice",
                remedy: "Name at least one channel, and each channel once.")
        }
        for channel in channels {
            // The greatest number has no successor, and is refused as it is.
            let number = channel < .max ? channel + 1 : channel
            try Self.check(number, in: Self.channelCounts, "output channel", unit: "")
        }
        var request = try with(channelCount: highest + 1)
        request.outputChannels = channels
        return request
    }

    /// Returns the same request with a long buffer, for an input without monitoring. Each block still comes at the end
    /// of its period, and a delay of the thread shorter than the buffer loses nothing.
    package func withLongBuffer() -> StreamRequest {
        var request = self
        request.hasLongBuffer = true
        return request
    }

    /// Returns the same request with the real clock, also for files and `null`.
    func withRealClock() -> StreamRequest {
        var request = self
        request.clock = .real
        return request
    }

    /// Returns the same request with another number of channels, all of them used.
    func with(channelCount: Int) throws(DeviceError) -> StreamRequest {
        try StreamRequest(
            sampleRate: sampleRate, channelCount: channelCount, periodFrames: periodFrames, periodCount: periodCount,
            clock: clock, fileFormat: fileFormat, realtimePriority: realtimePriority, isExclusive: isExclusive)
    }

    /// Returns the same request with another period.
    func with(periodFrames: Int) throws(DeviceError) -> StreamRequest {
        var request = try StreamRequest(
            sampleRate: sampleRate, channelCount: channelCount, periodFrames: periodFrames, periodCount: periodCount,
            clock: clock, fileFormat: fileFormat, realtimePriority: realtimePriority, isExclusive: isExclusive)
        (request.outputChannels, request.hasLongBuffer) = (outputChannels, hasLongBuffer)
        return request
    }

    /// Returns the same request for another device, shared with other programs, and without chosen channels.
    func forOtherDevice() throws(DeviceError) -> StreamRequest {
        var request = try with(channelCount: outputChannels?.count ?? channelCount)
        request.isExclusive = false
        return request
    }

    private static func check(
        _ value: Int, in range: ClosedRange<Int>, _ name: String, unit: String
    ) throws(DeviceError) {
        guard !range.contains(value) else { return }
        let suffix = unit.isEmpty ? "" : " \(unit)"
        throw DeviceError(
            kind: .invalidRequest, message: "the \(name) cannot be \(value)\(suffix)",
            remedy: "Choose \(range.lowerBound) to \(range.upperBound)\(suffix).")
    }
}

/// The settings of a device, as read back.
public struct StreamConfiguration: Sendable, Hashable {
    /// Frames a second at which the device runs; may differ from the request.
    public let sampleRate: Int
    /// Channels of each block; may differ from the request.
    public let channelCount: Int
    /// The longest block in frames.
    public let periodFrames: Int
    /// The size of the device's buffer, in frames: ahead of the audible sound, or recorded and not read yet.
    public let bufferFrames: Int
    /// The device's sample format, such as `FLOAT_LE` or `S24_3LE`.
    package let formatName: String
    /// Access to the device's samples, such as `MMAP_INTERLEAVED`; `direct` without a card.
    package let accessName: String
    /// The device as requested.
    public let deviceName: String

    /// Makes a configuration, for custom streams. Real-time safe: no.
    package init(
        sampleRate: Int, channelCount: Int, periodFrames: Int, bufferFrames: Int, formatName: String,
        accessName: String, deviceName: String
    ) {
        self.sampleRate = sampleRate
        self.channelCount = channelCount
        self.periodFrames = periodFrames
        self.bufferFrames = bufferFrames
        self.formatName = formatName
        self.accessName = accessName
        self.deviceName = deviceName
    }
}
