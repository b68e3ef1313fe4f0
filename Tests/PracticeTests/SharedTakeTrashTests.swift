import AudioFiles
import Database
import Files
import Foundation
import SoundFileSupport
import TestSupport
import Testing

@testable import Store

@Suite("The trash of takes beside other programs")
struct SharedTakeTrashTests {
    private let scratch: Scratch
    private let store: PracticeStore
    /// The hidden name of the first take's file.
    private let hidden = ".woodshed-deleted-take-1"

    init() throws {
        scratch = try Scratch()
        store = try PracticeStore(.file(scratch.file("practice.db")))
    }

    /// Makes a file and adds it as a take.
    private func add(_ name: String) throws {
        try Data(name.utf8).write(to: URL(fileURLWithPath: scratch.file(name)))
        let sound = StoredTake.Sound(time: 1, sampleRate: 48_000, channelCount: 2, frameCount: 96_000)
        try store.addTake(inFileAt: scratch.file(name), sound)
    }

    /// The names of the first take's file.
    private var names: [String] { scratch.names.filter { $0 == "a.wav" || $0 == hidden } }

    private func trashed() throws -> [Int] { try store.takes(TakeFilter(isTrash: true)).map(\.number) }

    @Test("no file of a take is removed or renamed while another program changes the store")
    func locked() throws {
        try add("a.wav")
        try store.trash(takes: [1])
        let path = scratch.file("practice.db")
        let hasty = try PracticeStore(.file(path), schema: .current, busyTimeout: 1)
        #expect(try hasty.takes().isEmpty)
        let other = try Database(path: path, creating: false)
        try other.run("BEGIN IMMEDIATE")
        // The other program may just be restoring or forgetting the take.
        #expect(throws: StoreError.self) { try hasty.emptyTrash() }
        #expect(names == [hidden])
        #expect(throws: StoreError.self) { try hasty.restore(take: 1) }
        #expect(names == [hidden])
        try other.run("ROLLBACK")
        #expect(try hasty.restore(take: 1).number == 1 && names == ["a.wav"])
    }

    @Test("a deletion leaves a file in place whose take another program restores before the file is hidden")
    func restoredBeforeHiding() throws {
        try add("a.wav")
        let deletion = try store.changeTakes { (rows) throws(DatabaseError) in try rows.trash([1], at: 1, nil) }
        let other = try PracticeStore(.file(scratch.file("practice.db")))
        #expect(try other.restore(take: 1).number == 1)
        var result = TrashedTakes()
        try store.hideFiles(of: deletion, &result)
        #expect(try result.failure == nil && names == ["a.wav"] && store.takes().map(\.number) == [1])
        // A file that cannot be hidden returns no take to the list that another program has forgotten.
        let again = try store.changeTakes { (rows) throws(DatabaseError) in try rows.trash([1], at: 1, nil) }
        try other.forget(take: 1)
        try Data("another".utf8).write(to: URL(fileURLWithPath: scratch.file(hidden)))
        try store.hideFiles(of: again, &result)
        #expect(try result.failure == nil && store.takes().isEmpty && trashed().isEmpty && names.count == 2)
    }

    @Test(
        "an interrupted restoring is completed or undone, and emptying the trash forgets no take whose file is in place",
        arguments: [false, true])
    func interruptedRestoring(hasBothNames: Bool) throws {
        func interrupt() throws {
            try FileManager.default.linkItem(atPath: scratch.file(hidden), toPath: scratch.file("a.wav"))
            if !hasBothNames { try FileManager.default.removeItem(atPath: scratch.file(hidden)) }
        }
        try add("a.wav")
        try store.trash(takes: [1])
        try interrupt()
        #expect(try store.emptyTrash().takes.isEmpty && trashed() == [1] && names.contains("a.wav"))
        // Another deletion hides the file again.
        #expect(try store.trash(takes: [1]).map(\.number) == [1] && names == [hidden])
        try interrupt()
        #expect(try store.restore(take: 1).number == 1 && names == ["a.wav"])
        #expect(try store.takes().map(\.number) == [1] && store.emptyTrash().takes.isEmpty && names == ["a.wav"])
    }

    @Test("a program that waits for the disk during a restoring keeps no other program out of the store")
    func waitingForDisk() throws {
        try add("a.wav")
        try store.trash(takes: [1])
        let returning = try store.bringBack(take: 1, of: nil)
        // The file has its name, and the list has not changed yet.
        #expect(try names == ["a.wav"] && trashed() == [1])
        let hasty = try PracticeStore(.file(scratch.file("practice.db")), schema: .current, busyTimeout: 1)
        #expect(try hasty.edit(take: 1, .note("late")).note == "late")
        // The trash may be emptied now: the take stays.
        #expect(try hasty.emptyTrash().takes.isEmpty && trashed() == [1] && names == ["a.wav"])
        let take = try store.list(returning)
        #expect(try take.note == "late" && !take.isTrashed && trashed().isEmpty && names == ["a.wav"])
    }

    @Test("emptying the trash leaves a take whose file has got its name again since the proof of its owner")
    func restoredAfterProof() throws {
        try add("a.wav")
        try store.trash(takes: [1])
        let take = try #require(try store.take(1))
        let proven = FileIdentity(path: scratch.file(hidden))
        let returning = try store.bringBack(take: 1, of: nil)
        let other = try PracticeStore(.file(scratch.file("practice.db")))
        #expect(try !other.remove(take, proven) && trashed() == [1] && names == ["a.wav"])
        #expect(try store.list(returning).number == 1 && store.takes().map(\.number) == [1])
        // Also after the restoring.
        #expect(try !other.remove(take, proven) && names == ["a.wav"])
        // The proof holds for a file that keeps its hidden name.
        try store.trash(takes: [1])
        #expect(try other.remove(take, proven) && trashed().isEmpty && names.isEmpty)
    }

    @Test("a take that another program deletes or restores during a restoring is reported, and loses no file")
    func changedDuringRestoring() throws {
        func kind(_ body: () throws -> Void) -> TakeError.Kind? {
            do { try body() } catch { return (error as? TakeError)?.kind }
            return nil
        }
        try add("a.wav")
        let other = try PracticeStore(.file(scratch.file("practice.db")))
        try store.trash(takes: [1])
        // Another deletion of the take, which is still in the trash, hides the file again.
        var returning = try store.bringBack(take: 1, of: nil)
        #expect(try other.trash(takes: [1]).map(\.number) == [1] && names == [hidden])
        #expect(kind { _ = try store.list(returning) } == .trashed)
        #expect(try trashed() == [1] && names == [hidden])
        // Another program completes the restoring.
        returning = try store.bringBack(take: 1, of: nil)
        #expect(try other.restore(take: 1).number == 1)
        #expect(kind { _ = try store.list(returning) } == .trashed)
        #expect(try trashed().isEmpty && names == ["a.wav"])
        // Another program restores the take and deletes the take again.
        try store.trash(takes: [1])
        returning = try store.bringBack(take: 1, of: nil)
        try other.restore(take: 1)
        try other.trash(takes: [1])
        #expect(kind { _ = try store.list(returning) } == .trashed)
        #expect(try trashed() == [1] && names == [hidden])
        #expect(try store.restore(take: 1).number == 1 && names == ["a.wav"])
        // Another program moves the file away.
        try store.trash(takes: [1])
        returning = try store.bringBack(take: 1, of: nil)
        try FileManager.default.moveItem(atPath: scratch.file("a.wav"), toPath: scratch.file("moved.wav"))
        #expect(kind { _ = try store.list(returning) } == .trashed)
        #expect(try trashed() == [1] && names.isEmpty)
        try FileManager.default.moveItem(atPath: scratch.file("moved.wav"), toPath: scratch.file("a.wav"))
        #expect(try store.restore(take: 1).number == 1 && names == ["a.wav"])
        // Another program forgets the take.
        try store.trash(takes: [1])
        returning = try store.bringBack(take: 1, of: nil)
        try other.forget(take: 1)
        #expect(kind { _ = try store.list(returning) } == .unknown)
        #expect(names == ["a.wav"])
    }

    @Test("a take returns beside an older take of the same name in the list")
    func olderTakeOfOneName() throws {
        try add("a.wav")
        let sound = StoredTake.Sound(time: 2, sampleRate: 48_000, channelCount: 2, frameCount: 96_000)
        try store.addTake(inFileAt: scratch.file("a.wav"), sound)
        try store.trash(takes: [2])
        #expect(try store.restore(take: 2).number == 2 && store.takes().map(\.number) == [2, 1])
        #expect(scratch.names.contains("a.wav"))
    }

    @Test("emptying the trash forgets no take whose file is in place beside an older take of the same name")
    func emptiedBesideOlderTake() throws {
        try add("a.wav")
        try Data("later".utf8).write(to: URL(fileURLWithPath: scratch.file("a.wav")))
        let sound = StoredTake.Sound(time: 2, sampleRate: 48_000, channelCount: 2, frameCount: 96_000)
        try store.addTake(inFileAt: scratch.file("a.wav"), sound)
        try store.trash(takes: [2])
        let returning = try store.bringBack(take: 2, of: nil)
        let other = try PracticeStore(.file(scratch.file("practice.db")))
        #expect(try other.emptyTrash().takes.isEmpty && trashed() == [2] && names == ["a.wav"])
        #expect(try store.list(returning).number == 2 && store.takes().map(\.number) == [2, 1])
        // Another restoring completes an interrupted restoring.
        try store.trash(takes: [2])
        _ = try store.bringBack(take: 2, of: nil)
        #expect(try other.restore(take: 2).number == 2 && store.takes().map(\.number) == [2, 1] && names == ["a.wav"])
        // Another file of the name proves nothing.
        try store.trash(takes: [2])
        _ = try store.bringBack(take: 2, of: nil)
        let file = URL(fileURLWithPath: scratch.file("a.wav"))
        let content = try Data(contentsOf: file)
        try Data("another".utf8).write(to: file)
        #expect(throws: TakeError.self) { try store.restore(take: 2) }
        #expect(try trashed() == [2] && names == ["a.wav"])
        try content.write(to: file)
        #expect(try store.restore(take: 2).number == 2)
        // Another deletion hides the file of an interrupted restoring.
        try store.trash(takes: [2])
        _ = try store.bringBack(take: 2, of: nil)
        #expect(try store.trash(takes: [2]).map(\.number) == [2] && names.isEmpty)
        #expect(try store.emptyTrash().takes.map(\.number) == [2])
    }

    @Test("a deletion that loses the store reports exactly the takes in the trash, and the next deletion completes it")
    func lostStore() throws {
        try add("a.wav")
        try add("b.wav")
        let path = scratch.file("practice.db")
        let hasty = try PracticeStore(.file(path), schema: .current, busyTimeout: 1)
        let deletion = try hasty.changeTakes { (rows) throws(DatabaseError) in try rows.trash([1, 2], at: 1, nil) }
        let other = try Database(path: path, creating: false)
        try other.run("BEGIN IMMEDIATE")
        var result = TrashedTakes()
        #expect(throws: StoreError.self) { try hasty.hideFiles(of: deletion, &result) }
        #expect(result.takes.map(\.number) == [1, 2] && result.failure == nil && names == ["a.wav"])
        try other.run("ROLLBACK")
        #expect(try trashed() == [2, 1])
        #expect(try store.trash(takes: [1, 2]).map(\.number) == [1, 2] && names == [hidden])
        #expect(!scratch.names.contains("b.wav"))
    }

    @Test("a refused restoring does not wait for a program that changes the store")
    func refusedWithoutTransaction() throws {
        try add("a.wav")
        let path = scratch.file("practice.db")
        let hasty = try PracticeStore(.file(path), schema: .current, busyTimeout: 1)
        #expect(try hasty.takes().count == 1)
        let other = try Database(path: path, creating: false)
        try other.run("BEGIN IMMEDIATE")
        for number in [1, 2] { #expect(throws: TakeError.self) { try hasty.restore(take: number) } }
        #expect(throws: TakeError.self) { try hasty.edit(take: 2, .note("late")) }
        try other.run("ROLLBACK")
        try store.trash(takes: [1])
        try Data("new".utf8).write(to: URL(fileURLWithPath: scratch.file("a.wav")))
        try other.run("BEGIN IMMEDIATE")
        #expect(throws: TakeError.self) { try hasty.restore(take: 1) }
        try other.run("ROLLBACK")
        #expect(try trashed() == [1])
    }

    @Test("an interrupted emptying of the trash is completed by the next")
    func interruptedEmptying() throws {
        try add("a.wav")
        try store.trash(takes: [1])
        // The program ended between the removal of the file and the change of the list.
        try FileManager.default.removeItem(atPath: scratch.file(hidden))
        #expect(try store.takes().isEmpty && store.emptyTrash().takes.map(\.number) == [1] && trashed().isEmpty)
    }
}
