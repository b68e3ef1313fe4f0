/// Predicts the next sample from the last few, learnt from a block of sound; the prediction error is what is new.
///
/// The covariance method (least squares over the block itself, without a window), one set of coefficients for all
/// channels. Sines are predicted to the last bits, so an attack inside a chord stands out as if it were alone.
struct LinearPredictor {
    /// The weight of the sample `index + 1` frames back.
    let weights: [Double]

    /// Learns from the samples `training` of every channel, which must leave `order` samples before them.
    init(order: Int, learningFrom channels: [[Double]], in training: Range<Int>) {
        precondition(training.lowerBound >= order)
        let size = order + 1
        // products[i * size + j]: the sum of x[n - i] x[n - j] over the training block.
        var products = [Double](repeating: 0, count: size * size)
        for samples in channels {
            for lag in 0..<size {
                var sum = 0.0
                for index in training { sum += samples[index] * samples[index - lag] }
                products[lag] += sum
                // Each diagonal follows from its first entry: one product is added at the front, one removed at the back.
                var (row, column) = (1, lag + 1)
                while column < size {
                    sum += samples[training.lowerBound - row] * samples[training.lowerBound - column]
                    sum -= samples[training.upperBound - row] * samples[training.upperBound - column]
                    products[row * size + column] += sum
                    (row, column) = (row + 1, column + 1)
                }
            }
        }
        weights = Self.solve(products, order: order)
    }

    /// The squared error of the prediction at every frame of `range`, summed over the channels.
    func errors(in channels: [[Double]], at range: Range<Int>) -> [Double] {
        var result = [Double](repeating: 0, count: range.count)
        for samples in channels {
            for index in range {
                var error = samples[index]
                for (lag, weight) in weights.enumerated() { error -= weight * samples[index - 1 - lag] }
                result[index - range.lowerBound] += error * error
            }
        }
        return result
    }

    /// The normal equations by Cholesky's decomposition, made definite by 1e-9 of their diagonal.
    private static func solve(_ products: [Double], order: Int) -> [Double] {
        let size = order + 1
        let ridge = products[0] * 1e-9 + 1e-30
        var factor = [Double](repeating: 0, count: order * order)
        for row in 0..<order {
            for column in 0...row {
                var sum = products[(column + 1) * size + row + 1]
                if row == column { sum += ridge }
                for inner in 0..<column { sum -= factor[row * order + inner] * factor[column * order + inner] }
                if row == column {
                    factor[row * order + row] = max(sum, ridge).squareRoot()
                } else {
                    factor[row * order + column] = sum / factor[column * order + column]
                }
            }
        }
        var weights = (0..<order).map { products[$0 + 1] }
        for row in 0..<order {
            for inner in 0..<row { weights[row] -= factor[row * order + inner] * weights[inner] }
            weights[row] /= factor[row * order + row]
        }
        for row in (0..<order).reversed() {
            for inner in row + 1..<order { weights[row] -= factor[inner * order + row] * weights[inner] }
            weights[row] /= factor[row * order + row]
        }
        return weights
    }
}
