// New noise in a band: when it plays, and how it takes the place of the rotated windows.
internal import Samples

extension VocoderBand {
    /// Windows from rotations to noise and back: 46 ms.
    private static var noiseStep: Float { 1.0 / 8 }
    /// Only a sound that is slowed has slower envelopes.
    private static var leastStretch: Float { 1.02 }

    /// Decides on the share of new noise in a window, and makes it.
    mutating func makeNoise(_ number: Int64, restarts: Bool) {
        let isPlaying = isNoise && localStretch > Self.leastStretch
        guard isPlaying || noiseShare > 0 else { return }
        let isFirst = noiseShare == 0 || restarts
        noiseShare = isPlaying ? min(1, noiseShare + Self.noiseStep) : max(0, noiseShare - Self.noiseStep)
        noise.solve(current, window: number, restarts: isFirst)
    }

    /// Puts the share of noise in place of the same share of a window's spectrum; the two are independent, so the squares of the shares add up to 1.
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
