internal import CSampleLoops
internal import Glibc
internal import Samples
@_spi(Benchmarks) internal import Transforms

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
    ///   - windowSize: Frames used in the middle of the transform; all frames by default.
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
            if inside.count < size { for index in 0..<size { frames[index] = 0 } }
            unsafe samples.withUnsafeBufferPointer { samples in
                guard let base = samples.baseAddress else { return }
                let begin = inside.lowerBound
                unsafe weigh_samples(
                    base + (first + begin), window.view.base + begin, inside.count, frames.base + begin)
            }
            transform.forward()
            unsafe power.withUnsafeMutableBytes { power in
                for bin in stride(from: 0, to: binCount - 1, by: Lanes.scalarCount) {
                    let (real, imaginary) = spectrum.complexLanes(at: bin)
                    let place = bin * MemoryLayout<Float>.stride
                    let before = unsafe power.loadUnaligned(fromByteOffset: place, as: Lanes.self)
                    let sum = before + (real * real + imaginary * imaginary)
                    unsafe power.storeBytes(of: sum, toByteOffset: place, as: Lanes.self)
                }
            }
            let last = spectrum[2 * (binCount - 1)]
            power[binCount - 1] += last * last
        }
    }

    /// Returns the power of every bin, as ``measure(_:at:into:)`` writes it.
    mutating func power(of block: SourceBlock, at frame: Int64) -> [Float] {
        var power = [Float](repeating: 0, count: binCount)
        measure(block, at: frame, into: &power)
        return power
    }

    /// Returns the window's size: the power of two nearest to `seconds`, 32 at least.
    static func size(seconds: Double, sampleRate: Int) -> Int {
        var size = 32
        while Double(size) * 2.squareRoot() < seconds * Double(sampleRate) { size *= 2 }
        return size
    }
}
