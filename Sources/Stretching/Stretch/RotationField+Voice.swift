// The rotations of a voice: one rotation for each harmonic, so that the voice's pulses keep their shape.
//
// A delay of a whole voice rotates harmonic h by h times the rotation of the fundamental (Quatieri and McAulay, "Shape
// invariant time-scale and pitch modification of speech", 1992; Röbel, "A shape-invariant phase vocoder for speech
// transformation", 2010). All bins nearest to a harmonic have the harmonic's rotation. Valid only where one voice
// dominates the band.
internal import Samples

/// A voice's rotation from window to window.
struct VoiceTurn: BitwiseCopyable, Sendable {
    /// The period in samples of the voice that dominates the current window, 0 without a voice.
    var period: Float = 0
    /// The rotation of the fundamental in cycles, -0.5 to 0.5.
    private(set) var cycles: Float = 0
    private var isVoiced = false
    /// The middle of the previous window.
    private var sample: Int64 = 0

    /// Continues the voice over one hop. The first window of a voice is not rotated.
    ///
    /// - Parameters:
    ///   - sample: The middle of the window in the source.
    ///   - isFirst: True if the window continues no earlier window; the usual rules then hold.
    /// - Returns: True if a voice dominates the window.
    mutating func advance(to sample: Int64, hop: Int, isFirst: Bool) -> Bool {
        let delay = Float(Int64(hop) - (sample - self.sample))
        self.sample = sample
        guard period > 0, !isFirst else {
            isVoiced = false
            return false
        }
        cycles = isVoiced ? cycles + delay / period : 0
        cycles -= nearestWhole(cycles)
        isVoiced = true
        return true
    }
}

extension RotationField {
    /// Gives all bins the rotations of a voice's harmonics, in place of the usual rules.
    func follow(_ voice: VoiceTurn, window: Int) {
        let harmonicsPerBin = voice.period / Float(window)
        let ramp = Lanes(0, 1, 2, 3, 4, 5, 6, 7)
        for bin in stride(from: 0, to: real.count, by: Lanes.scalarCount) {
            let harmonic = nearestWhole((ramp + Float(bin)) * harmonicsPerBin)
            let cycles = harmonic * voice.cycles
            let angle = 2 * Float.pi * (cycles - nearestWhole(cycles))
            let rotation = sineCosine(angle)
            real[lanes: bin] = rotation.cosine
            imaginary[lanes: bin] = rotation.sine
        }
    }
}

/// Returns the nearest whole number, by adding a number whose last bit is 1: for values within ±2^22.
@inline(__always)
private func nearestWhole(_ values: Lanes) -> Lanes { (values + 0x1.8p23) - 0x1.8p23 }

@inline(__always)
private func nearestWhole(_ value: Float) -> Float { (value + 0x1.8p23) - 0x1.8p23 }
