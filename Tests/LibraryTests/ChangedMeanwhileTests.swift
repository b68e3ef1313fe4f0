import Database
import Foundation
import SoundFileSupport
import Store
import Testing

@testable import Catalogue
@testable import Library

@Suite("A library and what changes while it works")
struct ChangedMeanwhileTests {
    private func append(to path: String) throws {
        let file = try #require(FileHandle(forWritingAtPath: path))
        try file.seekToEnd()
        try file.write(contentsOf: Data(repeating: 1, count: 4000))
        try file.close()
    }

    @Test("takes no file over that was written into after it was read")
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

    @Test("leaves a file that was copied to be moved where it is if it was written into since")
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

    @Test("removes no other file that has taken the name of a moved file")
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

    @Test("forgets no recording that came back while the trash was emptied")
    func cameBack() throws {
        let harness = try LibraryHarness()
        let item = try harness.library.add(fileAt: harness.wave("a.wav", seed: 1)).item
        let isForgotten = try harness.library.change { (items) throws(DatabaseError) in try items.forget(item.number) }
        #expect(!isForgotten)
        #expect(try harness.library.items().map(\.number) == [item.number])
        _ = try harness.library.remove([item.number])
        #expect(try harness.library.emptyTrash().items.map(\.number) == [item.number])
    }

    @Test("finds one revision for all addresses that are asked for again at once")
    func revisions() throws {
        let harness = try LibraryHarness()
        let addresses = (0..<5).map { "https://example.org/\($0)" }
        let fetches = try harness.library.askFor(addresses, FetchWishes(), priority: 0)
        for fetch in fetches { _ = try harness.library.setFetch(fetch.number, .paused) }
        let before = try harness.library.changeFetches { (rows) throws(DatabaseError) in try rows.nextRevision() }
        var wishes = FetchWishes()
        wishes.artist = "Ann"
        let again = try harness.library.askFor(addresses, wishes, priority: 3)
        #expect(again.allSatisfy { $0.state == .waiting && $0.priority == 3 && $0.wishes.artist == "Ann" })
        let after = try harness.library.changeFetches { (rows) throws(DatabaseError) in try rows.nextRevision() }
        #expect(after == before + 1)
    }
}
