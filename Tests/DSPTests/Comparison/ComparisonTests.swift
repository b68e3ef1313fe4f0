import DSPHarness
internal import Glibc
import SoundMeasures
import TestSupport
import Testing

@_spi(Benchmarks) @testable import DSP

/// Each measure follows its own difference, and stays unaffected by the others.
@Suite(.enabled(if: Workload.isOptimised)) struct ComparisonTests {
    private static let model = ComparedSound(MadeTake().samples(), sampleRate: MadeTake.sampleRate)

    /// A take by another voice, with its own breath.
    private func compared(_ change: (inout MadeTake) -> Void) -> Comparison {
        let take = MadeTake {
            $0.seed = 2
            $0.tract = 1.06
            change(&$0)
        }
        return Comparison(of: ComparedSound(take.samples(), sampleRate: MadeTake.sampleRate), with: Self.model)
    }

    /// A take with a small difference in every measure.
    private static let mixture: @Sendable (inout MadeTake) -> Void = {
        $0.lateSeconds = 0.3
        $0.lengthRatio = 1.1
        $0.wobbleSeconds = 0.05
        $0.cents = 200
        $0.melodyCents = 50
        $0.levelDecibels = 6
    }

    /// Of the magnitudes of a sine, the mean without the largest twentieth.
    private let sineMean = 0.61

    @Test("the same phrase by another voice differs only a little in loudness and by its vibrato")
    func same() throws {
        let result = compared { _ in }
        #expect(abs(try #require(result.offsetSeconds)) < 0.002)
        #expect(abs(try #require(result.lengthRatio) - 1) < 0.002)
        #expect(try #require(result.spreadSeconds) < 0.003)
        #expect(abs(try #require(result.pitchOffsetCents)) < 2)
        #expect(try #require(result.pitchCents) < 3)
        #expect(try #require(result.energyDecibels) < 1.5)
    }

    @Test("a late beginning reads as the offset to 3 ms, and changes no other measure", arguments: [0, 0.02, 0.1, 1.5])
    func offset(late: Double) throws {
        let result = compared { $0.lateSeconds = late }
        #expect(abs(try #require(result.offsetSeconds) - late) < 0.003)
        #expect(abs(try #require(result.lengthRatio) - 1) < 0.002)
    }

    @Test("another tempo reads as the ratio of lengths to half a percent", arguments: [0.75, 0.9, 1.02, 1.3])
    func ratio(ratio: Double) throws {
        let result = compared { $0.lengthRatio = ratio }
        #expect(abs(try #require(result.lengthRatio) - ratio) < 0.005)
        #expect(abs(try #require(result.offsetSeconds)) < 0.01)
        #expect(try #require(result.spreadSeconds) < 0.005)
    }

    @Test(
        "an uneven tempo reads as the spread to a tenth or 1.5 ms, worst where it is worst",
        arguments: [0.02, 0.05, 0.1, 0.2])
    func spread(wobble: Double) throws {
        let result = compared { $0.wobbleSeconds = wobble }
        #expect(abs(try #require(result.spreadSeconds) - sineMean * wobble) < max(0.0015, 0.1 * sineMean * wobble))
        let worst = try #require(result.worstPlace)
        #expect(abs(abs(worst.lateSeconds) / wobble - 1) < 0.35)
        let phase = (worst.modelSeconds - 0.3) / MadeTake.phraseSeconds * 3 - 1.5
        #expect(abs(cos(2 * .pi * phase)) > 0.6)
    }

    @Test("a transposition reads as the pitch offset to 3 cents", arguments: [-700.0, -100, 50, 300, 1200])
    func transposition(cents: Double) throws {
        let result = compared { $0.cents = cents }
        #expect(abs(try #require(result.pitchOffsetCents) - cents) < 3)
        #expect(try #require(result.pitchCents) < (cents > 1000 ? 8 : 4))
    }

    @Test("a straying melody reads as the pitch difference to a tenth", arguments: [20.0, 50, 100, 200])
    func melody(cents: Double) throws {
        let result = compared { $0.melodyCents = cents }
        #expect(abs(try #require(result.pitchCents) / (sineMean * cents) - 1) < 0.1)
    }

    @Test("swinging levels read as the energy difference to a third, and a gain reads as none")
    func energy() throws {
        var last = 0.0
        for swing in [0, 3.0, 6, 10] {
            let decibels = try #require(compared { $0.levelDecibels = swing }.energyDecibels)
            #expect(decibels > last)
            if swing > 0 { #expect(abs(decibels / (sineMean * swing) - 1) < 0.34, "\(decibels) for \(swing)") }
            last = decibels
        }
        let (plain, soft) = (compared { _ in }, compared { $0.gainDecibels = -20 })
        #expect(abs(try #require(plain.energyDecibels) - (try #require(soft.energyDecibels))) < 0.1)
    }

    @Test("noise down to 20 dB moves no measure by more than a tenth", arguments: [40.0, 30, 20])
    func noise(decibels: Double) throws {
        try expectUnmoved { $0.noiseDecibels = decibels }
    }

    @Test("each difference leaves the other measures unchanged, to a tenth")
    func unmoved() throws {
        try expectUnmoved(offset: false) { $0.lateSeconds = 1 }
        try expectUnmoved(ratio: false) { $0.lengthRatio = 0.9 }
        try expectUnmoved(ratio: false) { $0.lengthRatio = 1.25 }
        try expectUnmoved(spread: false) { $0.wobbleSeconds = 0.1 }
        try expectUnmoved(pitch: false) { $0.cents = 500 }
        // Other partials lie on the formants, so the take is really louder here and softer there.
        try expectUnmoved(pitch: false, energyShare: 0.15) { $0.cents = -200 }
        try expectUnmoved(melody: false) { $0.melodyCents = 100 }
        try expectUnmoved(energy: false) { $0.levelDecibels = 10 }
        try expectUnmoved { $0.gainDecibels = -12 }
    }

    /// The mixture with one more change.
    private func expectUnmoved(
        offset: Bool = true, ratio: Bool = true, spread: Bool = true, pitch: Bool = true, melody: Bool = true,
        energy: Bool = true, energyShare: Double = 0.1, _ change: (inout MadeTake) -> Void
    ) throws {
        let before = compared(Self.mixture)
        let after = compared {
            Self.mixture(&$0)
            change(&$0)
        }
        func near(_ one: Double?, _ other: Double?, _ share: Double, _ name: String) throws {
            let (first, second) = (try #require(one), try #require(other))
            #expect(abs(first - second) <= share * abs(first), "\(name): \(first) became \(second)")
        }
        if offset { try near(before.offsetSeconds, after.offsetSeconds, 0.1, "offset") }
        if ratio { try near(before.lengthRatio, after.lengthRatio, 0.005, "ratio") }
        if spread { try near(before.spreadSeconds, after.spreadSeconds, 0.1, "spread") }
        if pitch { try near(before.pitchOffsetCents, after.pitchOffsetCents, 0.1, "pitch") }
        if melody { try near(before.pitchCents, after.pitchCents, 0.1, "melody") }
        if energy { try near(before.energyDecibels, after.energyDecibels, energyShare, "energy") }
    }

    @Test("after a pause the take is late, and before it and as a whole it is unchanged")
    func pause() throws {
        let result = compared { $0.pause = (at: 4.1, seconds: 1) }
        #expect(abs(try #require(result.offsetSeconds)) < 0.02)
        #expect(abs(try #require(result.worstPlace?.lateSeconds) - 1) < 0.05)
        let longer: Double = 1 + 1 / 7.2
        #expect(abs(try #require(result.lengthRatio) - longer) < 0.01)
        let late = result.curves.lateSeconds
        #expect(late[100..<400].allSatisfy { abs($0) < 0.03 })
        #expect(late[480..<700].allSatisfy { abs($0 - 1) < 0.03 })
    }

    @Test("the curves lie on the model's time line")
    func curves() throws {
        let result = compared {
            $0.lateSeconds = 0.4
            $0.cents = 300
        }
        let curves = result.curves
        let count = Self.model.features.count
        for values in [
            curves.modelCents, curves.takeCents, curves.modelDecibels, curves.takeDecibels, curves.takeSeconds,
            curves.lateSeconds,
        ] { #expect(values.count == count) }
        #expect(abs(curves.takeSeconds[200] - 2.4) < 0.01)
        let differences = zip(curves.modelCents, curves.takeCents).filter { !$0.isNaN && !$1.isNaN }.map {
            Double($1 - $0)
        }
        #expect(differences.count > 300)
        #expect(abs(try #require(quantile(differences, 0.5)) - 300) < 3)
    }

    @Test("an unknown measure is nil, for silence, a click and noise")
    func unknown() {
        let rate = MadeTake.sampleRate
        var random = SeededGenerator(seed: 8)
        var click = [Float](repeating: 0, count: rate)
        click[5000] = 1
        let sounds: [[Float]] = [
            [], [0.5], [Float](repeating: 0, count: 100), [Float](repeating: 0, count: rate), click,
            [Float](repeating: .nan, count: rate), random.noise(rate), random.noise(50),
        ]
        let all = sounds.map { ComparedSound($0, sampleRate: rate) }
        for sound in all {
            for result in [Comparison(of: sound, with: Self.model), Comparison(of: Self.model, with: sound)] {
                #expect(result.pitchCents == nil && result.pitchOffsetCents == nil)
            }
            for other in all {
                let result = Comparison(of: sound, with: other)
                for value in [result.offsetSeconds, result.lengthRatio, result.spreadSeconds, result.energyDecibels] {
                    #expect(value?.isFinite != false)
                }
            }
        }
        #expect(Comparison(of: all[3], with: Self.model) == Comparison())
        #expect(Comparison(of: Self.model, with: all[0]) == Comparison())
    }

    @Test("a whispered word has a timing without a pitch")
    func whisper() throws {
        // The features alone: the contours are those of silence.
        func mute(_ sound: ComparedSound) -> ComparedSound {
            let nothing = [Float](repeating: 0, count: sound.contour.count)
            return ComparedSound(
                features: sound.features, contour: PitchContour(sampleRate: 16_000, hertz: nothing, voicing: nothing))
        }
        let take = ComparedSound(MadeTake { $0.lateSeconds = 0.2 }.samples(), sampleRate: MadeTake.sampleRate)
        let result = Comparison(of: mute(take), with: mute(Self.model))
        #expect(abs(try #require(result.offsetSeconds) - 0.2) < 0.003)
        #expect(result.pitchCents == nil && result.pitchOffsetCents == nil)
        #expect(try #require(result.energyDecibels) < 1)
    }
}
