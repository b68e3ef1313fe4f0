internal import Glibc

/// The evidence that the voice which dominates a second of sound speaks: that it is neither a solo, nor sung, nor absent.
///
/// A speaking voice seldom stands still, and its pitch comes in short pieces; that of a solo which glides comes in long ones, and rests on
/// each note. Combined with what ``MaterialFeatures`` knows by logistic regression, see docs/onsets.md. It does not ask how loud the
/// music under the voice is. ``isVoice(_:at:)`` judges eleven seconds together.
package struct VoiceEvidence: Sendable, Hashable {
    /// In frames of the recording.
    package let second: Range<Int64>
    /// Above 0 for speech, also over music; -4 to 4.
    package let score: Double

    /// Seconds on either side that are judged with one.
    package static let reach = 5

    /// - Parameters:
    ///   - points: The measured similarities, every 10 ms.
    ///   - runs: For each point the run in which it lies.
    ///   - around: The points from one second before the second to one second after it.
    init(_ features: MaterialFeatures, points: [VoiceMeasure.Point], runs: [Range<Int>], in around: Range<Int>) {
        second = features.range
        var (glides, lengths): ([Float], [Int]) = ([], [])
        for index in around where index - runs[index].lowerBound >= 5 {
            // In semitones, over 50 ms.
            glides.append(abs(12 * log2f(points[index].period / points[index - 5].period)))
            lengths.append(runs[index].count)
        }
        let isVoiced = glides.count >= 8
        let share = isVoiced ? Double(glides.count) / Double(around.count) : 0
        let glide = isVoiced ? Double(glides.sorted()[glides.count / 2]) : 0
        let length = isVoiced ? log(Double(lengths.sorted()[lengths.count / 2])) : 0
        let sound =
            -4.28 * features.periodicity - 2.10 * features.steadiness + 3.91 * features.gliding.squareRoot()
            + 0.208 * features.brightnessChange + 0.041 * features.pauseDepth + 1.10 * features.pauseSteadiness
        let evidence = sound + 4.13 * glide - 0.81 * length - 1.01 * share + 1.75
        score = min(share > 0.02 ? 4 : -0.5, max(-4, evidence))
    }

    /// Whether a voice speaks at a frame.
    ///
    /// - Parameter evidence: That of the seconds within ``reach`` seconds, without those that are silent, in any order.
    package static func isVoice(_ evidence: [VoiceEvidence], at frame: Int64, sampleRate: Int) -> Bool {
        let rate = Int64(sampleRate)
        let second = frame.gridIndex(step: rate)
        let near = (second - Int64(reach)) * rate..<(second + Int64(reach) + 1) * rate
        return evidence.reduce(0) { near.contains($1.second.lowerBound) ? $0 + $1.score : $0 } > 0
    }
}
