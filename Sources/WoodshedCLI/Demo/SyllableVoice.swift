// A voice for the demo: a glottal pulse train through three formants, after Klatt (1980) in its parallel form, without
// the parts unnecessary for a few syllables. The voice is not intelligible. It only behaves like speech: voiced and
// unvoiced sounds, a gliding pitch, pauses of a few milliseconds.
import Glibc

struct SyllableVoice {
    let sampleRate: Int

    /// Formant frequencies in Hz.
    private struct Vowel {
        let formants: (Double, Double, Double)
        static let ah = Vowel(formants: (730, 1090, 2440))
        static let ee = Vowel(formants: (270, 2290, 3010))
        static let oh = Vowel(formants: (570, 840, 2410))
    }

    private enum Onset {
        /// A hiss of 80 ms.
        case hiss
        /// A silence and a click of noise.
        case stop
        /// A hum.
        case nasal
    }

    private struct Syllable {
        let onset: Onset
        let vowel: Vowel
        /// Pitch at the syllable's beginning and end, in Hz.
        let pitch: (Double, Double)
        let seconds: Double
    }

    private static let sentence = [
        Syllable(onset: .nasal, vowel: .ah, pitch: (118, 126), seconds: 0.30),
        Syllable(onset: .stop, vowel: .ee, pitch: (132, 140), seconds: 0.24),
        Syllable(onset: .hiss, vowel: .oh, pitch: (138, 124), seconds: 0.34),
        Syllable(onset: .nasal, vowel: .ee, pitch: (120, 116), seconds: 0.26),
        Syllable(onset: .stop, vowel: .ah, pitch: (126, 112), seconds: 0.30),
        Syllable(onset: .hiss, vowel: .ah, pitch: (112, 90), seconds: 0.46),
    ]

    /// Returns all syllables in a row, about two seconds.
    func speak() -> [Float] {
        var noise = DemoNoise(seed: 3)
        return Self.sentence.flatMap { syllable in
            let (start, peak) = onset(syllable.onset, &noise)
            return leveled(start, peak: peak) + leveled(voiced(syllable, &noise), peak: 0.6)
        }
    }

    /// Returns the same sound with its highest sample at `peak`. Resonances gain or lose too much for a gain set
    /// beforehand.
    private func leveled(_ sound: [Float], peak: Float) -> [Float] {
        let highest = sound.reduce(0) { max($0, abs($1)) }
        guard highest > 0 else { return sound }
        return sound.map { $0 * (peak / highest) }
    }

    /// Returns the sound before the vowel, and the sound's target peak.
    private func onset(_ onset: Onset, _ noise: inout DemoNoise) -> (sound: [Float], peak: Float) {
        switch onset {
        case .hiss:
            let count = frames(0.08)
            var high = Resonator(frequency: 5200, bandwidth: 900, sampleRate: sampleRate)
            let sound = (0..<count).map { index in
                let swell = sin(Double.pi * Double(index) / Double(count))
                return high.next(noise.next()) * Float(swell)
            }
            return (sound, 0.15)
        case .stop:
            let click = frames(0.008)
            return ([Float](repeating: 0, count: frames(0.05)) + (0..<click).map { _ in noise.next() }, 0.2)
        case .nasal:
            var hum = Resonator(frequency: 250, bandwidth: 80, sampleRate: sampleRate)
            var pulses = PulseTrain(sampleRate: sampleRate)
            let count = frames(0.07)
            let sound = (0..<count).map { index in
                hum.next(pulses.next(pitch: 118)) * Float(min(1, 4 * Double(index) / Double(count)))
            }
            return (sound, 0.25)
        }
    }

    private func voiced(_ syllable: Syllable, _ noise: inout DemoNoise) -> [Float] {
        let count = frames(syllable.seconds)
        let (first, second, third) = syllable.vowel.formants
        var low = Resonator(frequency: first, bandwidth: 70, sampleRate: sampleRate)
        var middle = Resonator(frequency: second, bandwidth: 100, sampleRate: sampleRate)
        var high = Resonator(frequency: third, bandwidth: 140, sampleRate: sampleRate)
        var pulses = PulseTrain(sampleRate: sampleRate)
        return (0..<count).map { index in
            let share = Double(index) / Double(count)
            let pitch = syllable.pitch.0 + (syllable.pitch.1 - syllable.pitch.0) * share
            let source = pulses.next(pitch: pitch) + 0.01 * noise.next()
            let sound = low.next(source) + 0.6 * middle.next(source) + 0.3 * high.next(source)
            return sound * Float(min(1, 12 * share) * min(1, 5 * (1 - share)))
        }
    }

    private func frames(_ seconds: Double) -> Int { Int(seconds * Double(sampleRate)) }
}

/// The slope of a glottal pulse: a rise over 40 % of the period and a fall over 16 % (Rosenberg 1971). A first
/// difference stands for the differentiation by the mouth's radiation.
private struct PulseTrain {
    let sampleRate: Int
    private var phase = 0.0
    private var last: Float = 0

    init(sampleRate: Int) { self.sampleRate = sampleRate }

    mutating func next(pitch: Double) -> Float {
        phase += pitch / Double(sampleRate)
        phase -= phase.rounded(.down)
        let flow: Double =
            switch phase {
            case ..<0.4: 0.5 * (1 - cos(Double.pi * phase / 0.4))
            case ..<0.56: cos(Double.pi / 2 * (phase - 0.4) / 0.16)
            default: 0
            }
        defer { last = Float(flow) }
        return Float(flow) - last
    }
}

/// A two-pole resonance with unity gain at its peak, to within the bandwidth's share of the sample rate.
private struct Resonator {
    private let (a1, a2, gain): (Float, Float, Float)
    private var (y1, y2): (Float, Float) = (0, 0)

    init(frequency: Double, bandwidth: Double, sampleRate: Int) {
        let radius = exp(-Double.pi * bandwidth / Double(sampleRate))
        // The cap keeps the frequency below the Nyquist frequency, above which nothing can resonate.
        let angle = 2 * Double.pi * min(frequency, 0.45 * Double(sampleRate)) / Double(sampleRate)
        a1 = Float(2 * radius * cos(angle))
        a2 = Float(-radius * radius)
        gain = Float((1 - radius) * sqrt(1 - 2 * radius * cos(2 * angle) + radius * radius))
    }

    mutating func next(_ input: Float) -> Float {
        let output = gain * input + a1 * y1 + a2 * y2
        (y2, y1) = (y1, output)
        return output
    }
}
