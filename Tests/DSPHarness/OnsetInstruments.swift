// Instruments for the labelled onsets: each adds a sound to a track, and the sound's first frame is at the requested
// place.
internal import Glibc
package import TestSupport

/// Samples to which sounds are added.
package struct Track {
    package let sampleRate: Int
    package var samples: [Float]

    package init(seconds: Double, sampleRate: Int) {
        self.sampleRate = sampleRate
        samples = [Float](repeating: 0, count: Int(seconds * Double(sampleRate)))
    }

    package var seconds: Double { Double(samples.count) / Double(sampleRate) }
    package func frame(_ seconds: Double) -> Int { Int(seconds * Double(sampleRate)) }

    /// Adds a function of the seconds since `start`, until it ends or the track does.
    package mutating func add(at start: Int, seconds: Double, _ sound: (Double) -> Double) {
        for index in start..<max(start, min(samples.count, start + frame(seconds))) {
            samples[index] += Float(sound(Double(index - start) / Double(sampleRate)))
        }
    }

    package mutating func add(_ other: Track, gain: Float) {
        for index in 0..<min(samples.count, other.samples.count) { samples[index] += gain * other.samples[index] }
    }

    /// The same with a room's answer: four recirculating delays and two all-passes (Schroeder 1962).
    package func inRoom(seconds reverberation: Double, wet: Float) -> Track {
        var tail = [Float](repeating: 0, count: samples.count)
        for delaySeconds in [0.0297, 0.0371, 0.0411, 0.0437] {
            let delay = frame(delaySeconds)
            let feedback = Float(pow(10, -3 * delaySeconds / reverberation))
            var line = [Float](repeating: 0, count: samples.count)
            for index in samples.indices {
                line[index] = samples[index] + (index >= delay ? feedback * line[index - delay] : 0)
                if index >= delay { tail[index] += 0.25 * line[index - delay] }
            }
        }
        for delaySeconds in [0.005, 0.0017] {
            let delay = frame(delaySeconds)
            var line = [Float](repeating: 0, count: samples.count)
            for index in tail.indices {
                let past = index >= delay ? line[index - delay] : 0
                line[index] = tail[index] + 0.7 * past
                tail[index] = past - 0.7 * line[index]
            }
        }
        var result = self
        for index in samples.indices { result.samples[index] += wet * tail[index] }
        return result
    }
}

/// A voice's vowel: three resonances in Hz.
package typealias Formants = (Double, Double, Double)

extension Track {
    /// A sine falling from 160 Hz to 50 Hz, with the beater's short noise.
    package mutating func kick(at start: Int, level: Double, _ random: inout SeededGenerator) {
        var phase = 0.0
        let rate = Double(sampleRate)
        let beater = (0..<frame(0.004)).map { _ in Double(random.float()) }
        add(at: start, seconds: 0.3) { time in
            phase += (50 + 110 * exp(-time * 40)) / rate
            let index = Int((time * rate).rounded())
            let noise = index < beater.count ? 0.15 * beater[index] * exp(-time * 1000) : 0
            return level * (sin(2 * .pi * phase) * exp(-time * 14) + noise) * min(1, (0.3 - time) / 0.1)
        }
    }

    /// Noise over a short tone.
    package mutating func snare(at start: Int, level: Double, _ random: inout SeededGenerator) {
        let noise = (0..<frame(0.2)).map { _ in Double(random.float()) }
        let rate = Double(sampleRate)
        add(at: start, seconds: 0.2) { time in
            let index = min(noise.count - 1, Int((time * rate).rounded()))
            let tone = 0.5 * sin(2 * .pi * 190 * time) * exp(-time * 22)
            return level * (0.7 * noise[index] * exp(-time * 28) + tone) * min(1, (0.2 - time) / 0.05)
        }
    }

    /// High-passed noise; `decay` is the inverse of the time constant, 70 closed, 9 open.
    package mutating func hat(at start: Int, level: Double, decay: Double, _ random: inout SeededGenerator) {
        var (last, earlier) = (0.0, 0.0)
        let noise = (0..<frame(5 / decay)).map { _ -> Double in
            let value = Double(random.float())
            defer { (earlier, last) = (last, value) }
            return 0.4 * (value - 2 * last + earlier)
        }
        let rate = Double(sampleRate)
        add(at: start, seconds: 5 / decay) { time in
            level * noise[min(noise.count - 1, Int((time * rate).rounded()))] * exp(-time * decay)
        }
    }

    /// A string after Karplus and Strong (1983); `seconds` after which the string is damped.
    package mutating func pluck(
        at start: Int, pitch: Double, level: Double, seconds: Double, _ random: inout SeededGenerator
    ) {
        let period = Double(sampleRate) / pitch
        let length = max(2, Int(period - 0.5))
        let fraction = period - 0.5 - Double(length)
        var smooth = 0.0
        var line = (0..<length).map { _ -> Double in
            // A finger is no burst of white noise: a first-order low-pass takes the edge off.
            smooth += 0.5 * (Double(random.float()) - smooth)
            return smooth
        }
        let mean = line.reduce(0, +) / Double(length)
        for index in line.indices { line[index] -= mean }
        var (cursor, previous) = (0, 0.0)
        add(at: start, seconds: seconds + 0.03) { time in
            let sample = line[cursor]
            let next = line[cursor + 1 == length ? 0 : cursor + 1]
            let delayed = sample + fraction * (previous - sample) * 0.5
            line[cursor] = 0.997 * 0.5 * (delayed + next)
            previous = sample
            cursor = cursor + 1 == length ? 0 : cursor + 1
            return level * sample * min(1, max(0, (seconds + 0.03 - time) / 0.03))
        }
    }

    /// A struck string: slightly stretched partials rise within 2 ms, and higher partials decay faster.
    package mutating func piano(
        at start: Int, pitch: Double, level: Double, seconds: Double, _ random: inout SeededGenerator
    ) {
        let partials = (1...12).compactMap {
            number -> (step: Double, phase: Double, amplitude: Double, decay: Double)? in
            let order = Double(number)
            let frequency = order * pitch * (1 + 0.0004 * order * order).squareRoot()
            guard frequency < 0.45 * Double(sampleRate) else { return nil }
            return (
                2 * .pi * frequency, Double(random.float()) * .pi, pow(order, -1.2), 1.2 + 0.5 * order
            )
        }
        let hammer = (0..<frame(0.006)).map { _ in Double(random.float()) }
        let rate = Double(sampleRate)
        add(at: start, seconds: seconds + 0.08) { time in
            var sum = 0.0
            for partial in partials {
                sum += partial.amplitude * exp(-time * partial.decay) * sin(partial.step * time + partial.phase)
            }
            let index = Int((time * rate).rounded())
            let knock = index < hammer.count ? 0.1 * hammer[index] * (1 - time / 0.006) : 0
            let gate = min(1, time / 0.002) * min(1, max(0, (seconds + 0.08 - time) / 0.08))
            return 0.4 * level * (sum * gate + knock)
        }
    }

    /// Harmonics with a pitch, a level and a swell of their own: bowed strings, winds, held voices, pads.
    package mutating func sustained(
        at start: Int, seconds: Double, level: Double, rise: Double, fall: Double, harmonics: Int,
        pitch: (Double) -> Double, swell: (Double) -> Double = { _ in 1 }
    ) {
        var phase = 0.0
        let rate = Double(sampleRate)
        // Most of a sound has its full level, for which no cosine is needed.
        func edge(_ share: Double) -> Double { share == 1 ? 1 : 0.5 - 0.5 * cos(.pi * share) }
        add(at: start, seconds: seconds) { time in
            let frequency = pitch(time)
            phase += 2 * .pi * frequency / rate
            var sum = 0.0
            for number in 1...harmonics where Double(number) * frequency < 0.45 * rate {
                sum += sin(Double(number) * phase + Double(number * number)) / Double(number)
            }
            let up = min(1, time / rise)
            let down = min(1, max(0, (seconds - time) / fall))
            return level * swell(time) * sum * edge(up) * edge(down)
        }
    }

    /// A plosive's burst of noise around `frequency`, 15 ms long.
    package mutating func burst(at start: Int, frequency: Double, level: Double, _ random: inout SeededGenerator) {
        var resonance = TestResonator(frequency: frequency, bandwidth: 1500, sampleRate: sampleRate)
        add(at: start, seconds: 0.015) { time in
            level * 2 * resonance.next(Double(random.float())) * exp(-time * 200)
        }
    }

    /// A sung vowel with vibrato; pulses through three resonances.
    package mutating func vowel(
        at start: Int, seconds: Double, level: Double, rise: Double, formants: Formants, pitch: (Double) -> Double
    ) {
        var resonances = [formants.0, formants.1, formants.2].map {
            TestResonator(frequency: $0, bandwidth: 60 + $0 / 25, sampleRate: sampleRate)
        }
        var (phase, last) = (0.0, 0.0)
        let rate = Double(sampleRate)
        add(at: start, seconds: seconds) { time in
            phase += pitch(time) / rate
            phase -= phase.rounded(.down)
            let flow =
                phase < 0.4 ? 0.5 - 0.5 * cos(.pi * phase / 0.4) : phase < 0.56 ? cos(.pi * (phase - 0.4) / 0.32) : 0
            let source = flow - last
            last = flow
            var sum = 0.0
            for index in resonances.indices { sum += resonances[index].next(source) * [1, 0.6, 0.3][index] }
            return 4 * level * sum * min(1, time / rise) * min(1, max(0, (seconds - time) / 0.04))
        }
    }
}

/// A two-pole resonance with about unity gain at the peak.
struct TestResonator {
    private let (a1, a2, gain): (Double, Double, Double)
    private var (y1, y2) = (0.0, 0.0)

    init(frequency: Double, bandwidth: Double, sampleRate: Int) {
        let radius = exp(-.pi * bandwidth / Double(sampleRate))
        let angle = 2 * .pi * min(frequency, 0.45 * Double(sampleRate)) / Double(sampleRate)
        a1 = 2 * radius * cos(angle)
        a2 = -radius * radius
        gain = (1 - radius) * (1 - 2 * radius * cos(2 * angle) + radius * radius).squareRoot()
    }

    mutating func next(_ input: Double) -> Double {
        let output = gain * input + a1 * y1 + a2 * y2
        (y2, y1) = (y1, output)
        return output
    }
}
