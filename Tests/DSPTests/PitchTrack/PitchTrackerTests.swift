import DSPHarness
internal import Glibc
import SoundMeasures
import TestSupport
import Testing

@_spi(Benchmarks) @testable import DSP

/// The figures are those of docs/comparing.md, with some room.
@Suite(.enabled(if: Workload.isOptimised)) struct PitchTrackerTests {
    @Test(
        "voices and instruments of 41 to 2100 Hz are tracked to a few cents, in the right octave"
    )
    func clean() {
        for (name, sound) in PitchedSound.examples() {
            let contour = PitchTracker.contour(of: sound.samples, sampleRate: sound.sampleRate)
            let errors = PitchErrors(contour.hertz, against: sound)
            #expect(errors.gross == 0, "\(name): \(errors)")
            #expect(errors.beyondFiftyCents <= 0.01, "\(name): \(errors)")
            #expect(errors.missed <= 0.01, "\(name): \(errors)")
            #expect(errors.invented <= 0.01, "\(name): \(errors)")
            #expect(errors.fineCents <= 5, "\(name): \(errors)")
        }
    }

    @Test("white noise 10 dB below the sound costs no octave errors")
    func noisy() {
        for (number, (name, sound)) in PitchedSound.examples().enumerated() {
            let samples = sound.noisy(decibels: 10, seed: 21 + UInt64(number))
            let errors = PitchErrors(
                PitchTracker.contour(of: samples, sampleRate: sound.sampleRate).hertz, against: sound)
            #expect(errors.gross <= 0.002, "\(name): \(errors)")
            #expect(errors.beyondFiftyCents <= 0.01, "\(name): \(errors)")
            // A decayed string is lost in the noise.
            #expect(errors.missed <= (name.contains("strings") ? 0.25 : 0.04), "\(name): \(errors)")
            #expect(errors.invented <= 0.01, "\(name): \(errors)")
            #expect(errors.fineCents <= 6, "\(name): \(errors)")
        }
    }

    @Test(
        "the pitch track is the same at every rate", arguments: [8000, 11_025, 22_050, 48_000, 96_000, 192_000])
    func rates(sampleRate: Int) {
        var random = SeededGenerator(seed: 3)
        var sound = PitchedSound(sampleRate: sampleRate)
        sound.play(.voice, seconds: 1, random: &random) { 150 * exp2(0.4 * sin(3 * $0)) }
        let contour = PitchTracker.contour(of: sound.samples, sampleRate: sampleRate)
        let errors = PitchErrors(contour.hertz, against: sound)
        #expect(errors.gross == 0 && errors.missed == 0 && errors.fineCents < 5, "\(errors)")
        #expect(contour.count == 100)
    }

    @Test("the pitch track is the same for blocks of any size")
    func blocks() {
        let sound = PitchedSound.examples()[0].sound
        let whole = PitchTracker.contour(of: sound.samples, sampleRate: 44_100)
        for size in [1, 441, 997, 65_536] {
            var tracker = PitchTracker(sampleRate: 44_100)
            for begin in stride(from: 0, to: sound.samples.count, by: size) {
                tracker.append(sound.samples[begin..<min(begin + size, sound.samples.count)].span)
            }
            #expect(tracker.finish() == whole, "blocks of \(size)")
        }
    }

    @Test("pitch values stand at the nearest frame to every 10 ms")
    func hop() {
        #expect((0..<5).map { PitchContour.frame(of: $0, sampleRate: 22_050) } == [0, 221, 441, 662, 882])
        #expect(PitchContour.frame(of: 360_000, sampleRate: 11_025) == 39_690_000)
        for frames in [0, 1, 110, 111, 1000, 11_025] as [Int64] {
            let count = PitchContour.count(frames: frames, sampleRate: 11_025)
            let expected = (0..<200).filter { PitchContour.frame(of: $0, sampleRate: 11_025) < frames }.count
            #expect(count == expected)
        }
    }

    @Test("noise and silence have no pitch, and bad samples count as silence")
    func withoutPitch() {
        var random = SeededGenerator(seed: 5)
        let noise = random.noise(88_200)
        let contour = PitchTracker.contour(of: noise, sampleRate: 44_100)
        #expect(contour.hertz.filter { $0 > 0 }.isEmpty)
        #expect(
            PitchTracker.contour(of: [Float](repeating: 0, count: 44_100), sampleRate: 44_100).hertz.allSatisfy {
                $0 == 0
            })
        #expect(PitchTracker.contour(of: [], sampleRate: 44_100).count == 0)
        #expect(PitchTracker.contour(of: [0.5], sampleRate: 44_100).count == 1)
        var sound = PitchedSound.examples()[4].sound.samples
        let clean = PitchTracker.contour(of: sound, sampleRate: 44_100)
        for index in stride(from: 10_000, to: 10_400, by: 7) { sound[index] = [.nan, .infinity, -1e30][index % 3] }
        let spoilt = PitchTracker.contour(of: sound, sampleRate: 44_100)
        #expect(spoilt.hertz.allSatisfy { $0.isFinite } && spoilt.voicing.allSatisfy { (0...1).contains($0) })
        #expect(spoilt.hertz.suffix(100) == clean.hertz.suffix(100))
    }

    @Test("a narrow range finds only pitches within its ends")
    func range() {
        var random = SeededGenerator(seed: 9)
        var sound = PitchedSound()
        for hertz in [50.5, 300, 1190] { sound.play(.bowed, seconds: 0.4, random: &random) { _ in hertz } }
        let contour = PitchTracker.contour(of: sound.samples, sampleRate: 44_100, range: PitchTracker.voiceRange)
        let errors = PitchErrors(contour.hertz, against: sound)
        #expect(errors.gross == 0 && errors.missed < 0.01, "\(errors)")
        let narrow = PitchTracker.contour(of: sound.samples, sampleRate: 44_100, range: 200...400)
        #expect(narrow.hertz.allSatisfy { $0 == 0 || (195...410).contains($0) })
    }

    @Test("any pitch range works at any rate", arguments: [8000, 22_050, 44_100, 768_000])
    func ranges(sampleRate: Int) {
        var random = SeededGenerator(seed: 10)
        for range in [20...21, 20...4000, 40...60, 130...150, 400...600, 1000...2000, 3900...4000]
            as [ClosedRange<Double>]
        {
            let middle = (range.lowerBound * range.upperBound).squareRoot()
            guard middle < 0.3 * Double(sampleRate) else { continue }
            var sound = PitchedSound(sampleRate: sampleRate)
            sound.play(.blown, seconds: 0.4, random: &random) { _ in middle }
            let contour = PitchTracker.contour(of: sound.samples, sampleRate: sampleRate, range: range)
            let inner = contour.hertz[15..<25]
            #expect(inner.allSatisfy { abs(1200 * log2(Double($0) / middle)) < 20 }, "\(range): \(inner)")
        }
    }
}
