internal import Glibc

/// All meters over a whole recording: the readings of `woodshed measure`.
///
///     var meter = ProgrammeMeter(LoudnessMeter.Parameters(sampleRate: 48_000, channelCount: 2))
///     meter.process(channels, frameCount: 4096)      // blocks of any length
///     let reading = meter.finish()
///
/// Blocks of any length give bit-identical results, except for the root mean squares, whose sums may differ in the
/// seventh digit. The memory does not grow with the length.
public struct ProgrammeMeter: ~Copyable {
    /// The recording's rate, channels and weights.
    package let parameters: LoudnessMeter.Parameters

    private var levels: LevelMeter
    private var loudness: LoudnessMeter
    private var truePeak: TruePeakMeter
    private var quasiPeaks: QuasiPeaks
    private var volume: VolumeUnitMeter

    /// Frames which each meter reads in turn: few enough to stay in the processor's cache.
    private static let pieceFrames = 1024

    /// Allocates all memory. Real-time safe: no.
    public init(_ parameters: LoudnessMeter.Parameters) {
        let (count, rate) = (parameters.channelCount, parameters.sampleRate)
        self.parameters = parameters
        levels = LevelMeter(channelCount: count)
        loudness = LoudnessMeter(parameters)
        truePeak = TruePeakMeter(channelCount: count)
        quasiPeaks = QuasiPeaks(.typeI, .typeIIa, channelCount: count, sampleRate: rate)
        volume = VolumeUnitMeter(channelCount: count, sampleRate: rate)
    }

    /// Reads the next frames.
    ///
    /// - Parameters:
    ///   - input: A pointer to the samples of each channel.
    ///   - frameCount: Frames of each channel, 0 or more.
    ///
    /// Real-time safe: no.
    public mutating func process(_ input: UnsafePointer<UnsafeMutablePointer<Float>>, frameCount: Int) {
        unsafe process(input, frameCount: frameCount, hop: { _ in })
    }

    /// Reads the next frames, and calls `hop` with the loudness at the end of each 10 ms completed by these frames.
    ///
    /// Real-time safe: no.
    package mutating func process(
        _ input: UnsafePointer<UnsafeMutablePointer<Float>>, frameCount: Int, hop: (LoudnessHop) -> Void
    ) {
        precondition(frameCount >= 0, "A block has no negative length.")
        let channelCount = parameters.channelCount
        unsafe withUnsafeTemporaryAllocation(of: UnsafeMutablePointer<Float>.self, capacity: channelCount) { piece in
            guard let pointers = piece.baseAddress else { return }
            for channel in 0..<channelCount { unsafe (pointers + channel).initialize(to: input[channel]) }
            var done = 0
            while done < frameCount {
                let count = min(ProgrammeMeter.pieceFrames, frameCount - done)
                unsafe read(pointers, count, hop)
                for channel in 0..<channelCount { unsafe pointers[channel] += count }
                done += count
            }
        }
    }

    private mutating func read(
        _ input: UnsafePointer<UnsafeMutablePointer<Float>>, _ count: Int, _ hop: (LoudnessHop) -> Void
    ) {
        unsafe levels.process(input, frameCount: count)
        unsafe loudness.process(input, frameCount: count, hop: hop)
        unsafe truePeak.process(input, frameCount: count)
        unsafe quasiPeaks.process(input, frameCount: count)
        unsafe volume.process(input, frameCount: count)
    }

    /// Ends the recording and returns all readings; call ``reset()`` before another recording. Real-time safe: no.
    public mutating func finish() -> ProgrammeReading {
        truePeak.finish()
        return ProgrammeReading(
            frameCount: levels.frame, sampleRate: parameters.sampleRate, loudness: loudness.levels,
            truePeakDecibels: truePeak.decibels,
            channels: (0..<parameters.channelCount).map { levels.levels(channel: $0) },
            typeIDecibels: 20 * log10(quasiPeaks.highest[0]), typeIIaDecibels: 20 * log10(quasiPeaks.highest[1]),
            volumeDecibels: volume.maximumDecibels)
    }

    /// Returns all meters to their state after `init`. Real-time safe: no.
    public mutating func reset() {
        levels.reset()
        loudness.reset()
        truePeak.reset()
        quasiPeaks.reset()
        volume.reset()
    }
}

/// The readings of a ``ProgrammeMeter`` for a whole recording; minus infinity for silence.
public struct ProgrammeReading: Sendable, Equatable {
    /// Frames of the recording.
    public let frameCount: Int64
    /// Frames per second, in Hz.
    public let sampleRate: Int
    /// Loudness and its range.
    public let loudness: LoudnessLevels
    /// The highest peak between samples, in dB of full scale (dBTP).
    public let truePeakDecibels: Double
    /// Peak, mean square and overs of each channel.
    public let channels: [ChannelLevels]
    /// The highest reading of a PPM of type I, in dB relative to a steady full-scale sine.
    public let typeIDecibels: Double
    /// The highest reading of a PPM of type IIa, in dB relative to a steady full-scale sine.
    public let typeIIaDecibels: Double
    /// The highest reading of a volume indicator, in dB relative to a steady full-scale sine.
    public let volumeDecibels: Double

    /// The highest sample of all channels, in dB of full scale.
    public var samplePeakDecibels: Double { 20 * log10(channels.reduce(0.0) { max($0, Double($1.peak)) }) }

    /// The root mean square over all channels and frames, in dB of full scale; a full-scale sine reads -3.01 dB.
    public var rmsDecibels: Double {
        10 * log10(channels.reduce(0.0) { $0 + Double($1.meanSquare) } / Double(channels.count))
    }

    /// The root mean square by AES17 (2020): a full-scale sine reads 0 dB.
    package var rmsDecibelsAES17: Double { rmsDecibels + aes17Decibels }

    /// Overs of all channels.
    public var overs: Int64 { channels.reduce(0) { $0 + $1.overs } }

    /// The frame at which the first over began; nil without overs.
    public var firstOverFrame: Int64? { channels.filter { $0.overs > 0 }.map(\.firstOverFrame).min() }
}
