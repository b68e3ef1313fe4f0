// Sounds known in every detail, for measuring the effects of a stretcher. Made in code and seeded: the same sounds at
// every run.
internal import Glibc
internal import TestSupport

/// Sounds for measuring stretchers, at 44.1 kHz, as single channels unless noted otherwise.
public enum TestSignals {
    /// Frames per second of all signals. The measures are in milliseconds, so one rate is enough.
    public static let sampleRate = 44_100
    static let rate = Double(sampleRate)

    /// One sine.
    public static func sine(hertz: Double = 997, seconds: Double = 4, amplitude: Double = 0.5) -> [Float] {
        partials(seconds: seconds) { time in amplitude * sin(2 * .pi * hertz * time) }
    }

    /// The frequencies of `fiveSines()`: one for each region of hearing, none a multiple of another.
    public static let fiveFrequencies = [196.3, 441.7, 1003.1, 2517.9, 6011.3]

    /// Five sines of equal level.
    public static func fiveSines(seconds: Double = 4) -> [Float] {
        partials(seconds: seconds) { time in
            fiveFrequencies.enumerated().reduce(0) { $0 + 0.12 * sin(2 * .pi * $1.element * time + Double($1.offset)) }
        }
    }

    /// Bursts of noise that die away within some milliseconds, at irregular times, alone or over a chord.
    public struct Clicks: Sendable {
        /// The first frame of each burst.
        public let frames: [Int]
        /// The highest sample of a burst alone.
        public let peak = 0.8
        /// The sound.
        public let samples: [Float]

        /// The highest sample of the sound above a frequency, for comparison with `AttackMeasure` above the same
        /// frequency.
        public func peak(aboveHertz hertz: Double) -> Double {
            Filter.highPass(samples.map { Double($0) }, hertz: hertz).reduce(0) { max($0, abs($1)) }
        }

        /// - Parameter chordDecibels: The peak level of a chord below 500 Hz; nil for none.
        public init(count: Int = 24, seed: UInt64 = 1, chordDecibels: Double? = nil) {
            var generator = SeededGenerator(seed: seed)
            let length = Int(0.03 * rate)
            var burst = (0..<length).map { generator.gaussian() * exp(-Double($0) / (0.004 * rate)) }
            let highest = burst.reduce(0) { max($0, abs($1)) }
            for index in burst.indices { burst[index] *= peak / highest }
            var time = 0.3
            var starts: [Int] = []
            for _ in 0..<count {
                time += Double.random(in: 0.16..<0.34, using: &generator)
                starts.append(Int(time * rate))
            }
            var sound = [Double](repeating: 0, count: Int(rate * (time + 0.6)))
            for start in starts {
                for index in 0..<length { sound[start + index] += burst[index] }
            }
            if let chordDecibels {
                let chord = (0..<sound.count).map { frame in
                    [220.0, 277.2, 329.6, 440.0].reduce(0) { $0 + sin(2 * .pi * $1 * Double(frame) / rate) }
                }
                let level = pow(10, chordDecibels / 20) / chord.reduce(0) { max($0, abs($1)) }
                for index in sound.indices { sound[index] += level * chord[index] }
            }
            frames = starts
            samples = sound.map { Float($0) }
        }
    }

    /// A tone of fifteen partials that comes out of digital silence and goes back, eight times.
    public struct Gates: Sendable {
        /// The first frame of each tone.
        public let starts: [Int]
        /// Frames of each tone, and of each silence before a tone.
        public let length = Int(0.35 * rate)
        /// The sound.
        public let samples: [Float]

        /// Eight tones of 150 Hz.
        public init(count: Int = 8) {
            let length = self.length
            let fade = Int(0.002 * rate)
            let tone = (0..<length).map { frame -> Float in
                let edge = Double(min(frame, length - 1 - frame))
                let gain = edge < Double(fade) ? 0.5 - 0.5 * cos(.pi * edge / Double(fade)) : 1
                let sum = (1..<16).reduce(0.0) { $0 + cos(2 * .pi * 150 * Double($1 * frame) / rate) }
                return Float(0.05 * gain * sum)
            }
            let silence = [Float](repeating: 0, count: length)
            samples = (0..<count).reduce(silence) { sound, _ in sound + tone + silence }
            starts = (0..<count).map { length * (1 + 2 * $0) }
        }
    }

    /// White Gaussian noise.
    public static func noise(seconds: Double = 4, seed: UInt64 = 2, amplitude: Double = 0.2) -> [Float] {
        var generator = SeededGenerator(seed: seed)
        return (0..<Int(seconds * rate)).map { _ in Float(amplitude * generator.gaussian()) }
    }

    static func partials(seconds: Double, _ value: (Double) -> Double) -> [Float] {
        (0..<Int(seconds * rate)).map { Float(value(Double($0) / rate)) }
    }
}

extension SeededGenerator {
    /// A number of the normal distribution (Box and Muller, "A note on the generation of random normal deviates",
    /// 1958).
    mutating func gaussian() -> Double {
        let radius = (-2 * log(Double.random(in: Double.leastNormalMagnitude..<1, using: &self))).squareRoot()
        return radius * cos(2 * .pi * Double.random(in: 0..<1, using: &self))
    }
}
