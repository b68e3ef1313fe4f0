/// The Kaiser window: one number trades main-lobe width against sidelobe level.
///
/// Values are taken at the middles of `count` equal steps, so the window is symmetric about `count / 2` without a
/// sample there and never reaches zero. Kaiser and Schafer, "On the use of the I0-sinh window for spectrum analysis"
/// (1980).
package enum KaiserWindow {
    /// Returns the window's values, at most 1.
    ///
    /// - Parameters:
    ///   - count: Number of values, 1 or more.
    ///   - beta: Shape, 0 (rectangle) to 50. At 12 the sidelobes lie about 90 dB below the main lobe.
    ///
    /// Real-time safe: no; allocates.
    package static func values(count: Int, beta: Double) -> [Double] {
        precondition(
            count >= 1 && beta >= 0 && beta <= 50, "A Kaiser window needs 1 or more values and a beta of 0 to 50.")
        let peak = besselI0(beta)
        return (0..<count).map { index in
            let offset = 2 * (Double(index) + 0.5) / Double(count) - 1
            return besselI0(beta * max(0, 1 - offset * offset).squareRoot()) / peak
        }
    }

    /// Returns the modified Bessel function of the first kind and order zero, by its power series (all terms positive).
    package static func besselI0(_ x: Double) -> Double {
        let quarterSquare = x * x / 4
        var term = 1.0
        var sum = 1.0
        var order = 1.0
        while term > sum * 1e-17 {
            term *= quarterSquare / (order * order)
            sum += term
            order += 1
        }
        return sum
    }
}
