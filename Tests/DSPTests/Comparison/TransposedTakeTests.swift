import DSPHarness
import Glibc
import SoundMeasures
import TestSupport
import Testing

@testable import DSP

/// A take in another key is the same melody.
@Suite(.enabled(if: Workload.isOptimised)) struct TransposedTakeTests {
    @Test(
        "in another key every note is found at its time, and the melody is the model's", arguments: PlayedTune.all,
        [-700.0, -500, -340, -200, 200, 300, 400, 700])
    func keys(tune: PlayedTune, cents: Double) throws {
        let (model, take) = (try tune.model(), tune.take(cents: cents, unevenness: 0.02, seed: 2))
        let takeSound = tune.compared(take.sound)
        let alignment = try #require(Alignment(model: model.sound, take: takeSound))
        let errors = zip(model.starts, take.starts).map { abs(alignment.place(ofModel: $0 * 100) / 100 - $1) }
        #expect(try #require(quantile(errors, 0.5)) < 0.015)
        #expect(try #require(quantile(errors, 0.9)) < 0.04)
        let result = Comparison(of: takeSound, with: model.sound, along: alignment)
        #expect(abs(try #require(result.pitchOffsetCents) - cents) < 10)
        // A voice has its own vibrato in each take.
        #expect(try #require(result.pitchCents) < (tune.vibrato > 0 ? 25 : 5))
    }

    @Test("in the model's key, sharp or flat, the path is that of the chroma alone", arguments: PlayedTune.all)
    func tuning(tune: PlayedTune) throws {
        let model = try tune.model().sound
        for cents in [-40.0, 0, 30] {
            let take = tune.compared(tune.take(cents: cents, unevenness: 0.02, seed: 2).sound)
            let plain = try #require(Alignment(model: model.features, take: take.features))
            #expect(try #require(Alignment(model: model, take: take)).places == plain.places)
        }
    }

    @Test("wrong notes do not bend the time of the path", arguments: PlayedTune.all)
    func wrongNotes(tune: PlayedTune) throws {
        let model = try tune.model().sound
        var steps = tune.steps
        for note in stride(from: 3, to: steps.count, by: 5) { steps[note] += 2 }
        let take = tune.compared(tune.take(seed: 2, steps: steps).sound)
        let plain = try #require(Alignment(model: model.features, take: take.features))
        #expect(try #require(Alignment(model: model, take: take)).places == plain.places)
    }

    @Test("the transposition is found from the pitches alone, and is nil without pitches")
    func transposition() throws {
        let tune = PlayedTune.plucked
        let model = try tune.model().sound
        for cents in [-1900.0, -700, -30, 0, 50, 340, 1200] {
            let take = tune.compared(tune.take(cents: cents, ratio: 1.3, unevenness: 0.05, seed: 4).sound)
            #expect(abs(try #require(Transposition(of: take, from: model)).cents - cents) <= 20)
        }
        var random = SeededGenerator(seed: 5)
        let noise = ComparedSound(random.noise(PlayedTune.rate), sampleRate: PlayedTune.rate)
        #expect(Transposition(of: noise, from: model) == nil)
        #expect(Transposition(of: model, from: noise) == nil)
    }
}
