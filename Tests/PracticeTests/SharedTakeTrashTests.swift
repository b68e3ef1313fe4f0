import AudioFiles
import Database
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
        var failure: AudioFileError?
        _ = try store.hideFiles(of: deletion, &failure)
        #expect(try failure == nil && names == ["a.wav"] && store.takes().map(\.number) == [1])
        // A file that cannot be hidden returns no take to the list that another program has forgotten.
        let again = try store.changeTakes { (rows) throws(DatabaseError) in try rows.trash([1], at: 1, nil) }
        try other.forget(take: 1)
        try Data("another".utf8).write(to: URL(fileURLWithPath: scratch.file(hidden)))
        _ = try store.hideFiles(of: again, &failure)
        #expect(try failure == nil && store.takes().isEmpty && trashed().isEmpty && names.count == 2)
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

    @Test("an interrupted emptying of the trash is completed by the next")
    func interruptedEmptying() throws {
        try add("a.wav")
        try store.trash(takes: [1])
        // The program ended between the removal of the file and the change of the list.
        try FileManager.default.removeItem(atPath: scratch.file(hidden))
        #expect(try store.takes().isEmpty && store.emptyTrash().takes.map(\.number) == [1] && trashed().isEmpty)
    }
}
