import AudioFiles
import Database
import Foundation
import SoundFileSupport
import TestSupport
import Testing

@testable import Catalogue
@testable import Library
@testable import Store

/// Stores from elsewhere that list takes in files other than takes.
@Suite("Take of a store from elsewhere")
struct OutsideTakeTests {
    @Test("removing a take of a foreign store removes no file of the user", arguments: [false, true])
    func takes(isSalvaged: Bool) throws {
        let full = try FullLibrary()
        defer { withExtendedLifetime(full) {} }
        let (folder, store) = try full.storeBackup()
        let there = try LibraryHarness()
        let (notes, song) = (try there.text("notes", "mine"), try there.wave("song.wav", seed: 70, frames: 900))
        try changeStore(
            store,
            [
                "UPDATE take SET path = '\(song)' WHERE id = 1",
                "UPDATE take SET path = '\(notes)', frame_count = 0 WHERE id = 2",
                "UPDATE take SET path = '/nowhere/take.wav' WHERE id = 3",
            ])
        if isSalvaged {
            #expect(try there.library.salvage(storeAt: store).takes == 3)
        } else {
            try there.library.restore(from: folder)
        }
        let folderOfTakes = there.library.takesFolder + "/"
        func paths(isTrash: Bool) throws -> [String] {
            try there.store.takes(TakeFilter(isTrash: isTrash)).map(\.path)
        }
        // The disk of the last take may come back.
        #expect(try paths(isTrash: false) == ["/nowhere/take.wav", folderOfTakes + "song.wav"])
        #expect(try paths(isTrash: true).allSatisfy { $0.hasPrefix(folderOfTakes) })
        if isSalvaged { #expect(try there.library.salvage(storeAt: store).isEmpty) }
        _ = try there.store.restore(take: 2)
        _ = try there.store.trash(takes: [1, 2, 3])
        _ = try there.store.emptyTrash()
        #expect(there.isThere(notes) && there.isThere(song))
    }

    @Test("a take of a restored store stays in place if its file is here")
    func ownTakes() throws {
        let full = try FullLibrary()
        defer { withExtendedLifetime(full) {} }
        let (folder, store) = try full.storeBackup()
        // One take has no comparison yet.
        try changeStore(store, ["DELETE FROM take_mark WHERE take = 3"])
        let there = try LibraryHarness()
        try there.library.restore(from: folder)
        #expect(try there.store.takes().map(\.path) == [3, 1].map { full.harness.scratch.file("take-\($0).wav") })
        _ = try there.store.restore(take: 2)
        #expect(full.harness.isThere(full.harness.scratch.file("take-2.wav")))
    }

    @Test("a take whose file was never a take leaves the file alone")
    func otherFile() throws {
        let harness = try LibraryHarness()
        let path = try harness.text("notes", "mine")
        let take = try harness.store.addTake(
            inFileAt: path, .init(time: 7, sampleRate: 44_100, channelCount: 1, frameCount: 0))
        _ = try harness.store.trash(takes: [take.number])
        _ = try harness.store.emptyTrash()
        #expect(harness.isThere(path))
    }
}
