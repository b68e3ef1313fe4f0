// Vowels with a spectral envelope known at every frequency, and the distance of a transposed voice from this envelope.
internal import Glibc
internal import Transforms

/// A vowel: its resonances, a tube's resonances above, and a source that falls by 6 dB an octave above 200 Hz.
public struct Vowel: Sendable {
    /// A resonance and its width, in Hz.
    private struct Formant {
        var frequency: Double
        var width: Double
    }

    private let formants: [Formant]

    /// As in "father", "see" and "two".
    public static let ah = Vowel([(730, 90), (1090, 110), (2440, 170), (3500, 250), (4500, 300)])
    /// See ``ah``.
    public static let ee = Vowel([(270, 60), (2290, 100), (3010, 170), (3600, 250), (4500, 300)])
    /// See ``ah``.
    public static let oo = Vowel([(300, 65), (870, 80), (2240, 140), (3300, 250), (4500, 300)])

    /// Nine voices: vowels, and the pitch of each in Hz.
    public static let voices: [(vowel: Vowel, pitch: Double)] = [
        (ah, 90), (ah, 140), (ah, 220), (ee, 110), (ee, 180), (ee, 290), (oo, 100), (oo, 160), (oo, 250),
    ]

    private init(_ lowest: [(Double, Double)]) {
        // A tube has a resonance every 1 kHz, and no end of them.
        let tube = (0..<20).map { Formant(frequency: 5500 + 1000 * Double($0), width: 350 + 30 * Double($0)) }
        formants = lowest.map { Formant(frequency: $0.0, width: $0.1) } + tube
    }

    /// The envelope's amplitude at a frequency in Hz: resonances of order 2, each with gain 1 at 0 Hz.
    public func amplitude(_ frequency: Double) -> Double {
        var product = 1 / (1 + frequency / 200)
        for formant in formants {
            let centre: Double = formant.frequency * formant.frequency
            let real: Double = centre - frequency * frequency
            let imaginary: Double = formant.width * frequency
            product *= centre / hypot(real, imaginary)
        }
        return product
    }

    /// A voice that holds the vowel: all harmonics below 14 kHz, in phases that differ from each other.
    ///
    /// - Parameters:
    ///   - pitch: In Hz.
    ///   - rate: Frames a second.
    public func sound(pitch: Double, frames: Int, rate: Int = TestSignals.sampleRate) -> [Float] {
        var result = [Double](repeating: 0, count: frames)
        for harmonic in 1...Int(min(14_000, 0.45 * Double(rate)) / pitch) {
            let size = amplitude(Double(harmonic) * pitch) * 0.1
            let step = 2 * Double.pi * Double(harmonic) * pitch / Double(rate)
            let phase = Double(harmonic * harmonic) * 0.7
            for frame in 0..<frames { result[frame] += size * cos(step * Double(frame) + phase) }
        }
        return result.map { Float($0) }
    }

    /// Distance of a voice's harmonics below 4 kHz from the vowel's envelope, as root mean square in dB. The voice's
    /// level does not count.
    ///
    /// - Parameters:
    ///   - sound: A tenth of a second or more.
    ///   - pitch: In Hz.
    public func error(of sound: ArraySlice<Float>, pitch: Double) -> Double {
        let window = KaiserWindow.values(count: sound.count, beta: 12)
        let differences = (1...Int(4000 / pitch)).map { harmonic -> Double in
            let frequency = Double(harmonic) * pitch
            return decibels(Self.strength(sound, at: frequency, window: window) / pow(amplitude(frequency) * 0.05, 2))
        }
        let mean = differences.reduce(0, +) / Double(differences.count)
        let squares = differences.reduce(0) { $0 + ($1 - mean) * ($1 - mean) }
        return (squares / Double(differences.count)).squareRoot()
    }

    /// A quarter of a sine's squared amplitude, through a window whose sidelobes lie 90 dB down.
    private static func strength(_ sound: ArraySlice<Float>, at frequency: Double, window: [Double]) -> Double {
        var (real, imaginary) = (0.0, 0.0)
        for (index, sample) in sound.enumerated() {
            let angle = 2 * Double.pi * frequency / TestSignals.rate * Double(index)
            real += window[index] * Double(sample) * cos(angle)
            imaginary += window[index] * Double(sample) * sin(angle)
        }
        let total = window.reduce(0, +)
        return (real * real + imaginary * imaginary) / (total * total)
    }
}
