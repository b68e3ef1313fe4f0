import Database
import Files
import Foundation
import Testing

@testable import Catalogue
@testable import Store

@Suite("Removal of many recordings")
struct PiecewiseRemovalTests {
    private struct Stopped: Error {}

    private let harness: LibraryHarness
    private let items: [LibraryItem]

    private var library: RecordingLibrary { harness.library }
    private var numbers: [Int] { items.map(\.number) }
    /// Numbers of the recordings with files in place.
    private var inPlace: [Int] { items.filter { harness.isThere($0.path) }.map(\.number) }

    init() throws {
        let harness = try LibraryHarness()
        var items: [LibraryItem] = []
        for seed in 1...5 {
            let path = try harness.wave("\(seed).wav", seed: UInt64(seed))
            items.append(try harness.library.add(fileAt: path).item)
        }
        (self.harness, self.items) = (harness, items)
    }

    private func listed() throws -> [Int] { try library.items().map(\.number).sorted() }

    @Test("recordings go to the trash in pieces between which other programs write, and come back together")
    func pieces() throws {
        let other = try harness.another()
        var count = 0
        let removed = try library.remove(numbers, atOnce: 2) {
            count += 1
            // Every piece is complete: its files are in the trash.
            #expect(inPlace == Array(numbers[(2 * count)...]))
            let artist = "\(count)"
            try other.edit(numbers[4]) { $0.artist = artist }
        }
        #expect(count == 2 && removed.map(\.number) == numbers && removed.last?.words.artist == "2")
        #expect(removed.allSatisfy { $0.isTrashed && harness.isThere($0.path) })
        #expect(try listed().isEmpty && library.undoRemoval().map(\.number) == numbers)
        #expect(try listed() == numbers && inPlace == numbers)
        try checkWords(of: library)
        // An unknown last recording.
        #expect(libraryError { _ = try library.remove(numbers + [99], atOnce: 2) {} } == .unknown)
        #expect(try listed() == numbers && inPlace == numbers)
    }

    @Test("another removal completes a removal of recordings that ended early, and moves the files")
    func interrupted() throws {
        try library.attach(fileAt: harness.text("notes.txt", "notes"), to: numbers[1])
        let kept = try #require(try library.documents(of: numbers[1]).first).path
        #expect(throws: Stopped.self) { _ = try library.remove(numbers, atOnce: 2) { throw Stopped() } }
        #expect(try listed() == Array(numbers[2...]) && !harness.isThere(kept))
        // As if the program had ended before the second recording was moved.
        let trashed = try #require(try library.items { $0.isTrash = true }.first { $0.number == numbers[1] })
        try FileManager.default.moveItem(atPath: trashed.path, toPath: items[1].path)
        try FileManager.default.moveItem(
            atPath: library.folder.trashedDocument(fileName(kept)), toPath: kept)
        #expect(try library.remove(numbers).map(\.number) == Array(numbers[2...]))
        #expect(inPlace.isEmpty && harness.isThere(trashed.path) && !harness.isThere(kept))
        #expect(libraryError { try library.remove(numbers) } == .trashed)
        #expect(try library.undoRemoval().map(\.number) == Array(numbers[2...]))
        #expect(try library.undoRemoval().map(\.number) == Array(numbers[..<2]))
        #expect(inPlace == numbers && harness.isThere(kept))
    }

    @Test("a removal by another program between two pieces is an undo step of its own")
    func otherRemoval() throws {
        let other = try harness.another()
        var count = 0
        let removed = try library.remove(numbers, atOnce: 2) {
            if count == 0 { try other.remove([numbers[4]]) }
            count += 1
        }
        #expect(removed.map(\.number) == Array(numbers[..<4]))
        #expect(try library.undoRemoval().map(\.number) == [numbers[4]])
        #expect(try library.undoRemoval().map(\.number) == Array(numbers[..<4]))
        #expect(try listed() == numbers && inPlace == numbers)
    }

    @Test(
        "a removal whose first piece was undone or forgotten meanwhile shares its undo step with no other removal",
        arguments: [false, true])
    func lostPiece(isForgotten: Bool) throws {
        let other = try harness.another()
        var count = 0
        _ = try library.remove(numbers, atOnce: 2) {
            count += 1
            guard count == 1 else { return }
            // No recording with the number of the removal is left in the trash.
            let gone = isForgotten ? try other.emptyTrash().items : try other.undoRemoval()
            #expect(gone.map(\.number).sorted() == Array(numbers[..<2]))
            try other.remove([numbers[4]])
        }
        #expect(try library.undoRemoval().map(\.number) == [numbers[4]])
        #expect(try library.undoRemoval().map(\.number) == Array(numbers[2..<4]))
        #expect(libraryError { try library.undoRemoval() } == .nothingToUndo)
        #expect(try listed() == (isForgotten ? Array(numbers[2...]) : numbers))
    }

    @Test("the number of an undone removal is not given again, also if a removal in pieces takes its recording")
    func numbersOnce() throws {
        let other = try harness.another()
        func next() throws -> Int64? {
            try library.read { (rows) throws(DatabaseError) in try rows.undoStep(nil, after: nil) }
        }
        var count = 0
        _ = try library.remove(numbers, atOnce: 2) {
            count += 1
            guard count == 1 else { return }
            try other.remove([numbers[4]])
            try other.undoRemoval()
            #expect(try next() == 3)
        }
        // Number 2 may still be in use by a removal in pieces, so number 4 follows.
        #expect(try next() == 4)
        #expect(try library.undoRemoval().map(\.number) == [numbers[4]])
        #expect(try library.undoRemoval().map(\.number) == Array(numbers[..<4]))
        try library.attach(fileAt: harness.text("notes.txt", "notes"), to: numbers[1])
        try library.removeDocument(1, of: numbers[1])
        #expect(try next() == 5)
        try library.undoRemoval()
        #expect(try next() == 5)
    }

    @Test("an undo leaves recordings in the trash that were restored and removed again meanwhile")
    func removedAgain() throws {
        let other = try harness.another()
        try library.remove(numbers)
        var count = 0
        let undone = try library.undoneRemoval(atOnce: 2) {
            count += 1
            guard count == 1 else { return }
            #expect(try other.undoRemoval().map(\.number) == Array(numbers[2...]))
            try other.remove([numbers[3]])
        }
        #expect(undone.items.map(\.number) == Array(numbers[..<2]))
        let others = numbers.filter { $0 != numbers[3] }
        #expect(try listed() == others && inPlace == others)
        #expect(try library.undoRemoval().map(\.number) == [numbers[3]])
        #expect(try listed() == numbers && inPlace == numbers)
    }

    @Test("an undo leaves a document in the trash that was restored and removed again meanwhile")
    func documentRemovedAgain() throws {
        let other = try harness.another()
        try library.attach(fileAt: harness.text("notes.txt", "notes"), to: numbers[4])
        let document = try #require(try library.documentRows().first)
        try library.remove([numbers[0], numbers[1]])
        // The document belongs to the same removal, as after a merge.
        try library.change { (items) throws(DatabaseError) in
            try DocumentRows(items: items).trash(document.id, at: 1, trashing: items.lastTrashing() ?? 0)
        }
        var count = 0
        let undone = try library.undoneRemoval(atOnce: 1) {
            count += 1
            #expect(try other.undoRemoval().map(\.number) == [numbers[1], numbers[4]])
            try other.removeDocument(1, of: numbers[4])
        }
        #expect(count == 1 && undone.items.map(\.number) == [numbers[0]])
        #expect(undone.documents.isEmpty && undone.owners.isEmpty)
        #expect(try listed() == numbers && library.documents(of: numbers[4]).isEmpty)
        #expect(try library.undoRemoval().map(\.number) == [numbers[4]])
        #expect(try library.documents(of: numbers[4]).map(\.name) == [document.name])
    }

    @Test("an undo number at the limit of its column, from a damaged byte, stops no removal and no undo")
    func greatestNumber() throws {
        try library.remove([numbers[4]])
        try library.change { (items) throws(DatabaseError) in
            _ = try items.rows.database.run(
                "UPDATE item SET trashing = ? WHERE trashed IS NOT NULL", .integer(Int64.max))
        }
        try library.remove([numbers[0]])
        #expect(try library.undoRemoval().map(\.number) == [numbers[4]])
        #expect(try library.undoRemoval().map(\.number) == [numbers[0]])
        // The restored row still has the damaged number.
        _ = try library.remove(numbers, atOnce: 2) {}
        #expect(try library.undoRemoval().map(\.number) == numbers && listed() == numbers)
    }

    @Test("an undo restores the recordings before a file that cannot be moved, and another undo restores the rest")
    func unmovableFile() throws {
        try library.remove(numbers)
        // A folder has the name of the third recording.
        let name = items[2].path
        try FileManager.default.createDirectory(atPath: name, withIntermediateDirectories: false)
        var told: [Int] = []
        #expect(throws: RecordingLibraryError.self) {
            _ = try library.undoneRemoval(told: { told += $0.map(\.number) }) {}
        }
        #expect(try told == Array(numbers[..<2]) && listed() == told)
        #expect(!harness.isThere(items[3].path) && !harness.isThere(items[4].path))
        try FileManager.default.removeItem(atPath: name)
        #expect(try library.undoRemoval().map(\.number) == Array(numbers[2...]))
        #expect(try listed() == numbers && inPlace == numbers)
    }

    @Test("a removal without room for the folder of the trash leaves the files in place, and tells the recordings")
    func noTrashFolder() throws {
        // A file has the name of the folder.
        let folder = library.folder.trash
        try FileManager.default.removeItem(atPath: folder)
        try Data().write(to: URL(fileURLWithPath: folder))
        var told: [Int] = []
        #expect(try library.remove(numbers, told: { told += $0.map(\.number) }) {}.map(\.number) == numbers)
        #expect(try told == numbers && listed().isEmpty && inPlace == numbers)
        try FileManager.default.removeItem(atPath: folder)
        #expect(try library.undoRemoval().map(\.number) == numbers && listed() == numbers && inPlace == numbers)
    }

    @Test("recordings come back from the trash in pieces, and another undo completes an interrupted one")
    func undone() throws {
        let other = try harness.another()
        try library.remove(numbers)
        #expect(throws: Stopped.self) {
            _ = try library.undoneRemoval(atOnce: 2) {
                try other.edit(numbers[0]) { $0.artist = "Ann" }
                throw Stopped()
            }
        }
        #expect(try listed() == Array(numbers[..<2]) && inPlace == Array(numbers[..<2]))
        #expect(try library.undoRemoval().map(\.number) == Array(numbers[2...]))
        #expect(try listed() == numbers && inPlace == numbers)
        #expect(libraryError { try library.undoRemoval() } == .nothingToUndo)
    }
}
