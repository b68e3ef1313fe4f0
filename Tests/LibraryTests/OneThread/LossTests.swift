import Files
import Foundation
import SoundFileSupport
import TestSupport
import Testing

@testable import Catalogue
@testable import Store

/// Repair, import, backup and cancelling, each ended by a kill, a full disk and a loss of power at its steps.
@Suite("Losses", .serialized)
struct LossTests {
    private static let variable = "WOODSHED_EARLY_ENDS"

    /// The soak chooses other steps each time; the short form always chooses the same, because its purpose is to notice
    /// a change.
    private static func generator(_ test: String) -> SeededGenerator {
        unsafe getenv(variable) == nil ? SeededGenerator(seed: 1) : SeededGenerator(printedFor: test)
    }

    /// Some of the numbers below `end`, spread evenly.
    private static func some(_ count: Int, below end: Int, using random: inout SeededGenerator) -> [Int] {
        (0..<count).map { index in
            let first = index * end / count
            return Int.random(in: first..<max(first + 1, (index + 1) * end / count), using: &random)
        }
    }

    @Test("a kill before any step loses nothing", arguments: LossTask.allCases)
    func kills(_ task: LossTask) async throws {
        var random = Self.generator("kills, \(task)")
        let bench = try LossBench(task)
        let count = environmentCount(Self.variable, short: cases(3, few: 1))
        var lost = 0
        for last in Self.some(count, below: bench.stepCount + 1, using: &random) {
            await #expect(processExitsWith: .signal(SIGKILL)) {
                [
                    name = task.rawValue as String, root = bench.root as String,
                    outside = bench.outsidePath as String, last = last as Int
                ] in
                guard let task = LossTask(rawValue: name) else { exit(1) }
                try LossBench.performUntilKilled(task, root, outside: outside, after: last)
            }
            let loss = try bench.loss(isDone: bench.takeNote())
            if loss != nil { lost += 1 }
            #expect(loss == nil, "\(random): killed after \(last) of \(bench.stepCount) steps")
            try bench.reset()
        }
        print("kills, \(task): \(count) at \(bench.stepCount) steps, \(lost) with a loss")
    }

    @Test(
        "a disk that is full from any step on loses nothing, and keeps nothing unfinished", arguments: LossTask.allCases
    )
    func fullDisks(_ task: LossTask) throws {
        var random = Self.generator("full disks, \(task)")
        let bench = try LossBench(task)
        let count = environmentCount(Self.variable, short: cases(8, few: 3))
        var (lost, refused) = (0, 0)
        for last in Self.some(count, below: bench.stepCount + 1, using: &random) {
            let disk = EarlyEnd(.room, after: last)
            let outcome = Result { try disk.watchingDatabases(in: bench.root) { try bench.perform(disk) } }
            let isDone = (try? outcome.get()) ?? false
            if case .failure(let error) = outcome {
                refused += 1
                let status = (error as? StoreError)?.exitStatus ?? (error as? RecordingLibraryError)?.exitStatus
                #expect(status == .inputOutput, "\(random): after \(last): \(error)")
            }
            #expect(try bench.remains().isEmpty, "\(random): after \(last) steps, \(outcome)")
            let loss = try bench.loss(isDone: isDone)
            if loss != nil { lost += 1 }
            #expect(loss == nil, "\(random): full after \(last) of \(bench.stepCount) steps")
            try bench.reset()
        }
        print("full disks, \(task): \(count) at \(bench.stepCount) steps, \(refused) told, \(lost) with a loss")
        #expect(refused > 0)
    }

    private func judge(
        _ task: LossTask, _ count: Int, lie: CrashDisk.Lie? = nil, using random: inout SeededGenerator
    ) throws -> CrashReport {
        let bench = try LossBench(task)
        let disk = CrashDisk(bench.root, lie: lie)
        let isDone = try disk.watchingDatabases { try bench.perform(disk) }
        #expect(isDone)
        disk.tell(1)
        return try disk.crashes(count, using: &random) { image in try bench.loss(isDone: image.told.last == 1) }
    }

    @Test("a loss of power after any step loses nothing", arguments: LossTask.allCases)
    func power(_ task: LossTask) throws {
        var random = Self.generator("power, \(task)")
        let count = environmentCount(Self.variable, short: cases(30, few: 10))
        let report = try judge(task, count, using: &random)
        print("power, \(task): \(report)")
        #expect(report.losses.isEmpty, "\(random): \(report)")
        guard task == .importBundle || task == .backup else { return }
        let pretended = try CrashReport.untilLoss { try judge(task, 10, lie: .synchronise, using: &random) }
        #expect(pretended.lossCount > 0, "\(random): \(pretended)")
    }
}
