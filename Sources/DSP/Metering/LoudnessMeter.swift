internal import CSampleLoops

/// Momentary, short-term and integrated loudness, and loudness range (ITU-R BS.1770-5, EBU Tech 3341 and 3342 of 2023).
///
///     var meter = LoudnessMeter(LoudnessMeter.Parameters(sampleRate: 48_000, channelCount: 2))
///     meter.process(channels, frameCount: 4800)      // blocks of any length give the same result
///     meter.levels.integrated                        // LUFS
///
/// Windows end every 10 ms: on the grid of 100 ms required for gates, a short tone's maximum would be read up to 0.46
/// LU too low. A window reaching before the first frame finds silence there; gated blocks and the range take whole
/// windows only, every 100 ms. The memory, 340 kB, does not grow with the length. Samples that are not finite, or
/// beyond ±2^40, count as silence.
///
/// The cost is about 12 cycles a frame for each pair of channels.
public struct LoudnessMeter: Sendable {
    /// The parameters of a meter.
    public struct Parameters: Sendable, Equatable {
        /// Frames per second, in Hz.
        package let sampleRate: Int
        /// The weight of each channel.
        package let weights: ChannelWeights

        /// Checks and keeps the values. Each channel has its weight in the usual layout with this many channels.
        ///
        /// - Parameters:
        ///   - sampleRate: 8000 to 384000 Hz.
        ///   - channelCount: 1 to 64.
        ///
        /// Real-time safe: no.
        public init(sampleRate: Int, channelCount: Int) {
            self.init(sampleRate: sampleRate, channelCount: channelCount, weights: nil)
        }

        /// Checks and keeps the values.
        ///
        /// - Parameters:
        ///   - sampleRate: 8000 to 384000 Hz.
        ///   - channelCount: 1 to 64.
        ///   - weights: A weight per channel; nil uses the weights of the usual layout.
        ///
        /// Real-time safe: no.
        package init(sampleRate: Int, channelCount: Int, weights: ChannelWeights?) {
            precondition(LoudnessMeter.sampleRates.contains(sampleRate), "Loudness is measured at 8 to 384 kHz.")
            precondition((1...64).contains(channelCount), "A loudness meter takes 1 to 64 channels.")
            precondition(weights.map { $0.values.count == channelCount } ?? true, "A weight for each channel.")
            self.sampleRate = sampleRate
            self.weights = weights ?? .standard(channelCount: channelCount)
        }

        /// Number of channels.
        package var channelCount: Int { weights.values.count }
    }

    /// The supported rates, in Hz.
    package static let sampleRates: ClosedRange<Int> = 8000...384_000

    /// The meter's parameters.
    package let parameters: Parameters
    /// The weighting's filters.
    let weighting: KWeighting
    private let filter: LoudnessFilter

    private var pairs: [KWeightedPair]
    private var windows: LoudnessWindows
    private var blocks = LoudnessHistogram()
    private var shortTermBlocks = LoudnessHistogram()
    /// Frames until the current hop ends.
    private var hopFramesLeft: Int
    private var (maximumMomentary, maximumShortTerm) = (0.0, 0.0)

    /// Hops from each gated block, or value for the range, to the next.
    private static let gatingHops: Int64 = 10

    /// Allocates all memory. Real-time safe: no.
    public init(_ parameters: Parameters) {
        self.parameters = parameters
        weighting = KWeighting(sampleRate: parameters.sampleRate)
        filter = weighting.loop
        pairs = [KWeightedPair](repeating: KWeightedPair(), count: (parameters.channelCount + 1) / 2)
        windows = LoudnessWindows(sampleRate: parameters.sampleRate)
        hopFramesLeft = windows.nextHopFrames
    }

    // MARK: Measuring

    /// Reads the next frames.
    ///
    /// - Parameters:
    ///   - input: A pointer to the samples of each channel.
    ///   - frameCount: Frames of each channel, 0 or more.
    ///
    /// Real-time safe: no; `process` calls the mathematics library.
    public mutating func process(_ input: UnsafePointer<UnsafeMutablePointer<Float>>, frameCount: Int) {
        unsafe process(input, frameCount: frameCount, hop: { _ in })
    }

    /// Reads the next frames, and calls `hop` with the reading at the end of each 10 ms completed by these frames.
    ///
    /// Real-time safe: no; `process` calls the mathematics library.
    package mutating func process(
        _ input: UnsafePointer<UnsafeMutablePointer<Float>>, frameCount: Int, hop: (LoudnessHop) -> Void
    ) {
        precondition(frameCount >= 0, "A block has no negative length.")
        var done = 0
        while done < frameCount {
            let count = min(hopFramesLeft, frameCount - done)
            for pair in pairs.indices {
                // The last of an odd number of channels is filtered twice, and counted once.
                let right = min(2 * pair + 1, parameters.channelCount - 1)
                unsafe pairs[pair].process(input[2 * pair] + done, input[right] + done, count: count, filter)
            }
            done += count
            hopFramesLeft -= count
            if hopFramesLeft == 0 {
                closeHop()
                hop(LoudnessHop(index: windows.hops, momentary: momentary, shortTerm: shortTerm))
            }
        }
    }

    private mutating func closeHop() {
        var energy = 0.0
        let weights = parameters.weights.values
        for pair in pairs.indices {
            let squares = pairs[pair].takeSquares()
            energy += weights[2 * pair] * squares[0]
            if 2 * pair + 1 < weights.count { energy += weights[2 * pair + 1] * squares[1] }
        }
        windows.add(energy * weighting.gain * weighting.gain)
        hopFramesLeft = windows.nextHopFrames
        maximumMomentary = max(maximumMomentary, windows.momentary)
        maximumShortTerm = max(maximumShortTerm, windows.shortTerm)
        guard windows.hops % LoudnessMeter.gatingHops == 0 else { return }
        if windows.hops >= Int64(LoudnessWindows.momentaryHops) { blocks.add(windows.momentary) }
        if windows.hops >= Int64(LoudnessWindows.shortTermHops) { shortTermBlocks.add(windows.shortTerm) }
    }

    // MARK: Reading

    /// Loudness of the last 400 ms, in LUFS. Real-time safe: no.
    public var momentary: Double { loudness(ofMeanSquare: windows.momentary) }
    /// Loudness of the last 3 s, in LUFS. Real-time safe: no.
    public var shortTerm: Double { loudness(ofMeanSquare: windows.shortTerm) }

    /// All current readings. Takes some 20 µs; ten calls a second are no load. Real-time safe: no.
    public var levels: LoudnessLevels {
        LoudnessLevels(
            momentary: momentary, shortTerm: shortTerm,
            maximumMomentary: loudness(ofMeanSquare: maximumMomentary),
            maximumShortTerm: loudness(ofMeanSquare: maximumShortTerm),
            integrated: blocks.gatedLoudness(under: 10), range: shortTermBlocks.range(from: 0.1, to: 0.95, under: 20))
    }

    /// Resets the meter to its state after `init`. Real-time safe: no.
    public mutating func reset() { self = LoudnessMeter(parameters) }
}

/// The readings of a ``LoudnessMeter``; minus infinity for silence.
public struct LoudnessLevels: Sendable, Equatable {
    /// Loudness of the last 400 ms, in LUFS.
    public let momentary: Double
    /// Loudness of the last 3 s, in LUFS.
    public let shortTerm: Double
    /// The highest momentary loudness, in LUFS.
    public let maximumMomentary: Double
    /// The highest short-term loudness, in LUFS.
    public let maximumShortTerm: Double
    /// The gated loudness of everything, in LUFS; needs 400 ms.
    public let integrated: Double
    /// The loudness range, in LU; nil if no three seconds rose above -70 LUFS.
    public let range: Double?
}

/// The readings of a ``LoudnessMeter`` at the end of every 10 ms.
package struct LoudnessHop: BitwiseCopyable, Sendable, Equatable {
    /// Number of this 10 ms step, from 1; step n ends n hundredths of a second after the beginning.
    package let index: Int64
    /// Loudness of the 400 ms ending here, in LUFS.
    package let momentary: Double
    /// Loudness of the 3 s ending here, in LUFS.
    package let shortTerm: Double
}
