internal import Glibc

/// The evidence that the voice dominating a second of sound is a speaking voice: neither a solo, nor sung, nor absent.
///
/// A speaking voice seldom stands still, and its pitch comes in short pieces. The pitch of a gliding solo comes in long
/// pieces, and rests on each note. Logistic regression combines both with ``MaterialFeatures``, see docs/onsets.md. The
/// loudness of music under the voice plays no part. ``isVoice(_:at:sampleRate:)`` judges eleven seconds together.
package struct VoiceEvidence: Sendable, Hashable {
    /// In frames of the recording.
    package let second: Range<Int64>
    /// Above 0 for speech, also over music; -4 to 4.
    package let score: Double

    /// Seconds on either side that are judged together with a second.
    package static let reach = 5

    /// - Parameters:
    ///   - points: The measured similarities, every 10 ms.
    ///   - runs: For each point the run that contains the point.
    ///   - around: The points from one second before the second to one second after the second.
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

    /// Returns true if a voice speaks at a frame.
    ///
    /// - Parameter evidence: Evidence of the seconds within ``reach`` seconds of the frame, without silent seconds, in
    ///   any order.
    package static func isVoice(_ evidence: [VoiceEvidence], at frame: Int64, sampleRate: Int) -> Bool {
        let rate = Int64(sampleRate)
        let second = frame.gridIndex(step: rate)
        let near = (second - Int64(reach)) * rate..<(second + Int64(reach) + 1) * rate
        return evidence.reduce(0) { near.contains($1.second.lowerBound) ? $0 + $1.score : $0 } > 0
    }
}
