import AudioFiles
import Database
import Foundation
import SoundFileSupport
import TestSupport
import Testing

@testable import Catalogue
@testable import Library
@testable import Store

@Suite("A value in the store that cannot be")
struct ImpossibleValueTests {
    @Test("keeps the part of a fetch that cannot be read")
    func part() throws {
        let harness = try LibraryHarness()
        let address = "https://example.org/later.mp3"
        _ = try harness.library.askFor(address)
        try harness.library.folder.make()
        let part = harness.library.folder.parts + "/" + RecordingLibrary.partNames(address)[1]
        try Data("half".utf8).write(to: URL(fileURLWithPath: part))
        try FileManager.default.setAttributes(
            [.modificationDate: Date(timeIntervalSinceNow: -7200)], ofItemAtPath: part)
        try changeStore(harness.scratch.file("data/practice.db"), ["UPDATE fetch SET state = 'x'"])
        let library = try harness.another()
        let report = try library.check()
        #expect(report.parts.isEmpty, "\(report)")
        #expect(try library.pendingFetches().isEmpty && !library.store.unreadable.isEmpty)
    }

    @Test("keeps the file of a document that cannot be read when another recording's is removed for good")
    func document() throws {
        let harness = try LibraryHarness()
        let items = try (1...2).map { seed in
            try harness.library.add(fileAt: harness.wave("\(seed).wav", seed: UInt64(seed))).item
        }
        let score = try harness.text("score.pdf", "notes")
        for item in items { _ = try harness.library.attach(fileAt: score, to: item.number) }
        let path = try #require(try harness.library.documents(of: items[1].number).first).path
        let store = harness.scratch.file("data/practice.db")
        try changeStore(store, ["UPDATE document SET place = 'x' WHERE id = 2"])
        let library = try harness.another()
        _ = try library.removeDocument(1, of: items[0].number)
        _ = try library.emptyTrash()
        let report = try library.check()
        #expect(report.orphans.isEmpty, "\(report)")
        try changeStore(store, ["UPDATE document SET place = 'kept' WHERE id = 2"])
        try library.repair(library.check())
        #expect(try String(contentsOfFile: path, encoding: .utf8) == "notes")
    }
}
