// Sounds compared, sample by sample. Here and not beside the tests, which are compiled without optimisation: a loop over samples takes a
// hundred times as long there.

/// Whether two sounds have the same samples to the bit: 0 and -0 differ, and a NaN is the same as itself.
package func isSame(_ sound: [[Float]], as other: [[Float]]) -> Bool {
    guard sound.count == other.count else { return false }
    for (samples, others) in zip(sound, other) {
        guard samples.count == others.count else { return false }
        for frame in samples.indices where samples[frame].bitPattern != others[frame].bitPattern { return false }
    }
    return true
}

/// By how many frames a sound comes later than another one, by the highest correlation of some frames in the middle.
package func lag(of sound: [Float], behind other: [Float], most: Int) -> Int {
    let count = min(sound.count, other.count)
    let range = count / 4..<min(count * 3 / 4, count / 4 + 8192)
    var best = (lag: 0, sum: -Float.infinity)
    for lag in -most...most {
        var (sum, power): (Float, Float) = (0, 1e-9)
        // The frames of the range that both sounds have.
        let first = max(range.lowerBound, -lag)
        for frame in first..<max(first, min(range.upperBound, sound.count - lag)) {
            sum += sound[frame + lag] * other[frame]
            power += sound[frame + lag] * sound[frame + lag]
        }
        let likeness = sum / power.squareRoot()
        if likeness > best.sum { best = (lag, likeness) }
    }
    return best.lag
}
