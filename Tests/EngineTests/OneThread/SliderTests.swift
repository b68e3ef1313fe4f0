import AudioDevices
import EngineHarness
import Samples
import TestSupport
import Testing

@testable import Engine

@Suite("A dragged slider")
struct SliderTests {
    static let rate = 8000
    /// A minute of stereo, looped: at half speed a pass takes 8 MB to keep.
    static let frames = 60 * rate
    /// The memory of the slowest pass, of the smaller passes before it, and little else.
    static let bound: UInt64 = 48 << 20

    static func harness() throws -> Harness {
        let clip = [[Float]](repeating: [Float](repeating: 0.1, count: frames), count: 2)
        let plan = PracticePlan(
            sections: [try Section(0..<Int64(frames))], passes: 1000, speeds: .constant(try Speed(factor: 0.9)))
        return try Harness(
            clip, rate: rate, score: try Score(plan, clipFrameCount: Int64(frames), sampleRate: rate))
    }

    /// A hundred steps from 90 % down to a quarter, or of the pitch.
    static func drag(_ player: Player, step: (Int) throws -> Void = { _ in }) throws {
        for index in 0..<100 {
            if index % 2 == 0 {
                try player.setSpeed(try Speed(factor: 0.9 - 0.0065 * Double(index)))
            } else {
                try player.setPitch(try Pitch(semitones: Double(index % 7) - 3))
            }
            try step(index)
        }
    }

    @Test(
        "a slider dragged before the start requests the memory of a few passes, not of a hundred",
        .enabled(if: HeapTraffic.isCounted))
    func beforeStart() throws {
        let player = try Self.harness().player
        let traffic = try HeapTraffic.measure { try Self.drag(player) }
        #expect(traffic.bytes < Self.bound, "\(traffic)")
        // The first step is on its way, and the last waits; all steps between are dropped.
        #expect(player.requestsWaiting == 1)
    }

    @Test(
        "a slider dragged while the player plays requests the memory of a few passes, on either thread",
        .enabled(if: HeapTraffic.isCounted))
    func whilePlaying() throws {
        let harness = try Self.harness()
        harness.player.start()
        let output = PlanarBuffer(channelCount: 2, frameCount: 64)
        var frame: Int64 = 0
        let traffic = try HeapTraffic.measure {
            try Self.drag(harness.player) { _ in
                harness.player.serve()
                _ = unsafe harness.player.core.core.pointee.render(
                    into: output.channels, outputChannels: 2, frameCount: 64, adds: false, at: frame)
                frame += 64
            }
        }
        #expect(traffic.bytes < Self.bound, "\(traffic)")
    }

    @Test("a dragged slider sounds like its last step alone, if nothing was rendered in between")
    func lastStepCounts() throws {
        let clip = testClip(channels: 1, frames: 5000, rate: 8000, seed: 4)
        let plan = PracticePlan(sections: [try Section(0..<4000)], passes: 3)
        let score = try Score(plan, clipFrameCount: 5000, sampleRate: 8000)
        let dragged = try Harness(clip, rate: 8000, score: score)
        for factor in [0.5, 0.9, 0.8, 0.6, 0.7] { try dragged.player.setSpeed(try Speed(factor: factor)) }
        dragged.player.start()
        let asked = try Harness(clip, rate: 8000, score: score)
        try asked.player.setSpeed(try Speed(factor: 0.7))
        asked.player.start()
        #expect(dragged.render(3000) { 256 } == asked.render(3000) { 256 })
        #expect(dragged.player.score == asked.player.score)
    }

    @Test("a command after a waiting score brings the score into effect first")
    func order() throws {
        let ramp = (0..<5000).map { Float($0) }
        let plan = PracticePlan(sections: [try Section(0..<1000)], joint: .hard)
        let score = try Score(plan, clipFrameCount: 5000, sampleRate: 8000)
        var later = plan
        later.sections = [try Section(2000..<3000)]
        let other = try Score(later, clipFrameCount: 5000, sampleRate: 8000)
        let harness = try Harness([ramp], rate: 8000, score: score)
        try harness.player.setScore(other)
        try harness.player.setScore(score)
        try harness.player.setScore(other)
        harness.player.start()
        try harness.player.setScore(score)
        #expect(harness.player.requestsWaiting == 1)
        // Started in the second section, and at a place missing in the first section, at the beginning of the first.
        let output = harness.render(200) { 50 }[0]
        #expect(output[100] == 100)
    }
}
