import Foundation
import SoundFileSupport
import TestSupport
import Testing

@testable import Catalogue
@testable import Library
@testable import Store

@Suite("The repair of a library's store")
struct LibraryRepairTests {
    @Test("keeps recordings whose words were changed, with their words and the times of the changes")
    func editedWords() throws {
        let harness = try LibraryHarness()
        let item = try harness.library.add(fileAt: harness.wave("song.wav", seed: 1)).item
        let edited = try harness.library.edit(item.number) { $0.title = "Autumn Leaves" }
        #expect(edited.words.title == "Autumn Leaves")
        let path = harness.scratch.file("data/practice.db")
        let file = try #require(FileHandle(forUpdatingAtPath: path))
        try file.write(contentsOf: Data("no SQLite header".utf8))
        try file.close()

        let store = try PracticeStore(.file(path))
        let repaired = try RecordingLibrary(store, folder: harness.scratch.file("data/library"))
        #expect(try repaired.items().map(\.words) == [edited.words])
        #expect(store.repair?.itemCount == 1 && store.repair?.isComplete == true)
    }
}
