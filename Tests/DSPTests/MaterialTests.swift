import DSPHarness
internal import Glibc
import TestSupport
import Testing

@testable import Stretching

@Suite struct MaterialTests {
    private static let rate = 44100

    /// Syllables of a speaking voice: bursts and hisses before vowels whose pitch falls, pauses between phrases.
    static func spoken(seconds: Double, pitch: Double, seed: UInt64) -> Track {
        var random = SeededGenerator(seed: seed)
        func uniform(_ range: ClosedRange<Double>) -> Double { .random(in: range, using: &random) }
        let vowels: [Formants] = [(730, 1090, 2440), (270, 2290, 3010), (570, 840, 2410), (530, 1840, 2480)]
        var track = Track(seconds: seconds, sampleRate: rate)
        var (time, syllable) = (0.05, 0)
        while time < seconds - 0.4 {
            if syllable % 3 == 1 {
                track.burst(at: track.frame(time), frequency: uniform(1000...4000), level: 0.3, &random)
                time += 0.02
            } else if syllable % 3 == 2 {
                track.hat(at: track.frame(time), level: 0.08, decay: 40, &random)
                time += 0.07
            }
            let length = uniform(0.1...0.22)
            let start = pitch * exp2(uniform(-0.2...0.3))
            let end = start * exp2(uniform(-0.5...0.2))
            track.vowel(
                at: track.frame(time), seconds: length, level: 0.4, rise: 0.03,
                formants: vowels[Int.random(in: 0..<4, using: &random)]
            ) { start * pow(end / start, $0 / length) }
            time += length + (syllable % 6 == 5 ? uniform(0.2...0.4) : uniform(0.02...0.05))
            syllable += 1
        }
        return track
    }

    /// A bowed or blown melody of one voice, with vibrato.
    private static func melody(seconds: Double, seed: UInt64) -> Track {
        var random = SeededGenerator(seed: seed)
        var track = Track(seconds: seconds, sampleRate: rate)
        var time = 0.0
        while time < seconds - 0.3 {
            let note = 440 * exp2(Double(Int.random(in: -9...7, using: &random)) / 12)
            let length = Double.random(in: 0.25...0.9, using: &random)
            track.sustained(
                at: track.frame(time), seconds: length + 0.05, level: 0.15, rise: 0.06, fall: 0.06, harmonics: 10,
                pitch: { note * exp2(0.15 / 12 * sin(2 * .pi * 5.5 * $0)) })
            time += length
        }
        return track
    }

    private func block(_ samples: [Float]) -> SourceBlock {
        SourceBlock([samples], firstFrame: 0, sampleRate: Self.rate)
    }

    private func seconds(_ block: SourceBlock) -> [MaterialFeatures] {
        MaterialFeatures.seconds(in: block, within: block.range, of: block.range)
    }

    @Test(
        "a speaking voice is classified as speech, high or low, with some noise", .enabled(if: Workload.isWhole),
        arguments: [95.0, 130, 210])
    func voices(pitch: Double) {
        var random = SeededGenerator(seed: 4)
        let track = Self.spoken(seconds: 8, pitch: pitch, seed: UInt64(pitch))
        let clean = MaterialDecision(seconds(block(track.samples)))
        #expect(clean.material == .speech, "\(clean)")
        let noisy = MaterialDecision(seconds(block(track.samples.map { $0 + 0.004 * random.float() })))
        #expect(noisy.material == .speech, "\(noisy)")
    }

    @Test("drums, strings, mixes and a melody of one voice are classified as music", .enabled(if: Workload.isWhole))
    func music() {
        var scenes = OnsetScenes(seed: 31)
        // Sung syllables may count as either.
        for sound in scenes.all(seconds: 8) where sound.family != .none && sound.family != .sung {
            let decision = MaterialDecision(seconds(sound.block))
            #expect(decision.material == .music, "\(sound.name): \(decision)")
        }
        let melody = MaterialDecision(seconds(block(Self.melody(seconds: 8, seed: 2).samples)))
        #expect(melody.material == .music, "\(melody)")
    }

    @Test(
        "a second's features do not depend on how the recording is divided into parts", .enabled(if: Workload.isWhole))
    func coresDoNotShow() {
        let whole = block(Self.spoken(seconds: 9, pitch: 120, seed: 5).samples)
        let expected = seconds(whole)
        #expect(expected.count >= 8)
        var random = SeededGenerator(printedFor: "material cores")
        let context = Int64(MaterialFeatures.contextFrames(sampleRate: Self.rate))
        var (found, start): ([MaterialFeatures], Int64) = ([], 0)
        var (continued, frames): ([MaterialFeatures], MaterialFrames?) = ([], nil)
        while start < whole.range.upperBound {
            let end = min(whole.range.upperBound, start + Int64.random(in: 1...120_000, using: &random))
            let range = max(0, start - context)..<min(whole.range.upperBound, end + context)
            let part = SourceBlock(
                [Array(whole.channels[0][Int(range.lowerBound)..<Int(range.upperBound)])],
                firstFrame: range.lowerBound, sampleRate: Self.rate)
            found += MaterialFeatures.seconds(in: part, within: start..<end, of: whole.range)
            continued += MaterialFeatures.seconds(
                in: part, within: start..<end, of: whole.range, frames: &frames)
            start = end
        }
        #expect(found == expected, "\(random)")
        #expect(continued == expected, "with what was measured for the core before: \(random)")
    }

    @Test("the silence around a short recording is no pause of a held note, and a phrase that was cut close is speech")
    func silenceAround() {
        var note = Track(seconds: 4, sampleRate: Self.rate)
        note.sustained(at: 0, seconds: 4, level: 0.2, rise: 0.01, fall: 0.01, harmonics: 3) {
            250 * exp2(sin(2 * .pi * 3 * $0) / 12)
        }
        #expect(alone(note.samples).material == .music)
        for pitch in [95.0, 130, 210] {
            let phrase = Self.spoken(seconds: 4, pitch: pitch, seed: UInt64(pitch)).samples
            let audible = phrase.indices.filter { abs(phrase[$0]) > 0.02 }
            let decision = alone(Array(phrase[audible[0]...audible[audible.count - 1]]))
            #expect(decision.material == .speech, "\(decision)")
        }
    }

    /// Decides for a whole recording, with the silence that a player reads around the recording.
    private func alone(_ samples: [Float]) -> MaterialDecision {
        let context = MaterialFeatures.contextFrames(sampleRate: Self.rate)
        let silence = [Float](repeating: 0, count: context)
        let block = SourceBlock(
            [silence + samples + silence], firstFrame: -Int64(context), sampleRate: Self.rate)
        let recording = 0..<Int64(samples.count)
        return MaterialDecision(MaterialFeatures.seconds(in: block, within: recording, of: recording))
    }

    @Test("a line that plays alone is told from music for several instruments", .enabled(if: Workload.isWhole))
    func lines() {
        #expect(MaterialFeatures.isLone(seconds(block(Self.melody(seconds: 6, seed: 3).samples))))
        var scenes = OnsetScenes(seed: 31)
        for sound in scenes.all(seconds: 8) where sound.family == .mixed {
            #expect(!MaterialFeatures.isLone(seconds(sound.block)), "\(sound.family)")
        }
        #expect(!MaterialFeatures.isLone([]))
    }

    @Test("silence, no frames and a single frame are not classified as speech")
    func strangeInput() {
        for samples in [[], [0.5], [Float](repeating: 0, count: 50000), [Float](repeating: 1, count: 20000)] {
            let decision = MaterialDecision(seconds(block(samples)))
            #expect(decision.material == .music)
            #expect(!decision.score.isNaN)
        }
        #expect(seconds(block([Float](repeating: 0, count: 50000))).isEmpty)
    }

    @Test("any rate of 8 to 192 kHz and any number of channels is accepted", arguments: [8000, 48000, 192_000])
    func rates(sampleRate: Int) {
        let count = sampleRate / 2
        let samples = tones([220, 330], amplitude: 0.2, frameCount: count, sampleRate: sampleRate)
        let block = SourceBlock([samples, samples], firstFrame: 0, sampleRate: sampleRate)
        let decision = MaterialDecision(MaterialFeatures.seconds(in: block, within: block.range, of: block.range))
        #expect(decision.material == .music)
    }
}
