internal import CSampleLoops
internal import Glibc
internal import Samples

/// The weighting of loudness: a shelf for the head's effect, then a high-pass (ITU-R BS.1770-5 annex 1, 2023).
///
/// The standard gives coefficients for 48 kHz only. Here the bilinear transform converts the analogue filters behind
/// those coefficients to any rate, each filter exact at its own corner. At 48 kHz the coefficients are the standard's
/// to nine digits; at other rates a gain gives 997 Hz, where the standard calibrates, the same level. The remaining
/// error is the transform's narrowing near half the rate: against 48 kHz 0.002 dB at 44.1 kHz, 0.012 dB at 192 kHz,
/// 0.05 dB at 22.05 kHz, up to 0.4 dB at 8 kHz. The analogue values come from De Man ("Evaluation of implementations of
/// the EBU R128 loudness measurement", 2018).
@_spi(Benchmarks) public struct KWeighting: Sendable, Equatable {
    /// A biquad with a0 = 1.
    struct Section: Sendable, Equatable {
        var b0, b1, b2, a1, a2: Double

        /// Returns the gain at an angle, in radians a sample.
        func gain(_ angle: Double) -> Double {
            func magnitude(_ c0: Double, _ c1: Double, _ c2: Double) -> Double {
                let real = c0 + c1 * cos(angle) + c2 * cos(2 * angle)
                let imaginary = c1 * sin(angle) + c2 * sin(2 * angle)
                return (real * real + imaginary * imaginary).squareRoot()
            }
            return magnitude(b0, b1, b2) / magnitude(1, a1, a2)
        }
    }

    /// Frames per second, in Hz.
    public let sampleRate: Int
    let shelf: Section
    /// Without its gain, so the numerator is 1, -2, 1.
    let highPass: Section
    /// Factor for the output of both filters.
    let gain: Double

    /// The shelf's corner in Hz, its height in dB and its quality; the high-pass's corner and quality.
    private static let (shelfHertz, shelfDecibels, shelfQ) = (1681.974450955533, 3.999843853973347, 0.7071752369554196)
    private static let (highPassHertz, highPassQ) = (38.13547087602444, 0.5003270373238773)
    /// Frequency at which the standard calibrates, and the gain of its filters for 48 kHz there: the 0.691 dB
    /// subtracted from a loudness.
    private static let (calibrationHertz, calibrationGain) = (997.0, 1.082806127588)
    /// Exponent of the shelf's gain for the middle term of the numerator.
    private static let shelfExponent = 0.4996667741545416

    /// Computes the filters for a rate.
    ///
    /// - Parameter sampleRate: 8000 to 384000 Hz.
    ///
    /// Real-time safe: no.
    public init(sampleRate: Int) {
        precondition(LoudnessMeter.sampleRates.contains(sampleRate), "K-weighting is made for 8 to 384 kHz.")
        self.sampleRate = sampleRate
        let high = pow(10, KWeighting.shelfDecibels / 20)
        let band = pow(high, KWeighting.shelfExponent)
        let corner = tan(.pi * KWeighting.shelfHertz / Double(sampleRate))
        let (square, width) = (corner * corner, corner / KWeighting.shelfQ)
        let scale = 1 + width + square
        shelf = Section(
            b0: (high + band * width + square) / scale, b1: 2 * (square - high) / scale,
            b2: (high - band * width + square) / scale, a1: 2 * (square - 1) / scale,
            a2: (1 - width + square) / scale)
        let lowCorner = tan(.pi * KWeighting.highPassHertz / Double(sampleRate))
        let (lowSquare, lowWidth) = (lowCorner * lowCorner, lowCorner / KWeighting.highPassQ)
        let lowScale = 1 + lowWidth + lowSquare
        highPass = Section(
            b0: 1, b1: -2, b2: 1, a1: 2 * (lowSquare - 1) / lowScale, a2: (1 - lowWidth + lowSquare) / lowScale)
        let angle = 2 * .pi * KWeighting.calibrationHertz / Double(sampleRate)
        gain = KWeighting.calibrationGain / (shelf.gain(angle) * highPass.gain(angle))
    }

    /// Returns the gain for a sine, as a factor.
    ///
    /// - Parameter hertz: 0 to half the rate.
    ///
    /// Real-time safe: no.
    public func gain(atHertz hertz: Double) -> Double {
        let angle = 2 * .pi * hertz / Double(sampleRate)
        return gain * shelf.gain(angle) * highPass.gain(angle)
    }
}

extension KWeighting {
    /// The filters in the form computed by `weigh_loudness`: each output depends on the outputs two and four frames
    /// before, never on the last, so two frames of two channels are computed together.
    ///
    /// Multiplying both sides of a filter's fraction gives each pole a negative twin: 1 + a₁/z + a₂/z² times 1 - a₁/z +
    /// a₂/z² has even powers only. The high-pass's two zeros at 0 Hz are second differences; all other zeros form a
    /// filter of seven taps.
    var loop: LoudnessFilter {
        func product(_ a: [Double], _ b: [Double]) -> [Double] {
            var product = [Double](repeating: 0, count: a.count + b.count - 1)
            for (i, x) in a.enumerated() { for (j, y) in b.enumerated() { product[i + j] += x * y } }
            return product
        }
        func poles(_ section: Section) -> (Double, Double) {
            (2 * section.a2 - section.a1 * section.a1, section.a2 * section.a2)
        }
        let taps = product(
            product([shelf.b0, shelf.b1, shelf.b2], [1, -shelf.a1, shelf.a2]), [1, -highPass.a1, highPass.a2])
        return LoudnessFilter(
            taps: (taps[0], taps[1], taps[2], taps[3], taps[4], taps[5], taps[6]), shelf: poles(shelf),
            high: poles(highPass))
    }
}

/// Two channels on their way through the K-weighting: together they fill the registers.
struct KWeightedPair: Sendable {
    private var state = LoudnessState()

    /// Filters `count` frames and adds up the squares of the result.
    mutating func process(
        _ left: UnsafePointer<Float>, _ right: UnsafePointer<Float>, count: Int, _ filter: LoudnessFilter
    ) {
        unsafe withUnsafePointer(to: filter) { unsafe weigh_loudness($0, left, right, count, &state) }
    }

    /// Returns and clears the squares so far. Values which have almost died away become zero, because arithmetic on
    /// subnormal numbers takes a hundred times as long.
    mutating func takeSquares() -> SIMD2<Double> {
        let squares = state.squares
        state.squares = (0, 0, 0, 0)
        // Sums of squares are even and odd frames of this hop.
        state.is_odd = false
        let (shelf, high) = (state.shelf, state.high)
        if abs(shelf.4) + abs(shelf.6) + abs(high.4) + abs(high.6) < 1e-30 {
            for index in [0, 2, 4, 6] { clear(index) }
        }
        if abs(shelf.5) + abs(shelf.7) + abs(high.5) + abs(high.7) < 1e-30 {
            for index in [1, 3, 5, 7] { clear(index) }
        }
        return SIMD2(squares.0 + squares.2, squares.1 + squares.3)
    }

    private mutating func clear(_ index: Int) {
        unsafe withUnsafeMutableBytes(of: &state.shelf) { unsafe $0.bindMemory(to: Double.self)[index] = 0 }
        unsafe withUnsafeMutableBytes(of: &state.high) { unsafe $0.bindMemory(to: Double.self)[index] = 0 }
    }
}
