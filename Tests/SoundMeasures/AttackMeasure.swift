// Attacks after stretching: their time, earlier sound, level, and repetitions.
internal import Glibc

/// Measures of the clicks of `TestSignals.Clicks` after stretching.
public struct AttackMeasure: Sendable {
    /// Distance of the attacks from their places, beyond the common offset, in ms, root of the mean square.
    public let jitter: Double
    /// The largest such distance, in ms.
    public let largestJitter: Double
    /// The common offset of the attacks, in ms: some tenths even for the source itself, since an attack is found at
    /// half its level.
    public let offset: Double
    /// The energy in the 58 ms before an attack, over the attack's energy, in dB: the middle of all.
    public let preEcho: Double
    /// The highest sample, over the source's, in dB: the middle of all.
    public let peak: Double
    /// The same for the softest attack.
    public let lowestPeak: Double
    /// Attacks heard more than once, within 12 dB and 10 ms or more apart.
    public let doubled: Int
    /// Attacks that are 12 dB too soft.
    public let missing: Int

    /// Measures a sound with clicks.
    ///
    /// - Parameters:
    ///   - places: Expected places of the attacks, in frames.
    ///   - peak: The highest sample of an attack.
    ///   - aboveHertz: Measures only the sound above this frequency, for clicks over a lower chord; `peak` is then the
    ///     peak of that part.
    public init(_ sound: [Float], places: [Double], peak: Double, aboveHertz: Double? = nil) {
        let rate = TestSignals.rate
        let plain = sound.map { Double($0) }
        let samples = aboveHertz.map { Filter.highPass(plain, hertz: $0) } ?? plain
        let levels = Filter.envelope(samples)
        let coarse = Filter.boxMean(samples.map { $0 * $0 }, length: 132)
        let reach = Int(0.07 * rate)
        var (errors, echoes, peaks): ([Double], [Double], [Double]) = ([], [], [])
        var doubled = 0
        for place in places {
            let center = Int(place)
            let window = max(0, center - reach)..<min(samples.count, center + reach)
            guard window.count >= 1000, let top = window.max(by: { levels[$0] < levels[$1] }) else { continue }
            let highest = samples[max(0, top - 220)..<min(samples.count, top + 1300)].reduce(0) { max($0, abs($1)) }
            peaks.append(20 * log10(max(highest, 1e-9) / peak))
            let onset = window.first { levels[$0] > 0.5 * levels[top] } ?? top
            errors.append((Double(onset) - Double(center)) / rate * 1000)
            func energy(_ from: Int, _ to: Int) -> Double {
                samples[max(0, from)..<min(samples.count, max(0, to))].reduce(0) { $0 + $1 * $1 }
            }
            let body = energy(onset - 44, onset + Int(0.03 * rate))
            echoes.append(decibels(energy(onset - Int(0.06 * rate), onset - 88) / max(body, 1e-20)))
            doubled += max(0, Self.peakCount(coarse[window], apart: Int(0.01 * rate)) - 1)
        }
        let offset = median(errors)
        self.offset = offset
        jitter = rootMeanSquare(errors.map { $0 - offset })
        largestJitter = errors.map { abs($0 - offset) }.max() ?? .nan
        preEcho = median(echoes)
        self.peak = median(peaks)
        lowestPeak = peaks.min() ?? .nan
        self.doubled = doubled
        missing = peaks.count { $0 < -12 } + places.count - peaks.count
    }

    /// Local maxima within 12 dB of the highest; of two that are too near to each other, the lower is left out.
    private static func peakCount(_ levels: ArraySlice<Double>, apart: Int) -> Int {
        let floor = (levels.max() ?? 0) * pow(10, -1.2)
        let inner = levels.indices.dropFirst().dropLast()
        let maxima = inner.filter { levels[$0] >= floor && levels[$0] > levels[$0 - 1] && levels[$0] >= levels[$0 + 1] }
        var kept: [Int] = []
        for place in maxima.sorted(by: { levels[$0] > levels[$1] })
        where kept.allSatisfy({ abs($0 - place) >= apart }) { kept.append(place) }
        return kept.count
    }
}

/// Measures of tones that come out of silence.
public struct EdgeMeasure: Sendable {
    /// The level in the 50 ms that end 10 ms before a tone, over the tone's level, in dB: the middle of all.
    public let leak: Double
    /// From a tenth to nine tenths of the level, in ms: the middle of all; the source itself takes 5.3.
    public let rise: Double

    /// Measures `TestSignals.Gates` at a speed.
    public init(_ sound: [Float], of gates: TestSignals.Gates, speed: Double) {
        let rate = TestSignals.rate
        let samples = sound.map { Double($0) }
        let levels = Filter.envelope(samples, milliseconds: 2)
        let tenth = Int(0.1 * rate)
        let body = median(
            gates.starts.map { start in
                let from = Int(Double(start) / speed) + tenth
                let to = Int(Double(start + gates.length - tenth) / speed)
                return median(Array(levels[min(from, levels.count)..<min(max(from, to), levels.count)]))
            })
        var (leaks, rises): ([Double], [Double]) = ([], [])
        for start in gates.starts.dropFirst() {
            let edge = Int(Double(start) / speed)
            let around = Array(levels[edge - Int(0.08 * rate)..<min(levels.count, edge + Int(0.12 * rate))])
            let low = around.firstIndex { $0 > 0.1 * body } ?? 0
            let high = around.firstIndex { $0 > 0.9 * body } ?? 0
            rises.append(Double(high - low) / rate * 1000)
            let before = rootMeanSquare(samples[edge - Int(0.06 * rate)..<edge - Int(0.01 * rate)])
            leaks.append(20 * log10(max(before, 1e-9) / max(body, 1e-9)))
        }
        leak = median(leaks)
        rise = median(rises)
    }
}

/// The level of the first milliseconds after a start, over the source's level there, in dB.
public enum StartLevel {
    /// Measures the beginning of a stretched sound.
    public static func measure(_ sound: [Float], source: [Float], speed: Double, milliseconds: Double = 5) -> Double {
        let count = Int(milliseconds * TestSignals.rate / 1000)
        let ours = rootMeanSquare(sound.prefix(count).map { Double($0) })
        let theirs = rootMeanSquare(source.prefix(max(1, Int(Double(count) * speed))).map { Double($0) })
        return 20 * log10(max(ours, 1e-6) / max(theirs, 1e-6))
    }
}
