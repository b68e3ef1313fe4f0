import AudioFiles
import Database
import Foundation
import Sections
import SoundFileSupport
import TestSupport
import Testing

@testable import Catalogue
@testable import Library
@testable import Store

@Suite("Salvage of a damaged store")
struct SalvagedStoreTests {
    @Test("a salvage into a new store returns everything, and a repetition nothing")
    func newStore() throws {
        let full = try FullLibrary()
        let expected = try contents(full.harness.library)
        let old = try full.copy("practice.db.damaged")
        let bytes = try Data(contentsOf: URL(fileURLWithPath: old))
        let library = try full.library("new/practice.db")
        let summary = try library.salvage(storeAt: old)
        #expect(try contents(library) == expected)
        #expect(summary.items == 3 && summary.sections == 2 && summary.takes == 3 && summary.isComplete)
        #expect(summary.practice == 6 && summary.reviews == 6 && summary.documents == 1 && summary.feeds == 1)
        #expect(summary.fetches == 1 && summary.playlists == 1 && summary.conflicts.isEmpty)
        #expect(try library.salvage(storeAt: old).isEmpty)
        #expect(try contents(library) == expected)
        // The file stays unchanged, and no copy is left.
        #expect(try Data(contentsOf: URL(fileURLWithPath: old)) == bytes)
        #expect(full.harness.names(library.folder.parts).isEmpty)
        // The trash works as before.
        #expect(try library.store.restore(take: 2).path == full.harness.scratch.file("take-2.wav"))
        #expect(full.harness.isThere(full.harness.scratch.file("take-2.wav")))
        #expect(try library.items { $0.text = "bossa latin" }.count == 1)
    }

    @Test("a salvage returns what an earlier repair dropped, and keeps later changes")
    func emptied() throws {
        let full = try FullLibrary()
        let (library, store) = (full.harness.library, full.harness.store)
        // Exchanged before: the catalogue knows the displayed contents.
        _ = try library.catalogueText()
        let old = try full.copy("practice.db.damaged")
        let expected = try contents(library)
        let database = try Database(path: full.path, creating: false)
        for table in ["item", "playlist", "review", "practice", "document", "fetch", "feed"] {
            try database.run("DELETE FROM \(table)")
        }
        for index in StoreSchema.wordIndexes where index.hasPrefix("item") {
            try database.run("INSERT INTO \(index) (\(index)) VALUES ('rebuild')")
        }
        // An export after the loss, too, and a recording added and described again.
        _ = try library.catalogueText()
        let again = try library.add(fileAt: full.harness.scratch.file("1.wav")).item
        _ = try library.edit(again.number) { $0.title = "Blue Bossa, Dorham" }
        let recording = try FullLibrary.recording(full.songs[0])
        let new = try #require(try store.apply(.mark(frame: 3500, name: "coda"), to: recording).added.last)
        try store.review(section: new.id, of: recording, .easy, at: 1_790_500_000)

        let summary = try library.salvage(storeAt: old)
        let now = try contents(library)
        for line in expected where !line.hasPrefix("item false \(again.key)") && !line.hasPrefix("recording") {
            #expect(now.contains(line), "\(line)")
        }
        let item = try #require(try library.item(again.key))
        #expect(item.words.title == "Blue Bossa, Dorham" && item.words.artist == "Ana")
        #expect(item.words.tags.sorted() == ["latin", "slow"])
        #expect(
            summary.conflicts.contains {
                $0.field == "title" && $0.kept == "Blue Bossa, Dorham" && $0.passedOver == "Blue Bossa"
            })
        // The later rating stays the last rating.
        #expect(try store.reviews(of: recording.key).last?.time == 1_790_500_000)
        #expect(try library.salvage(storeAt: old).isEmpty && contents(library) == now)
    }

    @Test("salvaged progress goes to the section of the same name where numbers differ by now")
    func otherNumbers() throws {
        let full = try FullLibrary()
        let old = try full.copy("practice.db.damaged")
        let library = try full.library("new/practice.db")
        let recording = try FullLibrary.recording(full.songs[0])
        // Beyond the end, with ratings.
        try Database(path: old, creating: false).run(
            """
            INSERT INTO section (recording, id, kind, first, past, name, text, hard, settings)
            SELECT recording, 90, 'range', 9000, 9999, 'beyond', '', 0, '{}' FROM review WHERE id = 1
            """)
        // Takes the number of "intro", and the number of a take.
        _ = try library.store.apply(.add([SectionDraft(500..<700, name: "new")]), to: recording)
        let taken = full.harness.scratch.file("new-take.wav")
        try writeWave(taken, music(frameCount: 500, channelCount: 1, seed: 99))
        let sound = StoredTake.Sound(time: 1_795_000_000, sampleRate: 44_100, channelCount: 1, frameCount: 500)
        for number in 1...2 {
            try library.store.addTake(inFileAt: full.harness.scratch.file("new-take-\(number).wav"), sound)
        }
        _ = try library.salvage(storeAt: old)
        #expect(try library.salvage(storeAt: old).isEmpty)
        let sections = try #require(try library.store.sections(of: recording.key)).sections
        #expect(Set(sections.map(\.name)) == ["new", "intro", "solo"] && Set(sections.map(\.id)).count == 3)
        for (name, count) in [("new", 0), ("intro", 2), ("solo", 2)] {
            let id = try #require(sections.first { $0.name == name }).id
            #expect(try library.store.reviews(of: recording.key).count { $0.sectionID == id } == count, "\(name)")
            #expect(try library.store.practiceLog(of: recording.key).count { $0.sectionID == id } == count, "\(name)")
            // One of the two takes of "intro" is in the trash.
            let takes = try library.store.takes(TakeFilter(sectionID: id))
            #expect(takes.count == min(count, 1), "\(name)")
        }
        // The records of a deleted section belong to no other section.
        let known = Set(sections.map(\.id))
        #expect(try library.store.reviews(of: recording.key).count { !known.contains($0.sectionID) } == 2)
        let added = try library.store.apply(.mark(frame: 3900, name: "later"), to: recording).added.map(\.id)
        #expect(try library.store.reviews(of: recording.key).allSatisfy { !added.contains($0.sectionID) })
        // The hidden file of a deleted take is found by the take's new number.
        let trashed = try #require(try library.store.takes(TakeFilter(isTrash: true)).first)
        #expect(trashed.number > 3)
        _ = try library.store.restore(take: trashed.number)
        #expect(full.harness.isThere(full.harness.scratch.file("take-2.wav")))
    }

    @Test(
        "a salvage returns the remaining rows where a page is damaged",
        arguments: ["item", "section", "take", "review"])
    func damaged(table: String) throws {
        let full = try FullLibrary()
        let old = try full.copy("practice.db.damaged")
        let page = try #require(
            try Database(path: old, creating: false).first("SELECT rootpage FROM sqlite_schema WHERE name = '\(table)'")
            {
                (row) throws(DatabaseError) in try row.integer(0)
            })
        let file = try #require(FileHandle(forUpdatingAtPath: old))
        try file.seek(toOffset: UInt64(page - 1) * 4096)
        try file.write(contentsOf: Data(repeating: 0xA5, count: 64))
        try file.close()
        let expected = try contents(full.harness.library)
        let library = try full.library("new/practice.db")
        let summary = try library.salvage(storeAt: old)
        #expect(!summary.isComplete)
        let now = try contents(library)
        let lost = expected.filter { !now.contains($0) }
        let words = ["item": ["item", "document", "playlist"], "section": ["section", "take", "practised", "review"]]
        #expect(!lost.isEmpty)
        #expect(
            lost.allSatisfy { line in words[table, default: [table]].contains { line.hasPrefix($0) } }, "\(lost)")
        #expect(try library.salvage(storeAt: old).isEmpty && contents(library) == now)
        try checkWords(of: library)
    }

    @Test("a salvage reads stores of all versions", arguments: 1...7)
    func earlier(_ version: Int) throws {
        let harness = try LibraryHarness()
        let kept = #filePath.replacing(
            "LibraryTests/OneThread/SalvagedStoreTests.swift", with: "PracticeTests/Stores/version-\(version).db")
        let path = harness.scratch.file("earlier.db")
        try FileManager.default.copyItem(atPath: kept, toPath: path)
        let summary = try harness.library.salvage(storeAt: path)
        let opened = try RecordingLibrary(PracticeStore(.file(path)), folder: harness.scratch.file("data/library"))
        #expect(try contents(harness.library) == contents(opened) && !summary.isEmpty)
        for library in [harness.library, opened] { try checkWords(of: library) }
    }

    @Test("a salvage never replaces existing rows, whatever the damaged store lacks or alters")
    func lossesThere() throws {
        let full = try FullLibrary()
        // As after an export, where missing rows would count as removed.
        _ = try full.harness.library.catalogueText()
        let before = try contents(full.harness.library)
        let old = try full.copy("practice.db.damaged")
        let database = try Database(path: old, creating: false)
        for table in ["item", "section", "entry", "take", "review", "document", "episode"] {
            try database.run("DELETE FROM \(table)")
        }
        try database.run("UPDATE playlist SET name = 'zz', changed = \(Int64.max)")
        try database.run("UPDATE recording SET title = 'zz', settings = '{', next_section = \(Int64.max)")
        let summary = try full.harness.library.salvage(storeAt: old)
        #expect(summary.isEmpty, "\(summary)")
        #expect(try contents(full.harness.library) == before)
        _ = try full.harness.library.catalogueText()
    }

    @Test(
        "a salvage keeps removed items removed, whether the library was exported or not", arguments: [false, true])
    func removedSince(isExported: Bool) throws {
        let full = try FullLibrary()
        let (library, store) = (full.harness.library, full.harness.store)
        let old = try full.copy("practice.db.damaged")
        if isExported { _ = try library.catalogueText() }
        let recording = try FullLibrary.recording(full.songs[0])
        let sections = try #require(try store.sections(of: recording.key)).sections
        _ = try store.apply(.rename(id: sections[0].id, name: "Introduction"), to: recording)
        _ = try store.apply(.remove(ids: [sections[1].id]), to: recording)
        _ = try library.edit(full.songs[0].number) { $0.tags = ["latin"] }
        try library.delete(#require(try library.playlist(named: "Warm up")))
        _ = try library.remove([full.songs[1].number])
        let before = try contents(library)
        let summary = try library.salvage(storeAt: old)
        #expect(summary.isEmpty, "\(summary)")
        #expect(try contents(library) == before)
        #expect(Set(summary.conflicts.map(\.field)) == ["name", "tags"])
    }

    @Test("salvaged sections have their old numbers where only some sections were lost")
    func someLost() throws {
        let full = try FullLibrary()
        let expected = try contents(full.harness.library)
        let old = try full.copy("practice.db.damaged")
        let database = try Database(path: full.path, creating: false)
        try database.run("DELETE FROM section WHERE name = 'intro'")
        try database.run("DELETE FROM entry WHERE place = (SELECT min(place) FROM entry)")
        try database.run("DELETE FROM review WHERE section = 1 AND rating = 2")
        let summary = try full.harness.library.salvage(storeAt: old)
        #expect(summary.sections == 1 && summary.reviews == 1 && summary.entries == 1)
        // The order of a playlist is lost with the place of an entry.
        let isHere = Set(try contents(full.harness.library))
        #expect(expected.filter { !isHere.contains($0) }.allSatisfy { $0.hasPrefix("playlist") })
        let list = try #require(try full.harness.library.playlist(named: "Warm up"))
        #expect(try full.harness.library.entries(of: list).count == 2)
    }

    @Test("a salvage limits numbers to those that can be read again")
    func impossibleNumbers() throws {
        let full = try FullLibrary()
        let old = try full.copy("practice.db.damaged")
        let database = try Database(path: old, creating: false)
        for (table, column) in [
            ("playlist", "changed"), ("document", "changed"), ("item", "added"), ("item", "trashed"), ("section", "id"),
            ("recording", "next_section"), ("review", "time"), ("practice", "began"), ("take", "time"),
            ("section_time", "changed"), ("practice", "milliseconds"), ("practice", "passes"),
            ("recording", "sample_rate"),
        ] {
            let row = try #require(
                try database.first("SELECT max(rowid) FROM \(table)") { (row) throws(DatabaseError) in
                    try row.integer(0)
                })
            try database.run("UPDATE \(table) SET \(column) = \(Int64.max) WHERE rowid = \(row)")
        }
        try database.run("UPDATE item SET edited = '{\"title\":9223372036854775807}' WHERE id = 1")
        let library = try full.library("new/practice.db")
        _ = try library.salvage(storeAt: old)
        // The second export reads the first export's result again.
        _ = try (library.catalogueText(), library.catalogueText())
        let recording = try FullLibrary.recording(full.songs[0])
        _ = try library.store.apply(.mark(frame: 3500, name: "more"), to: recording)
        _ = try (library.store.practiceLog(), library.store.recordings(), library.items())
        #expect(try library.salvage(storeAt: old).isEmpty)
    }

    @Test("a salvage keeps the sections, ratings and order here if both stores went on since")
    func bothWentOn() throws {
        let full = try FullLibrary()
        let recording = try FullLibrary.recording(full.songs[0])
        let old = try full.copy("practice.db.damaged")
        let there = try PracticeStore(.file(old))
        let coda = try #require(
            try there.apply(.add([SectionDraft(3000..<3500, name: "coda")]), to: recording).added.first)
        try there.review(section: coda.id, of: recording, .again, at: 1_790_400_000)
        let store = full.harness.store
        let bridge = try #require(
            try store.apply(.add([SectionDraft(3500..<3900, name: "bridge")]), to: recording).added.first)
        #expect(bridge.id == coda.id)
        let undone = try #require(try store.apply(.mark(frame: 3600, name: "undone"), to: recording).added.last)
        _ = try store.undo(recording.key)
        _ = try there.apply(.mark(frame: 3700, name: "late"), to: recording)
        try store.remember(recording, position: nil, settings: [:])

        let summary = try full.harness.library.salvage(storeAt: old)
        let sections = try #require(try store.sections(of: recording.key)).sections
        #expect(sections.first { $0.id == bridge.id }?.name == "bridge" && summary.sections >= 1)
        let back = try #require(sections.first { $0.name == "coda" })
        #expect(back.id != coda.id && !sections.contains { $0.id == undone.id })
        let rated = try store.reviews(of: recording.key).filter { $0.rating == .again }
        #expect(rated.map(\.sectionID) == [back.id])
        // The state stored here stays, and a redo brings an undone change back.
        #expect(try store.recording(recording.key)?.position == nil)
        #expect(try store.redo(recording.key).added.contains { $0.name == "undone" })
        #expect(try full.harness.library.salvage(storeAt: old).isEmpty)
    }

    @Test("a salvage makes no second recording of one whose key is damaged")
    func damagedKey() throws {
        let full = try FullLibrary()
        let old = try full.copy("practice.db.damaged")
        let database = try Database(path: old, creating: false)
        try database.run(
            "UPDATE recording SET key = x'00112233445566778899aabbccddeeff' WHERE id = (SELECT recording FROM item WHERE place = 'kept' LIMIT 1)"
        )
        let before = try contents(full.harness.library)
        #expect(try full.harness.library.salvage(storeAt: old).isEmpty)
        #expect(try contents(full.harness.library) == before)
    }

    @Test("a salvage takes no hidden file of a take that was deleted here")
    func otherTrash() throws {
        let full = try FullLibrary()
        let old = try full.copy("practice.db.damaged")
        let library = try full.library("new/practice.db")
        let (scratch, store) = (full.harness.scratch, library.store)
        // Take 2's file there is gone, and the trash here has another take 2.
        _ = try full.harness.store.emptyTrash()
        for number in 1...2 {
            let path = scratch.file("today-\(number).wav")
            try writeWave(path, music(frameCount: 300, channelCount: 1, seed: UInt64(90 + number)))
            try store.addTake(
                inFileAt: path,
                StoredTake.Sound(time: 1_796_000_000, sampleRate: 44_100, channelCount: 1, frameCount: 300))
        }
        _ = try store.trash(takes: [2])
        _ = try library.salvage(storeAt: old)
        _ = try store.restore(take: 2)
        #expect(full.harness.isThere(scratch.file("today-2.wav")))
    }

    @Test("a salvage of an empty store of this program returns nothing, with or without tables")
    func emptyStores() throws {
        let full = try FullLibrary()
        let (before, scratch) = (try contents(full.harness.library), full.harness.scratch)
        let empty = try PracticeStore(.file(scratch.file("empty.db")))
        try empty.change { (rows) throws(DatabaseError) in try rows.database.run("DELETE FROM recording") }
        let bare = try Database(path: scratch.file("bare.db"), creating: true)
        for setting in [
            "application_id = \(StoreSchema.applicationID)", "user_version = \(StoreSchema.current.version)",
        ] {
            _ = try bare.rows("PRAGMA \(setting)") { _ in }
        }
        for (name, isComplete) in [("empty.db", true), ("bare.db", false)] {
            let summary = try full.harness.library.salvage(storeAt: scratch.file(name))
            #expect(summary.isEmpty && summary.isComplete == isComplete, "\(name)")
        }
        #expect(try contents(full.harness.library) == before)
    }

    @Test("a salvage stopped between any two steps returns nothing, and leaves no copy", arguments: 0..<3)
    func stopped(after steps: Int) throws {
        let full = try FullLibrary()
        let old = try full.copy("practice.db.damaged")
        let library = try full.library("new/practice.db")
        var asked = 0
        let kind = libraryError {
            _ = try library.salvage(storeAt: old) {
                asked += 1
                return asked > steps
            }
        }
        #expect(kind == .cancelled && asked == steps + 1)
        #expect(try contents(library).isEmpty && full.harness.names(library.folder.parts).isEmpty)
        #expect(try library.salvage(storeAt: old).items == 3)
    }

    @Test("a salvage refuses a missing, empty, foreign or newer file with a reason")
    func refused() throws {
        let full = try FullLibrary()
        let before = try contents(full.harness.library)
        let (library, scratch) = (full.harness.library, full.harness.scratch)
        let missing = #expect(throws: RecordingLibraryError.self) {
            try library.salvage(storeAt: scratch.file("nowhere.db"))
        }
        #expect(missing?.exitStatus == .notFound)
        let foreign = try Database(path: scratch.file("foreign.db"), creating: true)
        try foreign.run("CREATE TABLE recording (id INTEGER PRIMARY KEY)")
        let newer = try full.copy("newer.db")
        _ = try Database(path: newer, creating: false).rows("PRAGMA user_version = 99") { _ in }
        let noise = try scratch.write("noise.db", (0..<20_000).map { UInt8(truncatingIfNeeded: $0 &* $0 >> 3) })
        let empty = try scratch.write("empty.db", [])
        for (path, kind) in [
            (scratch.file("foreign.db"), StoreError.Kind.foreign), (newer, .newer), (noise, .foreign),
            (empty, .foreign),
        ] {
            let error = #expect(throws: StoreError.self, "\(path)") { try library.salvage(storeAt: path) }
            #expect(error?.kind == kind && error?.message.contains(path) == true, "\(path): \(error?.message ?? "")")
        }
        #expect(try contents(library) == before && full.harness.names(library.folder.parts).isEmpty)
    }
}
