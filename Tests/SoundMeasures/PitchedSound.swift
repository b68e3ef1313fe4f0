internal import Glibc
public import TestSupport

/// A sound of one voice or instrument with a known pitch.
public struct PitchedSound: Sendable {
    /// Frames a second, in Hz.
    public let sampleRate: Int
    /// The sound, one channel.
    public private(set) var samples: [Float] = []
    /// The pitch of every frame in Hz, and 0 in silence.
    public private(set) var hertz: [Double] = []

    /// An instrument, by its partials and its envelope.
    public enum Timbre: Sendable, CaseIterable {
        /// Formants over falling partials, with jitter, and breath.
        case voice
        /// Partials that decay, the high ones first.
        case plucked
        /// Many partials and a slow beginning.
        case bowed
        /// Few partials, and breath.
        case blown
        /// Partials 3 to 9 only.
        case withoutFundamental
    }

    /// Silence of zero length.
    public init(sampleRate: Int = TestSignals.sampleRate) { self.sampleRate = sampleRate }

    /// Adds silence.
    public mutating func rest(_ seconds: Double) {
        let count = Int(seconds * Double(sampleRate))
        samples += [Float](repeating: 0, count: count)
        hertz += [Double](repeating: 0, count: count)
    }

    /// Adds a note whose pitch follows a function of the seconds since its beginning.
    public mutating func play(
        _ timbre: Timbre, seconds: Double, level: Double = 0.3, random: inout SeededGenerator,
        _ pitch: (Double) -> Double
    ) {
        let rate = Double(sampleRate)
        let count = Int(seconds * rate)
        let pitches = (0..<count).map { pitch(Double($0) / rate) }
        let lowest = pitches.min() ?? 100
        let most = timbre == .blown ? 4 : min(60, Int(min(0.45 * rate, 12_000) / lowest))
        // The place of the pluck leaves partials out; the same share of each partial in every frame.
        let plucks = (0...max(1, most)).map { abs(sin(0.57 * Double($0))) }
        var sum = [Double](repeating: 0, count: count)
        var phase = 0.0
        var jitter = 0.0
        for frame in 0..<count {
            let seconds = Double(frame) / rate
            if timbre == .voice, Int(phase) != Int(phase - pitches[frame] / rate) { jitter = 0.004 * random.gaussian() }
            phase += pitches[frame] * (1 + jitter) / rate
            // Sines of multiples of one angle, by their recurrence.
            let angle = 2 * .pi * (phase - phase.rounded(.down))
            let step = 2 * cos(angle)
            var (before, here) = (0.0, sin(angle))
            for partial in 1...max(1, most) {
                sum[frame] += here * Self.amplitude(timbre, partial, plucks[partial], pitches[frame], seconds)
                (before, here) = (here, step * here - before)
            }
            if timbre == .voice || timbre == .blown { sum[frame] += 0.01 * random.gaussian() }
            let edge = timbre == .plucked ? 0.002 : timbre == .bowed ? 0.05 : 0.02
            sum[frame] *= min(1, seconds / edge) * min(1, (Double(count - frame) / rate) / 0.02)
        }
        let peak = sum.reduce(1e-9) { max($0, abs($1)) }
        samples += sum.map { Float(level * $0 / peak) }
        hertz += pitches
    }

    /// The sound with white noise, in dB below the mean power of the sounding parts.
    public func noisy(decibels: Double, seed: UInt64) -> [Float] {
        var random = SeededGenerator(seed: seed)
        let sounding = zip(samples, hertz).filter { $1 > 0 }.map { Double($0.0) * Double($0.0) }
        let power = sounding.reduce(0, +) / Double(max(1, sounding.count))
        let deviation = (power * pow(10, -decibels / 10)).squareRoot()
        return samples.map { $0 + Float(deviation * random.gaussian()) }
    }

    private static func amplitude(
        _ timbre: Timbre, _ partial: Int, _ pluck: Double, _ pitch: Double, _ seconds: Double
    ) -> Double {
        let order = Double(partial)
        switch timbre {
        case .voice:
            let formants = [(600.0, 120.0, 1.0), (1400, 200, 0.5), (2500, 300, 0.2)]
            let gain = formants.reduce(0.05) { $0 + $1.2 / (1 + pow((order * pitch - $1.0) / $1.1, 2)) }
            return gain / order.squareRoot()
        case .plucked: return exp(-seconds * (1.5 + pitch / 200 + 0.3 * order)) * pluck / order
        case .bowed: return 1 / order
        case .blown: return [1, 0.35, 0.2, 0.05][min(3, partial - 1)]
        case .withoutFundamental: return (3...9).contains(partial) ? 1 : 0
        }
    }
}

/// Distance of a pitch contour from the truth, by the counts of the literature.
public struct PitchErrors: Sendable {
    /// Share of the values with a pitch on both sides that are more than half a semitone apart.
    public let beyondFiftyCents: Double
    /// Share of the same values that are more than a fifth apart.
    public let gross: Double
    /// Share of the sounding values without a pitch.
    public let missed: Double
    /// Share of the silent values with a pitch.
    public let invented: Double
    /// Median distance of the values within half a semitone, in cents.
    public let fineCents: Double

    /// Compares values every 10 ms with the truth. Values within 20 ms of a note's beginning or end are not counted.
    public init(_ hertz: [Float], against sound: PitchedSound) {
        var (both, far, gross, sounding, missed, silent, invented) = (0, 0, 0, 0, 0, 0, 0)
        var cents: [Double] = []
        let margin = sound.sampleRate / 50
        for (index, value) in hertz.enumerated() {
            let frame = (index * sound.sampleRate + 50) / 100
            guard frame - margin >= 0, frame + margin < sound.hertz.count else { continue }
            let around = sound.hertz[frame - margin...frame + margin]
            guard let low = around.min(), let high = around.max(), low == 0 ? high == 0 : high / low < 1.2 else {
                continue
            }
            let truth = sound.hertz[frame]
            sounding += truth > 0 ? 1 : 0
            silent += truth > 0 ? 0 : 1
            missed += truth > 0 && value == 0 ? 1 : 0
            invented += truth == 0 && value > 0 ? 1 : 0
            guard truth > 0, value > 0 else { continue }
            both += 1
            let distance = abs(1200 * log2(Double(value) / truth))
            far += distance > 50 ? 1 : 0
            gross += abs(Double(value) / truth - 1) > 0.2 ? 1 : 0
            if distance <= 50 { cents.append(distance) }
        }
        func share(_ part: Int, of whole: Int) -> Double { whole > 0 ? Double(part) / Double(whole) : 0 }
        beyondFiftyCents = share(far, of: both)
        self.gross = share(gross, of: both)
        self.missed = share(missed, of: sounding)
        self.invented = share(invented, of: silent)
        fineCents = cents.isEmpty ? .nan : median(cents)
    }
}

extension PitchedSound {
    /// Voices and instruments with the difficulties for a tracker: glides, vibrato, leaps of octaves, pauses, low and
    /// high notes.
    public static func examples(sampleRate: Int = TestSignals.sampleRate) -> [(name: String, sound: PitchedSound)] {
        var random = SeededGenerator(seed: 7)
        func make(_ timbre: Timbre, _ notes: [Double], seconds: Double, gap: Double = 0, vibrato: Double = 0)
            -> PitchedSound
        {
            var sound = PitchedSound(sampleRate: sampleRate)
            sound.rest(0.2)
            for note in notes {
                sound.play(timbre, seconds: seconds, random: &random) { note * exp2(vibrato / 1200 * sin(35 * $0)) }
                sound.rest(gap)
            }
            sound.rest(0.2)
            return sound
        }
        func glide(_ low: Double, _ high: Double) -> PitchedSound {
            var sound = PitchedSound(sampleRate: sampleRate)
            sound.rest(0.2)
            for _ in 0..<2 {
                sound.play(.voice, seconds: 1.2, random: &random) { low * pow(high / low, 0.5 - 0.5 * cos(2.6 * $0)) }
                sound.rest(0.15)
            }
            return sound
        }
        return [
            ("low voice, gliding", glide(75, 160)), ("high voice, gliding", glide(180, 420)),
            ("singing with vibrato", make(.voice, [220, 277, 330, 440, 587], seconds: 0.5, gap: 0.05, vibrato: 50)),
            ("bass strings", make(.plucked, [41.2, 55, 73.4, 98, 49], seconds: 0.5)),
            ("guitar strings", make(.plucked, [110, 165, 247, 330, 659], seconds: 0.4)),
            ("violin to E6", make(.bowed, [196, 440, 880, 1318.5, 659], seconds: 0.4, vibrato: 25)),
            ("flute to C7", make(.blown, [262, 523, 1047, 2093, 784], seconds: 0.4, gap: 0.03)),
            ("without fundamental", make(.withoutFundamental, [110, 147, 220, 330], seconds: 0.4, gap: 0.03)),
            ("leaps of octaves", make(.bowed, [220, 440, 110, 220, 880, 440], seconds: 0.35)),
        ]
    }
}
