internal import Glibc

/// Power spectra of a block at absolute frames, summed over its channels, for the analyses at load time.
///
/// The window is a Hann window, whose sidelobes fall fast enough for judgements in dB and whose main lobe is short in
/// time. One owner, one thread.
struct PowerSpectrum: ~Copyable {
    /// Frames of one window, a power of two.
    let size: Int
    /// Number of bins, `size / 2 + 1`.
    let binCount: Int

    private var transform: RealFourierTransform
    private let window: FloatStorage

    /// - Parameters:
    ///   - size: Frames of one transform.
    ///   - windowSize: Frames in the middle of it that are used; all of them if not given.
    init(size: Int, windowSize: Int? = nil) {
        self.size = size
        binCount = size / 2 + 1
        transform = RealFourierTransform(size: size)
        let length = windowSize ?? size
        // The sum of the squares is 1, so that white noise of power 1 has power 1 in every bin.
        let scale = (8 / 3 / Double(length)).squareRoot()
        window = FloatStorage(
            (0..<size).map { index in
                let place = Double(index - (size - length) / 2) + 0.5
                guard place > 0, place < Double(length) else { return 0 }
                return Float(scale * (0.5 - 0.5 * cos(2 * .pi * place / Double(length))))
            })
    }

    /// Writes the power of every bin, summed over the channels, of the window centred on `frame`.
    ///
    /// - Parameters:
    ///   - block: The samples; silent outside its frames.
    ///   - frame: The window's middle, in frames of the recording.
    ///   - power: `binCount` values, overwritten.
    mutating func measure(_ block: SourceBlock, at frame: Int64, into power: inout [Float]) {
        precondition(power.count == binCount)
        for bin in power.indices { power[bin] = 0 }
        let first = Int(frame - Int64(size / 2) - block.firstFrame)
        let inside = max(0, -first)..<max(max(0, -first), min(size, block.frameCount - first))
        guard !inside.isEmpty else { return }
        let frames = transform.frameStorage.view
        let spectrum = transform.spectrumStorage.view
        for samples in block.channels {
            for index in 0..<inside.lowerBound { frames[index] = 0 }
            for index in inside { frames[index] = samples[first + index] * window.view[index] }
            for index in inside.upperBound..<size { frames[index] = 0 }
            transform.forward()
            for bin in power.indices {
                let (real, imaginary) = (spectrum[2 * bin], spectrum[2 * bin + 1])
                power[bin] += real * real + imaginary * imaginary
            }
        }
    }

    /// The window's size: the power of two nearest to `seconds`, 32 at least.
    static func size(seconds: Double, sampleRate: Int) -> Int {
        var size = 32
        while Double(size) * 2.squareRoot() < seconds * Double(sampleRate) { size *= 2 }
        return size
    }
}
