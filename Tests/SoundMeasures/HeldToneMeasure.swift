// Tones closer than the resolution of a short window: their pitch, their beats and their channels after stretching.
internal import Glibc

/// Purity and tuning of held tones that lie close together, after stretching.
public struct HeldToneMeasure: Sendable {
    /// Level of the tones over the rest of the sound, in dB: the middle of windows of 0.4 s.
    public let purity: Double

    /// Measures a sound that should hold only these tones; its first and last 0.6 s are left out.
    public init(_ sound: [Float], hertz: [Double]) {
        let rate = TestSignals.rate
        let (margin, length) = (Int(0.6 * rate), Int(0.4 * rate))
        let columns = LeastSquares.sines(hertz.map { $0 / rate }, count: length)
        let products = LeastSquares.products(columns)
        let ratios = stride(from: margin, to: sound.count - margin - length, by: length).map { start in
            let window = sound[start..<start + length].map { Double($0) }
            let fit = LeastSquares(window, columns: columns, products: products)
            return decibels(dot(window, window) / max(fit.residualEnergy, 1e-20))
        }
        purity = median(ratios)
        held = Self.windowed(sound[margin..<sound.count - margin].map { Double($0) })
        sorted = hertz.sorted()
    }

    private let held: [Double]
    private let sorted: [Double]

    /// The largest error of a tone's frequency, in cents. Computed on access: hundreds of frequencies for each tone.
    public var cents: Double {
        sorted.indices.map { index in
            // As far as half way to the next tone; a single tone may be a semitone off.
            let below = index > 0 ? sorted[index] - sorted[index - 1] : 0.06 * sorted[index]
            let above = index + 1 < sorted.count ? sorted[index + 1] - sorted[index] : 0.06 * sorted[index]
            let found = Self.strongest(
                held, from: sorted[index] - max(below, above) / 2, through: sorted[index] + max(below, above) / 2)
            return abs(1200 * log2(found / sorted[index]))
        }.max() ?? .nan
    }

    /// A sound under a Hann window over its whole length.
    private static func windowed(_ sound: [Double]) -> [Double] {
        sound.indices.map { index in
            sound[index] * (0.5 - 0.5 * cos(2 * .pi * Double(index) / Double(sound.count)))
        }
    }

    /// The frequency in Hz at which a sound under a window is strongest.
    private static func strongest(_ windowed: [Double], from low: Double, through high: Double) -> Double {
        // A third of the main lobe's half width: at this distance the strongest point has the lobe below its parabola.
        let step = TestSignals.rate / Double(windowed.count) * 2 / 3
        let places = (0...Int((high - low) / step)).map { low + Double($0) * step }
        let levels = powers(windowed, hertz: places).map { decibels($0) }
        guard let best = levels.indices.max(by: { levels[$0] < levels[$1] }) else { return .nan }
        guard best > 0, best + 1 < levels.count else { return places[best] }
        let (before, here, after) = (levels[best - 1], levels[best], levels[best + 1])
        return places[best] + step * 0.5 * (before - after) / (before - 2 * here + after)
    }

    /// The power of a sound at each of these frequencies.
    ///
    /// Eight at a time: a phasor waits for its own last turn, and meanwhile the processor turns the others. There are
    /// hundreds of frequencies for each tone. Each power is the same as if computed alone, to the bit.
    private static func powers(_ sound: [Double], hertz: [Double]) -> [Double] {
        stride(from: 0, to: hertz.count, by: 8).flatMap { first in
            let count = min(8, hertz.count - first)
            var (turnX, turnY) = (SIMD8<Double>(), SIMD8<Double>())
            for lane in 0..<count {
                turnX[lane] = cos(2 * .pi * hertz[first + lane] / TestSignals.rate)
                turnY[lane] = sin(2 * .pi * hertz[first + lane] / TestSignals.rate)
            }
            // Rotating phasors; over some seconds their length stays 1 to the last digits.
            var (x, y, sumX, sumY) = (SIMD8<Double>(repeating: 1), SIMD8<Double>(), SIMD8<Double>(), SIMD8<Double>())
            for value in sound {
                sumX += value * x
                sumY += value * y
                (x, y) = (x * turnX - y * turnY, x * turnY + y * turnX)
            }
            let sums = sumX * sumX + sumY * sumY
            return (0..<count).map { sums[$0] }
        }
    }

    /// Power of the envelope above 1.2 kHz at a note's own rate over the power at another rate, in dB.
    ///
    /// Neighbouring partials of a low note beat at the note's frequency. Partials that keep their distance keep the
    /// beats; with stretched beating, the beats slow down.
    public static func beats(_ sound: [Float], note: Double, slowed: Double) -> Double {
        let rate = TestSignals.rate
        let high = Filter.highPass(sound.map { Double($0) }, hertz: 1200)
        let envelope = high[Int(0.6 * rate)..<sound.count - Int(0.6 * rate)].map { $0 * $0 }
        let both = powers(windowed(envelope), hertz: [note, slowed])
        return decibels(both[0] / max(both[1], 1e-30))
    }
}

extension TestSignals {
    /// The ratio of two tones a tempered semitone apart.
    public static let semitone = exp2(1.0 / 12)

    /// Two held tones.
    public static func dyad(_ low: Double, _ high: Double, seconds: Double = 3) -> [Float] {
        partials(seconds: seconds) { time in
            0.4 * (sin(2 * .pi * low * time) + sin(2 * .pi * high * time + 1))
        }
    }

    /// A held low note: partials to 5 kHz that fall by 6 dB an octave.
    public static func lowNote(_ hertz: Double, seconds: Double = 3) -> [Float] {
        let numbers = (1...Int(5000 / hertz)).map { Double($0) }
        let phases = numbers.map { 0.3 * sin($0) }
        let sound = partials(seconds: seconds) { time in
            zip(numbers, phases).reduce(0.0) { $0 + sin(2 * .pi * hertz * $1.0 * time + $1.1) / $1.0 }
        }
        let peak = sound.reduce(0) { max($0, abs($1)) }
        return sound.map { 0.5 * $0 / peak }
    }
}
