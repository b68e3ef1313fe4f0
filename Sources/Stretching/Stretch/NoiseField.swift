// NoiseField: new noise in place of a window's bins, where the sound is nothing but noise.
//
// A slowed spectrogram of noise has slower envelopes than any noise, for any rotation of its bins: the sound is grainy.
// Therefore the magnitudes are made anew as well: Gaussian noise with the source's mean power around the bin (after
// Moliner et al., "Noise morphing for audio time stretching", 2023, who use a sines-transients-noise split; here a
// section of the recording is either noise or not, see NoiseEvidence). One factor serves all channels, so the stereo
// image stays.
internal import Samples

/// The factors of one window's bins, and the memory for their computation.
///
/// Real-time safe: all but `init`.
@safe
struct NoiseField: ~Copyable {
    private let binCount: Int
    private let partCount: Int
    private let storage: FloatStorage
    /// Windows that agree add up in amplitude, independent windows in power: this factor gives independent windows the
    /// same level.
    private let level: Float

    /// Bins on either side for the mean power, which also runs over some 10 windows, 50 ms.
    private static var reach: Int { 8 }
    private static var renewedShare: Float { 0.12 }
    /// Powers below this, -150 dB, are silence.
    private static var silentPower: Float { 1e-30 }

    private enum Part: Int {
        case power, mean, real, imaginary
        static let count = Part.imaginary.rawValue + 1
    }

    /// - Parameter shape: The windows, or nil for a band that never makes noise and so needs no memory.
    init(_ shape: VocoderShape?) {
        binCount = shape.map { $0.window / 2 + 1 } ?? 0
        // A lane of zeros before the first bin stands for the missing neighbours.
        partCount = Spectra.paddedCount(binCount) + Lanes.scalarCount
        storage = FloatStorage(count: shape == nil ? 0 : Part.count * partCount)
        guard let shape else {
            level = 0
            return
        }
        func energy(_ weights: [Float]) -> Double { weights.reduce(0) { $0 + Double($1) * Double($1) } }
        let gain = Double(shape.window) * energy(shape.analysis) * energy(shape.synthesis) / Double(shape.hop)
        level = Float(1 / gain.squareRoot())
    }

    @inline(__always)
    private func view(_ part: Part) -> Floats {
        storage.view.part(
            from: part.rawValue * partCount + Lanes.scalarCount, count: partCount - Lanes.scalarCount)
    }

    /// The real parts of the factors.
    var real: Floats { view(.real) }
    /// The imaginary parts of the factors.
    var imaginary: Floats { view(.imaginary) }

    /// Computes every bin's factor.
    ///
    /// - Parameters:
    ///   - source: X, the source's spectra at the window's place.
    ///   - window: The window's number; each number has its own noise, the same at every pass.
    ///   - restarts: True if the mean begins with this window.
    func solve(_ source: borrowing Spectra, window: Int64, restarts: Bool) {
        for bin in stride(from: 0, to: binCount, by: Lanes.scalarCount) {
            var power = Lanes()
            for channel in 0..<source.channelCount {
                let (x, y) = (source.real(channel)[lanes: bin], source.imaginary(channel)[lanes: bin])
                power += x * x + y * y
            }
            view(.power)[lanes: bin] = power
        }
        let (whole, begin) = (storage.view, Part.power.rawValue * partCount + Lanes.scalarCount)
        let share = restarts ? 1 : Self.renewedShare
        let lanes = SIMD8<UInt32>(0, 1, 2, 3, 4, 5, 6, 7)
        let seed = UInt32(truncatingIfNeeded: window) &* 0x9E37_79B9
        for bin in stride(from: 0, to: binCount, by: Lanes.scalarCount) {
            var sum = Lanes()
            for offset in -Self.reach...Self.reach { sum += whole[lanes: begin + bin + offset] }
            let before = view(.mean)[lanes: bin]
            let mean = before + share * (sum * (1 / Float(2 * Self.reach + 1)) - before)
            view(.mean)[lanes: bin] = mean
            let number = (lanes &+ UInt32(truncatingIfNeeded: bin)) ^ SIMD8(repeating: seed)
            let draw = Self.gaussian(number)
            let size = level * mean * inverseSquareRoot(mean + Self.silentPower)
            let scale = size * inverseSquareRoot(view(.power)[lanes: bin] + Self.silentPower)
            real[lanes: bin] = scale * draw.real
            imaginary[lanes: bin] = scale * draw.imaginary
        }
    }

    /// Returns complex normal numbers of mean power 1, one for each number (Box and Muller, 1958).
    @inline(__always)
    private static func gaussian(_ numbers: SIMD8<UInt32>) -> (real: Lanes, imaginary: Lanes) {
        let first = mixed(numbers)
        let second = mixed(first &+ 0x9E37_79B9)
        let power = -naturalLogarithm(unit(first))
        let size = power * inverseSquareRoot(power)
        let turn = sineCosine((unit(second) - 0.5) * (2 * Float.pi))
        return (size * turn.cosine, size * turn.sine)
    }

    /// Returns a number between 0 and 1, excluding both.
    @inline(__always)
    private static func unit(_ bits: SIMD8<UInt32>) -> Lanes {
        Lanes(bitPattern: (bits &>> 9) | 0x3F80_0000) - (1 - 0x1p-24)
    }

    /// Returns a hash of which every bit depends on all bits of the number (Wellons, "Prospecting for hash functions",
    /// 2018).
    @inline(__always)
    private static func mixed(_ numbers: SIMD8<UInt32>) -> SIMD8<UInt32> {
        var bits = numbers
        bits = (bits ^ (bits &>> 16)) &* 0x7FEB_352D
        bits = (bits ^ (bits &>> 15)) &* 0x846C_A68B
        return bits ^ (bits &>> 16)
    }
}
