import DSPHarness
import SoundMeasures
import TestSupport
import Testing

@testable import DSP

/// A take of a loop is a series of passes.
@Suite(.enabled(if: Workload.isOptimised)) struct PassSearchTests {
    private static let rate = Double(PlayedTune.rate)

    /// Each tune without a rest, played and analysed once for all tests.
    private static let models = PlayedTune.all.map { sound([$0.take(rest: 0).sound]) }

    private func model(_ tune: PlayedTune) throws -> ComparedSound {
        let index = PlayedTune.all.firstIndex { $0.testDescription == tune.testDescription }
        return Self.models[try #require(index)]
    }

    private static func sound(_ parts: [PitchedSound]) -> ComparedSound {
        var all = PitchedSound(sampleRate: PlayedTune.rate)
        all.rest(0.3)
        let samples = all.samples + parts.flatMap { $0.noisy(decibels: 50, seed: 3) } + all.samples
        return ComparedSound(samples, sampleRate: PlayedTune.rate)
    }

    @Test(
        "each pass is found at its beginning, with pauses or without, in any key", arguments: PlayedTune.all,
        [0.0, 0.25])
    func passes(tune: PlayedTune, rest: Double) throws {
        let model = try model(tune)
        for cents in [0.0, 300] {
            let takes = (0..<4).map { number in
                tune.take(
                    cents: cents, ratio: 1 + 0.01 * Double(number), unevenness: 0.015, seed: 10 + UInt64(number),
                    rest: rest
                ).sound
            }
            let take = Self.sound(takes)
            let passes = Alignment.passes(of: take, with: model)
            try #require(passes.count == 4)
            let all = Comparison.each(of: take, with: model, along: passes)
            try #require(all.count == 4)
            let alone = Comparison(of: take, with: model, along: passes[2])
            #expect(alone.energyDecibels == all[2].energyDecibels && alone.offsetSeconds == all[2].offsetSeconds)
            var begin = 0.3
            for (measures, made) in zip(all, takes) {
                // In a fast scale the search may take the first note for the second.
                let late = try #require(measures.offsetSeconds) + 0.3 - begin - rest
                #expect(abs(late) < (tune.testDescription == "a fast scale" ? 0.15 : 0.06), "\(late)")
                #expect(abs(try #require(measures.pitchOffsetCents) - cents) < 10)
                #expect(try #require(measures.pitchCents) < (tune.vibrato > 0 ? 25 : 10))
                begin += Double(made.samples.count) / Self.rate
            }
        }
    }

    @Test(
        "a slow pass, a pass with a long pause and a pass before other sound each count once",
        arguments: PlayedTune.all)
    func onePass(tune: PlayedTune) throws {
        let model = try model(tune)
        for ratio in [1.0, 2, 2.5] {
            let take = Self.sound([tune.take(ratio: ratio, unevenness: 0.02, seed: 4).sound])
            #expect(PassSearch.passes(of: take, with: model).isEmpty, "\(ratio) times as long")
        }
        let half = tune.steps.count / 2
        let (first, second) = (Array(tune.steps[..<half]), Array(tune.steps[half...]))
        let paused = Self.sound([
            tune.take(seed: 5, rest: 0, steps: first).sound, tune.take(rest: 4, steps: []).sound,
            tune.take(seed: 6, rest: 0, steps: second).sound,
        ])
        #expect(PassSearch.passes(of: paused, with: model).isEmpty)
    }

    @Test("silence, a click and noise have no passes")
    func nothing() throws {
        let model = try model(PlayedTune.plucked)
        var random = SeededGenerator(seed: 5)
        let long = ComparedSound(random.noise(20 * PlayedTune.rate), sampleRate: PlayedTune.rate)
        let silent = ComparedSound([Float](repeating: 0, count: 20 * PlayedTune.rate), sampleRate: PlayedTune.rate)
        for other in [long, silent, ComparedSound([], sampleRate: PlayedTune.rate)] {
            #expect(PassSearch.passes(of: other, with: model).isEmpty)
            #expect(PassSearch.passes(of: model, with: other).isEmpty)
        }
    }
}
