import EngineHarness
import Glibc
import TestSupport
import Testing

@testable import Engine

@Suite("Commands to a player at a joint")
struct JointCommandTests {
    static let rate = JointRun.rate
    /// Ends this process after so much processor time: an endless loop uses up the time on a machine with any load. The
    /// process's other limit, in real time, is no shorter.
    static func allowProcessorTime(seconds: UInt) {
        var limit = rlimit(rlim_cur: rlim_t(seconds), rlim_max: rlim_t(seconds) + 10)
        unsafe precondition(setrlimit(__rlimit_resource_t(RLIMIT_CPU.rawValue), &limit) == 0, "no limit can be set")
        alarm(max(alarm(0), UInt32(seconds)))
    }

    @Test("commands at a joint never hold up the render thread, and sound as in a slow reference")
    func everywhere() async {
        await #expect(processExitsWith: .success) {
            let runs = environmentCount("WOODSHED_EDIT_RUNS", short: cases(40, few: 10))
            JointCommandTests.allowProcessorTime(seconds: 600 + 6 * UInt(runs))
            var (plain, compared) = (0, 0)
            for number in 0..<runs {
                let run = try JointRun(number, deeds: 20)
                for period in cases(JointRun.periods, few: [64, 1024]) {
                    #expect(try run.output(inBlocksOf: period) == run.output, "run \(number), blocks of \(period)")
                }
                guard run.isPlain else { continue }
                plain += 1
                guard let expected = run.reference()?[0] else { continue }
                compared += 1
                let firstWrong = expected.indices.first { abs(run.output[0][$0] - expected[$0]) > 1e-5 }
                #expect(firstWrong == nil, "run \(number)")
            }
            #expect(
                compared > 0 && compared * 10 >= plain * 8, "the reference could not tell of \(plain - compared) runs")
        }
    }

    @Test(
        "a speed set at a joint is that of the pass that begins there, and is reported at that frame",
        arguments: [1.0, 0.5])
    func speedAtJoint(factor: Double) async {
        await #expect(processExitsWith: .success) { [factor] in
            JointCommandTests.allowProcessorTime(seconds: 100)
            let clip = testClip(channels: 1, frames: 5000, rate: 8000, seed: 3)
            let plan = PracticePlan(
                sections: [try Section(0..<1024)], passes: 1000, speeds: .constant(try Speed(factor: factor)),
                joint: .hard)
            let score = try Score(plan, clipFrameCount: 5000, sampleRate: 8000)
            let joint = Int64(1024 / factor)
            // Requested before the joint, but too late for the pass: the change has always been audible from the joint
            // on.
            let expected = try Harness(clip, rate: 8000, score: score)
            expected.player.start(at: 0)
            try expected.player.setSpeed(try Speed(factor: 0.8), at: joint - 1)
            let sound = expected.render(8192) { 256 }
            for block in [256, 1024] {
                let harness = try Harness(clip, rate: 8000, score: score)
                let events = harness.player.events
                harness.player.start(at: 0)
                try harness.player.setSpeed(try Speed(factor: 0.8), at: joint)
                #expect(harness.render(8192) { block } == sound)
                harness.player.endEvents()
                var changes: [Int64] = []
                try await withPatience {
                    for await event in events where event.kind == .speedChanged { changes.append(event.frame) }
                }
                #expect(changes == [joint])
            }
        }
    }
}
