import AudioDevices
import AudioFiles
import Clips
import EngineHarness
import Glibc
import TestSupport
import Testing
import VirtualCardSupport

@testable import Engine

@Suite("Two periods of 128 frames on a busy machine")
struct DropoutTests {
    // In a separate process, whose memory may be locked; only optimised sound is computed in time. Among ordinary
    // threads, a sleeping thread is woken before a computing one, and so shows no delay.
    @Test(
        "a slowed loop drops out no more often than the delays that other threads measure on the machine explain",
        .enabled(if: Workload.isWhole),
        .enabled(if: Privileges.allowRealTime, "this user may not schedule in real time"))
    func dropouts() async {
        let result = await #expect(processExitsWith: .success, observing: [\.standardOutputContent]) {
            let run = try DropoutRun()
            let account = try run.play(seconds: environmentCount("WOODSHED_DROPOUT_SECONDS", short: 2))
            print(account)
            print(account.isExplained ? "explained" : "")
            print(account.tells ? "" : "tells nothing")
        }
        // The output of a failed process is lost; so the process succeeds, and prints the result.
        let said = String(decoding: result?.standardOutputContent ?? [], as: UTF8.self)
        print(said)
        let lines = said.split(separator: "\n")
        #expect(lines.contains("explained"))
        withKnownIssue("the machine was so busy that it explains any dropout", isIntermittent: true) {
            #expect(!lines.contains("tells nothing"))
        }
    }

    @Test("a dropout is explained by a gap that ends within two buffers before it, and by no other")
    func explanation() {
        let gap = WakeGap(due: 100_000_000, woken: 103_000_000)
        func isExplained(_ dropout: Int64) -> Bool { DropoutAccount.isExplained(dropout, by: [gap]) }
        #expect(!isExplained(99_000_000) && isExplained(101_000_000) && isExplained(103_000_000))
        #expect(isExplained(113_000_000) && !isExplained(114_000_000))
        #expect(!DropoutAccount.isExplained(103_000_000, by: [WakeGap(due: 102_500_000, woken: 103_000_000)]))
    }
}

/// A player at three quarters of the speed on a card of the real clock, with little time for each block.
private struct DropoutRun {
    static let priority = 70

    let rig: VirtualCardRig
    let engine: Engine
    let player: Player

    init() throws {
        let rate = 48_000
        rig = try VirtualCardRig()
        let request = try StreamRequest(
            sampleRate: rate, channelCount: 2, periodFrames: 128, periodCount: 2, realtimePriority: Self.priority)
        engine = try Engine(output: .system(rig.name), request: request)
        let clip = testClip(channels: 2, frames: 10 * rate, rate: rate, seed: 5)
        let plan = PracticePlan(
            sections: [try Section(0..<Int64(10 * rate))], passes: 1_000_000, speeds: .constant(try Speed(factor: 0.75))
        )
        player = try engine.makePlayer(
            try Clip.inMemory(clip, sampleRate: rate),
            score: try Score(plan, clipFrameCount: Int64(10 * rate), sampleRate: rate))
    }

    func play(seconds: Int) throws -> DropoutAccount {
        player.waitUntilPrepared()
        // An engine in a host does not lock the host's code. A page of code that the disk delivers during a block
        // delays that block alone, so no witness sees the delay.
        let isLocked = mlockall(MCL_CURRENT | MCL_FUTURE) == 0
        let faultsBefore = Self.majorFaults
        player.start(at: 0)
        let witness = try WakeWitness(priority: Self.priority + 1)
        let load = try BusyMachine()
        try engine.start()
        var dropouts: [Int64] = []
        // The card remembers the first 4096 dropouts; a run with more gives no useful figure.
        for _ in 0..<seconds { sleep(1) }
        engine.stop()
        dropouts = rig.records.filter { $0.fault == .xrun }.map(\.time)
        load.stop()
        let (gaps, missed) = witness.stop()
        return DropoutAccount(
            seconds: seconds, dropouts: dropouts, count: rig.truth(.playback).xruns, gaps: gaps, gapsMissed: missed,
            faults: isLocked ? 0 : Self.majorFaults - faultsBefore, statistics: engine.statistics)
    }

    /// Number of pages that this process has read from the disk.
    private static var majorFaults: Int {
        var usage = rusage()
        unsafe getrusage(__rusage_who_t(RUSAGE_SELF.rawValue), &usage)
        return usage.ru_majflt
    }
}

/// Dropouts of the card, and delays of the machine by observer.
private struct DropoutAccount: CustomStringConvertible {
    /// Two periods of 128 frames at 48 kHz, in nanoseconds.
    static let buffer: Int64 = 5_333_333
    /// In microseconds: a thread that wakes a fifth of the buffer late, and computes then, is near its deadline.
    static let gap: Int64 = 1_000

    let seconds: Int
    /// Times at which the card ran dry.
    let dropouts: [Int64]
    /// Number of dropouts, by the card's own count.
    let count: Int
    let gaps: [WakeGap]
    let gapsMissed: Int
    /// Number of pages read from the disk during the run; 0 with locked memory.
    let faults: Int
    let statistics: EngineStatistics

    var unexplained: Int { dropouts.count { !Self.isExplained($0, by: gaps) } }

    /// Nanoseconds in which a dropout would be explained, summed over all processors.
    private var explainedTime: Int64 {
        gaps.filter { $0.microseconds >= Self.gap }.reduce(0) { $0 + $1.woken - $1.due + 2 * Self.buffer }
    }

    /// Whether sound was played for most of the time in which the machine ran, the card's list of dropouts did not
    /// overflow, and no dropout is without explanation: each page from the disk explains one.
    var isExplained: Bool {
        // 375 blocks a second, less the blocks in the gaps; half of the rest.
        let blocks = (Int64(seconds) * 1_000_000_000 - explainedTime) / 1_000_000 * 375 / 1000 / 2
        return unexplained <= faults && count == dropouts.count && gapsMissed == 0 && statistics.blocks > blocks
    }

    /// Whether a dropout at a random moment would have been explained for less than half of the time.
    var tells: Bool { explainedTime < Int64(seconds) * 500_000_000 }

    static func isExplained(_ dropout: Int64, by gaps: [WakeGap]) -> Bool {
        gaps.contains { $0.microseconds >= gap && $0.due <= dropout && dropout <= $0.woken + 2 * buffer }
    }

    var description: String {
        let late = gaps.count { $0.microseconds >= Self.gap }
        let tooLate = gaps.count { $0.microseconds * 1000 >= Self.buffer / 2 }
        let longest = gaps.map(\.microseconds).max() ?? 0
        let load = statistics.load.map { "p50 \($0.median), p99.9 \($0.p999), at most \($0.maximum)" } ?? "unknown"
        return """
            \(seconds) s of 2 periods of 128 frames, \(statistics.schedulingClass), two busy threads on each processor: \
            \(count) dropouts, \(unexplained) of them unexplained
            beside them, threads that only sleep woke \(late) times 1 ms late or more, \(tooLate) times a period or more, \
            \(longest) us at most; the disk delivered \(faults) pages
            render time over period: \(load)
            """
    }
}
