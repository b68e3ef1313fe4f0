internal import DSP
internal import Glibc
internal import Samples

/// Gains of model and take that make both equally loud.
struct PairGains: Sendable, Equatable {
    /// Gain of the model; 1 unless the take would clip beside it.
    var model: Float = 1
    /// Gain of the take.
    var take: Float = 1
    /// Gain of the take relative to the model, in dB; 0 if the model or the take is silent.
    var matchDecibels = 0.0

    /// The greatest gain or cut of a take, in dB.
    static let rangeDecibels = 18.0
    /// The highest true peak of an amplified take, in dB of full scale.
    static let ceilingDecibels = -0.1

    init() {}

    /// Computes the gains from both loudnesses. If the take would clip, the model is turned down as well, so that both
    /// stay equally loud.
    init(model: PairLoudness, take: PairLoudness) {
        guard let distance = model.decibels(above: take) else { return }
        matchDecibels = min(max(distance, -Self.rangeDecibels), Self.rangeDecibels)
        let cut = max(0, take.truePeakDecibels + matchDecibels - Self.ceilingDecibels)
        self.model = cut > 0 ? Self.factor(-cut) : 1
        self.take = Self.factor(matchDecibels - cut)
    }

    private static func factor(_ decibels: Double) -> Float { Float(pow(10, decibels / 20)) }
}

/// The loudness of one side of a pair.
struct PairLoudness: Sendable, Equatable {
    /// The gated loudness in LUFS; nil if silent, shorter than 400 ms, or of a rate unsupported by the meter.
    var integrated: Double?
    /// The root mean square in dB of full scale; minus infinity for silence.
    var rmsDecibels: Double
    /// The highest true peak in dB of full scale.
    var truePeakDecibels: Double

    /// Returns the difference in loudness to the other side, by the meters' loudness if both have a value, otherwise by
    /// the root mean squares; nil if a side is silent.
    func decibels(above other: PairLoudness) -> Double? {
        guard rmsDecibels.isFinite, other.rmsDecibels.isFinite else { return nil }
        guard let integrated, let own = other.integrated else { return rmsDecibels - other.rmsDecibels }
        return integrated - own
    }
}

/// Measures one side of a pair. Blocks of any length give the same reading.
struct PairMeter: ~Copyable {
    private var loudness: LoudnessMeter?
    private var truePeak = TruePeakMeter(channelCount: 2)
    private var squares = 0.0
    private var frameCount = 0.0

    init(sampleRate: Int) {
        guard LoudnessMeter.sampleRates.contains(sampleRate) else { return }
        loudness = LoudnessMeter(.init(sampleRate: sampleRate, channelCount: 2))
    }

    /// Measures the next frames.
    ///
    /// - Parameter heardCount: Number of frames that count for the loudness; all frames count for the peak.
    mutating func process(
        _ left: UnsafeMutablePointer<Float>, _ right: UnsafeMutablePointer<Float>, _ count: Int, heardCount: Int
    ) {
        unsafe withUnsafeTemporaryAllocation(of: UnsafeMutablePointer<Float>.self, capacity: 2) { lanes in
            guard let channels = lanes.baseAddress else { return }
            unsafe channels.initialize(to: left)
            unsafe (channels + 1).initialize(to: right)
            unsafe loudness?.process(channels, frameCount: heardCount)
            unsafe truePeak.process(channels, frameCount: count)
        }
        for index in 0..<heardCount {
            let (one, other) = unsafe (Double(left[index]), Double(right[index]))
            squares += one * one + other * other
            // Digital silence lies outside of a short take, and does not count.
            if one != 0 || other != 0 { frameCount += 1 }
        }
    }

    mutating func finish() -> PairLoudness {
        truePeak.finish()
        let integrated = loudness.map(\.levels.integrated)
        return PairLoudness(
            integrated: integrated.flatMap { $0.isFinite ? $0 : nil },
            rmsDecibels: 10 * log10(squares / max(1, 2 * frameCount)), truePeakDecibels: truePeak.decibels)
    }
}

extension PairSound {
    /// Reads the whole pair, and sets gains that make both equally loud over the length of the model.
    func match(isCancelled: () -> Bool) throws {
        let rate = sampleRate
        var model = PairMeter(sampleRate: rate)
        var taken = PairMeter(sampleRate: rate)
        gains = PairGains()
        var left = layout.modelFrames
        try forEachBlock(isCancelled: isCancelled) { lanes, count in
            let heard = Int(min(Int64(count), max(0, left)))
            unsafe model.process(lanes.modelLeft, lanes.modelRight, count, heardCount: heard)
            unsafe taken.process(lanes.takeLeft, lanes.takeRight, count, heardCount: heard)
            left -= Int64(count)
        }
        gains = PairGains(model: model.finish(), take: taken.finish())
    }

    /// Passes the pair to `body`, from the first frame to the last.
    func forEachBlock(isCancelled: () -> Bool, _ body: (Lanes, Int) throws -> Void) throws {
        let block = PlanarBuffer(channelCount: 4, frameCount: 4096)
        let lanes = unsafe Lanes(
            modelLeft: block.channel(0), modelRight: block.channel(1), takeLeft: block.channel(2),
            takeRight: block.channel(3))
        var frame: Int64 = 0
        while frame < layout.frameCount {
            if isCancelled() { throw HearingError.cancelled }
            let count = Int(min(Int64(block.frameCount), layout.frameCount - frame))
            try read(from: frame, count: count, into: lanes)
            try body(lanes, count)
            frame += Int64(count)
        }
    }
}
