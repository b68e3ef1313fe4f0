// The measures of SoundMeasures against faults of known size: a measure that misses a planted fault proves nothing.
import DSPHarness
import Glibc
import SoundMeasures
import TestSupport
import Testing

// In debug builds a second of sound takes seconds to measure; the release run has all measures.
@Suite("Measures of sound", .enabled(if: Workload.isWhole))
struct SoundMeasureTests {
    private let rate = Double(TestSignals.sampleRate)

    /// Noise of a level relative to a sine of amplitude 0.5 (-9.03 dB).
    private func noise(_ decibels: Double, count: Int) -> [Float] {
        TestSignals.noise(
            seconds: Double(count + 1) / rate, seed: 3, amplitude: 0.5 / 2.0.squareRoot() * pow(10, decibels / 20))
    }

    @Test("noise 60 dB below sines is found as 60 dB, and a pitch two cents high as two cents")
    func tones() {
        let sine = TestSignals.sine()
        #expect(ToneMeasure(sine, hertz: [997]).snr > 130, "Float's rounding is at about 150 dB")
        let spoilt = zip(sine, noise(-60, count: sine.count)).map { $0 + $1 }
        // The noise of a window of 8820 frames is known to 0.1 dB.
        #expect(abs(ToneMeasure(spoilt, hertz: [997]).snr - 60) < 0.3)
        let sharp = ToneMeasure(TestSignals.sine(hertz: 997 * exp2(2.0 / 1200)), hertz: [997])
        #expect(abs(sharp.cents - 2) < 0.001)
        #expect(sharp.snr > 100)
        let five = ToneMeasure(TestSignals.fiveSines(), hertz: TestSignals.fiveFrequencies)
        #expect(five.snr > 120)
        #expect(five.cents < 0.001)
    }

    @Test("attacks that are moved, pre-echoed, repeated, softened or left out are each recognised")
    func attacks() {
        let clicks = TestSignals.Clicks()
        let places = clicks.frames.map(Double.init)
        let plain = AttackMeasure(clicks.samples, places: places, peak: clicks.peak)
        #expect(plain.doubled == 0 && plain.missing == 0)
        #expect(plain.preEcho < -150 && abs(plain.peak) < 0.001 && plain.jitter < 0.02)
        #expect(abs(plain.offset) < 0.5, "an attack is found at half its level, wherever its noise reaches that")

        let late = AttackMeasure(
            clicks.samples, places: places.enumerated().map { $1 + ($0 % 2 == 0 ? 44.1 : -44.1) }, peak: clicks.peak)
        #expect(abs(late.jitter - 1) < 0.05, "one millisecond to either side")

        func copies(by frames: Int, gain: Float) -> [Float] {
            clicks.samples.indices.map {
                clicks.samples[$0]
                    + (clicks.samples.indices.contains($0 + frames) ? gain * clicks.samples[$0 + frames] : 0)
            }
        }
        // A copy 20 ms early, 40 dB softer.
        let echoed = AttackMeasure(copies(by: 882, gain: 0.01), places: places, peak: clicks.peak)
        #expect(abs(echoed.preEcho + 40) < 1, "\(echoed.preEcho)")
        #expect(echoed.doubled == 0)
        let doubled = AttackMeasure(copies(by: -1102, gain: 0.7), places: places, peak: clicks.peak)
        #expect(doubled.doubled == clicks.frames.count)
        let soft = AttackMeasure(clicks.samples.map { 0.5 * $0 }, places: places, peak: clicks.peak)
        #expect(abs(soft.peak + 6.02) < 0.01)
        let silent = AttackMeasure(clicks.samples.map { 0.1 * $0 }, places: places, peak: clicks.peak)
        #expect(silent.missing == clicks.frames.count)
    }

    @Test("attacks over a chord are measured above the chord's level")
    func attacksInChord() {
        let clicks = TestSignals.Clicks(seed: 7, chordDecibels: -14)
        let measured = AttackMeasure(
            clicks.samples, places: clicks.frames.map(Double.init), peak: clicks.peak(aboveHertz: 2000),
            aboveHertz: 2000)
        // The chord at 440 Hz is 150 dB down; the remainder before an attack is the filter's own ringing.
        #expect(measured.preEcho < -65, "\(measured.preEcho)")
        #expect(measured.doubled == 0 && measured.missing == 0)
    }

    @Test("sound that leaks out of an edge is found, and the duration of the edge is measured")
    func edges() {
        let gates = TestSignals.Gates()
        let plain = EdgeMeasure(gates.samples, of: gates, speed: 1)
        #expect(plain.leak < -120)
        #expect(plain.rise < 5.5, "the tone is pulses 6.7 ms apart: \(plain.rise)")
        let leaking = zip(gates.samples, noise(-60, count: gates.samples.count)).map { $0 + $1 }
        #expect(EdgeMeasure(leaking, of: gates, speed: 1).leak > -60)
    }

    @Test("noise reads as noise, but a comb filter and frozen magnitudes do not")
    func noiseMeasure() {
        let white = TestSignals.noise()
        let plain = NoiseMeasure(white)
        // 0.5227 is the square root of 4/π - 1; a thousand windows give this number to some thousandths.
        #expect(abs(plain.variation - 0.523) < 0.01)
        #expect(plain.echo < 0.07)
        let comb = white.indices.map { white[$0] + ($0 >= 800 ? white[$0 - 800] : 0) }
        #expect(abs(NoiseMeasure(comb).echo - 0.5) < 0.06)
    }

    @Test(
        "a voice an octave too high for a quarter of the time reads 25 % wrong pitches"
    )
    func pitchErrors() {
        let source = pulseTrain { 100 + 20 * $0 }
        #expect(PitchMeasure.grossErrors(source, source: source, speed: 1) == 0)
        #expect(PitchMeasure.grossErrors(pulseTrain { 100 + 10 * $0 }, source: source, speed: 0.5) == 0)
        let wrong = PitchMeasure.grossErrors(
            pulseTrain { (100 + 20 * $0) * ($0 < 1 ? 2 : 1) }, source: source, speed: 1)
        #expect(abs(wrong - 25) < 2, "\(wrong)")
    }

    @Test("plucks read their own strength, and softer plucks by as much as they were turned down")
    func plucks() {
        let slow = TestSignals.Plucks(tempo: 0.5)
        let same = PluckMeasure(slow.samples, performance: slow)
        #expect(same.level == 0 && same.soft == 0)
        let soft = PluckMeasure(slow.samples.map { $0 / 2 }, performance: slow)
        #expect(abs(soft.level + 6.02) < 0.01)
        let normal = TestSignals.Plucks()
        #expect(zip(normal.frames, slow.frames).allSatisfy { abs(2 * $0 - $1) <= 1 })
    }

    @Test("channels that drift apart lose coherence, and a louder side is found")
    func stereo() {
        let sound = TestSignals.delayedMusic()
        #expect(StereoMeasure(sound).coherence > 0.999)
        let noisy: [Float] = zip(sound[1], noise(-20, count: sound[1].count)).map { $0 + $1 }
        let apart = [sound[0], noisy]
        #expect(StereoMeasure(apart).coherence < 0.99)
        let wide = TestSignals.wideMusic(seconds: 3)
        #expect(StereoMeasure.sideGain(wide, source: wide) == 0)
        let middle: [Float] = zip(wide[0], wide[1]).map { ($0 + $1) / 2 }
        func widened(_ channel: [Float]) -> [Float] {
            zip(channel, middle).map { (sample: Float, middle: Float) in middle + 2 * (sample - middle) }
        }
        let louder = [widened(wide[0]), widened(wide[1])]
        #expect(abs(StereoMeasure.sideGain(louder, source: wide) - 6.02) < 0.05)
    }

    @Test("the distance of a sound to itself is 0, and a level difference and a delay are found")
    func distance() {
        let music = TestSignals.music(seconds: 3)
        for size in [512, 4096] {
            #expect(SpectralDistance.measure(music, source: music, speed: 1, size: size) == 0)
            let soft = SpectralDistance.measure(music.map { $0 / 2 }, source: music, speed: 1, size: size)
            // The floor lifts quiet bands, so the 6 dB come out a little less.
            #expect(abs(soft - 6.02) < 0.3, "\(soft)")
        }
        let late = [Float](repeating: 0, count: 1100) + music
        #expect(abs(SpectralDistance.lateness(late, source: music, speed: 1) - 1100) <= 110)
        #expect(SpectralDistance.lateness(music, source: music, speed: 1) == 0)
    }

    @Test("a voice with smeared pulses has lower peaks")
    func pulses() {
        let voice = TestSignals.voice(seconds: 3)
        let plain = PulseMeasure.logKurtosis(voice)
        #expect(plain > 2, "a train of pulses, against 1.6 of noise: \(plain)")
        #expect(PulseMeasure.logKurtosis(smeared(voice)) < plain - 0.5)
    }
}
