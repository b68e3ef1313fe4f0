// Least-squares fits of a few known shapes to a sound: sines, a constant. Small enough for the normal equations in
// Double.
internal import Glibc

/// A sound as a sum of given columns, and the residual.
struct LeastSquares {
    let coefficients: [Double]
    /// The sum of the squares of the residual.
    let residualEnergy: Double

    /// Fits `columns`, all as long as `values`, to `values`. Several fits with the same columns share their products,
    /// computed before.
    init(_ values: [Double], columns: [[Double]], products: [[Double]]? = nil) {
        var matrix = products ?? Self.products(columns)
        var right = columns.map { dot($0, values) }
        // Cholesky without the root; columns here are sines of different frequencies, so that nothing degenerates.
        for pivot in columns.indices {
            for row in pivot + 1..<max(pivot + 1, columns.count) {
                let factor = matrix[row][pivot] / matrix[pivot][pivot]
                for column in pivot..<columns.count { matrix[row][column] -= factor * matrix[pivot][column] }
                right[row] -= factor * right[pivot]
            }
        }
        var solution = [Double](repeating: 0, count: columns.count)
        for row in columns.indices.reversed() {
            let known = (row + 1..<max(row + 1, columns.count)).reduce(0.0) { $0 + matrix[row][$1] * solution[$1] }
            solution[row] = (right[row] - known) / matrix[row][row]
        }
        var rest = values
        for (column, weight) in zip(columns, solution) {
            for index in rest.indices { rest[index] -= weight * column[index] }
        }
        coefficients = solution
        residualEnergy = dot(rest, rest)
    }

    /// The products of every two columns.
    static func products(_ columns: [[Double]]) -> [[Double]] {
        var matrix = columns.map { _ in [Double](repeating: 0, count: columns.count) }
        for row in columns.indices {
            for column in 0...row {
                matrix[row][column] = dot(columns[row], columns[column])
                matrix[column][row] = matrix[row][column]
            }
        }
        return matrix
    }

    /// Cosine and sine of each frequency, in cycles a frame, over so many frames.
    static func sines(_ frequencies: [Double], count: Int) -> [[Double]] {
        var columns: [[Double]] = []
        for frequency in frequencies {
            let step = 2 * Double.pi * frequency
            columns.append((0..<count).map { cos(step * Double($0)) })
            columns.append((0..<count).map { sin(step * Double($0)) })
        }
        return columns
    }
}

/// The sum of the products, in eight lanes: a single sum waits for each addition. `left` meets the values of `right`
/// from `start` on.
public func dot(_ left: [Double], _ right: [Double], from start: Int = 0) -> Double {
    let count = min(left.count, right.count - start)
    var sums = SIMD8<Double>()
    unsafe left.withUnsafeBytes { left in
        unsafe right.withUnsafeBytes { right in
            for index in stride(from: 0, to: count - 7, by: 8) {
                let values = unsafe left.loadUnaligned(fromByteOffset: 8 * index, as: SIMD8<Double>.self)
                let others = unsafe right.loadUnaligned(
                    fromByteOffset: 8 * (start + index), as: SIMD8<Double>.self)
                sums += values * others
            }
        }
    }
    for index in count & ~7..<count { sums[0] += left[index] * right[start + index] }
    return sums.sum()
}

/// Ten times the logarithm of a ratio of energies; -200 for zero.
func decibels(_ ratio: Double) -> Double { 10 * log10(max(ratio, 1e-20)) }

/// The middle of the values; NaN without values.
func median(_ values: [Double]) -> Double {
    let sorted = values.sorted()
    guard let upper = sorted.dropFirst(sorted.count / 2).first else { return .nan }
    return (upper + sorted[(sorted.count - 1) / 2]) / 2
}

/// The root of the mean of the squares.
func rootMeanSquare(_ values: some Collection<Double>) -> Double {
    (values.reduce(0) { $0 + $1 * $1 } / Double(max(1, values.count))).squareRoot()
}
