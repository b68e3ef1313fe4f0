import Database
import Foundation
import SoundFileSupport
import TestSupport
import Testing

@testable import Store

@Suite("Deletion of many takes")
struct PiecewiseDeletionTests {
    private let scratch: Scratch
    private let store: PracticeStore

    init() throws {
        scratch = try Scratch()
        store = try PracticeStore(.file(scratch.file("practice.db")))
    }

    /// Makes a file and adds it as a take.
    @discardableResult
    private func add(_ name: String) throws -> StoredTake {
        try Data(name.utf8).write(to: URL(fileURLWithPath: scratch.file(name)))
        let sound = StoredTake.Sound(
            time: 1, sampleRate: 48_000, channelCount: 2, frameCount: 96_000, device: "hw:1")
        return try store.addTake(inFileAt: scratch.file(name), sound)
    }

    private func error(_ body: () throws -> Void) -> TakeError.Kind? {
        do { try body() } catch { return (error as? TakeError)?.kind }
        return nil
    }

    @Test("takes go to the trash in pieces between which other programs write, and come back together")
    func trashInPieces() throws {
        let names = (1...5).map { "\($0).wav" }
        for name in names { try add(name) }
        let other = try PracticeStore(.file(scratch.file("practice.db")))
        var count = 0
        let trashed = try store.trash(takes: Array(1...5), atOnce: 2) {
            count += 1
            // Every piece is complete: its files are hidden.
            #expect(names.filter { scratch.names.contains($0) }.count == 5 - 2 * count)
            try other.edit(take: 5, .note("\(count)"))
        }
        #expect(count == 2 && trashed.map(\.number) == [1, 2, 3, 4, 5] && trashed.last?.note == "2")
        #expect(try store.takes().isEmpty && store.undoTrash().map(\.number) == [1, 2, 3, 4, 5])
        #expect(names.allSatisfy { scratch.names.contains($0) })
        // An unknown last take.
        #expect(error { _ = try store.trash(takes: [1, 2, 3, 9], atOnce: 2) {} } == .unknown)
        #expect(try store.takes().count == 5)
    }

    @Test("a deletion of takes whose first piece was restored or removed meanwhile has an undo step of its own")
    func lostPiece() throws {
        let other = try PracticeStore(.file(scratch.file("practice.db")))
        for isRemoved in [false, true] {
            let numbers = try (1...5).map { try add("\(isRemoved)-\($0).wav").number }
            var count = 0
            _ = try store.trash(takes: numbers, atOnce: 2) {
                count += 1
                guard count == 1 else { return }
                // No take with the number of the deletion is left in the trash.
                let gone = isRemoved ? try other.emptyTrash().takes : try other.undoTrash()
                #expect(gone.map(\.number).sorted() == Array(numbers[..<2]))
                try other.trash(takes: [numbers[4]])
            }
            #expect(try store.undoTrash().map(\.number) == [numbers[4]])
            #expect(try store.undoTrash().map(\.number) == Array(numbers[2..<4]))
            #expect(error { try store.undoTrash() } == .nothingToUndo)
        }
    }

    @Test("an undo leaves takes in the trash that were restored and deleted again meanwhile")
    func deletedAgain() throws {
        let other = try PracticeStore(.file(scratch.file("practice.db")))
        for number in 1...4 { try add("\(number).wav") }
        try store.trash(takes: [1, 2, 3, 4])
        let (takes, deletion) = try store.lastDeletion()
        var (count, refused): (Int, [String]) = (0, [])
        let restored = try store.restore(
            takes: takes.map(\.number), of: deletion, failed: { refused.append($0.message) }
        ) {
            count += 1
            guard count == 1 else { return }
            #expect(try other.undoTrash().map(\.number) == [2, 3, 4])
            try other.trash(takes: [2])
            try other.trash(takes: [4])
        }
        #expect(count == 3 && restored.map(\.number) == [1])
        #expect(
            refused == [
                "take 2 was restored and deleted again meanwhile", "take 3 is not in the trash",
                "take 4 was restored and deleted again meanwhile",
            ])
        #expect(try store.takes().map(\.number) == [3, 1])
        #expect(!scratch.names.contains("2.wav") && !scratch.names.contains("4.wav"))
        #expect(try store.undoTrash().map(\.number) == [4] && store.undoTrash().map(\.number) == [2])
    }

    @Test("emptying the trash leaves a take in the list that another program restored meanwhile")
    func restoredMeanwhile() throws {
        let other = try PracticeStore(.file(scratch.file("practice.db")))
        for number in 1...3 { try add("\(number).wav") }
        try store.trash(takes: [1, 2, 3])
        var count = 0
        // The newest take goes first.
        let (removed, _) = try store.emptyTrash(told: { _, _ in }) {
            count += 1
            if count == 1 { try other.restore(take: 2) }
        }
        #expect(removed.map(\.number) == [3, 1])
        #expect(try store.takes().map(\.number) == [2] && scratch.names.contains("2.wav"))
    }

    @Test("an undo number of a take at the limit of its column, from a damaged byte, stops no deletion and no undo")
    func greatestNumber() throws {
        for number in 1...3 { try add("\(number).wav") }
        try store.trash(takes: [3])
        try store.changeTakes { (rows) throws(DatabaseError) in
            try rows.updateTake(3, .trashing, .integer(Int64.max))
        }
        try store.trash(takes: [1])
        #expect(try store.undoTrash().map(\.number) == [3] && store.undoTrash().map(\.number) == [1])
        // The restored take still has the damaged number.
        _ = try store.trash(takes: [1, 2, 3], atOnce: 2) {}
        #expect(try store.undoTrash().map(\.number) == [1, 2, 3])
    }

    @Test("another deletion completes a deletion of takes that ended early, and hides the files")
    func interruptedDeletion() throws {
        struct Stopped: Error {}
        let names = (1...5).map { "\($0).wav" }
        for name in names { try add(name) }
        #expect(throws: Stopped.self) { _ = try store.trash(takes: Array(1...5), atOnce: 2) { throw Stopped() } }
        #expect(try store.takes().map(\.number) == [5, 4, 3])
        // As if the program had ended before the second file was hidden.
        try FileManager.default.moveItem(
            atPath: scratch.file(".woodshed-deleted-take-2"), toPath: scratch.file("2.wav"))
        #expect(try store.trash(takes: Array(1...5)).map(\.number) == [3, 4, 5, 2])
        #expect(!names.contains { scratch.names.contains($0) } && scratch.names.contains(".woodshed-deleted-take-2"))
        #expect(error { try store.trash(takes: Array(1...5)) } == .trashed)
        #expect(try store.undoTrash().count == 3 && store.undoTrash().map(\.number) == [1, 2])
        #expect(names.allSatisfy { scratch.names.contains($0) })
        // A file of the name of a deleted take that is not the take's.
        try store.trash(takes: [1])
        try FileManager.default.removeItem(atPath: scratch.file(".woodshed-deleted-take-1"))
        try Data("new".utf8).write(to: URL(fileURLWithPath: scratch.file("1.wav")))
        #expect(error { try store.trash(takes: [1]) } == .trashed && scratch.names.contains("1.wav"))
    }
}
