import AudioFiles
import Database
import Foundation
import Sections
import SoundFileSupport
import TestSupport
import Testing

@testable import Store

@Suite("History after a repair")
struct RepairedHistoryTests {
    @Test("a repair keeps the histories of whole recordings, and each fitting change of the others")
    func histories() throws {
        let scratch = try Scratch()
        let path = scratch.file("practice.db")
        try SalvageTests.make(path)
        let page = try #require(try SalvageTests.pages(of: path).first { $0.owner == "section" && $0.kind == "leaf" })
        let file = try FileHandle(forWritingTo: URL(fileURLWithPath: path))
        try file.seek(toOffset: UInt64(4096 * (page.number - 1)))
        try file.write(contentsOf: Data(repeating: 0xA5, count: 64))
        try file.close()
        let cause = StoreError(.damaged("a test"), path: path)
        let repair = try #require(try StoreRepair(of: path, schema: .current, cause: cause, busyTimeout: 5000))
        #expect(!repair.isComplete)
        let store = try PracticeStore(.file(path))
        let recordings = try store.recordings().map(\.recording)
        let kept = try recordings.filter { try store.history(of: $0.key).undo != nil }
        #expect(kept.count >= 301 - Int(page.rowCount) && kept.count < 301)
        for recording in [try #require(kept.first), try #require(kept.last)] {
            let before = try store.sections(of: recording.key)?.sections
            _ = try store.undo(recording.key)
            #expect(try store.sections(of: recording.key)?.sections != before)
            _ = try store.redo(recording.key)
            #expect(try store.sections(of: recording.key)?.sections == before)
        }
    }

    @Test("a repair keeps no change whose sections are missing")
    func fittingChanges() throws {
        let scratch = try Scratch()
        let store = try PracticeStore(.file(scratch.file("practice.db")))
        let recording = PracticeRecording(
            key: RecordingKey(high: 1, low: 1), sampleRate: 44_100, frameCount: 100_000, title: "made", path: nil)
        for (index, name) in ["a", "b", "c", "d"].enumerated() {
            let first = Int64(index) * 100
            _ = try store.apply(.add([SectionDraft(first..<first + 50, name: name)]), to: recording)
        }
        _ = try store.undo(recording.key)
        try store.change { (rows) throws(DatabaseError) in
            try rows.database.run("DELETE FROM section WHERE name = 'b'")
            try rows.keepFittingChanges()
        }
        func names() throws -> [String] { try store.sections(of: recording.key)?.sections.map(\.name).sorted() ?? [] }
        _ = try store.redo(recording.key)
        #expect(try names() == ["a", "c", "d"])
        for _ in 0..<2 { _ = try store.undo(recording.key) }
        #expect(try names() == ["a"])
        #expect(try store.history(of: recording.key).undo == nil)
        #expect(throws: SectionError.self) { try store.undo(recording.key) }
    }

    @Test("a repair keeps the history of a recording of which only the key is left", arguments: 0...3)
    func lostRecording(undone: Int) throws {
        let scratch = try Scratch()
        let store = try PracticeStore(.file(scratch.file("practice.db")))
        let recording = PracticeRecording(
            key: RecordingKey(high: 1, low: 1), sampleRate: 44_100, frameCount: 100_000, title: "made", path: nil)
        for (index, name) in ["a", "b", "c"].enumerated() {
            let first = Int64(index) * 100
            _ = try store.apply(.add([SectionDraft(first..<first + 50, name: name)]), to: recording)
        }
        for _ in 0..<undone { _ = try store.undo(recording.key) }
        func names() throws -> [String] { try store.sections(of: recording.key)?.sections.map(\.name).sorted() ?? [] }
        let before = try names()
        try store.change { (rows) throws(DatabaseError) in
            try rows.database.run(
                "UPDATE recording SET sample_rate = \(StoreRows.lostRate), frame_count = 0, title = '', done = 0")
            try rows.keepFittingChanges()
        }
        // The file is opened again.
        try store.see(recording)
        #expect(try names() == before)
        for _ in 0..<undone { _ = try store.redo(recording.key) }
        #expect(try names() == ["a", "b", "c"])
        for _ in 0..<3 { _ = try store.undo(recording.key) }
        #expect(try names().isEmpty)
    }

    @Test("a refused statement that meets no impossible value starts no repair, and drops no row")
    func otherRefusal() throws {
        let scratch = try Scratch()
        let path = scratch.file("practice.db")
        let store = try PracticeStore(.file(path))
        let recording = PracticeRecording(
            key: RecordingKey(high: 1, low: 1), sampleRate: 44_100, frameCount: 100_000, title: "made", path: nil)
        _ = try store.apply(.mark(frame: 5), to: recording)
        let database = try Database(path: path, creating: false)
        _ = try database.rows("PRAGMA ignore_check_constraints=ON") { _ in }
        try database.run("UPDATE section SET hard = 7 WHERE row = 1")
        #expect(throws: StoreError.self) {
            try store.change { (rows) throws(DatabaseError) in _ = try rows.database.run("SELECT abs(\(Int64.min))") }
        }
        #expect(store.repair == nil && !FileManager.default.fileExists(atPath: path + ".damaged"))
        let count = try database.first("SELECT count(*) FROM section WHERE hard = 7") {
            (row) throws(DatabaseError) in try row.integer(0)
        }
        #expect(count == 1)
    }
}
