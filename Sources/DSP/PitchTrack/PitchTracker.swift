/// Follows the pitch of one voice or instrument through a recording which arrives in blocks of any size.
///
/// Every 10 ms the tracker computes YIN's difference function around the place (``PitchWindow``) and the possible
/// pitches with their probabilities (``PitchCandidates``). From all places follows the most probable sequence
/// (``PitchPath``): the method of pYIN. See docs/comparing.md for the deviations and for figures. The block size does
/// not change the result. Memory is bounded but for the result, 8 bytes for each 10 ms.
///
/// Thread-safe: one owner at a time. Real-time safe: no.
package struct PitchTracker: ~Copyable {
    /// Frames a second, in Hz.
    package let sampleRate: Int

    private var source: StreamDecimation
    private var candidates: PitchCandidates
    private var path = PitchPath()
    private var levels: [Float] = []

    /// The default range of pitches: from below a bass's lowest string to a flute's third octave.
    package static let defaultRange: ClosedRange<Double> = 40...2100
    /// The range of a voice, speaking or singing.
    package static let voiceRange: ClosedRange<Double> = 50...1200

    /// Makes a tracker at the start of a recording.
    ///
    /// - Parameters:
    ///   - sampleRate: 8000 to 768000 Hz.
    ///   - range: The lowest and the highest pitch in Hz, within 20 to 4000. A narrower range is quicker and makes
    ///     fewer errors.
    package init(sampleRate: Int, range: ClosedRange<Double> = PitchTracker.defaultRange) {
        precondition((8000...768_000).contains(sampleRate), "A tracker has a rate of 8000 to 768000 Hz.")
        precondition(range.lowerBound >= 20 && range.upperBound <= 4000, "A pitch lies between 20 and 4000 Hz.")
        self.sampleRate = sampleRate
        source = StreamDecimation(
            sampleRate: sampleRate, lowestRate: 11_000, highest: min(4500, 0.45 * Double(sampleRate)))
        candidates = PitchCandidates(rate: source.rate, range: range)
    }

    /// Appends the next frames, mixed to one channel.
    ///
    /// NaN, infinite and absurdly large samples count as silence.
    package mutating func append(_ samples: Span<Float>) {
        for begin in stride(from: 0, to: samples.count, by: StreamDecimation.pieceFrames) {
            source.append(samples.extracting(begin..<min(begin + StreamDecimation.pieceFrames, samples.count)))
            follow(until: source.end)
        }
    }

    /// Ends the tracking and returns the pitch of all frames.
    package consuming func finish() -> PitchContour {
        let count = PitchContour.count(frames: source.frameCount, sampleRate: sampleRate)
        if count > 0 {
            source.extend(through: middle(of: count - 1) + candidates.reach)
            while levels.count < count { follow(until: source.end, most: count) }
        }
        path.finish()
        let loudest = levels.reduce(0) { max($0, $1) }
        let least = loudest * Self.ratio
        let hertz = levels.indices.map { levels[$0] > least ? path.hertz[$0] : 0 }
        return PitchContour(sampleRate: sampleRate, hertz: hertz, voicing: path.voicing)
    }

    /// Returns the pitch of a whole recording in memory.
    package static func contour(
        of samples: [Float], sampleRate: Int, range: ClosedRange<Double> = PitchTracker.defaultRange
    ) -> PitchContour {
        var tracker = PitchTracker(sampleRate: sampleRate, range: range)
        tracker.append(samples.span)
        return tracker.finish()
    }

    /// Mean square of the softest 10 ms with a pitch, for a loudest of 1: 50 dB below the loudest 10 ms of the
    /// recording.
    private static let ratio: Float = 1e-5

    /// Returns the sample nearest to place `index`.
    private func middle(of index: Int) -> Int {
        let frame = PitchContour.frame(of: index, sampleRate: sampleRate)
        return Int((frame + Int64(source.factor / 2)) / Int64(source.factor))
    }

    private mutating func follow(until end: Int, most: Int = .max) {
        // Windows of the first places begin before the recording.
        while levels.count < most, middle(of: levels.count) + candidates.reach < end {
            let place = middle(of: levels.count)
            var part = [Float](repeating: 0, count: 2 * candidates.reach + 1)
            var energy: Float = 0
            let near = candidates.reach / 4
            for index in part.indices {
                let sample = place - candidates.reach + index
                guard sample >= 0 else { continue }
                part[index] = source.samples[sample - source.first]
                if abs(index - candidates.reach) <= near { energy += part[index] * part[index] }
            }
            levels.append(energy / Float(2 * near + 1))
            path.append(candidates.candidates(in: part, at: candidates.reach))
            source.drop(before: place - candidates.reach)
        }
    }
}
