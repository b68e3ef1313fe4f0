internal import DSP

/// How loud a take is, by ITU-R BS.1770-5 and EBU Tech 3341 and 3342; minus infinity for silence.
public struct TakeLoudness: Sendable, Equatable {
    /// Of the last 400 ms, in LUFS.
    public var momentary = -Double.infinity
    /// Of the last 3 s, in LUFS.
    public var shortTerm = -Double.infinity
    /// Of the whole take so far, gated, in LUFS.
    public var integrated = -Double.infinity
    /// How far loud and soft passages lie apart, in LU; nil before there is enough of them.
    public var range: Double?
    /// The highest peak between samples so far, in dB of full scale (dBTP).
    public var truePeak = -Double.infinity
}

/// Measures a take as it is written. One thread: the writer's.
final class TakeLoudnessMeter {
    private var loudness: LoudnessMeter
    private var truePeak: TruePeakMeter
    private var frameCount: Int64 = 0
    private var latest = TakeLoudness()
    /// Anew so often, in frames: the figures of a whole take cost some reckoning.
    private let interval: Int64
    private var nextReading: Int64 = 0

    /// Nil for rates at which loudness is not defined.
    init?(sampleRate: Int, channelCount: Int) {
        guard (8000...384_000).contains(sampleRate) else { return nil }
        loudness = LoudnessMeter(LoudnessMeter.Parameters(sampleRate: sampleRate, channelCount: channelCount))
        truePeak = TruePeakMeter(channelCount: channelCount)
        interval = Int64(sampleRate / 10)
    }

    func process(_ channels: UnsafePointer<UnsafeMutablePointer<Float>>, frameCount count: Int) {
        unsafe loudness.process(channels, frameCount: count)
        unsafe truePeak.process(channels, frameCount: count)
        frameCount += Int64(count)
    }

    /// What was read so far, or up to a tenth of a second before.
    func reading() -> TakeLoudness {
        if frameCount >= nextReading {
            nextReading = frameCount + interval
            read()
        }
        return latest
    }

    /// What the whole take has; nothing is measured after it.
    func finish() -> TakeLoudness {
        truePeak.finish()
        read()
        return latest
    }

    private func read() {
        let levels = loudness.levels
        latest = TakeLoudness(
            momentary: levels.momentary, shortTerm: levels.shortTerm, integrated: levels.integrated,
            range: levels.range, truePeak: truePeak.decibels)
    }
}
