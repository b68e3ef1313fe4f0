internal import CSampleLoops

/// Predicts the next sample from the last few samples, with weights learnt from a block of sound. The prediction error
/// is the new part of the sound.
///
/// The covariance method (least squares over the block itself, without a window), one set of coefficients for all
/// channels. Sines are predicted to the last bits, so an attack inside a chord stands out as if it were alone.
///
/// The loops run over several frames or lags at once, each with its own sum in the order of a plain loop: the same
/// bits, at a sixth of the time.
struct LinearPredictor {
    /// The weight of the sample `index + 1` frames back.
    let weights: [Double]

    /// Learns from the samples `training` of every channel; at least `order` samples must lie before `training`.
    init(order: Int, learningFrom channels: [[Double]], in training: Range<Int>) {
        precondition(training.lowerBound >= order)
        let size = order + 1
        // products[i * size + j]: the sum of x[n - i] x[n - j] over the training block.
        var products = [Double](repeating: 0, count: size * size)
        for samples in channels {
            let starts = Self.lagProducts(of: samples, in: training, lagCount: size)
            for lag in 0..<size {
                var sum = starts[lag]
                products[lag] += sum
                // Each diagonal follows from its first entry: one product is added at the front, one removed at the
                // back.
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

    /// Returns the squared error of the prediction at every frame of `range`, summed over the channels.
    func errors(in channels: [[Double]], at range: Range<Int>) -> [Double] {
        var result = [Double](repeating: 0, count: range.count)
        var errors = result
        for samples in channels {
            precondition(range.lowerBound >= weights.count && range.upperBound <= samples.count)
            unsafe samples.withUnsafeBufferPointer { samples in
                unsafe weights.withUnsafeBufferPointer { weights in
                    unsafe errors.withUnsafeMutableBufferPointer { errors in
                        guard let first = samples.baseAddress, let weight = weights.baseAddress,
                            let error = errors.baseAddress
                        else { return }
                        unsafe prediction_errors(first + range.lowerBound, weight, weights.count, errors.count, error)
                    }
                }
            }
            for index in result.indices { result[index] += errors[index] * errors[index] }
        }
        return result
    }

    private typealias Doubles = SIMD8<Double>

    /// Returns the sums of x[n] x[n - lag] over the training block, for every lag.
    private static func lagProducts(of samples: [Double], in training: Range<Int>, lagCount: Int) -> [Double] {
        precondition(training.lowerBound >= lagCount - 1 && training.upperBound <= samples.count)
        let (stride, width) = (MemoryLayout<Double>.stride, Doubles.scalarCount)
        // In reversed time, lags lie side by side; zeros complete the lanes of the last lags.
        let reversed =
            [Double](samples[..<training.upperBound].reversed()) + [Double](repeating: 0, count: 2 * width)
        var sums: [Double] = []
        for lag in Swift.stride(from: 0, to: lagCount, by: width) {
            var sum = Doubles()
            unsafe reversed.withUnsafeBytes { reversed in
                for place in (0..<training.count).reversed() {
                    let sample = unsafe reversed.load(fromByteOffset: place &* stride, as: Double.self)
                    let earlier = (place &+ lag) &* stride
                    unsafe sum += sample * reversed.loadUnaligned(fromByteOffset: earlier, as: Doubles.self)
                }
            }
            for lane in 0..<min(width, lagCount - lag) { sums.append(sum[lane]) }
        }
        return sums
    }

    /// Solves the normal equations by Cholesky's decomposition, made definite by 1e-9 of their diagonal.
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
