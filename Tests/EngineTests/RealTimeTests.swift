import AudioDevices
import EngineHarness
import Realtime
import Samples
import TestSupport
import Testing

@testable import Engine

@Suite("The render path")
struct RealTimeTests {
    /// A player with all kinds of work under way: stretched passes, gaps, joints, and queued commands.
    static func busyPlayer(joint: Joint) throws -> Harness {
        let clip = testClip(channels: 2, frames: 20_000, rate: 44_100, seed: 1)
        let plan = PracticePlan(
            sections: [try Section(100..<9000), try Section(12_000..<12_100), try Section(0..<20_000)], passes: 3,
            speeds: .ramp(from: try Speed(factor: 0.7), to: .normal, step: 0.15), gap: .frames(500), joint: joint)
        let score = try Score(plan, clipFrameCount: 20_000, sampleRate: 44_100)
        let harness = try Harness(clip, rate: 44_100, score: score)
        let player = harness.player
        player.start(at: 0)
        for step in 0..<20 {
            let frame = Int64(step) * 900 + 300
            switch step % 7 {
            case 0: try player.seek(toClipFrame: 5000, at: frame)
            case 1: try player.setSpeed(try Speed(factor: 0.5 + 0.1 * Double(step % 7)), at: frame)
            case 2: player.pause(at: frame)
            case 3: player.resume(at: frame)
            case 4: try player.setPitch(try Pitch(semitones: [12, -5, 0.3][step % 3]), at: frame)
            case 5: try player.setStrip(ChannelStrip(centre: .removed, low: 3, high: -Double(step)), at: frame)
            default: player.setGain(decibels: -6, at: frame)
            }
        }
        return harness
    }

    /// A short looped section, mostly from memory, with changed pitch.
    static func loopingPlayer(joint: Joint) throws -> Harness {
        let clip = testClip(channels: 2, frames: 20_000, rate: 44_100, seed: 2)
        let plan = PracticePlan(
            sections: [try Section(700..<4500)], passes: 1000, speeds: .constant(try Speed(factor: 0.8)),
            pitch: try Pitch(semitones: 3), joint: joint, formants: .keep)
        let score = try Score(plan, clipFrameCount: 20_000, sampleRate: 44_100)
        let harness = try Harness(clip, rate: 44_100, score: score)
        harness.player.start(at: 0)
        try harness.player.setPitch(try Pitch(semitones: -4), at: 22_000)
        return harness
    }

    /// A tape with a gliding speed, which changes during playing, in a loop.
    static func tapePlayer(joint: Joint) throws -> Harness {
        let clip = testClip(channels: 2, frames: 20_000, rate: 44_100, seed: 2)
        let plan = PracticePlan(
            sections: [try Section(700..<4500)], passes: 1000,
            speeds: .glide(from: try Speed(factor: 0.6), to: try Speed(factor: 1.3)), joint: joint, varispeed: true)
        let score = try Score(plan, clipFrameCount: 20_000, sampleRate: 44_100)
        let harness = try Harness(clip, rate: 44_100, score: score)
        harness.player.start(at: 0)
        try harness.player.setSpeed(try Speed(factor: 0.9), at: 22_000)
        return harness
    }

    static func renderInScope(_ harness: Harness, blocks: Int, block: Int) {
        let output = PlanarBuffer(channelCount: 2, frameCount: block)
        for index in 0..<blocks {
            harness.player.serve()
            RealtimeScope.enter()
            _ = unsafe harness.player.core.core.pointee.render(
                into: output.channels, outputChannels: 2, frameCount: block, adds: false, at: Int64(index * block))
            RealtimeScope.leave()
        }
    }

    @Test(
        "the render path allocates nothing, whatever it plays",
        .enabled(if: Workload.isOptimised && HeapTraffic.isCounted), arguments: Joint.allCases)
    func heap(joint: Joint) throws {
        expectNoTraffic(of: try Self.busyPlayer(joint: joint))
        expectNoTraffic(of: try Self.loopingPlayer(joint: joint))
        expectNoTraffic(of: try Self.tapePlayer(joint: joint))
    }

    private func expectNoTraffic(of harness: Harness) {
        let output = PlanarBuffer(channelCount: 2, frameCount: 64)
        for index in 0..<700 {
            harness.player.serve()
            let traffic = HeapTraffic.measure {
                _ = unsafe harness.player.core.core.pointee.render(
                    into: output.channels, outputChannels: 2, frameCount: 64, adds: false, at: Int64(index * 64))
            }
            #expect(traffic == .none, "block \(index)")
        }
        #expect(harness.player.status.state != .idle)
    }

    @Test(
        "the render path makes no call that the real-time sanitizer reports, whatever it plays",
        .enabled(if: RealtimeScope.isChecked, "the sanitizer is not linked, so that nothing would be found"),
        arguments: Joint.allCases)
    func sanitizer(joint: Joint) throws {
        // Any system call, lock or allocation in the scope ends the process.
        let players = [
            try Self.busyPlayer(joint: joint), try Self.loopingPlayer(joint: joint), try Self.tapePlayer(joint: joint),
        ]
        for harness in players {
            Self.renderInScope(harness, blocks: 700, block: 64)
            #expect(harness.player.status.outputFrame == 700 * 64)
        }
    }
}
