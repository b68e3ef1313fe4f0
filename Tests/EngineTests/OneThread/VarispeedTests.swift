import EngineHarness
import Explanations
import Glibc
import TestSupport
import Testing

@testable import Engine

@Suite("Varispeed")
struct VarispeedTests {
    static let rate = 44_100

    private static func harness(
        _ clip: [[Float]], _ range: Range<Int64>, speeds: SpeedSchedule, passes: Int = 1, rate: Int = rate,
        joint: Joint = .crossfade
    ) throws -> Harness {
        let plan = PracticePlan(
            sections: [try Section(range)], passes: .count(passes), speeds: speeds, joint: joint, varispeed: true)
        let score = try Score(plan, clipFrameCount: Int64(clip[0].count), sampleRate: rate)
        let harness = try Harness(clip, rate: rate, score: score)
        harness.player.start(at: 0)
        return harness
    }

    private static func rendered(
        _ clip: [[Float]], _ range: Range<Int64>, speeds: SpeedSchedule, passes: Int = 1, rate: Int = rate,
        extra: Int = 0, nextBlock: () -> Int = { 2048 }
    ) throws -> [[Float]] {
        let harness = try harness(clip, range, speeds: speeds, passes: passes, rate: rate)
        return harness.render(Int(harness.player.score.length) + extra, nextBlock: nextBlock)
    }

    @Test(
        "varispeed moves the pitch with the speed, to a hundredth of a cent",
        arguments: [0.25, 0.5, 0.9, 1.06, 2, 4])
    func frequency(speed: Double) throws {
        let source = 440.0
        let clip = PitchTests.sine(source, frames: Int(34_000 * speed))
        let output = try Self.rendered(
            [clip], 0..<Int64(clip.count), speeds: .constant(try Speed(factor: speed)))[0]
        let heard = PitchTests.frequency(output[2000..<30_000], near: source * speed)
        #expect(abs(1200 * log2(heard / (source * speed))) < 0.01)
    }

    @Test("varispeed reads between the samples: a sine stays a sine, through a glide as well")
    func glide() throws {
        let clip = PitchTests.sine(600, frames: 60_000)
        let glide = SpeedSchedule.glide(from: try Speed(factor: 0.6), to: try Speed(factor: 1.4))
        let output = try Self.rendered([clip], 1000..<41_000, speeds: glide)[0]
        let frames = Double(output.count)
        var worst = 0.0
        // The last 5 ms fade out.
        for frame in 0..<(output.count - 300) {
            // The position is the integral of an evenly rising speed.
            let time = Double(frame)
            let place = 1000 + time * (0.6 + 0.4 * time / frames)
            let expected = 0.5 * sin(2 * Double.pi * 600 * place / Double(Self.rate))
            worst = max(worst, abs(Double(output[frame]) - expected))
        }
        // A glide ends on a whole frame, so its slope is off by one part in some 40,000: a quarter of a frame at its
        // end.
        #expect(worst < 0.02)
    }

    @Test("varispeed does not change lengths, and ends in silence", arguments: [0.25, 0.7, 4])
    func lengths(speed: Double) throws {
        let clip = testClip(channels: 1, frames: 3000, rate: 8000, seed: 3)
        let output = try Self.rendered(
            clip, 200..<1701, speeds: .constant(try Speed(factor: speed)), passes: 2, rate: 8000, extra: 50)
        let count = Int((2 * 1501 / speed).rounded())
        #expect(output[0].count == count + 50)
        #expect(output[0][..<(count - 40)].suffix(60).contains { $0 != 0 })
        #expect(output[0][count...].allSatisfy { $0 == 0 })
    }

    @Test("varispeed begins with the section's first sample, and at half speed keeps every sample")
    func samples() throws {
        let clip = testClip(channels: 2, frames: 6000, rate: Self.rate, seed: 6)
        let output = try Self.rendered(clip, 1003..<5000, speeds: .constant(try Speed(factor: 0.5)))
        for channel in 0..<2 {
            for frame in 0..<3500 { #expect(output[channel][2 * frame] == clip[channel][1003 + frame]) }
        }
    }

    @Test("varispeed gives the same bits for every division into blocks, through a glide and a change")
    func blocks() throws {
        var generator = SeededGenerator(printedFor: #function)
        let clip = testClip(channels: 2, frames: 4000, rate: 8000, seed: 4)
        func render(_ nextBlock: () -> Int) throws -> [[Float]] {
            let glide = SpeedSchedule.glide(from: try Speed(factor: 0.5), to: try Speed(factor: 1.5))
            let harness = try Self.harness(clip, 300..<1900, speeds: glide, passes: 3, rate: 8000)
            try harness.player.setSpeed(try Speed(factor: 0.8), at: 2500)
            return harness.render(5000, nextBlock: nextBlock)
        }
        let whole = try render { 5000 }
        #expect(try render { 1 } == whole)
        #expect(try render { 64 } == whole)
        #expect(try render { Int.random(in: 1...700, using: &generator) } == whole, "\(generator)")
    }

    @Test("varispeed follows a change of speed within 10 ms, unlike stretching")
    func latency() throws {
        let clip = PitchTests.sine(500, frames: 60_000)
        let harness = try Self.harness([clip], 0..<60_000, speeds: .constant(try Speed(factor: 0.8)))
        try harness.player.setSpeed(try Speed(factor: 1.2), at: 20_000)
        let output = harness.render(40_000) { 441 }[0]
        func heard(_ range: Range<Int>, near speed: Double) -> Double {
            PitchTests.frequency(output[range], near: 500 * speed) / 500
        }
        #expect(abs(heard(10_000..<20_000, near: 0.8) - 0.8) < 1e-3)
        // The limiter's look-ahead of 6 ms, and the glide to the new speed.
        #expect(abs(heard(21_800..<31_800, near: 1.2) - 1.2) < 1e-3)
    }

    @Test("varispeed refuses a pitch, when a score is made and while it plays")
    func refusal() throws {
        func isRefused(_ error: any Error) -> Bool {
            (error as? ScoreError)?.kind == .pitchWithVarispeed && (error as? ScoreError)?.remedy.isEmpty == false
        }
        let plan = PracticePlan(
            sections: [try Section(0..<100)], pitch: try Pitch(semitones: 1), varispeed: true)
        #expect { try Score(plan, clipFrameCount: 100, sampleRate: 8000) } throws: { isRefused($0) }
        let clip = testClip(channels: 1, frames: 3000, rate: 8000, seed: 3)
        let harness = try Self.harness(clip, 0..<3000, speeds: .constant(try Speed(factor: 0.5)), rate: 8000)
        #expect { try harness.player.setPitch(try Pitch(semitones: 1)) } throws: { isRefused($0) }
        #expect(harness.player.score.plan.pitch == .original)
    }
}
