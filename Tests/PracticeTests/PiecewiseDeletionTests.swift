import AudioFiles
import Database
import Explanations
import Files
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

    /// Puts a file in the way of the hidden names of takes.
    private func obstruct(_ numbers: [Int]) throws {
        for number in numbers {
            let path = scratch.file(".woodshed-deleted-take-\(number)")
            try Data("another".utf8).write(to: URL(fileURLWithPath: path))
        }
    }

    private func message(_ body: () throws -> Void) -> String? {
        do { try body() } catch { return (error as? any ExplainedError)?.message }
        return nil
    }

    @Test("a deletion tells exactly the takes in the trash, and its error names the takes in the list")
    func partlyRefused() throws {
        for number in 1...7 { try add("\(number).wav") }
        try obstruct([2, 4, 5, 6])
        var told: [[Int]] = []
        let refusal = message {
            _ = try store.trash(takes: Array(1...7), atOnce: 3, told: { told.append($0.map(\.number)) }) {}
        }
        let cause = "take 2 cannot be moved to the trash: there is another file "
        #expect(refusal?.hasPrefix(cause) == true && refusal?.hasSuffix("; still in the list: takes 2, 4-6") == true)
        #expect(told == [[1, 3], [], [7]])
        #expect(try store.takes().map(\.number) == [6, 5, 4, 2])
        #expect(try store.undoTrash().map(\.number) == [1, 3, 7])
        // The public call names both.
        let both = message { _ = try store.trash(takes: [2, 3]) }
        #expect(both?.hasPrefix(cause) == true && both?.hasSuffix("; in the trash already: take 3") == true)
    }

    @Test("a deletion whose take cannot return to the list names this take as in the trash")
    func lostReturn() throws {
        for number in 1...3 { try add("\(number).wav") }
        try obstruct([2])
        // As on a full disk: a table has no number left for another row.
        let database = try Database(path: scratch.file("practice.db"), creating: false)
        for statement in [
            "CREATE TABLE filler (id INTEGER PRIMARY KEY AUTOINCREMENT)", "INSERT INTO filler VALUES (\(Int64.max))",
            """
            CREATE TRIGGER failing BEFORE UPDATE OF trashed ON take WHEN NEW.trashed IS NULL
            BEGIN INSERT INTO filler (id) VALUES (NULL); END
            """,
        ] { try database.run(statement) }
        let failure = message { _ = try store.trash(takes: [1, 2, 3]) }
        #expect(failure?.hasSuffix("; in the trash already: takes 1-3") == true, "\(failure ?? "")")
        #expect(try store.takes(TakeFilter(isTrash: true)).map(\.number) == [3, 2, 1])
        try database.run("DROP TRIGGER failing")
        // The next deletion hides the third take's file. The second take's file stays in place.
        #expect(try store.trash(takes: [1, 2, 3]).map(\.number) == [3])
        #expect(scratch.names.filter { $0.hasSuffix(".wav") } == ["2.wav"])
    }

    @Test("emptying the trash fails with the number of the take, and names the takes removed already")
    func partlyEmptied() throws {
        for number in 1...3 { try add("\(number).wav") }
        try store.trash(takes: [1, 2, 3])
        let database = try Database(path: scratch.file("practice.db"), creating: false)
        for statement in [
            "CREATE TABLE filler (id INTEGER PRIMARY KEY AUTOINCREMENT)", "INSERT INTO filler VALUES (\(Int64.max))",
            """
            CREATE TRIGGER failing BEFORE UPDATE OF gone ON take WHEN NEW.id = 2
            BEGIN INSERT INTO filler (id) VALUES (NULL); END
            """,
        ] { try database.run(statement) }
        let failure = message { _ = try store.emptyTrash() }
        #expect(failure?.hasSuffix("; removed already: take 3") == true, "\(failure ?? "")")
        #expect(try store.takes(TakeFilter(isTrash: true)).map(\.number) == [2, 1])
        try database.run("DROP TRIGGER failing")
        #expect(try store.emptyTrash().takes.map(\.number) == [2, 1])
    }

    @Test("a take's file is renamed in one step or in two, and never replaces another file", arguments: [true, false])
    func renaming(isOneStep: Bool) throws {
        let (path, other) = (scratch.file("a.wav"), scratch.file("b.wav"))
        for name in [path, other] { try Data(name.utf8).write(to: URL(fileURLWithPath: name)) }
        func fault() -> Int32? {
            FileFault.thrown { () throws(FileFault) in
                try TakeTrash.move(path, to: other, isOneStep: isOneStep)
            }?.code
        }
        #expect(fault() == EEXIST && FileManager.default.contents(atPath: other) == Data(other.utf8))
        try FileManager.default.removeItem(atPath: other)
        #expect(fault() == nil && FileManager.default.contents(atPath: other) == Data(path.utf8))
        #expect(!scratch.names.contains("a.wav"))
        // Two names of one file, as after an interruption of a renaming in two steps.
        try FileManager.default.linkItem(atPath: other, toPath: path)
        #expect(fault() == nil && !scratch.names.contains("a.wav") && scratch.names.contains("b.wav"))
    }

    @Test("an error of the file system at a take's file states the cause and the remedy")
    func refusals() throws {
        let take = try add("1.wav")
        let hidden = scratch.file(".woodshed-deleted-take-1")
        func words(_ change: TakeTrash.Change, _ code: Int32) -> [String] {
            let error = TakeTrash.failure(take, change, errno: code)
            return [error.kind.rawValue, error.message, error.remedy]
        }
        #expect(
            words(.deletion, EACCES) == [
                "permissionDenied",
                "take 1 cannot be moved to the trash: you may not change the directory of \(take.path) "
                    + "(\(systemText(EACCES)))",
                "Change the permissions of the directory.",
            ])
        #expect(
            words(.completion, EIO) == [
                "io",
                "take 1 is in the trash, but its file cannot be hidden: \(take.path) cannot be renamed "
                    + "(\(systemText(EIO)))",
                "Check the disk.",
            ])
        #expect(
            words(.restoring, EEXIST) == [
                "alreadyExists", "take 1 cannot be restored: there is another file \(take.path)",
                "Move that file away first.",
            ])
        #expect(
            words(.removal, ENOSPC) == [
                "diskFull", "take 1 cannot be removed from the trash: the disk of \(hidden) has no room left",
                "Free some room.",
            ])
    }
}
