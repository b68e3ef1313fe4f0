// Measures from spectra: noise that stays noise, channels that stay together, the distance of two sounds.
internal import Glibc
@_spi(Benchmarks) internal import Transforms

/// Windowed spectra of one length.
struct SpectrumReader: ~Copyable {
    let size: Int
    private var transform: RealFourierTransform
    private let window: [Float]

    /// - Parameter isSymmetric: Whether the Hann window has zeros at both ends; otherwise its periodic form.
    init(size: Int, isSymmetric: Bool = false) {
        self.size = size
        transform = RealFourierTransform(size: size)
        let period = Double(isSymmetric ? size - 1 : size)
        window = (0..<size).map { Float(0.5 - 0.5 * cos(2 * .pi * Double($0) / period)) }
    }

    /// Real and imaginary parts of `size / 2 + 1` bins, from `start` on; silence outside the sound.
    mutating func spectrum(_ sound: [Float], from start: Int) -> [(Double, Double)] {
        for index in 0..<size {
            let frame = start + index
            unsafe transform.frames[index] = sound.indices.contains(frame) ? sound[frame] * window[index] : 0
        }
        transform.forward()
        return (0..<transform.binCount).map { bin in
            unsafe (Double(transform.spectrum[2 * bin]), Double(transform.spectrum[2 * bin + 1]))
        }
    }

    /// The energies of the bins.
    mutating func energies(_ sound: [Float], from start: Int) -> [Double] {
        spectrum(sound, from: start).map { $0.0 * $0.0 + $0.1 * $0.1 }
    }
}

/// Checks whether white noise is still white noise.
public struct NoiseMeasure: Sendable {
    /// Variation of a bin's magnitude: deviation over mean. Gaussian noise has 0.523, frozen noise less, noise that
    /// comes and goes more.
    public let variation: Double
    /// The highest autocorrelation at 4 to 80 ms, of quarters of a second, the 95th percentile: repeated segments,
    /// heard as a comb. For noise below 0.05.
    public let echo: Double

    /// Measures stretched white noise.
    public init(_ sound: [Float]) {
        let rate = TestSignals.rate
        let end = sound.count - Int(rate / 4)
        var reader = SpectrumReader(size: 1024)
        var magnitudes: [[Double]] = []
        for start in stride(from: Int(rate / 2), to: end - 1024, by: 512) {
            magnitudes.append(reader.energies(sound, from: start).map { $0.squareRoot() })
        }
        let bins = 8..<505
        let sum = bins.reduce(0.0) { total, bin in
            let values = magnitudes.map { $0[bin] }
            let mean = values.reduce(0, +) / Double(values.count)
            return total + rootMeanSquare(values.map { $0 - mean }) / mean
        }
        variation = sum / Double(bins.count)
        echo = Self.echo(sound, end: end)
    }

    private static func echo(_ sound: [Float], end: Int) -> Double {
        let length = Int(TestSignals.rate / 4)
        // Twice the length and more, so that the end does not meet the beginning.
        var transform = RealFourierTransform(size: 32768)
        var highest: [Double] = []
        for start in stride(from: Int(TestSignals.rate / 2), to: end - length, by: length / 2) {
            for index in 0..<transform.size {
                unsafe transform.frames[index] = index < length ? sound[start + index] : 0
            }
            transform.forward()
            for bin in 0..<transform.binCount {
                let (x, y) = unsafe (transform.spectrum[2 * bin], transform.spectrum[2 * bin + 1])
                unsafe transform.spectrum[2 * bin] = x * x + y * y
                unsafe transform.spectrum[2 * bin + 1] = 0
            }
            transform.inverse()
            let lags = Int(0.004 * TestSignals.rate)..<Int(0.08 * TestSignals.rate)
            let top = lags.reduce(-Float.infinity) { unsafe max($0, transform.frames[$1]) }
            highest.append(Double(unsafe top / max(transform.frames[0], 1e-20)))
        }
        let sorted = highest.sorted()
        return sorted.isEmpty ? .nan : sorted[min(sorted.count - 1, Int(0.95 * Double(sorted.count)))]
    }
}

/// Checks whether two channels still belong together.
public struct StereoMeasure: Sendable {
    /// Predictability of one channel from the other, weighted by level, from 150 Hz to 8 kHz: 1 is full predictability.
    public let coherence: Double

    /// Measures stretched `TestSignals.delayedMusic()`.
    public init(_ sound: [[Float]]) {
        var reader = SpectrumReader(size: 4096)
        let count = 2049
        var (left, right, real, imaginary) = (
            [Double](repeating: 0, count: count), [Double](repeating: 0, count: count),
            [Double](repeating: 0, count: count), [Double](repeating: 0, count: count)
        )
        for start in stride(from: 0, to: sound[0].count - 4096, by: 2048) {
            let (l, r) = (reader.spectrum(sound[0], from: start), reader.spectrum(sound[1], from: start))
            for bin in 0..<count {
                left[bin] += l[bin].0 * l[bin].0 + l[bin].1 * l[bin].1
                right[bin] += r[bin].0 * r[bin].0 + r[bin].1 * r[bin].1
                real[bin] += l[bin].0 * r[bin].0 + l[bin].1 * r[bin].1
                imaginary[bin] += l[bin].0 * r[bin].1 - l[bin].1 * r[bin].0
            }
        }
        let loudest = left.max() ?? 0
        var (sum, weights) = (0.0, 0.0)
        for bin in 0..<count {
            let hertz = Double(bin) * TestSignals.rate / 4096
            guard hertz > 150, hertz < 8000, left[bin] > loudest * 1e-6 else { continue }
            let common = (real[bin] * real[bin] + imaginary[bin] * imaginary[bin]) / max(left[bin] * right[bin], 1e-20)
            sum += left[bin].squareRoot() * common
            weights += left[bin].squareRoot()
        }
        coherence = sum / weights
    }

    /// Growth of the difference of the channels over the source's difference, in dB: the middle leaks out.
    public static func sideGain(_ sound: [[Float]], source: [[Float]]) -> Double {
        func share(_ channels: [[Float]]) -> Double {
            let pairs = zip(channels[0], channels[1])
            let side = pairs.reduce(0.0) { $0 + Double(($1.0 - $1.1) * ($1.0 - $1.1)) }
            return decibels(side / pairs.reduce(0.0) { $0 + Double(($1.0 + $1.1) * ($1.0 + $1.1)) })
        }
        return share(sound) - share(source)
    }
}
