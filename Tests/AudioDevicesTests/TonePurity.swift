import Glibc

/// The purity of a steady sine: the remaining sound beside the sine, and the error of its frequency.
struct TonePurity {
    /// Distortion and noise below the sine, in dB; of everything, without any weighting.
    let noise: Double
    /// The frequency's error in millionths.
    let ppm: Double

    /// Fits a sine whose frequency, in cycles a frame, is known within some 10 ppm.
    init(_ sound: [Float], cycles: Double) {
        var frequency = cycles
        var rest = 0.0
        var power = 1.0
        // With the derivative by frequency as another pair of columns; two rounds converge.
        for _ in 0..<3 {
            var matrix = [[Double]](repeating: [Double](repeating: 0, count: 4), count: 4)
            var right = [Double](repeating: 0, count: 4)
            var energy = 0.0
            let middle = Double(sound.count - 1) / 2
            for (index, sample) in sound.enumerated() {
                let place = Double(index) - middle
                let (sine, cosine) = (sin(2 * .pi * frequency * place), cos(2 * .pi * frequency * place))
                let columns = (sine, cosine, place * cosine, place * sine)
                Self.add(columns, Double(sample), &matrix, &right)
                energy += Double(sample) * Double(sample)
            }
            let weights = Self.solved(matrix, right)
            let explained = (0..<4).reduce(0.0) { $0 + weights[$1] * right[$1] }
            rest = max(energy - explained, 1e-30)
            power = energy
            let amplitude = weights[0] * weights[0] + weights[1] * weights[1]
            frequency += (weights[0] * weights[2] - weights[1] * weights[3]) / amplitude / (2 * .pi)
        }
        noise = 10 * log10(rest / power)
        ppm = (frequency / cycles - 1) * 1e6
    }

    private static func add(
        _ columns: (Double, Double, Double, Double), _ value: Double, _ matrix: inout [[Double]],
        _ right: inout [Double]
    ) {
        let all = [columns.0, columns.1, columns.2, columns.3]
        for row in 0..<4 {
            right[row] += all[row] * value
            for column in 0..<4 { matrix[row][column] += all[row] * all[column] }
        }
    }

    private static func solved(_ given: [[Double]], _ values: [Double]) -> [Double] {
        var (matrix, right) = (given, values)
        for pivot in 0..<4 {
            for row in pivot + 1..<max(pivot + 1, 4) {
                let factor = matrix[row][pivot] / matrix[pivot][pivot]
                for column in pivot..<4 { matrix[row][column] -= factor * matrix[pivot][column] }
                right[row] -= factor * right[pivot]
            }
        }
        var solution = [Double](repeating: 0, count: 4)
        for row in (0..<4).reversed() {
            let known = (row + 1..<max(row + 1, 4)).reduce(0.0) { $0 + matrix[row][$1] * solution[$1] }
            solution[row] = (right[row] - known) / matrix[row][row]
        }
        return solution
    }
}
