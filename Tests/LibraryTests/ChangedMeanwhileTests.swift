import Database
import Foundation
import SoundFileSupport
import Store
import Testing

@testable import Catalogue
@testable import Library

@Suite("Changes during library operations")
struct ChangedMeanwhileTests {
    private func append(to path: String) throws {
        let file = try #require(FileHandle(forWritingAtPath: path))
        try file.seekToEnd()
        try file.write(contentsOf: Data(repeating: 1, count: 4000))
        try file.close()
    }

    @Test("a file that changed after it was read is not moved into the library")
    func moved() throws {
        let harness = try LibraryHarness()
        let path = try harness.wave("a.wav", seed: 1)
        let kind = libraryError {
            _ = try harness.library.add(
                [path], .move, change: { _ in #expect(throws: Never.self) { try append(to: path) } })[0].get()
        }
        #expect(kind == .changed && harness.isThere(path))
        #expect(try harness.library.items().isEmpty)
        #expect(try harness.library.add(fileAt: path, .move).isNew && !harness.isThere(path))
    }

    @Test("a file copied for a move stays in place if it was written to since")
    func copied() throws {
        let harness = try LibraryHarness()
        let path = try harness.wave("a.wav", seed: 1)
        // A link is copied.
        let link = harness.scratch.file("link.wav")
        try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: path)
        let calls = CallsBeforeStep {
            let file = FileHandle(forWritingAtPath: path)
            _ = try? file?.seekToEnd()
            try? file?.write(contentsOf: Data(repeating: 1, count: 4000))
            try? file?.close()
        }
        let library = try RecordingLibrary(harness.store, folder: harness.library.folderPath, calls: calls)
        #expect(try library.add(fileAt: link, .move).isNew && calls.wasReached)
        #expect(harness.isThere(link))
        #expect(try library.check().isClean)
    }

    @Test("a move removes no other file that took the name of the moved file")
    func replaced() throws {
        let harness = try LibraryHarness()
        let path = try harness.wave("a.wav", seed: 1)
        let other = Data("another file".utf8)
        // Before the first renaming, which gives the moved file its second name.
        let calls = CallsBeforeStep { try? other.write(to: URL(fileURLWithPath: path), options: .atomic) }
        let library = try RecordingLibrary(harness.store, folder: harness.library.folderPath, calls: calls)
        #expect(try library.add(fileAt: path, .move).isNew && calls.wasReached)
        #expect(try library.check().isClean)
        #expect(FileManager.default.contents(atPath: path) == other && harness.isThere(path))
    }

    @Test("emptying the trash forgets no recording that was restored meanwhile")
    func cameBack() throws {
        let harness = try LibraryHarness()
        let item = try harness.library.add(fileAt: harness.wave("a.wav", seed: 1)).item
        let isForgotten = try harness.library.change { (items) throws(DatabaseError) in try items.forget(item.number) }
        #expect(!isForgotten)
        #expect(try harness.library.items().map(\.number) == [item.number])
        _ = try harness.library.remove([item.number])
        #expect(try harness.library.emptyTrash().items.map(\.number) == [item.number])
    }

    @Test("all addresses that are requested again at once get one revision")
    func revisions() throws {
        let harness = try LibraryHarness()
        let addresses = (0..<5).map { "https://example.org/\($0)" }
        let fetches = try harness.library.askFor(addresses, FetchWishes(), priority: 0)
        for fetch in fetches { _ = try harness.library.setFetch(fetch.number, .paused) }
        let before = try harness.library.changeFetches { (rows) throws(DatabaseError) in try rows.nextRevision() }
        var wishes = FetchWishes()
        wishes.artist = "Ann"
        let again = try harness.library.askFor(addresses, wishes, priority: 3)
        #expect(
            again.count == 5
                && again.allSatisfy { $0.state == .waiting && $0.priority == 3 && $0.wishes.artist == "Ann" })
        let after = try harness.library.changeFetches { (rows) throws(DatabaseError) in try rows.nextRevision() }
        #expect(after == before + 1)
    }
}
