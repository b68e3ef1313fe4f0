import AudioFiles
import Database
import Sections
import SoundFileSupport
import Testing

@testable import Catalogue
@testable import Library
@testable import Store

@Suite("Undo histories of a salvaged store")
struct SalvagedHistoryTests {
    @Test("after a salvage, changes of sections and removals can be undone")
    func histories() throws {
        let full = try FullLibrary()
        let old = try full.copy("practice.db.damaged")
        let library = try full.library("new/practice.db")
        let summary = try library.salvage(storeAt: old)
        #expect(summary.histories == 1 && summary.conflicts.isEmpty, "\(summary)")
        #expect(try library.salvage(storeAt: old).isEmpty)
        let (key, store) = (full.songs[0].key, library.store)
        func names() throws -> [String] { try store.sections(of: key)?.sections.map(\.name).sorted() ?? [] }
        #expect(try names() == ["intro", "solo"])
        _ = try store.undo(key)
        #expect(try names() == ["gone", "intro", "solo"])
        _ = try store.undo(key)
        #expect(try names().isEmpty && store.history(of: key).undo == nil)
        for _ in 0..<2 { _ = try store.redo(key) }
        #expect(try names() == ["intro", "solo"])
        // A new section has a number of its own.
        let new = try store.apply(
            .add([SectionDraft(5..<50, name: "new")]), to: FullLibrary.recording(full.songs[0]))
        #expect(new.added.map(\.id) == [4])
        #expect(try library.undoRemoval().map(\.key) == [full.songs[2].key])
        #expect(try store.undoTrash().map(\.path) == [full.harness.scratch.file("take-2.wav")])
        #expect(full.harness.isThere(full.harness.scratch.file("take-2.wav")))
    }

    @Test("a salvaged removal is undone after the removals here, and by itself", arguments: [false, true])
    func order(isTwice: Bool) throws {
        let full = try FullLibrary()
        let old = try full.copy("practice.db.damaged")
        var library = try full.library("new/practice.db")
        let wave = try full.harness.wave("today.wav", seed: 40, frames: 300)
        let take = try library.store.addTake(
            inFileAt: wave, .init(time: 1_797_000_000, sampleRate: 44_100, channelCount: 1, frameCount: 300))
        _ = try library.store.trash(takes: [take.number])
        let item = try library.add(fileAt: full.harness.wave("x.wav", seed: 41)).item
        _ = try library.remove([item.number])
        _ = try library.salvage(storeAt: old)
        if isTwice {
            // The numbers of salvaged removals are kept again.
            library = try full.library("third/practice.db")
            _ = try library.salvage(storeAt: full.harness.scratch.file("new/practice.db"))
        }
        #expect(try library.undoRemoval().map(\.key) == [item.key])
        #expect(try library.undoRemoval().map(\.key) == [full.songs[2].key])
        #expect(try library.store.undoTrash().map(\.path) == [wave])
        #expect(try library.store.undoTrash().map(\.path) == [full.harness.scratch.file("take-2.wav")])
        #expect(throws: TakeError.self) { try library.store.undoTrash() }
    }

    @Test("a removal in the middle of a salvage gets no number of a salvaged removal")
    func numbers() throws {
        let full = try FullLibrary()
        let library = try full.library("new/practice.db")
        _ = try library.salvage(storeAt: full.copy("practice.db.damaged"))
        // The first piece of a salvage may bring the lowest number alone.
        _ = try library.store.change { (rows) throws(DatabaseError) in
            try rows.database.run("UPDATE take SET trashing = -3 WHERE trashing IS NOT NULL")
        }
        let wave = try full.harness.wave("today.wav", seed: 40, frames: 300)
        let take = try library.store.addTake(
            inFileAt: wave, .init(time: 1_797_000_000, sampleRate: 44_100, channelCount: 1, frameCount: 300))
        _ = try library.store.trash(takes: [take.number])
        let newest = try library.store.read { (rows) throws(DatabaseError) in
            try rows.database.first("SELECT max(trashing) FROM take") { (row) throws(DatabaseError) in
                try row.integer(0)
            }
        }
        #expect(newest == 1)
    }

    @Test("a repeated salvage keeps the order of removals that an interrupted salvage has brought in part")
    func interrupted() throws {
        let full = try FullLibrary()
        let source = full.harness.library
        // The older removal belongs to the recording that comes first.
        _ = try source.undoRemoval()
        for song in [full.songs[0], full.songs[2]] { _ = try source.remove([song.number]) }
        let old = try full.copy("practice.db.damaged")
        let library = try full.library("new/practice.db")
        var asked = 0
        let kind = libraryError {
            _ = try library.salvage(storeAt: old, recordingsAtOnce: 1) {
                asked += 1
                return asked == 4
            }
        }
        #expect(try kind == .cancelled && library.items { $0.isTrash = true }.map(\.key) == [full.songs[0].key])
        _ = try library.salvage(storeAt: old, recordingsAtOnce: 1) { false }
        #expect(try library.undoRemoval().map(\.key) == [full.songs[2].key])
        #expect(try library.undoRemoval().map(\.key) == [full.songs[0].key])
    }

    @Test("whichever removals an interrupted salvage has brought, a repeated salvage gives the numbers of a whole one")
    func repeatedNumbers() {
        // The third removal is in both stores, and other removals were salvaged before.
        let here: Set<Int64> = [-4, -1]
        let removed = (1...6).map { (was: Int64($0), now: $0 == 3 ? Int64(7) : nil) }
        func numbers(_ removed: [(was: Int64, now: Int64?)], _ used: Set<Int64>) -> [Int64: Int64] {
            let all = SalvagedRows.numbered(removed, besides: used).map { ($0.was, $0.now) }
            return Dictionary(uniqueKeysWithValues: all)
        }
        let whole = numbers(removed, here)
        #expect(whole == [1: -9, 2: -8, 3: 7, 4: -7, 5: -6, 6: -5])
        for chosen in 0..<64 {
            let brought = removed.map { (was: $0.was, now: chosen >> ($0.was - 1) & 1 == 1 ? whole[$0.was] : $0.now) }
            let used = here.union(brought.compactMap(\.now).filter { $0 < 0 })
            #expect(numbers(brought, used) == whole, "\(chosen)")
        }
    }

    @Test("a salvage joins the rest of a removal with the part that is here")
    func sameRemoval() throws {
        let full = try FullLibrary()
        _ = try full.harness.store.undoTrash()
        _ = try full.harness.store.trash(takes: [2, 3])
        let old = try full.copy("practice.db.damaged")
        let (library, store) = (full.harness.library, full.harness.store)
        try store.change { (rows) throws(DatabaseError) in
            _ = try rows.database.run("DELETE FROM take WHERE id = 3")
        }
        #expect(try library.salvage(storeAt: old).takes == 1)
        #expect(try store.undoTrash().map(\.number) == [2, 3])
    }

    @Test("a salvage keeps the history of a recording that has changes here, and reports the other history")
    func ownHistory() throws {
        let full = try FullLibrary()
        let old = try full.copy("practice.db.damaged")
        let library = try full.library("new/practice.db")
        let recording = try FullLibrary.recording(full.songs[0])
        _ = try library.store.apply(.add([SectionDraft(500..<700, name: "new")]), to: recording)
        let summary = try library.salvage(storeAt: old)
        let conflict = try #require(summary.conflicts.first { $0.field == "undo history" })
        #expect(summary.histories == 0 && conflict.thing == "Blue Bossa")
        #expect(conflict.kept == "added a section" && conflict.passedOver.hasPrefix("added 3 sections, "))
        _ = try library.store.undo(recording.key)
        #expect(try library.store.sections(of: recording.key)?.sections.map(\.name).sorted() == ["intro", "solo"])
        #expect(try library.store.history(of: recording.key).undo == nil)
    }
}
