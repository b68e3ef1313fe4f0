import Database
import Foundation
import Practice
import Sections
import SoundFileSupport
import TestSupport
import Testing

@testable import Store

@Suite("Store of several processes")
struct StoreProcessTests {
    @Test(
        "two processes that edit at once lose no edit, and the edits of both can be undone",
        .enabled(if: !Sanitizers.watchThreads))
    func twoProcesses() async throws {
        let scratch = try Scratch()
        let path = scratch.file("data/practice.db")
        let count = cases(40, few: 10)
        await withTaskGroup { group in
            for writer in 0..<2 {
                group.addTask {
                    await #expect(processExitsWith: .success) {
                        [path = path as String, writer = writer as Int, count = count as Int] in
                        // A busy machine may delay the other process while this process holds the store.
                        let store = try PracticeStore(.file(path), schema: .current, busyTimeout: 120_000)
                        for number in 0..<count {
                            try store.apply(.add([SectionDraft(0..<10, name: "\(writer) \(number)")]), to: recording())
                        }
                        exit(0)
                    }
                }
            }
        }
        let store = try PracticeStore(.file(path))
        let sections = try store.sections(of: recording()).sections
        let names = (0..<2).flatMap { writer in (0..<count).map { "\(writer) \($0)" } }
        #expect(sections.map(\.name).sorted() == names.sorted() && Set(sections.map(\.id)).count == 2 * count)
        for _ in 0..<2 * count { try store.undo(recording().key) }
        #expect(try store.sections(of: recording()).sections.isEmpty)
    }

    @Test(
        "a store that is killed at any moment has every completed edit, and none by half",
        .enabled(if: !Sanitizers.watchThreads))
    func kills() async throws {
        var generator = SeededGenerator(printedFor: "killed stores")
        let scratch = try Scratch()
        let path = scratch.file("practice.db")
        var done = 0
        for round in 0..<environmentCount("WOODSHED_KILLS", short: cases(15, few: 3)) {
            let microseconds = UInt32.random(in: 0...20_000, using: &generator)
            await #expect(processExitsWith: .signal(SIGKILL)) {
                [path = path as String, microseconds = microseconds as UInt32] in
                try Self.editUntilKilled(path, after: microseconds)
            }
            let report = FileManager.default.contents(atPath: path + ".report") ?? Data()
            let told = report.count < 8 ? 0 : unsafe report.withUnsafeBytes { unsafe $0.loadUnaligned(as: Int.self) }
            let store = try PracticeStore(.file(path))
            let sections = try store.sections(of: recording()).sections
            let pairs = sections.count / 2
            let names = (0..<pairs).flatMap { ["first \($0)", "second \($0)"] }
            #expect(sections.map(\.name).sorted() == names.sorted(), "round \(round)")
            #expect(pairs == told || pairs == told + 1, "round \(round): \(pairs) of \(told)")
            #expect(store.repair == nil && pairs >= done)
            done = pairs
            let check = try Database(path: path, creating: true).rows("PRAGMA integrity_check") {
                (row) throws(DatabaseError) in
                try row.text(0)
            }
            #expect(check == ["ok"], "round \(round)")
            if pairs > 200 {
                try FileManager.default.removeItem(atPath: path)
                try FileManager.default.removeItem(atPath: path + ".report")
                done = 0
            }
        }
        print("killed stores: \(done) edits in the last one")
    }

    /// Adds pairs of sections in this process, which another of its threads kills meanwhile.
    private static func editUntilKilled(_ path: String, after microseconds: UInt32) throws {
        let report = unsafe open(path + ".report", O_RDWR | O_CREAT, 0o600)
        let store = try PracticeStore(.file(path))
        let begun = try store.sections(of: recording()).sections.count / 2
        // The number of pairs that an earlier process did not live to report.
        var told = begun
        unsafe pwrite(report, &told, 8, 0)
        Thread.detachNewThread {
            usleep(microseconds)
            raise(SIGKILL)
        }
        // Bounded, in case the killer dies first.
        for number in begun..<begun + 100_000 {
            let pair = ["first \(number)", "second \(number)"].map { SectionDraft(0..<10, name: $0) }
            try store.apply(.add(pair), to: recording())
            told = number + 1
            unsafe pwrite(report, &told, 8, 0)
        }
        // The killer may come later than all edits.
        sleep(120)
    }
}
