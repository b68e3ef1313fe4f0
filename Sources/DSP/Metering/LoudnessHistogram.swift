internal import Glibc

/// Returns the loudness of a weighted mean square, in LUFS (ITU-R BS.1770-5); minus infinity for silence.
///
/// Values below -200 LUFS, 50 dB under the noise of 24 bits, come from filters dying away and count as silence.
func loudness(ofMeanSquare energy: Double) -> Double {
    energy > 1e-20 ? -0.691 + 10 * log10(energy) : -.infinity
}

/// Returns the weighted mean square of a loudness given in LUFS.
func meanSquare(ofLoudness loudness: Double) -> Double { pow(10, (loudness + 0.691) / 10) }

/// The energies of any number of blocks in fixed memory, for gates and percentiles.
///
/// Blocks are counted in steps of 0.01 LU; each step has the number of its blocks and the exact sum of their energies.
/// So a mean is exact except for the step at a gate, which counts as a whole or not at all: the gate is at most 0.01 LU
/// off. A percentile is the mean of its step, with an error below 0.01 LU.
struct LoudnessHistogram: Sendable {
    /// The absolute gate, in LUFS: only louder blocks are kept.
    private static let floor = -70.0
    private static let stepsPerUnit = 100.0
    /// Up to +30 LUFS; louder blocks count in the last step.
    private static let stepCount = 10_000

    private struct Step: BitwiseCopyable, Sendable {
        var count: Int64 = 0
        var energy = 0.0
    }

    private var steps = [Step](repeating: Step(), count: stepCount)
    private var whole = Step()

    /// Adds a block.
    mutating func add(_ energy: Double) {
        let level = loudness(ofMeanSquare: energy) - LoudnessHistogram.floor
        guard level > 0 else { return }
        let step = Int(min(level * LoudnessHistogram.stepsPerUnit, Double(LoudnessHistogram.stepCount - 1)))
        steps[step].count += 1
        steps[step].energy += energy
        whole.count += 1
        whole.energy += energy
    }

    /// Returns the first step above a gate `units` LU below the mean of all blocks.
    private func firstStep(under units: Double) -> Int {
        let gate = whole.energy / Double(whole.count) * pow(10, -units / 10)
        return steps.firstIndex { $0.count > 0 && $0.energy / Double($0.count) > gate } ?? steps.count
    }

    /// Returns the loudness of the blocks above a gate `units` LU below the mean of all blocks; minus infinity for no
    /// blocks.
    func gatedLoudness(under units: Double) -> Double {
        var sum = Step()
        for step in steps[firstStep(under: units)...] {
            sum.count += step.count
            sum.energy += step.energy
        }
        return sum.count > 0 ? loudness(ofMeanSquare: sum.energy / Double(sum.count)) : -.infinity
    }

    /// Returns the distance in LU between two ranks, each a share of the blocks above the gate; nil for no blocks.
    func range(from low: Double, to high: Double, under units: Double) -> Double? {
        let first = firstStep(under: units)
        let count = steps[first...].reduce(Int64(0)) { $0 + $1.count }
        guard count > 0 else { return nil }
        func value(_ share: Double) -> Double {
            var left = Int64((Double(count - 1) * share).rounded())
            for step in steps[first...] where step.count > 0 {
                if left < step.count { return loudness(ofMeanSquare: step.energy / Double(step.count)) }
                left -= step.count
            }
            return -.infinity
        }
        return value(high) - value(low)
    }

    mutating func reset() { self = LoudnessHistogram() }
}
