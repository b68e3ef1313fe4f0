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

    @Test(
        "a repair from a file comes in pieces, and another repair completes an interrupted one", arguments: 4...7)
    func pieces(last: Int) throws {
        let full = try FullLibrary()
        let expected = try contents(full.harness.library)
        let old = try full.copy("practice.db.damaged")
        let (library, other) = try (full.library("new/practice.db"), full.library("new/practice.db"))
        var asked = 0
        let kind = libraryError {
            _ = try library.salvage(storeAt: old, recordingsAtOnce: 1) {
                asked += 1
                if asked == 4 { #expect(throws: Never.self) { try other.makePlaylist("Other") } }
                return asked == last
            }
        }
        #expect(kind == .cancelled && asked == last)
        // A recording comes with all that belongs to it: the first piece has the sections and the takes.
        #expect(try library.items().count + library.items { $0.isTrash = true }.count == min(last - 3, 3))
        #expect(try library.store.takes().count == 2 && library.store.recordings(matching: "intro").count == 1)
        #expect(try library.items { $0.text = "bossa latin" }.count == 1)
        try checkWords(of: library)
        #expect(try !library.salvage(storeAt: old, recordingsAtOnce: 1) { false }.isEmpty)
        #expect(try contents(library).filter { $0 != "playlist Other []" } == expected)
        #expect(try library.salvage(storeAt: old).isEmpty && library.playlists().count == 2)
        try checkWords(of: library)
    }

    @Test("a stopped repair from a file has told the counts of its finished pieces")
    func toldPieces() throws {
        let full = try FullLibrary()
        let old = try full.copy("practice.db.damaged")
        let library = try full.library("new/practice.db")
        var asked = 0
        var told: [SalvageSummary] = []
        let kind = libraryError {
            _ = try library.salvage(
                storeAt: old, recordingsAtOnce: 1,
                isCancelled: {
                    asked += 1
                    return asked == 5
                }, told: { told.append($0) })
        }
        #expect(kind == .cancelled && told.map(\.items) == [1, 2] && told.map(\.sections) == [2, 2])
        #expect(try library.salvage(storeAt: old).items == 1)
    }

    @Test("a repair keeps the numbers of takes of later pieces, and takes whose sounds are alike")
    func takesInPieces() throws {
        let full = try FullLibrary()
        let scratch = full.harness.scratch
        // Of no recording, so it comes in a piece after the other takes.
        let twin = scratch.file("twin.wav")
        try FileManager.default.copyItem(atPath: scratch.file("take-1.wav"), toPath: twin)
        let sound = StoredTake.Sound(time: 1_796_000_000, sampleRate: 44_100, channelCount: 1, frameCount: 500)
        let number = try full.harness.store.addTake(inFileAt: twin, sound).number
        // Finds the keys of the sounds.
        _ = try full.harness.library.catalogueText()
        let old = try full.copy("practice.db.damaged")
        let library = try full.library("new/practice.db")
        for name in ["a", "b"] { try library.store.addTake(inFileAt: scratch.file("new-\(name).wav"), sound) }
        #expect(try library.salvage(storeAt: old).takes == 4)
        #expect(try library.store.take(number)?.path == twin)
        #expect(try library.store.take(3)?.path == scratch.file("take-3.wav"))
        #expect(try library.salvage(storeAt: old).isEmpty)
        // As if the program had ended before the hidden file got the new number of its take.
        let trashed = try #require(try library.store.takes(TakeFilter(isTrash: true)).first)
        #expect(trashed.number > number)
        try FileManager.default.moveItem(
            atPath: trashed.currentPath, toPath: TakeTrash.path(of: trashed.path, number: 2))
        #expect(try library.salvage(storeAt: old).isEmpty)
        _ = try library.store.restore(take: trashed.number)
        #expect(full.harness.isThere(scratch.file("take-2.wav")))
    }

    @Test("the pieces of a repair cover every number, and many sections are a piece of their own")
    func sizes() throws {
        let store = try PracticeStore(.memory)
        let counts = [1: 0, 5: 900, 7: 900, 8: 0, 9: 0] as [Int64: Int]
        let pieces = try store.change { (rows) throws(DatabaseError) in
            for (id, count) in counts {
                try rows.database.run(
                    "INSERT INTO recording (id, key, sample_rate, frame_count, title, seen, revision) VALUES (?, ?, 1, 1, '', 0, 0)",
                    .integer(id), .bytes(RecordingKey(high: 0, low: UInt64(id)).bytes))
                for section in 0..<count {
                    try rows.database.run(
                        """
                        INSERT INTO section (recording, id, kind, first, past, name, text, hard, settings)
                        VALUES (?, ?, 'range', 0, 1, '', '', 0, '{}')
                        """, .integer(id), .integer(section + 1))
                }
            }
            for number in [3, 4, 9] as [Int64] {
                try rows.database.run(
                    """
                    INSERT INTO take (id, path, time, sample_rate, channel_count, frame_count, device, revision)
                    VALUES (?, '', 0, 1, 1, 0, '', 0)
                    """, .integer(number))
            }
            return try SalvagePiece.pieces(of: rows, recordingsAtOnce: 3, takesAtOnce: 2)
        }
        #expect(
            pieces == [
                .recordings(Int64.min...6), .recordings(7...Int64.max), .takes(3...4), .takes(9...9), .playlists,
                .feeds,
            ])
        let empty = try PracticeStore(.memory).change { (rows) throws(DatabaseError) in
            try SalvagePiece.pieces(of: rows, recordingsAtOnce: 3, takesAtOnce: 2)
        }
        #expect(empty == [.recordings(Int64.min...Int64.max), .playlists, .feeds])
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
