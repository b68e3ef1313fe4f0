import EngineHarness
import Explanations
import Glibc
import TestSupport
import Testing

@testable import Engine

@Suite("A changed pitch")
struct PitchTests {
    static let rate = 44_100

    static func rendered(
        _ clip: [[Float]], _ range: Range<Int64>, pitch: Double, speed: Double = 1, passes: Int = 1,
        rate: Int = rate, formants: FormantChoice = .auto, extra: Int = 0, nextBlock: () -> Int = { 2048 }
    ) throws -> (output: [[Float]], frameCount: Int) {
        let plan = PracticePlan(
            sections: [try Section(range)], passes: .count(passes), speeds: .constant(try Speed(factor: speed)),
            pitch: try Pitch(semitones: pitch), formants: formants)
        let score = try Score(plan, clipFrameCount: Int64(clip[0].count), sampleRate: rate)
        let harness = try Harness(clip, rate: rate, score: score)
        harness.player.start(at: 0)
        return (harness.render(Int(score.length) + extra, nextBlock: nextBlock), Int(score.length))
    }

    static func sine(_ frequency: Double, frames: Int, rate: Int = rate) -> [Float] {
        (0..<frames).map { Float(0.5 * sin(2 * .pi * frequency * Double($0) / Double(rate))) }
    }

    /// The frequency of a sine in Hz: the mean turn, from one stretch of samples to the next, of its product with a
    /// sine near it.
    static func frequency(_ samples: ArraySlice<Float>, near guess: Double, rate: Int = rate) -> Double {
        let half = samples.count / 2
        func phase(_ part: ArraySlice<Float>) -> Double {
            var (real, imaginary) = (0.0, 0.0)
            for (index, sample) in part.enumerated() {
                let hann = 0.5 - 0.5 * cos(2 * .pi * (Double(index) + 0.5) / Double(half))
                let angle = 2 * .pi * guess / Double(rate) * Double(part.startIndex + index)
                real += hann * Double(sample) * cos(angle)
                imaginary -= hann * Double(sample) * sin(angle)
            }
            return atan2(imaginary, real)
        }
        let middle = samples.startIndex + half
        var turn = phase(samples[middle..<middle + half]) - phase(samples[samples.startIndex..<middle])
        if turn > .pi { turn -= 2 * .pi }
        if turn < -.pi { turn += 2 * .pi }
        return guess + turn * Double(rate) / (2 * .pi * Double(half))
    }

    @Test(
        "a changed pitch is right to a twentieth of a cent, at any speed",
        .enabled(if: Workload.isWhole),
        arguments: [-24, -12, -7.5, -1, -0.3, 0.01, 2, 7, 12, 24], [0.5, 1, 1.7])
    func frequencyIsExact(semitones: Double, speed: Double) throws {
        try expectExact(semitones, speed, .move)
    }

    @Test(
        "a changed pitch is right to a twentieth of a cent with kept formants, too",
        .enabled(if: Workload.isWhole), arguments: [-7.5, -1, 2, 7], [0.5, 1.7])
    func frequencyIsExactWithFormants(semitones: Double, speed: Double) throws {
        try expectExact(semitones, speed, .keep)
    }

    private func expectExact(_ semitones: Double, _ speed: Double, _ formants: FormantChoice) throws {
        let source = 440.0
        let clip = Self.sine(source, frames: Int(70_000 * speed))
        let output = try Self.rendered(
            [clip], 0..<Int64(clip.count), pitch: semitones, speed: speed, formants: formants
        ).output[0]
        let expected = source * pow(2, semitones / 12)
        let heard = Self.frequency(output[20_000..<60_000], near: expected)
        #expect(abs(1200 * log2(heard / expected)) < 0.05)
    }

    @Test(
        "a changed pitch keeps the tempo: passes are as long as at the original pitch",
        arguments: cases([-24, -5, 0.5, 24], few: [-24, 24]),
        [0.25, 1, 4])
    func lengths(semitones: Double, speed: Double) throws {
        let clip = testClip(channels: 1, frames: 3000, rate: 8000, seed: 3)
        let (output, count) = try Self.rendered(
            clip, 200..<1701, pitch: semitones, speed: speed, passes: 2, rate: 8000, extra: 50)
        #expect(count == Int((2 * 1501 / speed).rounded()))
        // The last pass fades over 5 ms to its very end; afterwards there is silence.
        #expect(output[0][..<(count - 40)].suffix(60).contains { $0 != 0 })
        #expect(output[0][count...].allSatisfy { $0 == 0 })
        #expect(output[0].allSatisfy { $0.isFinite })
    }

    @Test("a section at a changed pitch begins with its own first sample", arguments: [-12, -3, 3, 12])
    func firstSample(semitones: Double) throws {
        // Slow enough for the higher pitches' narrower band to hold all of the sound.
        let clip = Self.sine(300, frames: 20_000)
        let output = try Self.rendered([clip], 7012..<12_000, pitch: semitones, speed: 0.8).output[0]
        // One part in 25,000 of the stretcher's later windows, and the interpolator's ripple.
        #expect(abs(output[0] - clip[7012]) < 1e-3)
    }

    @Test(
        "a changed pitch keeps attacks at their times",
        .enabled(if: Workload.isWhole), arguments: [-12, -4, 4, 12], [0.75, 1, 1.5])
    func attackTimes(semitones: Double, speed: Double) throws {
        var clip = [Float](repeating: 0, count: 60_000)
        let clicks = [9000, 21_003, 40_001, 52_017]
        for click in clicks { for index in 0..<16 { clip[click + index] = index % 2 == 0 ? 0.8 : -0.4 } }
        let output = try Self.rendered([clip], 0..<60_000, pitch: semitones, speed: speed).output[0]
        for click in clicks {
            let expected = (Double(click) + 6) / speed
            let near = Int(expected) - 1500...Int(expected) + 1500
            let weights = output[near].map { Double($0) * Double($0) }
            let energy = weights.reduce(0, +)
            #expect(energy > 1e-3, "lost")
            let centre = zip(near, weights).reduce(0) { $0 + Double($1.0) * $1.1 } / energy
            // Half a frame of rounding, times four at most, and the smear's own shape: a millisecond below half speed.
            #expect(abs(centre - expected) < 44)
        }
    }

    @Test(
        "a changed pitch gives the same bits for every division into blocks",
        arguments: cases([-24, 0.4, 7, 24], few: [7]),
        [FormantChoice.move, .keep])
    func blockIndependence(semitones: Double, formants: FormantChoice) throws {
        var generator = SeededGenerator(printedFor: #function)
        let clip = testClip(channels: 2, frames: 2000, rate: 8000, seed: 4)
        func render(_ nextBlock: () -> Int) throws -> [[Float]] {
            try Self.rendered(
                clip, 300..<900, pitch: semitones, speed: 0.9, passes: 3, rate: 8000, formants: formants,
                nextBlock: nextBlock
            ).output
        }
        let whole = try render { 8192 }
        #expect(try render { 1 } == whole)
        #expect(try render { 64 } == whole)
        #expect(try render { Int.random(in: 1...700, using: &generator) } == whole, "\(generator)")
    }

    @Test("a pitch changed while playing crossfades to the sound at the new pitch")
    func live() throws {
        let clip = testClip(channels: 1, frames: 6000, rate: 8000, seed: 5)
        let score = try Score(
            PracticePlan(sections: [try Section(0..<6000)]), clipFrameCount: 6000, sampleRate: 8000)
        let harness = try Harness(clip, rate: 8000, score: score)
        harness.player.start(at: 0)
        try harness.player.setPitch(try Pitch(semitones: 5), at: 1000)
        try harness.player.setPitch(.original, at: 3000)
        let output = harness.render(6000) { 200 }[0]
        let shifted = try Self.rendered(clip, 1000..<6000, pitch: 5, rate: 8000).output[0]
        #expect(Array(output[..<1000]) == Array(clip[0][..<1000]))
        #expect(Array(output[1040..<3000]) == Array(shifted[40..<2000]))
        #expect(Array(output[3040...]) == Array(clip[0][3040...]))
        #expect(harness.player.score.plan.pitch == .original)
    }

    @Test(
        "a pitch outside two octaves is refused with a remedy",
        arguments: [25, -24.01, .nan, .infinity, -.infinity])
    func refusals(semitones: Double) {
        #expect {
            try Pitch(semitones: semitones)
        } throws: { error in
            (error as? ScoreError)?.kind == .pitchOutOfRange && (error as? ScoreError)?.remedy.isEmpty == false
        }
    }

    @Test("a pitch of whole octaves has a factor of exactly a power of two")
    func octaves() throws {
        #expect(try [-24, -12, 0, 12, 24].map { try Pitch(semitones: $0).ratio } == [0.25, 0.5, 1, 2, 4])
    }

    @Test(
        "a changed pitch works with sections of one frame, silence, and samples that are not finite",
        arguments: [-24.0, 24])
    func oddSources(semitones: Double) throws {
        var clip = [Float](repeating: 0, count: 3000)
        #expect(
            try Self.rendered([clip], 100..<2000, pitch: semitones, rate: 8000).output[0].allSatisfy { $0 == 0 })
        clip[500] = .nan
        clip[501] = .infinity
        clip[502] = .leastNonzeroMagnitude
        for start in [498, 505] as [Int64] {
            for formants in FormantChoice.allCases {
                let output = try Self.rendered(
                    [clip], start..<1500, pitch: semitones, passes: 2, rate: 8000, formants: formants
                ).output[0]
                #expect(output.allSatisfy { $0.isFinite })
            }
        }
        #expect(try Self.rendered([clip], 700..<701, pitch: semitones, passes: 5, rate: 8000).frameCount == 5)
    }
}
