import AudioFiles
import Database
import Foundation
import Sections
import Testing

@testable import Catalogue
@testable import Library
@testable import Store

@Suite("The repair from a damaged store")
struct SalvagedPartsTests {
    @Test("counts what comes back to a playlist, to a feed and outside the library")
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

    @Test("tells the entries of a playlist that was changed since")
    func otherEntries() throws {
        let full = try FullLibrary()
        let library = full.harness.library
        let old = try full.copy("practice.db.damaged")
        let list = try #require(try library.playlist(named: "Warm up"))
        let entries = try library.entries(of: list)
        _ = try library.removeEntries([1], from: list)
        let summary = try library.salvage(storeAt: old)
        let titles = entries.map(\.item.words.title)
        #expect(
            summary.conflicts == [
                SalvageConflict(
                    thing: "Warm up", field: "entries", kept: titles.dropFirst().joined(separator: ", "),
                    passedOver: titles.joined(separator: ", "))
            ])
        #expect(summary.isEmpty)
    }

    @Test("knows a section with a new number that was renamed or removed since")
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

    @Test("leaves no table in the memory of the program")
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
}
