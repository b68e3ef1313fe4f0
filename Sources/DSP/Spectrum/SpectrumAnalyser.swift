internal import Glibc
internal import Samples
@_spi(Benchmarks) internal import Transforms

/// The mean power spectrum of several windows, as levels of sines.
///
/// Real-time safe: no. Use: one thread at a time.
struct SpectrumAnalyser: ~Copyable {
    /// The bins of one row of a spectrogram.
    enum Place {
        /// The loudest of these bins.
        case bins(Range<Int>)
        /// Interpolated between one bin and the next.
        case between(Int, fraction: Float)
    }

    private var transform: RealFourierTransform
    private let window: FloatStorage
    /// The sum of squares of each bin.
    private let power: FloatStorage
    private let binCount: Int

    init(_ settings: Spectrogram.Settings) {
        let size = settings.windowSize
        transform = RealFourierTransform(size: size)
        binCount = size / 2 + 1
        power = FloatStorage(count: binCount)
        let values = Self.values(settings.window, count: size)
        // A sine of amplitude 1 at a bin's frequency gives half the window's sum in that bin.
        let scale = 2 / values.reduce(0, +)
        window = FloatStorage(values.map { Float($0 * scale) })
    }

    /// Returns a periodic window: the value after the last would equal the first.
    static func values(_ window: Spectrogram.Settings.Window, count: Int) -> [Double] {
        let terms: [Double] =
            switch window {
            case .hann: [0.5, -0.5]
            case .blackmanHarris: [0.35875, -0.48829, 0.14128, -0.01168]
            }
        return (0..<count).map { index in
            let phase = 2 * Double.pi * Double(index) / Double(count)
            return terms.indices.reduce(0) { $0 + terms[$1] * cos(phase * Double($1)) }
        }
    }

    /// Discards all windows added.
    mutating func clear() {
        for index in 0..<binCount { power.view[index] = 0 }
    }

    /// Adds a window of samples; values that are not finite count as silence.
    mutating func add(_ samples: [Float]) {
        let (frames, window, power) = (transform.frameStorage.view, self.window.view, self.power.view)
        unsafe samples.withUnsafeBufferPointer { samples in
            guard let base = samples.baseAddress else { return }
            precondition(samples.count == frames.count, "A window has another length than it should.")
            for index in stride(from: 0, to: frames.count, by: Lanes.scalarCount) {
                let lanes = unsafe UnsafeRawPointer(base + index).loadUnaligned(as: Lanes.self)
                // The bound keeps squares within the range of a Float.
                frames[lanes: index] = select(magnitude(lanes) .< 1e12, lanes, Lanes()) * window[lanes: index]
            }
        }
        transform.forward()
        let spectrum = transform.spectrumStorage.view
        for index in stride(from: 0, to: binCount - 1, by: Lanes.scalarCount) {
            let (real, imaginary) = spectrum.complexLanes(at: index)
            power[lanes: index] += real * real + imaginary * imaginary
        }
        let last = binCount - 1
        power[last] += spectrum[2 * last] * spectrum[2 * last]
    }

    /// Returns the level of a row in dB, minus infinity for silence.
    func level(_ place: Place, windows: Int) -> Float {
        switch place {
        case .bins(let bins):
            let loudest = bins.reduce(Float(0)) { max($0, mean($1, windows)) }
            return 10 * log10(loudest)
        case .between(let bin, let fraction):
            // Far below any floor, so interpolation from silence gives a finite number.
            let (lower, upper) = (max(1e-30, mean(bin, windows)), max(1e-30, mean(bin + 1, windows)))
            return 10 * ((1 - fraction) * log10(lower) + fraction * log10(upper))
        }
    }

    /// Returns the mean square of a bin. The first and the last bin have no mirror image at a negative frequency, hence
    /// half the amplitude.
    private func mean(_ bin: Int, _ windows: Int) -> Float {
        let sum = power.view[bin] / Float(windows)
        return bin == 0 || bin == binCount - 1 ? sum / 4 : sum
    }
}
