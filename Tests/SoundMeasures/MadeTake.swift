internal import Glibc
internal import TestSupport

/// A spoken or sung phrase and takes that differ from the phrase in known ways.
///
/// The phrase is a row of syllables with gliding vowels, consonants, pauses, and a melody. A take is computed anew,
/// with its own breath, not by processing the model.
public struct MadeTake: Sendable {
    /// Seconds of silence before the phrase, beyond the model's silence.
    public var lateSeconds = 0.0
    /// Factor by which the take is slower: 1.2 takes a fifth longer.
    public var lengthRatio = 1.0
    /// Swing of the timing about an even tempo, in seconds: the amplitude of a slow sine.
    public var wobbleSeconds = 0.0
    /// Distance above the model's pitch, in cents.
    public var cents = 0.0
    /// Swing of the melody about the right melody, in cents.
    public var melodyCents = 0.0
    /// Swing of the level, in dB.
    public var levelDecibels = 0.0
    /// The gain of the whole take, in dB.
    public var gainDecibels = 0.0
    /// White noise, in dB below the phrase; nil for hardly any noise.
    public var noiseDecibels: Double?
    /// The length of the vocal tract, against the model's.
    public var tract = 1.0
    /// Seconds of silence at a place in the phrase.
    public var pause: (at: Double, seconds: Double)?
    /// Seed of the random breath.
    public var seed: UInt64 = 1

    /// The model itself.
    public init() {}

    /// A take with one difference.
    public init(_ change: (inout MadeTake) -> Void) { change(&self) }

    /// Frames a second, in Hz.
    public static let sampleRate = 16_000
    /// Seconds of the phrase, with the pauses.
    public static let phraseSeconds = 7.2

    private static let syllable = 0.24
    private static let lead = 0.3
    private static let vowels: [[(Double, Double)]] = [
        [(730, 90), (1090, 110), (2440, 170)], [(270, 60), (2290, 100), (3010, 150)],
        [(300, 65), (870, 80), (2240, 140)], [(530, 70), (1840, 100), (2480, 150)],
        [(570, 70), (840, 90), (2410, 150)],
    ]
    private static let order = [
        0, 3, 1, 4, 2, 0, 1, 3, 2, 4, 0, 2, 3, 1, 0, 4, 3, 2, 1, 0, 2, 4, 1, 3, 0, 1, 2, 3, 4, 0,
    ]
    private static let tones = [
        0, 2, 4, 5, 7, 4, 2, 0, -1, 0, 4, 7, 9, 7, 5, 4, 2, 4, 0, -3, 0, 2, 5, 4, 2, 0, -1, 2, 0, 0,
    ]
    private static let pauses: Set<Int> = [7, 16, 17, 24]

    /// The seconds in the take at which a second of the phrase is heard.
    public func time(ofPhrase seconds: Double) -> Double {
        Self.lead + lateSeconds + lengthRatio * seconds
            // Three periods, even about the middle: neither later nor slower as a whole.
            + wobbleSeconds * cos(2 * .pi * (seconds / Self.phraseSeconds * 3 - 1.5))
    }

    /// The sound.
    public func samples() -> [Float] {
        let rate = Double(Self.sampleRate)
        var random = SeededGenerator(seed: seed)
        let end = time(ofPhrase: Self.phraseSeconds) + 0.3 + (pause?.seconds ?? 0)
        var sound = [Double](repeating: 0, count: Int(end * rate))
        var (phase, phrase) = (0.0, 0.0)
        var gains = [Double](repeating: 0, count: 40)
        var (hertz, voiced, hiss, level, before) = (200.0, 0.0, 0.0, 1.0, 0.0)
        for frame in sound.indices {
            let seconds = Double(frame) / rate
            if frame % 32 == 0 {
                // The phrase's time by a few steps of Newton's method; the slope is near the ratio.
                var (played, isPause) = (seconds, false)
                if let pause, seconds > time(ofPhrase: pause.at) {
                    played = max(time(ofPhrase: pause.at), seconds - pause.seconds)
                    isPause = seconds - pause.seconds < time(ofPhrase: pause.at)
                }
                for _ in 0..<4 { phrase -= (time(ofPhrase: phrase) - played) / lengthRatio }
                (hertz, voiced, hiss) = Self.state(at: phrase)
                if isPause { (voiced, hiss) = (0, 0) }
                hertz *= exp2((cents + melodyCents * sin(2 * .pi * phrase / 1.7)) / 1200)
                level = pow(10, (gainDecibels + levelDecibels * sin(2 * .pi * phrase / 2.3)) / 20)
                for partial in gains.indices {
                    gains[partial] = voiced * Self.gain(Double(partial + 1) * hertz / tract, at: phrase)
                }
            }
            phase += hertz / rate
            let angle = 2 * .pi * (phase - phase.rounded(.down))
            let step = 2 * cos(angle)
            var (last, here, sum) = (0.0, sin(angle), 0.0)
            if voiced > 0 {
                for gain in gains {
                    sum += gain * here
                    (last, here) = (here, step * here - last)
                }
            }
            let white = random.gaussian()
            sum += hiss * (white - before) + 0.003 * voiced * white
            before = white
            sound[frame] = 0.2 * level * sum
        }
        let power = sound.reduce(0) { $0 + $1 * $1 } / (Self.phraseSeconds * lengthRatio * rate)
        let noise = noiseDecibels.map { (power * pow(10, -$0 / 10)).squareRoot() } ?? 1e-5
        return sound.map { Float($0 + noise * random.gaussian()) }
    }

    /// Pitch in Hz, the share of the voice, and of the consonant.
    private static func state(at phrase: Double) -> (Double, Double, Double) {
        guard phrase > 0, phrase < phraseSeconds else { return (200, 0, 0) }
        let number = min(order.count - 1, Int(phrase / syllable))
        let inside = phrase - Double(number) * syllable
        // Tones change within 40 ms.
        let next = tones[min(number + 1, tones.count - 1)]
        let share = max(0, min(1, (inside - (syllable - 0.04)) / 0.04))
        let semitones = Double(tones[number]) + share * Double(next - tones[number])
        let hertz = 180 * exp2((semitones + 0.15 * sin(34 * phrase)) / 12)
        if pauses.contains(number) { return (hertz, 0, 0) }
        let consonant = number % 3 == 1 ? 0.07 : number % 3 == 2 ? 0.02 : 0
        if inside < consonant { return (hertz, 0, 0.15 * sin(.pi * inside / consonant)) }
        let open = min(1, (inside - consonant) / 0.02) * min(1, (syllable - inside) / 0.03)
        return (hertz, open * (0.7 + 0.3 * sin(Double(number))), 0)
    }

    private static func gain(_ hertz: Double, at phrase: Double) -> Double {
        guard hertz < 6000 else { return 0 }
        let number = max(0, min(order.count - 1, Int(phrase / syllable)))
        let share = max(0, min(1, (phrase - Double(number) * syllable) / 0.06))
        let from = vowels[order[max(0, number - 1)]]
        let to = vowels[order[number]]
        var sum = 0.02
        for index in from.indices {
            let middle = from[index].0 + share * (to[index].0 - from[index].0)
            let width = from[index].1 + share * (to[index].1 - from[index].1)
            sum += 1 / (1 + pow((hertz - middle) / width, 2)) / Double(index + 1)
        }
        return sum
    }
}
