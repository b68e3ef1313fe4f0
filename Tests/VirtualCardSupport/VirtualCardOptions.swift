internal import Glibc
internal import VirtualCard

/// The properties of a card, as in VirtualCard.h, which describes ranges and meaning.
public struct VirtualCardOptions: Sendable {
    /// The clock.
    public enum Clock: Sendable, Hashable {
        /// The machine's monotonic clock.
        case real
        /// Jumps from one wake-up to the next.
        case virtual
        /// As above, shared by all cards naming the clock.
        case shared(String)
    }

    /// The result of `snd_pcm_delay`.
    public enum DelayAnswer: UInt32, Sendable {
        /// The truth.
        case exact = 0
        /// A small negative number.
        case negative
        /// EIO until the first transfer after a start.
        case errorAtFirst
    }

    /// The card's clock.
    public var clock = Clock.real
    /// By how much playback runs too fast, in millionths.
    public var playbackPPM = 0.0
    /// By how much capture runs too fast, in millionths.
    public var capturePPM = 0.0
    /// Frames from the output to the input, at equal clocks.
    public var loopbackDelayFrames: Int64 = 0
    /// Added to the result of `snd_pcm_delay`.
    public var latencyFrames: Int64 = 0
    /// The position moves in steps of so many frames.
    public var granularityFrames: UInt32 = 1
    /// Wake-ups are late by up to so much.
    public var jitterMicroseconds: UInt32 = 0
    /// The device frame at the card's creation.
    public var firstFrame: Int64 = 0
    /// The number of frames remembered by the cable, a power of two.
    public var cableFrames: UInt32 = 1 << 17
    /// The permitted numbers of channels of a stream, 64 at most.
    public var channels: ClosedRange<UInt32> = 1...8
    /// In Hz; empty for all.
    public var rates: [Int] = []
    /// alsa-lib's names; empty for all.
    public var formats: [String] = []
    /// alsa-lib's names; empty for all.
    public var accesses: [String] = []
    /// Limits of a period.
    public var periodFrames: ClosedRange<UInt32> = 16...8192
    /// The longest buffer.
    public var bufferFramesMax: UInt32 = 32_768
    /// Limits of periods to a buffer.
    public var periods: ClosedRange<UInt32> = 2...64
    /// alsa-lib's names of positions; empty for a card without a map.
    public var channelMap: [String] = []
    /// A schedule such as "xrun@48000 stall@96000:50".
    public var playbackFaults = ""
    /// The same for capture.
    public var captureFaults = ""
    /// The result of `snd_pcm_delay`.
    public var delayAnswer = DelayAnswer.exact
    /// The file for the bytes written for playback; nil for none.
    public var recordPath: String?

    /// A card without limits or faults, by the real clock.
    public init() {}

    /// Calls `body` with the options in the form of C.
    func withCOptions<Result>(_ body: (UnsafePointer<virtual_card_options>) -> Result) -> Result {
        var options = unsafe virtual_card_defaults()
        // By their addresses, as these need no marking.
        var texts: [UInt] = []
        defer { texts.forEach { unsafe free(UnsafeMutableRawPointer(bitPattern: $0)) } }
        func copy(_ text: String?) -> UnsafePointer<CChar>? {
            guard let text, !text.isEmpty else { return nil }
            let copied = unsafe strdup(text)
            texts.append(UInt(bitPattern: copied))
            return unsafe UnsafePointer(copied)
        }
        unsafe options.clock = unsafe copy(clockName)
        unsafe options.playback_ppm = playbackPPM
        unsafe options.capture_ppm = capturePPM
        unsafe options.loopback_delay_frames = loopbackDelayFrames
        unsafe options.latency_frames = latencyFrames
        unsafe options.granularity_frames = granularityFrames
        unsafe options.jitter_microseconds = jitterMicroseconds
        unsafe options.first_frame = firstFrame
        unsafe options.cable_frames = cableFrames
        unsafe (options.channels_min, options.channels_max) = (channels.lowerBound, channels.upperBound)
        unsafe options.rates = unsafe copy(rates.map(String.init).joined(separator: " "))
        unsafe options.formats = unsafe copy(formats.joined(separator: " "))
        unsafe options.accesses = unsafe copy(accesses.joined(separator: " "))
        unsafe options.period_frames_min = periodFrames.lowerBound
        unsafe options.period_frames_max = periodFrames.upperBound
        unsafe options.buffer_frames_max = bufferFramesMax
        unsafe (options.periods_min, options.periods_max) = (periods.lowerBound, periods.upperBound)
        unsafe options.channel_map = unsafe copy(channelMap.joined(separator: " "))
        unsafe options.playback_faults = unsafe copy(playbackFaults)
        unsafe options.capture_faults = unsafe copy(captureFaults)
        unsafe options.delay_answer = virtual_card_delay_answer(delayAnswer.rawValue)
        unsafe options.record_path = unsafe copy(recordPath)
        return unsafe body(&options)
    }

    private var clockName: String {
        switch clock {
        case .real: "real"
        case .virtual: "virtual"
        case .shared(let name): "virtual:\(name)"
        }
    }
}
