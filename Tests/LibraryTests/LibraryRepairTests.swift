import AudioFiles
import Database
import Foundation
import SoundFileSupport
import TestSupport
import Testing

@testable import Catalogue
@testable import Library
@testable import Store

@Suite("Repair of a library's store")
struct LibraryRepairTests {
    @Test("a repair keeps recordings with their edited words and the times of the edits")
    func editedWords() throws {
        let harness = try LibraryHarness()
        let item = try harness.library.add(fileAt: harness.wave("song.wav", seed: 1)).item
        let edited = try harness.library.edit(item.number) { $0.title = "Autumn Leaves" }
        #expect(edited.words.title == "Autumn Leaves")
        let path = harness.scratch.file("data/practice.db")
        let file = try #require(FileHandle(forUpdatingAtPath: path))
        try file.write(contentsOf: Data("no SQLite header".utf8))
        try file.close()

        let store = try PracticeStore(.file(path))
        let repaired = try RecordingLibrary(store, folder: harness.scratch.file("data/library"))
        #expect(try repaired.items().map(\.words) == [edited.words])
        #expect(store.repair?.itemCount == 1 && store.repair?.isComplete == true)
    }

    @Test("a repair and a restoration replace the file behind a link, and keep the link")
    func linkedStore() throws {
        let harness = try LibraryHarness()
        _ = try harness.library.add(fileAt: harness.wave("song.wav", seed: 1))
        let backup = harness.scratch.file("backup")
        try harness.library.backUp(to: backup)
        let (path, target) = (harness.scratch.file("data/practice.db"), harness.scratch.file("disk.db"))
        try FileManager.default.moveItem(atPath: path, toPath: target)
        try FileManager.default.createSymbolicLink(atPath: path, withDestinationPath: target)
        func linked() throws -> RecordingLibrary {
            try RecordingLibrary(PracticeStore(.file(path)), folder: harness.scratch.file("data/library"))
        }
        func isLink() -> Bool { (try? FileManager.default.destinationOfSymbolicLink(atPath: path)) == target }
        let file = try #require(FileHandle(forUpdatingAtPath: target))
        try file.write(contentsOf: Data("no SQLite header".utf8))
        try file.close()
        let repaired = try linked()
        #expect(try repaired.items().count == 1 && isLink())
        #expect(repaired.store.repair?.damagedPath == target + ".damaged")
        try Database(path: target, creating: false).run("DELETE FROM recording")
        _ = try linked().restore(from: backup)
        #expect(try linked().items().count == 1 && isLink())
        #expect(harness.names(harness.scratch.file("data")).allSatisfy { !$0.contains(".part") })
    }

    @Test(
        "an impossible value starts no repair, is reported, and is read as none or omits its row")
    func impossibleValue() throws {
        let harness = try LibraryHarness()
        for seed in 1...3 { _ = try harness.library.add(fileAt: harness.wave("\(seed).wav", seed: UInt64(seed))) }
        let path = harness.scratch.file("data/practice.db")
        for number in 1...2 {
            let sound = StoredTake.Sound(time: 1, sampleRate: 48_000, channelCount: 1, frameCount: 5)
            try harness.store.addTake(inFileAt: harness.scratch.file("take-\(number).wav"), sound)
        }
        let database = try Database(path: path, creating: false)
        try database.run("UPDATE item SET edited = 'no times' WHERE id = 2")
        try database.run("UPDATE take SET sample_rate = 4000000000 WHERE id = 1")
        _ = try database.rows("PRAGMA ignore_check_constraints = ON") { _ in }
        try database.run("UPDATE take SET rating = -1 WHERE id = 2")
        func told(_ store: PracticeStore, _ ending: String) -> Bool {
            store.unreadable.contains { $0.hasSuffix(ending) }
        }
        for _ in 0..<3 {
            let store = try PracticeStore(.file(path))
            let library = try RecordingLibrary(store, folder: harness.scratch.file("data/library"))
            #expect(try Set(library.items().map(\.number)) == [1, 2, 3] && library.item(2) != nil)
            #expect(store.unreadable.count == 1 && told(store, "; the value is read as empty"))
            #expect(try store.takes().map(\.number) == [2] && store.takes().first?.rating == nil)
            #expect(store.unreadable.count == 2 && told(store, "; the row is left out"))
            #expect(store.repair == nil)
        }
        #expect(!harness.names(harness.scratch.file("data")).contains { $0.contains("damaged") })
    }

    @Test("an unfinished copy in the library's folder becomes no recording, and is reported after an hour")
    func unfinished() throws {
        let harness = try LibraryHarness()
        try harness.library.add(fileAt: harness.wave("song.wav", seed: 1))
        let part = try harness.wave("data/library/.woodshed-1-2.part", seed: 2)
        var report = try harness.library.check()
        #expect(report.isClean, "\(report)")
        try harness.library.repair(report)
        #expect(try harness.library.items().count == 1 && harness.isThere(part))
        try FileManager.default.setAttributes(
            [.modificationDate: Date(timeIntervalSinceNow: -7200)], ofItemAtPath: part)
        report = try harness.library.check()
        #expect(report.parts.map(\.path) == [part] && report.orphans.isEmpty, "\(report)")
        try harness.library.repair(report)
        #expect(try harness.library.items().count == 1 && !harness.isThere(part))
    }

    @Test("a check finds a linked file that was moved to a name that is not UTF-8")
    func movedToOldName() throws {
        let harness = try LibraryHarness()
        let item = try harness.library.add(fileAt: harness.wave("a.wav", seed: 1), .link).item
        // The byte E9, a letter of Latin-1.
        let moved = harness.scratch.file("caf\u{10FFE9}.wav")
        // Some file systems accept UTF-8 only.
        guard unsafe rename(item.path, FileName.systemName(moved)) == 0 else { return }
        let report = try harness.library.check()
        #expect(report.moved.map(\.path) == [moved] && report.missing.isEmpty)
        try harness.library.repair(report)
        #expect(try harness.library.check().isClean)
    }
}
