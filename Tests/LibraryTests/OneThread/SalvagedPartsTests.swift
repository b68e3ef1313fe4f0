import AudioFiles
import Database
import Foundation
import Sections
import SoundFileSupport
import Testing

@testable import Catalogue
@testable import Library
@testable import Store

@Suite("Salvage of parts")
struct SalvagedPartsTests {
    @Test("a salvage counts the returned parts of playlists, feeds and recordings outside the library")
    func parts() throws {
        let full = try FullLibrary()
        let library = full.harness.library
        let elsewhere = PracticeRecording(
            key: RecordingKey(high: 1, low: 2), sampleRate: 48_000, frameCount: 9000, title: "outside", path: nil)
        try full.harness.store.remember(elsewhere, position: 77, settings: [:])
        let before = try contents(library)
        let old = try full.copy("practice.db.damaged")
        let heard = try Database(path: old, creating: false)
        try heard.run("UPDATE episode SET is_new = 0 WHERE id = (SELECT max(id) FROM episode)")
        let database = try Database(path: full.path, creating: false)
        for (change, counted) in [
            ("DELETE FROM episode WHERE id = (SELECT min(id) FROM episode)", \SalvageSummary.episodes),
            ("UPDATE episode SET is_new = 1", \.episodes),
            ("DELETE FROM entry WHERE place = (SELECT max(place) FROM entry)", \.entries),
            ("DELETE FROM recording WHERE id NOT IN (SELECT recording FROM item)", \.outside),
        ] {
            try database.run(change)
            let summary = try library.salvage(storeAt: old)
            #expect(summary[keyPath: counted] > 0, "\(change)")
            #expect(try library.salvage(storeAt: old).isEmpty, "\(change)")
        }
        #expect(try contents(library).filter { !$0.hasPrefix("episode") } == before.filter { !$0.hasPrefix("episode") })
    }

    @Test("a salvage reports the entries of a playlist that changed since")
    func otherEntries() throws {
        let full = try FullLibrary()
        let library = full.harness.library
        let old = try full.copy("practice.db.damaged")
        let list = try #require(try library.playlist(named: "Warm up"))
        let entries = try library.entries(of: list)
        _ = try library.removeEntries([1], from: list)
        let summary = try library.salvage(storeAt: old)
        #expect(
            summary.conflicts == [
                SalvageConflict(
                    thing: "Warm up", field: "entries", kept: "", passedOver: entries[0].item.words.title)
            ])
        #expect(summary.isEmpty)
    }

    @Test("a salvage knows a renumbered section that was renamed or removed since")
    func againAfterChanges() throws {
        let full = try FullLibrary()
        let old = try full.copy("practice.db.damaged")
        let library = try full.library("new/practice.db")
        let recording = try FullLibrary.recording(full.songs[0])
        let others = [SectionDraft(500..<700, name: "new"), SectionDraft(600..<800, name: "newer")]
        _ = try library.store.apply(.add(others), to: recording)
        _ = try library.salvage(storeAt: old)
        let sections = try #require(try library.store.sections(of: recording.key)).sections
        let (intro, solo) = try (
            #require(sections.first { $0.name == "intro" }), #require(sections.first { $0.name == "solo" })
        )
        #expect(intro.id == 3 && solo.id == 4)
        _ = try library.store.apply(.rename(id: intro.id, name: "head"), to: recording)
        _ = try library.store.apply(.remove(ids: [solo.id]), to: recording)
        let before = try contents(library)
        #expect(try library.salvage(storeAt: old).isEmpty && contents(library) == before)
    }

    @Test("a salvage leaves no temporary table")
    func noTables() throws {
        let full = try FullLibrary()
        let old = try full.copy("practice.db.damaged")
        let library = try full.library("new/practice.db")
        _ = try library.salvage(storeAt: old)
        let count = try library.store.change { (rows) throws(DatabaseError) in
            try rows.database.first("SELECT count(*) FROM temp.sqlite_schema") { (row) throws(DatabaseError) in
                try row.integer(0)
            }
        }
        #expect(count == 0)
    }

    @Test("a salvage distinguishes sections rated in the same second by their order")
    func sameSecond() throws {
        let harness = try LibraryHarness()
        let item = try harness.library.add(fileAt: harness.wave("a.wav", seed: 1, frames: 4000)).item
        let recording = try FullLibrary.recording(item)
        let drafts = (0..<3).map { SectionDraft(Int64(1000 * $0)..<Int64(1000 * $0 + 500), name: "S\($0)") }
        for section in try harness.store.apply(.add(drafts), to: recording).added {
            try harness.store.review(section: section.id, of: recording, .good, at: 1_790_000_000)
        }
        let old = harness.scratch.file("old.db")
        try FileManager.default.copyItem(atPath: harness.scratch.file("data/practice.db"), toPath: old)
        let library = try RecordingLibrary(
            PracticeStore(.file(harness.scratch.file("new.db"))), folder: harness.scratch.file("data/library"))
        let others = [SectionDraft(500..<700, name: "a"), SectionDraft(600..<800, name: "b")]
        _ = try library.store.apply(.add(others), to: recording)
        #expect(try library.salvage(storeAt: old).sections == 3)
        for section in try #require(try library.store.sections(of: recording.key)).sections
        where section.name.hasPrefix("S") {
            _ = try library.store.apply(.rename(id: section.id, name: "N" + section.name), to: recording)
        }
        let before = try contents(library)
        #expect(try library.salvage(storeAt: old).isEmpty && contents(library) == before)
    }

    @Test("a salvage returns a second entry of a recording in a playlist, and reports differing marks")
    func twice() throws {
        let full = try FullLibrary()
        let (library, store) = (full.harness.library, full.harness.store)
        let list = try #require(try library.playlist(named: "Warm up"))
        _ = try library.add([full.songs[1].number], to: list)
        let recording = try FullLibrary.recording(full.songs[0])
        let old = try full.copy("practice.db.damaged")
        let section = try #require(try store.sections(of: recording.key)?.sections.first)
        try Database(path: old, creating: false).run("UPDATE section SET hard = 1 WHERE id = \(section.id)")
        try Database(path: full.path, creating: false).run(
            "DELETE FROM entry WHERE place = (SELECT max(place) FROM entry)")
        let summary = try library.salvage(storeAt: old)
        #expect(summary.entries == 1)
        #expect(try library.entries(of: list).map(\.item.number) == [2, 1, 2].map { full.songs[$0 - 1].number })
        #expect(summary.conflicts.map(\.field) == ["mark as hard"])
        #expect(summary.conflicts.first?.thing.hasPrefix("Blue Bossa: ") == true)
        #expect(try library.salvage(storeAt: old).isEmpty)
    }

    @Test("a salvage leaves sections that another recording has adopted since with that recording")
    func adopted() throws {
        let full = try FullLibrary()
        let (library, store) = (full.harness.library, full.harness.store)
        let old = try full.copy("practice.db.damaged")
        let (giver, taker) = try (FullLibrary.recording(full.songs[0]), FullLibrary.recording(full.songs[1]))
        let given = try #require(try store.sections(of: giver.key)).sections
        let drafts = given.map { SectionDraft($0.frames, name: $0.name) }
        _ = try store.apply(.add(drafts), to: taker) { change in
            Dictionary(
                uniqueKeysWithValues: zip(change.added, given).map {
                    ($0.id, SectionOrigin(key: giver.key, sectionID: $1.id))
                })
        }
        let before = try contents(library)
        let summary = try library.salvage(storeAt: old)
        #expect(summary.practice + summary.reviews == 0, "\(summary)")
        #expect(try contents(library).filter { $0.hasPrefix("review") } == before.filter { $0.hasPrefix("review") })
    }

    @Test("a salvage reads a store through a link with its journal, and refuses a store with a log")
    func journals() throws {
        let full = try FullLibrary()
        let folder = full.harness.scratch.file("old")
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: false)
        let (link, file) = (full.harness.scratch.file("link.db"), folder + "/p.db")
        try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: file)
        // A change that another program has begun and written, but not completed.
        let whole = try full.copy("whole.db")
        let busy = try Database(path: whole, creating: false)
        _ = try busy.rows("PRAGMA cache_spill=1") { _ in }
        _ = try busy.rows("PRAGMA cache_size=1") { _ in }
        try busy.run("BEGIN IMMEDIATE")
        for count in 0..<200 {
            try busy.run("UPDATE item SET title = 'half \(count)', licence = hex(zeroblob(20000))")
        }
        for ending in ["", "-journal"] {
            try FileManager.default.copyItem(atPath: whole + ending, toPath: file + ending)
        }
        try busy.run("ROLLBACK")
        let library = try full.library("new/practice.db")
        _ = try library.salvage(storeAt: link)
        #expect(try library.items().allSatisfy { !$0.words.title.hasPrefix("half") })
        try Data("log".utf8).write(to: URL(fileURLWithPath: file + "-wal"))
        #expect(libraryError { _ = try library.salvage(storeAt: link) } == .badBundle)
    }

    @Test(
        "a store of which only keys are left is completed from the files"
    )
    func lostRows() throws {
        let full = try FullLibrary()
        let library = full.harness.library
        let before = try contents(library)
        let recording = try FullLibrary.recording(full.songs[0])
        func lose() throws {
            try Database(path: full.path, creating: false).run("UPDATE recording SET sample_rate = 1, frame_count = 0")
        }
        try lose()
        let list = try full.harness.store.sections(of: recording)
        #expect(list.sampleRate == 44_100 && list.frameCount == 4000 && list.sections.count == 2)
        let report = try library.check()
        #expect(report.changed.count == 2 && !report.isClean)
        #expect(try library.repair(report).map(\.recording.frameCount) == [4000, 4000])
        #expect(try library.check().isClean)
        let isShown = { (line: String) in line.hasPrefix("item false") || line.hasPrefix("section") }
        #expect(try contents(library).filter(isShown) == before.filter(isShown))
        try lose()
        let added = try library.add(fileAt: full.harness.scratch.file("1.wav"))
        #expect(!added.isNew && added.item.recording.sampleRate == 44_100 && added.item.recording.frameCount == 4000)
        #expect(added.item.words.title == "Blue Bossa" && added.item.words.artist == "Ana")
    }
}
