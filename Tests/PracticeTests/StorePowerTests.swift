import Database
import Files
import Foundation
import Practice
import Sections
import SoundFileSupport
import TestSupport
import Testing

@Suite("Stores and losses of power")
struct StorePowerTests {
    /// Adds pairs of sections to a new store, and takes some of them back.
    private func judge(
        _ count: Int, lie: CrashDisk.Lie? = nil, using random: inout SeededGenerator
    ) throws -> CrashReport {
        let scratch = try Scratch()
        let disk = CrashDisk(scratch.path, lie: lie)
        let path = disk.root + "/practice.db"
        // The names of the sections after each change.
        var states: [[String]] = [[]]
        try disk.watchingDatabases {
            let store = try PracticeStore(.file(path))
            for number in 1...6 {
                var names = states[number - 1]
                if !names.isEmpty, Int.random(in: 0..<3, using: &random) == 0 {
                    try store.undo(recording().key)
                    names.removeLast(2)
                } else {
                    let added = ["first \(number)", "second \(number)"]
                    try store.apply(.add(added.map { SectionDraft(0..<10, name: $0) }), to: recording())
                    names += added
                }
                states.append(names)
                disk.tell(number)
            }
        }
        var other = random
        return try disk.crashes(count, using: &random) { image in
            let told = image.told.last ?? 0
            let store = try PracticeStore(.file(path))
            let names = try store.sections(of: recording()).sections.map(\.name).sorted()
            if let repair = store.repair { return "damaged: \(repair.message)" }
            let possible = states[told...min(told + 1, states.count - 1)]
            guard possible.contains(where: { $0.sorted() == names }) else {
                return "\(names) after change \(told)"
            }
            let check = try Database(path: path, creating: true).rows("PRAGMA integrity_check") {
                (row) throws(DatabaseError) in
                try row.text(0)
            }
            guard check == ["ok"] else { return "\(check)" }
            // It can go on; not each time, because that waits for the real disk.
            if Int.random(in: 0..<8, using: &other) == 0 {
                try store.apply(.add([SectionDraft(0..<10, name: "afterwards")]), to: recording())
            }
            return nil
        }
    }

    @Test("a store whose power goes has every change that was done, and none by half")
    func stores() throws {
        var random = SeededGenerator(printedFor: "stores and power")
        let count = environmentCount("WOODSHED_CRASHES", short: cases(400, few: 120))
        var report = CrashReport()
        while report.count < count { report.add(try judge(min(count, 400), using: &random)) }
        print("stores: \(report)")
        #expect(report.losses.isEmpty, "\(random): \(report)")
    }

    @Test(
        "a disk that only pretends to synchronise is noticed",
        arguments: [CrashDisk.Lie.synchronise, .synchroniseFolder])
    func lies(lie: CrashDisk.Lie) throws {
        var random = SeededGenerator(printedFor: "stores and \(lie)")
        let report = try judge(40, lie: lie, using: &random)
        #expect(report.lossCount > 0, "\(random): \(report)")
    }
}
