// Sounds compared, sample by sample. Here and not beside the tests, which are compiled without optimisation: a loop
// over samples takes a hundred times as long there.

/// Whether two sounds have the same samples to the bit: 0 and -0 differ, and a NaN is the same as itself.
package func isSame(_ sound: [[Float]], as other: [[Float]]) -> Bool {
    guard sound.count == other.count else { return false }
    for (samples, others) in zip(sound, other) {
        guard samples.count == others.count else { return false }
        for frame in samples.indices where samples[frame].bitPattern != others[frame].bitPattern { return false }
    }
    return true
}

/// The root mean square of the samples; 0 of none.
package func rms(_ samples: ArraySlice<Float>) -> Double {
    let squares = samples.reduce(0.0) { $0 + Double($1) * Double($1) }
    return (squares / Double(max(1, samples.count))).squareRoot()
}

/// The difference of two sounds at each frame, as far as both go.
package func difference(_ samples: [Float], _ others: [Float]) -> [Float] { zip(samples, others).map { $0 - $1 } }

/// The largest distance of two samples at the same place, as far as both sounds go; nil without samples.
package func largestDifference(_ samples: ArraySlice<Float>, _ others: [Float]) -> Float? {
    zip(samples, others).map { abs($0 - $1) }.max()
}

/// The number of frames by which a sound comes later than another, by the highest correlation of some frames in the
/// middle.
package func lag(of sound: [Float], behind other: [Float], most: Int) -> Int {
    let count = min(sound.count, other.count)
    let range = count / 4..<min(count * 3 / 4, count / 4 + 8192)
    var best = (lag: 0, sum: -Float.infinity)
    for lag in -most...most {
        // The frames of the range that both sounds have.
        let first = max(range.lowerBound, -lag)
        let frames = first..<max(first, min(range.upperBound, sound.count - lag))
        let (sum, power) = products(of: sound, from: first + lag, with: other, from: first, count: frames.count)
        let likeness = sum / (power + 1e-9).squareRoot()
        if likeness > best.sum { best = (lag, likeness) }
    }
    return best.lag
}

/// The sums of the products of two stretches, and of the squares of the first, in eight lanes: a single sum waits for
/// each addition.
private func products(
    of sound: [Float], from start: Int, with other: [Float], from otherStart: Int, count: Int
) -> (sum: Float, power: Float) {
    guard count > 0 else { return (0, 0) }
    precondition(start >= 0 && start + count <= sound.count && otherStart >= 0 && otherStart + count <= other.count)
    var (sums, powers) = (SIMD8<Float>(), SIMD8<Float>())
    unsafe sound.withUnsafeBytes { sound in
        unsafe other.withUnsafeBytes { other in
            for index in stride(from: 0, to: count - 7, by: 8) {
                let left = unsafe sound.loadUnaligned(fromByteOffset: 4 * (start + index), as: SIMD8<Float>.self)
                let right = unsafe other.loadUnaligned(fromByteOffset: 4 * (otherStart + index), as: SIMD8<Float>.self)
                sums += left * right
                powers += left * left
            }
        }
    }
    for index in count & ~7..<count {
        let sample = sound[start + index]
        sums[0] += sample * other[otherStart + index]
        powers[0] += sample * sample
    }
    return (sums.sum(), powers.sum())
}
