internal import Glibc
internal import Samples
@_spi(Benchmarks) internal import Transforms

/// The difference between a windowed part of a sound and the same sound some time later, for all lags: step 2 of YIN,
/// by Fourier transforms.
///
/// YIN (de Cheveigné and Kawahara, "YIN, a fundamental frequency estimator for speech and music", 2002) sums the
/// squared differences over a window with a fixed start; the middle of the window thus moves with the lag. Here the
/// weight of each squared difference is the product of a Hann window at its two samples. So for every lag the middle
/// stays in place, and a gliding or vibrating pitch is not read early or late. Division by the weighted sum of the
/// squares keeps a decay from looking like noise.
///
/// d(τ) = Σ h(j) h(j+τ) (x(j) − x(j+τ))² / Σ h(j) h(j+τ) (x(j)² + x(j+τ)²), which is 0 for a period, about 1 for noise,
/// at most 2. All the sums are correlations, computed at twice the rate by a longer inverse transform.
struct PitchWindow: ~Copyable {
    /// Samples of the window, odd.
    let count: Int
    /// Number of lags, in steps of half a sample.
    let lagCount: Int

    private let window: [Float]
    /// The spectrum of the window, conjugate complex.
    private let windowSpectrum: [Float]
    private let floor: Float
    private var forward: RealFourierTransform
    private var back: RealFourierTransform
    private var squares: [Float]

    /// - Parameters:
    ///   - count: Samples of the window, odd.
    ///   - lagCount: Number of lags in steps of half a sample, fewer than twice `count`.
    init(count: Int, lagCount: Int) {
        precondition(count % 2 == 1 && lagCount > 0 && lagCount < 2 * count, "A window holds its lags.")
        self.count = count
        self.lagCount = lagCount
        window = HannWindow.values(count: count)
        var size = 64
        while size < count + (lagCount + 1) / 2 + 1 { size *= 2 }
        forward = RealFourierTransform(size: size)
        back = RealFourierTransform(size: 2 * size)
        for index in 0..<size { forward.frameStorage.view[index] = index < count ? window[index] : 0 }
        forward.forward()
        let transformed = forward.spectrumStorage.view
        windowSpectrum = (0..<transformed.count).map { transformed[$0] }
        // Sound below -100 dB of full scale counts as noise.
        floor = 2e-10 * window.reduce(0) { $0 + $1 * $1 } * Float(2 * size)
        squares = [Float](repeating: 0, count: 2 * forward.binCount)
    }

    /// Writes the differences of lags 0 to `lagCount` − 1 half samples.
    ///
    /// - Parameters:
    ///   - samples: A sound.
    ///   - middle: The index of the window's middle; the whole window must lie inside.
    ///   - result: At least `lagCount` values.
    mutating func differences(of samples: [Float], around middle: Int, into result: inout [Float]) {
        let begin = middle - count / 2
        let (frames, spectrum) = (forward.frameStorage.view, forward.spectrumStorage.view)
        var (sum, weight): (Float, Float) = (0, 0)
        for index in 0..<count {
            sum += window[index] * samples[begin + index]
            weight += window[index]
        }
        let mean = sum / weight
        for index in 0..<count {
            let value = samples[begin + index] - mean
            frames[index] = window[index] * value * value
        }
        for index in count..<forward.size { frames[index] = 0 }
        forward.forward()
        for index in squares.indices { squares[index] = spectrum[index] }
        for index in 0..<count { frames[index] = window[index] * (samples[begin + index] - mean) }
        forward.forward()

        let (target, lags) = (back.spectrumStorage.view, back.frameStorage.view)
        for bin in 0..<forward.binCount {
            target[2 * bin] =
                2 * (windowSpectrum[2 * bin] * squares[2 * bin] + windowSpectrum[2 * bin + 1] * squares[2 * bin + 1])
            target[2 * bin + 1] = 0
        }
        clear(target)
        back.inverse()
        for lag in 0..<lagCount { result[lag] = lags[lag] }
        for bin in 0..<forward.binCount {
            let power = spectrum[2 * bin] * spectrum[2 * bin] + spectrum[2 * bin + 1] * spectrum[2 * bin + 1]
            target[2 * bin] = 2 * power
            target[2 * bin + 1] = 0
        }
        clear(target)
        back.inverse()
        for lag in 0..<lagCount {
            let whole = max(0, result[lag]) + floor
            result[lag] = max(0, (whole - lags[lag]) / whole)
        }
    }

    private func clear(_ spectrum: Floats) {
        for index in 2 * forward.binCount..<2 * back.binCount { spectrum[index] = 0 }
    }
}
