internal import DSP

/// The loudness of a take, by ITU-R BS.1770-5 and EBU Tech 3341 and 3342; minus infinity for silence.
public struct TakeLoudness: Sendable, Equatable {
    /// Loudness of the last 400 ms, in LUFS.
    public var momentary = -Double.infinity
    /// Loudness of the last 3 s, in LUFS.
    public var shortTerm = -Double.infinity
    /// Loudness of the whole take so far, gated, in LUFS.
    public var integrated = -Double.infinity
    /// The loudness range, in LU; nil while the take is too short.
    public var range: Double?
    /// The highest true peak so far, in dB of full scale (dBTP).
    public var truePeak = -Double.infinity
}

/// Measures a take during its recording. Used by the writer thread only.
final class TakeLoudnessMeter {
    private var loudness: LoudnessMeter
    private var truePeak: TruePeakMeter
    private var frameCount: Int64 = 0
    private var latest = TakeLoudness()
    /// Interval between new readings, in frames, because computing a reading takes time.
    private let interval: Int64
    private var nextReading: Int64 = 0

    /// Makes a meter; nil for rates without a defined loudness.
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

    /// Returns a reading, at most a tenth of a second old.
    func reading() -> TakeLoudness {
        if frameCount >= nextReading {
            nextReading = frameCount + interval
            read()
        }
        return latest
    }

    /// Returns the reading of the whole take; ends the measurement.
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
