import DSP
import DSPHarness
internal import Glibc
import TestSupport
import Testing

@Suite("Matched filter")
struct MatchedFilterTests {
    /// A recording with a chirp at a place between frames.
    private func recording(
        of chirp: Chirp, at place: Double, count: Int, gain: Double = 1
    ) -> [Float] {
        (0..<count).map { Float(gain * chirp.value(atFrame: Double($0) - place)) }
    }

    @Test(
        "a chirp between two frames is found to a thousandth of a frame, at every rate",
        arguments: [8000, 44_100, 48_000, 192_000])
    func between(rate: Int) throws {
        let chirp = Chirp(sampleRate: rate, amplitude: 0.3)
        let filter = MatchedFilter(chirp.samples)
        for part in [0, 0.001, 0.25, 0.5, 0.83] {
            let place = 701 + part
            let found = try #require(
                filter.bestMatch(in: recording(of: chirp, at: place, count: chirp.frameCount + 1000)[...]))
            #expect(abs(found.frame - place) < 0.001, "\(found.frame) for \(place)")
            #expect(abs(found.gainDecibels) < 0.01 && !found.isInverted && found.clarityDecibels > 30)
        }
    }

    @Test("a chirp at the very ends of the recording is found, counted from the start of a slice")
    func ends() throws {
        let chirp = Chirp(sampleRate: 48_000, amplitude: 0.3)
        let filter = MatchedFilter(chirp.samples)
        for place in [0.0, 500] {
            let sound = recording(of: chirp, at: place + 100, count: chirp.frameCount + 600)
            let found = try #require(filter.bestMatch(in: sound[100...]))
            #expect(abs(found.frame - place) < 0.001)
        }
        #expect(filter.bestMatch(in: chirp.samples.dropLast()) == nil)
        #expect(try #require(filter.bestMatch(in: chirp.samples[...])).frame.magnitude < 0.001)
    }

    @Test("the gain and the polarity of a chirp are found, quiet or loud")
    func level() throws {
        let chirp = Chirp(sampleRate: 48_000, amplitude: 0.3)
        for (gain, decibels) in [(0.001, -60.0), (-0.5, -6.02), (-3, 9.54)] {
            let found = try #require(
                MatchedFilter(chirp.samples).bestMatch(in: recording(of: chirp, at: 99.5, count: 3000, gain: gain)[...])
            )
            #expect(abs(found.gainDecibels - decibels) < 0.01 && found.isInverted == (gain < 0))
            #expect(abs(found.frame - 99.5) < 0.001)
        }
    }

    @Test("in noise a chirp is found as exactly as the Cramér-Rao bound allows")
    func noise() throws {
        let chirp = Chirp(sampleRate: 48_000, amplitude: 0.3)
        let samples = chirp.samples
        let filter = MatchedFilter(samples)
        var random = SeededGenerator(printedFor: "MatchedFilterTests.noise")
        // Uniform noise of this amplitude has a third of its square as power; here as much as the chirp's peak.
        let noise: Float = 0.3
        let power = Double(noise * noise) / 3
        // The Cramér-Rao bound for a known sound in white noise: its slope's energy over the noise's power.
        let slopes = zip(samples.dropFirst(), samples).reduce(0.0) { $0 + Double(($1.0 - $1.1) * ($1.0 - $1.1)) }
        let bound = (power / slopes).squareRoot()
        let trials = 40
        var squares = 0.0
        for _ in 0..<trials {
            let place = Double.random(in: 100..<900, using: &random)
            let disturbance = random.noise(4000, amplitude: noise)
            let sound = zip(recording(of: chirp, at: place, count: 4000), disturbance).map { $0 + $1 }
            let found = try #require(filter.bestMatch(in: sound[...]))
            squares += (found.frame - place) * (found.frame - place)
        }
        let error = (squares / Double(trials)).squareRoot()
        print("chirp in noise as strong as its peak: \(error) frames off, the bound is \(bound)")
        // The mean of forty squares strays by 22 %; the limit is three times this, as the slope between frames is a
        // little steeper.
        #expect(error < 1.7 * bound && error > bound / 2)
    }

    @Test("a recording without a chirp gives no clear result, and silence gives none")
    func nothing() throws {
        let filter = MatchedFilter(Chirp(sampleRate: 48_000, amplitude: 0.3).samples)
        var random = SeededGenerator(printedFor: "MatchedFilterTests.nothing")
        let count = 16_000
        let sounds = [
            random.noise(count, amplitude: 1), tones([997], amplitude: 1, frameCount: count),
            tones([220, 440, 660, 5000], amplitude: 0.2, frameCount: count),
        ]
        for sound in sounds {
            #expect(try #require(filter.bestMatch(in: sound[...])).clarityDecibels < 18)
        }
        #expect(filter.bestMatch(in: [Float](repeating: 0, count: count)[...]) == nil)
        var broken = random.noise(count, amplitude: 1)
        broken[5000] = .nan
        #expect(filter.bestMatch(in: broken[...]) == nil)
    }

    @Test("the chirp lies where the plain sum of products is highest, with the same value")
    func plain() throws {
        let chirp = Chirp(sampleRate: 8000, amplitude: 0.3)
        let (samples, filter) = (chirp.samples, MatchedFilter(chirp.samples))
        let energy = samples.reduce(0.0) { $0 + Double($1) * Double($1) }
        var random = SeededGenerator(printedFor: "MatchedFilterTests.plain")
        for gain in [0.25, -1] {
            let place = Double(Int.random(in: 0...300, using: &random))
            let disturbance = random.noise(620, amplitude: 0.05)
            let sound = zip(recording(of: chirp, at: place, count: 620, gain: gain), disturbance).map { $0 + $1 }
            let sums = (0...300).map { place in
                samples.indices.reduce(0.0) { $0 + Double(samples[$1]) * Double(sound[place + $1]) }
            }
            let highest = try #require(sums.indices.max { abs(sums[$0]) < abs(sums[$1]) })
            let found = try #require(filter.bestMatch(in: sound[...]))
            // The top lies beside the highest frame, and is higher by no more than a few hundredths of its value.
            #expect(abs(found.frame - Double(highest)) < 0.6 && found.isInverted == (gain < 0))
            let excess = found.gainDecibels - 20 * log10(abs(sums[highest]) / energy)
            #expect(excess > -0.001 && excess < 0.5)
        }
    }
}
