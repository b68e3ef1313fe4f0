// Tones whose pitch and level move by a known law, at any sample rate and tempo.
internal import Glibc

/// A tone of falling harmonics with a vibrato, a trill, a glide or a tremolo.
public struct ModulatedTone: Sendable {
    /// The course of the pitch.
    public enum Pitch: Sendable {
        /// No change.
        case steady
        /// Swings a second, the swing to either side in cents, and the part of a swing before the beginning, in turns.
        case vibrato(swingHertz: Double, cents: Double, turns: Double = 0)
        /// Changes a second between the tone and a note so many cents above; each change takes 30 ms.
        case trill(changesPerSecond: Double, cents: Double)
        /// A steady rise by so many cents, from `start` seconds on.
        case glide(start: Double, seconds: Double, cents: Double)
    }

    /// A swinging level.
    public struct Tremolo: Sendable {
        /// Swings a second.
        public let swingHertz: Double
        /// The swing to either side as a share of the mean level, 0 to 1.
        public let depth: Double

        /// A swing of the level.
        public init(swingHertz: Double, depth: Double) { (self.swingHertz, self.depth) = (swingHertz, depth) }
    }

    /// The pitch without modulation, in Hz.
    public let hertz: Double
    /// The number of harmonics; their levels fall by 6 dB an octave.
    public let harmonics: Int
    /// The duration at the original tempo, in seconds.
    public let seconds: Double
    /// The course of the pitch.
    public let pitch: Pitch
    /// The course of the level; nil for a constant level.
    public let tremolo: Tremolo?

    /// Describes a tone. The harmonics must stay below half the sample rate; `mostHarmonics` has the number.
    public init(hertz: Double, harmonics: Int, seconds: Double, pitch: Pitch = .steady, tremolo: Tremolo? = nil) {
        (self.hertz, self.harmonics, self.seconds) = (hertz, harmonics, seconds)
        (self.pitch, self.tremolo) = (pitch, tremolo)
    }

    /// The number of harmonics of a pitch, in Hz, that lie below 0.45 times a sample rate; at least 1.
    public static func mostHarmonics(ofHertz hertz: Double, sampleRate: Int) -> Int {
        max(1, Int(0.45 * Double(sampleRate) / hertz))
    }

    /// The tone as performed at a tempo: modulations at a tempo of 0.5 are half as fast and of the same depth, and the
    /// pitch is the same.
    public func samples(sampleRate: Int, tempo: Double = 1) -> [Float] {
        phases(sampleRate: sampleRate, tempo: tempo).enumerated().map { frame, turns in
            // Sines of multiples of one angle, by their recurrence.
            let angle = 2 * .pi * (turns - turns.rounded(.down))
            let step = 2 * cos(angle)
            var (before, here, sum) = (0.0, sin(angle), 0.0)
            for number in 1...max(1, harmonics) {
                sum += here / Double(number)
                (before, here) = (here, step * here - before)
            }
            return Float(Self.amplitude * level(at: Double(frame) / Double(sampleRate) * tempo) * sum)
        }
    }

    /// Several tones of equal length at once, each at its share of the level.
    public static func sum(_ tones: [ModulatedTone], sampleRate: Int, tempo: Double = 1) -> [Float] {
        let sounds = tones.map { $0.samples(sampleRate: sampleRate, tempo: tempo) }
        let share = 1 / Float(max(1, tones.count))
        return (sounds.first ?? []).indices.map { frame in sounds.reduce(0) { $0 + share * $1[frame] } }
    }

    /// The mean amplitude of the first harmonic.
    static let amplitude = 0.3

    /// The phase of the first harmonic in turns, for every frame; `delay` is in seconds of the performance.
    func phases(sampleRate: Int, tempo: Double, delay: Double = 0) -> [Double] {
        let rate = Double(sampleRate)
        var turns = 0.0
        return (0..<Int((seconds / tempo * rate).rounded())).map { frame in
            turns += hertz * exp2(cents(at: (Double(frame) / rate - delay) * tempo) / 1200) / rate
            return turns
        }
    }

    /// The height of the pitch above `hertz`, in cents, so many seconds after the beginning at the original tempo.
    private func cents(at time: Double) -> Double {
        switch pitch {
        case .steady: return 0
        case .vibrato(let swingHertz, let cents, let turns):
            return cents * sin(2 * .pi * (swingHertz * time + turns))
        case .trill(let changes, let cents):
            let note = (time * changes).rounded(.down)
            let isUpper = remainder(note, 2) != 0
            guard note > 0 else { return 0 }
            // The integral of a Hann window of 30 ms.
            let done = min(1, (time - note / changes) / 0.03)
            let share = done - sin(2 * .pi * done) / (2 * .pi)
            return cents * (isUpper ? share : 1 - share)
        case .glide(let start, let seconds, let cents): return cents * min(1, max(0, (time - start) / seconds))
        }
    }

    private func level(at time: Double) -> Double {
        tremolo.map { 1 + $0.depth * sin(2 * .pi * $0.swingHertz * time) } ?? 1
    }
}

extension TestSignals {
    /// A tone of six harmonics whose pitch swings by 50 cents to either side.
    public static let vibrato = ModulatedTone(
        hertz: 440, harmonics: 6, seconds: 4, pitch: .vibrato(swingHertz: 5.5, cents: 50))
}
