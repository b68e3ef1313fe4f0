// New noise in a band: the times of noise, and the replacement of rotated windows by noise.
internal import Samples

extension VocoderBand {
    /// Step of the noise share per window: rotations change to noise and back within 46 ms.
    private static var noiseStep: Float { 1.0 / 8 }
    /// Noise is made only in slowed sound: only slowed sound has slower envelopes.
    private static var leastStretch: Float { 1.02 }

    /// Decides on the share of new noise in a window, and makes the noise.
    mutating func makeNoise(_ number: Int64, restarts: Bool) {
        let isPlaying = isNoise && localStretch > Self.leastStretch
        guard isPlaying || noiseShare > 0 else { return }
        let isFirst = noiseShare == 0 || restarts
        noiseShare = isPlaying ? min(1, noiseShare + Self.noiseStep) : max(0, noiseShare - Self.noiseStep)
        noise.solve(current, window: number, restarts: isFirst)
    }

    /// Replaces a share of a window's spectrum by noise. Both parts are independent, so the squares of the shares add
    /// up to 1.
    mutating func addNoise(to spectrum: Floats, channel: Int) {
        let turn = sineCosine(Lanes(repeating: noiseShare * (Float.pi / 2)))
        let (rest, share) = (turn.cosine, turn.sine)
        let (reals, imaginaries) = (current.real(channel), current.imaginary(channel))
        for bin in stride(from: 0, to: window / 2, by: Lanes.scalarCount) {
            let (x, y) = (reals[lanes: bin], imaginaries[lanes: bin])
            let (u, v) = (noise.real[lanes: bin], noise.imaginary[lanes: bin])
            let (real, imaginary) = spectrum.complexLanes(at: bin)
            spectrum.storeComplex(
                real: rest * real + share * (x * u - y * v), imaginary: rest * imaginary + share * (x * v + y * u),
                at: bin)
        }
    }
}
