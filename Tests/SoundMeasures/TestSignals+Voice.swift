internal import Glibc
internal import TestSupport

extension TestSignals {
    /// A voice: glottal pulses with a gliding pitch through the formants of five vowels, with hisses, plosives and
    /// pauses in between.
    public static func voice(seconds: Double = 6, seed: UInt64 = 11) -> [Float] {
        var generator = SeededGenerator(seed: seed)
        let length = Int(seconds * rate)
        var sound = [Double](repeating: 0, count: length)
        var place = Int(0.05 * rate)
        var index = 0
        while place < length - Int(0.5 * rate) {
            let hiss = noiseBurst(&generator, seconds: index % 3 == 1 ? 0.09 : 0.012, isSharp: index % 3 != 1)
            add(hiss, to: &sound, at: place)
            place += index % 3 == 1 ? Int(0.075 * rate) : Int(0.02 * rate)
            let duration = Double.random(in: 0.16..<0.3, using: &generator)
            let pitch = Double.random(in: 105..<150, using: &generator)
            add(vowel(formants[index % formants.count], seconds: duration, hertz: pitch), to: &sound, at: place)
            place += Int((duration + (index % 5 == 4 ? 0.22 : 0.03)) * rate)
            index += 1
        }
        let peak = sound.reduce(1e-9) { max($0, abs($1)) }
        return sound.map { Float(0.7 * $0 / peak) }
    }

    /// Frequency and width of four formants, in Hz: as in "father", "see", "boot", "met", "law".
    private static let formants: [[(Double, Double)]] = [
        [(730, 80), (1090, 90), (2440, 120), (3400, 170)], [(270, 60), (2290, 100), (3010, 130), (3500, 180)],
        [(300, 60), (870, 80), (2240, 110), (3300, 170)], [(530, 70), (1840, 100), (2480, 120), (3450, 170)],
        [(570, 70), (840, 80), (2410, 110), (3350, 170)],
    ]

    private static func vowel(_ formants: [(Double, Double)], seconds: Double, hertz: Double) -> [Double] {
        let length = Int(seconds * rate)
        var samples = [Double](repeating: 0, count: length)
        var phase = 0.0
        // The flow through the glottis rises for 40 % of a period and falls for 16 % (Rosenberg, "Effect of glottal
        // pulse shape on the quality of natural vowels", 1971); its derivative is the audible sound.
        func flow(_ phase: Double) -> Double {
            if phase < 0.4 { return 0.5 - 0.5 * cos(.pi * phase / 0.4) }
            return phase < 0.56 ? cos(.pi / 2 * (phase - 0.4) / 0.16) : 0
        }
        var last = 0.0
        for frame in 0..<length {
            let time = Double(frame) / Double(length)
            phase += hertz * (1.12 - 0.24 * time) * (1 + 0.01 * sin(2 * .pi * 5 * Double(frame) / rate)) / rate
            let now = flow(phase - phase.rounded(.down))
            let edge = min(1, min(Double(frame), Double(length - frame)) / (0.02 * rate))
            samples[frame] = edge * (now - last)
            last = now
        }
        for (frequency, width) in formants {
            let radius = exp(-.pi * width / rate)
            let (a1, a2) = (2 * radius * cos(2 * .pi * frequency / rate), -radius * radius)
            var (before, earlier) = (0.0, 0.0)
            for frame in samples.indices {
                let value = (1 - a1 - a2) * samples[frame] + a1 * before + a2 * earlier
                (before, earlier) = (value, before)
                samples[frame] = value
            }
        }
        return samples
    }

    private static func noiseBurst(_ generator: inout SeededGenerator, seconds: Double, isSharp: Bool) -> [Double] {
        let length = Int(seconds * rate)
        var last = 0.0
        return (0..<length).map { frame in
            let white = generator.gaussian()
            defer { last = white }
            let time = Double(frame) / Double(length)
            let envelope = isSharp ? exp(-4 * time) : sin(.pi * time)
            return 0.012 * envelope * (white - 0.9 * last)
        }
    }

    private static func add(_ part: [Double], to sound: inout [Double], at place: Int) {
        for index in part.indices where place + index < sound.count { sound[place + index] += part[index] }
    }
}
