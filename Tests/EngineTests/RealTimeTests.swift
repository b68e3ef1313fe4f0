import Realtime
import TestSupport
import Testing

@testable import Engine

/// What holds only in optimised builds: at -Onone even generic arithmetic may allocate.
#if DEBUG
    private let isOptimised = false
#else
    private let isOptimised = true
#endif

@Suite("The render path")
struct RealTimeTests {
    /// A player with everything under way: stretched passes, gaps, joints, and commands that pile up.
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
            switch step % 5 {
            case 0: try player.seek(toClipFrame: 5000, at: frame)
            case 1: try player.setSpeed(try Speed(factor: 0.5 + 0.1 * Double(step % 7)), at: frame)
            case 2: player.pause(at: frame)
            case 3: player.resume(at: frame)
            default: player.setGain(decibels: -6, at: frame)
            }
        }
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
        "asks nothing of the heap, whatever it plays",
        .enabled(if: isOptimised && HeapTraffic.isCounted), arguments: Joint.allCases)
    func heap(joint: Joint) throws {
        let harness = try Self.busyPlayer(joint: joint)
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

    @Test("is clean under the real-time sanitizer, whatever it plays", arguments: Joint.allCases)
    func sanitizer(joint: Joint) throws {
        // With the sanitizer's runtime linked, any system call, lock or allocation in the scope ends the process.
        let harness = try Self.busyPlayer(joint: joint)
        Self.renderInScope(harness, blocks: 700, block: 64)
        #expect(harness.player.status.outputFrame == 700 * 64)
    }
}
