internal import DSP
internal import Glibc
internal import Samples

/// What model and take are multiplied by, so that both are equally loud.
struct PairGains: Sendable, Equatable {
    /// For the model; 1 unless the take would clip beside it.
    var model: Float = 1
    /// For the take.
    var take: Float = 1
    /// How much louder the take is made than it was recorded against the model, in dB; 0 if one of both is silent.
    var matchDecibels = 0.0

    /// The most that a take is turned up or down, in dB.
    static let rangeDecibels = 18.0
    /// The highest true peak of a take that is turned up, in dB of full scale.
    static let ceilingDecibels = -0.1

    init() {}

    /// What follows from how loud both are. If the take would clip, the model is turned down as well, so that they stay equally loud.
    init(model: PairLoudness, take: PairLoudness) {
        guard let distance = model.decibels(above: take) else { return }
        matchDecibels = min(max(distance, -Self.rangeDecibels), Self.rangeDecibels)
        let cut = max(0, take.truePeakDecibels + matchDecibels - Self.ceilingDecibels)
        self.model = cut > 0 ? Self.factor(-cut) : 1
        self.take = Self.factor(matchDecibels - cut)
    }

    private static func factor(_ decibels: Double) -> Float { Float(pow(10, decibels / 20)) }
}

/// How loud one side of a pair is.
struct PairLoudness: Sendable, Equatable {
    /// The gated loudness in LUFS; nil if it is silent, shorter than 400 ms, or of a rate that meters do not take.
    var integrated: Double?
    /// The root mean square in dB of full scale; minus infinity for silence.
    var rmsDecibels: Double
    /// The highest true peak in dB of full scale.
    var truePeakDecibels: Double

    /// How much louder this one is, by the meters' loudness where both have one, otherwise by the root mean squares; nil if one is silent.
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

    /// Reads the next frames.
    ///
    /// - Parameter heardCount: So many of them count for the loudness; all count for the peak.
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
            // Digital silence is what lies outside a short take.
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
    /// Reads the whole pair, and sets the gains that make both equally loud, as long as the model lasts.
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

    /// Passes the pair to `body`, from its first frame to its last.
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
