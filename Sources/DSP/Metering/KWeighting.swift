internal import Glibc

/// The weighting of loudness: a shelf for the head's effect, then a high-pass (ITU-R BS.1770-5 annex 1, 2023).
///
/// The standard gives coefficients for 48 kHz only. Here the analogue filters behind them are converted to any
/// rate (bilinear transform, each kept exact at its own corner). At 48 kHz the coefficients are the standard's to nine
/// digits; at other rates the gain is scaled so that 997 Hz, where the standard calibrates, has the same gain. The remaining error
/// is the transform's narrowing near half the rate: against 48 kHz 0.002 dB at 44.1 kHz, 0.012 dB at 192
/// kHz, 0.05 dB at 22.05 kHz, up to 0.4 dB at 8 kHz. The analogue values are those that De Man ("Evaluation of
/// implementations of the EBU R128 loudness measurement", 2018) found.
@_spi(Benchmarks) public struct KWeighting: Sendable, Equatable {
    /// A second-order section, its output's own factor being 1.
    struct Section: Sendable, Equatable {
        var b0, b1, b2, a1, a2: Double

        /// The response at an angle, in radians a sample.
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
    /// Without its gain, so that its numerator is 1, -2, 1.
    let highPass: Section
    /// What the output of both is multiplied by.
    let gain: Double

    /// The shelf's corner in Hz, its height in dB and its quality; the high-pass's corner and quality.
    private static let (shelfHertz, shelfDecibels, shelfQ) = (1681.974450955533, 3.999843853973347, 0.7071752369554196)
    private static let (highPassHertz, highPassQ) = (38.13547087602444, 0.5003270373238773)
    /// Where the standard calibrates, and the gain of its filters for 48 kHz there: the 0.691 dB that are subtracted from a
    /// loudness.
    private static let (calibrationHertz, calibrationGain) = (997.0, 1.082806127588)
    /// How the shelf's slope is shared between its two zeros.
    private static let shelfExponent = 0.4996667741545416

    /// The filters for a rate.
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

    /// The gain for a sine, as a factor.
    ///
    /// - Parameter hertz: 0 to half the rate.
    ///
    /// Real-time safe: no.
    public func gain(atHertz hertz: Double) -> Double {
        let angle = 2 * .pi * hertz / Double(sampleRate)
        return gain * shelf.gain(angle) * highPass.gain(angle)
    }
}

/// Two channels on their way through the K-weighting; a pair, as two doubles fill a register of the baseline x86-64.
struct KWeightedPair: Sendable, Equatable {
    typealias Pair = SIMD2<Double>

    /// The last two inputs, outputs of the shelf, and outputs of the high-pass, the latest first.
    private var (x1, x2, y1, y2, z1, z2) = (Pair(), Pair(), Pair(), Pair(), Pair(), Pair())
    /// The squares of the outputs so far.
    private(set) var squares = Pair()

    /// Filters `count` frames and adds up their squares.
    ///
    /// Direct form: of each output only one product and one difference wait for the output before, so that both filters
    /// together take about ten cycles a frame.
    mutating func process(
        _ left: UnsafePointer<Float>, _ right: UnsafePointer<Float>, count: Int, _ filter: KWeighting
    ) {
        let (shelf, highPass) = (filter.shelf, filter.highPass)
        var (x1, x2, y1, y2, z1, z2) = (x1, x2, y1, y2, z1, z2)
        var squares = squares
        for index in 0..<count {
            let x = unsafe Pair(Double(measurable(left[index])), Double(measurable(right[index])))
            let y = ((shelf.b0 * x + shelf.b1 * x1) + (shelf.b2 * x2 - shelf.a2 * y2)) - shelf.a1 * y1
            let z = (((y - y1) - (y1 - y2)) - highPass.a2 * z2) - highPass.a1 * z1
            squares += z * z
            (x2, x1, y2, y1, z2, z1) = (x1, x, y1, y, z1, z)
        }
        (self.x1, self.x2, self.y1, self.y2, self.z1, self.z2) = (x1, x2, y1, y2, z1, z2)
        self.squares = squares
    }

    /// Returns and clears the squares so far. Values that have almost died away are set to zero, because arithmetic on
    /// subnormal numbers takes a hundred times as long.
    mutating func takeSquares() -> Pair {
        let taken = squares
        squares = Pair()
        for lane in 0..<Pair.scalarCount where Swift.abs(z1[lane]) + Swift.abs(y1[lane]) + Swift.abs(y2[lane]) < 1e-30 {
            (y1[lane], y2[lane], z1[lane], z2[lane]) = (0, 0, 0, 0)
        }
        return taken
    }
}
