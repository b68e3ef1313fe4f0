internal import Glibc

/// The input of an alignment: 16 small numbers for every step of time. The numbers describe the character of the sound,
/// independent of loudness and colouration.
///
/// The bands' logarithms give twelve cepstral coefficients (Davis and Mermelstein, "Comparison of parametric
/// representations for monosyllabic word recognition", 1980). So the level is a separate number, and a transposition
/// changes little. From each coefficient its mean over the surrounding 4 s is subtracted, which removes microphones and
/// rooms. Division by the spread makes noisy and clean recordings alike (cepstral mean and variance normalisation:
/// Viikki and Laurila, 1998). Energies more than 30 dB below a band's loud energies count as equal. Two more numbers
/// give the loudness, and two the rise of the bands: onsets carry the timing (Ewert, Müller and Grosche, "High
/// resolution audio synchronization using chroma onset features", 2009).
struct FeatureSequence: Sendable {
    /// Each number plus 128.
    typealias Vector = SIMD16<UInt8>

    /// One vector for each step.
    private(set) var vectors: [Vector]

    private static let coefficientCount = 12
    /// Unit of the vectors: the spread of each number.
    private static let spread: Float = 24

    init(vectors: [Vector]) { self.vectors = vectors }

    /// Computes the features of a range, at 10 ms.
    init(_ features: SoundFeatures, in range: Range<Int>) {
        let logs = Self.flooredLogarithms(features, in: range)
        let bandCount = SoundFeatures.bandCount
        let count = range.count
        // Dimensions: coefficients, level twice, rise twice.
        var columns = [[Float]](repeating: [Float](repeating: 0, count: count), count: Self.coefficientCount + 2)
        let cosines = (0..<Self.coefficientCount).map { order in
            (0..<bandCount).map { band in
                let place: Double = Double(band) + 0.5
                let angle: Double = .pi * Double(order + 1) * place / Double(bandCount)
                return Float(cos(angle))
            }
        }
        for index in 0..<count {
            for order in 0..<Self.coefficientCount {
                var sum: Float = 0
                for band in 0..<bandCount { sum += cosines[order][band] * logs[index * bandCount + band] }
                columns[order][index] = sum
            }
            var (level, rise): (Float, Float) = (0, 0)
            for band in 0..<bandCount {
                let value = logs[index * bandCount + band]
                level += value
                let before = logs[max(0, index - 2) * bandCount + band]
                rise += max(0, value - before)
            }
            columns[Self.coefficientCount][index] = level
            columns[Self.coefficientCount + 1][index] = rise
        }
        for dimension in columns.indices { Self.normalise(&columns[dimension]) }
        vectors = (0..<count).map { index in
            var vector = Vector()
            for lane in 0..<16 {
                let column = lane < Self.coefficientCount + 2 ? lane : lane - 2
                vector[lane] = UInt8(max(1, min(255, 128 + columns[column][index].rounded())))
            }
            return vector
        }
    }

    /// Replaces the coefficients by pitch classes, whatever their octave: each of twelve semitones has a number, large
    /// within 150 cents of the semitone. The more two pitches differ, up to a minor third, the greater their distance;
    /// without a pitch all numbers are small.
    ///
    /// - Parameters:
    ///   - contour: The contour of the same recording as the features.
    ///   - range: The values of the recording covered by the vectors.
    ///   - cents: Number of cents to subtract from the pitches.
    mutating func replaceColours(by contour: PitchContour, in range: Range<Int>, lowered cents: Double) {
        for (step, index) in range.enumerated() {
            let semitone = contour.cents(at: index).map { ($0 - cents) / 100 }
            for lane in 0..<Self.coefficientCount {
                let distance = semitone.map { abs(($0 - Double(lane)).remainder(dividingBy: 12)) } ?? 12
                vectors[step][lane] = 64 + UInt8(100 * max(0, 1 - distance / 1.5))
            }
        }
    }

    /// Returns the sequence at half as many steps.
    func halved() -> FeatureSequence {
        FeatureSequence(
            vectors: (0..<(vectors.count + 1) / 2).map { index in
                let (first, second) = (vectors[2 * index], vectors[min(2 * index + 1, vectors.count - 1)])
                // The mean, rounded down, without an overflow.
                return (first & second) &+ ((first ^ second) &>> 1)
            })
    }

    /// The change of the sound around each step, which fixes the time of the step. 1 on average.
    var changes: [Float] {
        var result = vectors.indices.map { index -> Float in
            let before = vectors[max(0, index - 2)]
            let after = vectors[min(vectors.count - 1, index + 2)]
            return Float(Self.distance(before, after))
        }
        let mean = result.reduce(0, +) / Float(max(1, result.count))
        for index in result.indices { result[index] = mean > 0 ? result[index] / mean : 1 }
        return result
    }

    /// Returns the sum of the differences' magnitudes.
    @inline(__always)
    static func distance(_ first: Vector, _ second: Vector) -> Int32 {
        let isLarger = first .> second
        let magnitudes = (first &- second).replacing(with: second &- first, where: .!isLarger)
        // Neighbours are added in pairs: the library's sum over all lanes is a loop.
        let pairs = unsafe unsafeBitCast(magnitudes, to: SIMD8<UInt16>.self)
        let eight = (pairs & 0xFF) &+ (pairs &>> 8)
        let four = eight.lowHalf &+ eight.highHalf
        let two = four.lowHalf &+ four.highHalf
        return Int32(two.x &+ two.y)
    }

    /// Returns the bands' logarithms in dB, with a floor 30 dB below the loud values of each band.
    private static func flooredLogarithms(_ features: SoundFeatures, in range: Range<Int>) -> [Float] {
        let bandCount = SoundFeatures.bandCount
        var floors = [Float](repeating: 0, count: bandCount)
        for band in 0..<bandCount {
            var counts = [Int](repeating: 0, count: 256)
            for index in range { counts[Int(features.bands[index * bandCount + band])] += 1 }
            var (left, step) = (range.count / 20, 255)
            while step > 0, left >= counts[step] {
                left -= counts[step]
                step -= 1
            }
            floors[band] = power(ofDecibels: Float(step) / 2 - 30)
        }
        let powers = (0..<256).map { power(ofDecibels: Float($0) / 2) }
        var result: [Float] = []
        result.reserveCapacity(range.count * bandCount)
        for index in range.lowerBound * bandCount..<range.upperBound * bandCount {
            result.append(decibels(ofPower: powers[Int(features.bands[index])] + floors[index % bandCount]))
        }
        return result
    }

    /// Subtracts the mean of the surrounding 4 s, and divides by the spread of the whole.
    private static func normalise(_ values: inout [Float]) {
        let count = values.count
        guard count > 0 else { return }
        var sums = [Double](repeating: 0, count: count + 1)
        for index in 0..<count { sums[index + 1] = sums[index] + Double(values[index]) }
        var squares = 0.0
        for index in 0..<count {
            let (begin, end) = (max(0, index - 200), min(count, index + 200))
            let mean = (sums[end] - sums[begin]) / Double(end - begin)
            values[index] -= Float(mean)
            squares += Double(values[index] * values[index])
        }
        let deviation = Float((squares / Double(count)).squareRoot())
        guard deviation > 1e-3 else { return values = [Float](repeating: 0, count: count) }
        for index in 0..<count { values[index] *= spread / deviation }
    }
}
