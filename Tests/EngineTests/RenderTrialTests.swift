import AudioDevices
import AudioFiles
import Clips
import EngineHarness
import Glibc
import Realtime
import TestSupport
import Testing

@_spi(Benchmarks) @testable import Engine

@Suite("Render trial")
struct RenderTrialTests {
    private let rate = 44_100

    private func score(frames: Int, speed: Double, passes: Int) throws -> Score {
        let plan = PracticePlan(
            sections: [try Section(1000..<Int64(frames))], passes: .count(passes),
            speeds: .constant(try Speed(factor: speed)))
        return try Score(plan, clipFrameCount: Int64(frames), sampleRate: rate)
    }

    @Test("a trial renders bit for bit what a player plays, to the end", .enabled(if: Workload.isOptimised))
    func sameSound() throws {
        let samples = testClip(channels: 2, frames: 9000, rate: rate, seed: 7)
        let score = try score(frames: 9000, speed: 0.8, passes: 2)
        let clip = try Clip.inMemory(samples, sampleRate: rate)
        var heard = [[Float]](repeating: [], count: 2)
        let trial = try RenderTrial(clip, score: score, periodFrames: 64) { block in
            for channel in 0..<2 {
                unsafe heard[channel] += UnsafeBufferPointer(start: block.channels[channel], count: block.frameCount)
            }
        }
        let harness = try Harness(samples, rate: rate, score: score, listens: true)
        harness.player.start(at: 0)
        // As on a device's thread: the remainder of a tail below the smallest normal number is zero.
        let flush = FlushToZero()
        let expected = harness.render(Int(score.length)) { 512 }
        flush.restore()
        #expect(trial.frameCount == score.frameCount)
        #expect(heard == expected)
        #expect(trial.blockMicroseconds.count == (Int(score.length) + 63) / 64)
        #expect(trial.starvedFrames == 0)
    }

    @Test(
        "the figures of a trial agree with the blocks: in order, in sum, and in later passes",
        .enabled(if: Workload.isOptimised))
    func figures() throws {
        let clip = try Clip.inMemory(testClip(channels: 1, frames: 9000, rate: rate, seed: 8), sampleRate: rate)
        let trial = try RenderTrial(clip, score: try score(frames: 9000, speed: 0.8, passes: 3), periodFrames: 128)
        #expect(trial.medianMicroseconds <= trial.p999Microseconds)
        #expect(trial.p999Microseconds <= trial.maximumMicroseconds)
        #expect(trial.maximumMicroseconds == trial.blockMicroseconds.map(Double.init).max())
        #expect(abs(trial.deadlineMicroseconds - 2902.494) < 0.001)
        let sum = trial.blockMicroseconds.reduce(0.0) { $0 + Double($1) }
        let share = 100 * sum / (Double(trial.blockMicroseconds.count) * trial.deadlineMicroseconds)
        #expect(abs(trial.cpuPercent - share) < 1e-9)
        #expect(trial.blockPasses.last == 3)
        #expect(trial.laterPassesCPUPercent != nil)
        let once = try RenderTrial(
            clip, score: try score(frames: 9000, speed: 0.8, passes: 3), periodFrames: 128, maximumFrames: 1000)
        #expect(once.frameCount == 1024)
        #expect(once.laterPassesCPUPercent == nil)
    }

    @Test(
        "a trial allocates and frees nothing while it renders",
        .enabled(if: Workload.isOptimised && HeapTraffic.isCounted))
    func heap() async {
        // In a separate process: other tests allocate all the time, which would hide the result.
        await #expect(processExitsWith: .success) {
            let tests = RenderTrialTests()
            let clip = try Clip.inMemory(
                testClip(channels: 2, frames: 9000, rate: tests.rate, seed: 9), sampleRate: tests.rate)
            let score = try tests.score(frames: 9000, speed: 0.8, passes: 3)
            let trial = try RenderTrial(clip, score: score, periodFrames: 64, watchesHeap: true)
            exit(trial.touchesHeap == false ? EXIT_SUCCESS : EXIT_FAILURE)
        }
    }
}
