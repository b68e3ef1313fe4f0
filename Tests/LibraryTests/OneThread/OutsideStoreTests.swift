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

extension FullLibrary {
    /// Writes a backup without the files of recordings, takes and documents.
    func storeBackup() throws -> (folder: String, store: String) {
        let folder = harness.scratch.file("backup")
        try harness.library.backUp(to: folder)
        for name in ["recordings", "takes", "documents"] {
            try FileManager.default.removeItem(atPath: folder + "/" + name)
        }
        return (folder, folder + "/" + (try #require(try BackupManifest(in: folder)).store))
    }
}

/// Changes a store in a way in which no program of ours does.
func changeStore(_ store: String, _ statements: [String]) throws {
    let database = try Database(path: store, creating: false)
    _ = try database.rows("PRAGMA ignore_check_constraints = ON") { _ in }
    for statement in statements { try database.run(statement) }
}

/// Stores of backups, changed by hand.
@Suite("Store of a backup from elsewhere")
struct OutsideStoreTests {
    /// All columns with numbers, except for SQLite's own columns about words, and the states of files.
    private func columns(_ store: String) throws -> [(table: String, column: String)] {
        let database = try Database(path: store, creating: false)
        let tables = try database.rows("SELECT name FROM sqlite_schema WHERE type = 'table' ORDER BY name") {
            (row) throws(DatabaseError) in try row.text(0)
        }
        var found: [(table: String, column: String)] = []
        for table in tables where table != "file" && !StoreSchema.wordIndexes.contains(where: table.hasPrefix) {
            let columns = try database.rows("PRAGMA table_info(\(table))") { (row) throws(DatabaseError) in
                (name: try row.text(1), type: try row.text(2))
            }
            for column in columns where column.type == "INTEGER" { found.append((table, column.name)) }
        }
        return found
    }

    @Test("every numeric column of a foreign store has limits")
    func limits() throws {
        let full = try FullLibrary()
        defer { withExtendedLifetime(full) {} }
        let columns = try columns(full.path)
        #expect(columns.count > 90)
        for (table, column) in columns {
            let isLimited = SalvagedRows.limits.contains { $0.table == table && $0.columns.contains(column) }
            let isLimitedOtherwise = SalvagedRows.limitedOtherwise[table]?.contains(column) == true
            #expect(isLimited || isLimitedOtherwise || SalvagedRows.identities.contains(column), "\(table).\(column)")
        }
    }

    @Test(
        "a library restored from a foreign store works with any numbers",
        arguments: cases([Int64.max, .min], few: [.max]))
    func numbers(number: Int64) throws {
        let full = try FullLibrary()
        defer { withExtendedLifetime(full) {} }
        try full.harness.library.delete(full.harness.library.makePlaylist("deleted"))
        let (folder, store) = try full.storeBackup()
        let whole = try Data(contentsOf: URL(fileURLWithPath: store))
        for (table, column) in try columns(store) where !SalvagedRows.identities.contains(column) {
            try whole.write(to: URL(fileURLWithPath: store))
            try changeStore(store, ["UPDATE OR IGNORE \(table) SET \(column) = \(number)"])
            let there = try LibraryHarness()
            try there.library.restore(from: folder)
            try use(there, "\(table).\(column)")
        }
    }

    /// Acts as a user does. The library may refuse a change, but the store never does.
    private func use(_ there: LibraryHarness, _ name: String) throws {
        let (library, store) = (there.library, there.store)
        func attempt(_ body: () throws -> Void) {
            do { try body() } catch let error as StoreError { Issue.record("\(name): \(error.message)") } catch {}
        }
        attempt { _ = try contents(library) }
        attempt { _ = try library.catalogueText() }
        attempt { _ = try library.add(fileAt: there.wave("new.wav", seed: 50)) }
        let item = try #require(try library.items().max { $0.sectionCount < $1.sectionCount })
        attempt { _ = try library.edit(item.number) { $0.artist = "New" } }
        attempt { _ = try store.history(of: item.key) }
        attempt { _ = try store.apply(.mark(frame: 10, name: "here"), to: item.recording) }
        attempt { _ = try store.undo(item.key) }
        attempt { _ = try store.redo(item.key) }
        if let section = try store.sections(of: item.key)?.sections.first {
            attempt { _ = try store.review(section: section.id, of: item.recording, .good, at: 1_790_500_000) }
        }
        attempt { _ = try library.remove([item.number]) }
        attempt { _ = try library.undoRemoval() }
        for playlist in try library.playlists() {
            for index in 1...2 { attempt { _ = try library.add([item.number], to: playlist, at: index) } }
            attempt { _ = try library.moveEntry(1, to: 2, in: playlist) }
        }
        attempt { _ = try library.makePlaylist("Other") }
        attempt { _ = try store.edit(take: 1, .note("again")) }
        attempt { _ = try store.trash(takes: [1]) }
        attempt { _ = try store.undoTrash() }
        attempt { _ = try library.askFor("https://example.org/another.mp3") }
        for fetch in try library.pendingFetches() { attempt { _ = try library.setFetch(fetch.number, priority: 7) } }
        attempt { _ = try store.statistics(at: 1_790_500_000) }
        attempt { _ = try store.schedule(at: 1_790_500_000) }
        attempt { _ = try library.check() }
        #expect(store.repair == nil, "\(name)")
    }

    @Test("a foreign store may name its rows by any numbers")
    func identities() throws {
        let full = try FullLibrary()
        defer { withExtendedLifetime(full) {} }
        let library = full.harness.library
        try changeStore(
            full.path,
            [
                "UPDATE practice SET id = \(Int64.min) WHERE id = 1", "UPDATE item SET id = \(Int64.max) WHERE id = 2",
            ] + StoreSchema.wordIndexes.map { "INSERT INTO \($0) (\($0)) VALUES ('rebuild')" })
        let old = try full.copy("old.db")
        try changeStore(full.path, ["DELETE FROM practice WHERE id > 0"])
        #expect(try library.salvage(storeAt: old).practice == 5)
        _ = try library.add(fileAt: full.harness.wave("Zanzibar.wav", seed: 60))
        #expect(try library.items { $0.text = "zanzibar" }.count == 1)
        try checkWords(of: library)
    }

    @Test("a foreign store brings no triggers and no other tables along")
    func triggers() throws {
        let full = try FullLibrary()
        defer { withExtendedLifetime(full) {} }
        let (folder, store) = try full.storeBackup()
        #expect(!StoreSchema.current.hasForeignParts(store))
        for statement in [
            "CREATE TRIGGER emptied AFTER UPDATE ON item BEGIN DELETE FROM section; END",
            "CREATE VIEW other AS SELECT 1", "CREATE UNIQUE INDEX strict ON item (artist)",
        ] {
            let whole = try Data(contentsOf: URL(fileURLWithPath: store))
            try changeStore(store, ["UPDATE item SET artist = id", statement])
            #expect(StoreSchema.current.hasForeignParts(store), "\(statement)")
            let there = try LibraryHarness()
            try there.library.restore(from: folder)
            #expect(!StoreSchema.current.hasForeignParts(there.scratch.file("data/practice.db")), "\(statement)")
            for item in try there.library.items() { _ = try there.library.edit(item.number) { $0.artist = "New" } }
            #expect(try there.store.recordings().map(\.sectionCount).reduce(0, +) == 2, "\(statement)")
            #expect(try there.store.takes(TakeFilter(isTrash: true)).map(\.number) == [2], "\(statement)")
            try whole.write(to: URL(fileURLWithPath: store))
        }
    }

    @Test("a store of each version counts as one of this program", arguments: 1...7)
    func versions(version: Int) throws {
        let scratch = try Scratch()
        let kept = #filePath.replacing(
            "LibraryTests/OneThread/OutsideStoreTests.swift", with: "PracticeTests/Stores/version-\(version).db")
        let path = scratch.file("practice.db")
        try FileManager.default.copyItem(atPath: kept, toPath: path)
        #expect(!StoreSchema.current.hasForeignParts(path))
    }
}
