internal import Glibc

/// Coefficients of a second-order filter which may change during processing: trapezoidal integrators, after Simper,
/// "Solving the continuous SVF equations using trapezoidal integration and equivalent currents" (Cytomic, 2013). The
/// state is the charge of two capacitors, which stays meaningful when the coefficients move; the state of a direct form
/// does not.
struct StateVariableFilter: BitwiseCopyable, Sendable {
    /// Weights of the states and of the input.
    private var (a1, a2, a3) = (0.0, 0.0, 0.0)
    private var (m0, m1, m2) = (1.0, 0.0, 0.0)

    /// A filter without effect.
    static var none: StateVariableFilter { StateVariableFilter() }

    private init() {}

    /// - Parameters:
    ///   - corner: tan(π · frequency ÷ rate).
    ///   - damping: 1 ÷ quality.
    private init(corner: Double, damping: Double) {
        a1 = 1 / (1 + corner * (corner + damping))
        a2 = corner * a1
        a3 = corner * a2
    }

    /// Returns the tangent of a filter's frequency, limited to 0.45 of the rate.
    static func corner(_ hertz: Double, _ sampleRate: Int) -> Double {
        tan(.pi * min(0.45, hertz / Double(sampleRate)))
    }

    /// √2: no peak at the corner.
    private static var butterworth: Double { 1.414_213_562_373_095_1 }

    /// Returns a low-pass filter.
    static func lowPass(_ corner: Double) -> StateVariableFilter {
        var filter = StateVariableFilter(corner: corner, damping: butterworth)
        (filter.m0, filter.m1, filter.m2) = (0, 0, 1)
        return filter
    }

    /// Returns a filter which raises or lowers the sound below a frequency.
    ///
    /// - Parameter root: The fourth root of the factor.
    static func lowShelf(_ corner: Double, _ root: Double) -> StateVariableFilter {
        let size = root * root
        var filter = StateVariableFilter(corner: corner / root, damping: butterworth)
        (filter.m1, filter.m2) = (butterworth * (size - 1), size * size - 1)
        return filter
    }

    /// Returns a filter which raises or lowers the sound around a frequency.
    ///
    /// - Parameters:
    ///   - root: The fourth root of the factor.
    ///   - quality: The frequency over the width.
    static func bell(_ corner: Double, _ root: Double, quality: Double) -> StateVariableFilter {
        let size = root * root
        let damping = 1 / (quality * size)
        var filter = StateVariableFilter(corner: corner, damping: damping)
        filter.m1 = damping * (size * size - 1)
        return filter
    }

    /// Returns a filter which raises or lowers the sound above a frequency.
    ///
    /// - Parameter root: The fourth root of the factor.
    static func highShelf(_ corner: Double, _ root: Double) -> StateVariableFilter {
        let size = root * root
        var filter = StateVariableFilter(corner: corner * root, damping: butterworth)
        (filter.m0, filter.m1, filter.m2) = (size * size, butterworth * (1 - size) * size, 1 - size * size)
        return filter
    }

    /// Filters one sample. Without effect, the filter returns the sample unchanged.
    @inline(__always)
    func process(_ sample: Double, _ state: inout SIMD2<Double>) -> Double {
        let rest = sample - state.y
        let band = a1 * state.x + a2 * rest
        let low = state.y + a2 * state.x + a3 * rest
        state = SIMD2(2 * band - state.x, 2 * low - state.y)
        return m0 * sample + m1 * band + m2 * low
    }
}
