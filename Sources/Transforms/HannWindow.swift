internal import Glibc

/// The Hann window, whose sidelobes fall fast (Harris, "On the use of windows for harmonic analysis", 1978).
///
/// Values are taken at the middles of `count` equal steps, as in `KaiserWindow`: symmetric, and never zero.
package enum HannWindow {
    /// Returns the window's values, at most 1.
    ///
    /// - Parameter count: Number of values, 1 or more.
    ///
    /// Real-time safe: no; allocates.
    package static func values(count: Int) -> [Float] {
        (0..<count).map { index in
            let place: Double = Double(index) + 0.5
            let angle: Double = 2 * .pi * place / Double(count)
            return Float(0.5 - 0.5 * cos(angle))
        }
    }
}
