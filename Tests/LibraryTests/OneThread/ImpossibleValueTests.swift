import AudioFiles
import Database
import Foundation
import Sections
import SoundFileSupport
import TestSupport
import Testing

@testable import Catalogue
@testable import Library
@testable import Store

@Suite("Impossible values in the store")
struct ImpossibleValueTests {
    private static let statements = [
        "UPDATE document SET place = 'x'", "UPDATE fetch SET state = 'x'", "UPDATE take SET channel_count = 4000",
        "UPDATE section SET kind = 'x' WHERE name = 'intro'", "UPDATE item SET place = 'x' WHERE id = 1",
        "UPDATE section SET first = -5 WHERE name = 'intro'",
        "UPDATE recording SET sample_rate = 4000000000 WHERE id = 1",
        "UPDATE merged SET content = 'x' WHERE kind = 'recording'",
        "UPDATE merged SET content = 'x' WHERE kind = 'section'",
        "UPDATE merged SET content = 'x' WHERE kind = 'playlist'",
    ]

    @Test("an impossible value stops no command, and removes nothing from other computers", arguments: statements)
    func others(statement: String) throws {
        let full = try FullLibrary()
        defer { withExtendedLifetime(full) {} }
        let there = try LibraryHarness()
        try there.library.merge(catalogueIn: Array(full.harness.library.catalogueText().utf8))
        let expected = try contents(there.library)
        try changeStore(full.path, [statement])
        let library = try full.harness.another()
        for _ in 0..<2 { try there.library.merge(catalogueIn: Array(library.catalogueText().utf8)) }
        #expect(try contents(there.library) == expected)
        try library.merge(catalogueIn: Array(there.library.catalogueText().utf8))
        for _ in 0..<2 { try there.library.merge(catalogueIn: Array(library.catalogueText().utf8)) }
        #expect(try contents(there.library) == expected)
        _ = try library.backUp(to: full.harness.scratch.file("backup"))
        _ = try library.writeBundle(to: full.harness.scratch.file("all.tar"))
        _ = try library.check()
        _ = try (library.pendingFetches(), library.episodes())
        for playlist in try library.playlists() { _ = try library.entries(of: playlist) }
        _ = try library.remove([full.songs[1].number])
        _ = try library.undoRemoval()
        _ = try library.emptyTrash()
        #expect(library.store.repair == nil)
    }

    @Test("a section that begins before its recording is left out, and noted")
    func negativeFrame() throws {
        let full = try FullLibrary()
        defer { withExtendedLifetime(full) {} }
        try changeStore(full.path, ["UPDATE section SET first = -5 WHERE name = 'intro'"])
        let library = try full.harness.another()
        #expect(try library.store.sections(of: full.songs[0].key)?.sections.map(\.name) == ["solo"])
        #expect(!library.store.unreadable.isEmpty)
    }

    @Test(
        "sections can be added beside an impossible number, and no repair begins",
        arguments: [
            "UPDATE recording SET next_section = 9223372036854775807", "UPDATE recording SET next_section = -4",
            "UPDATE recording SET revision = 9223372036854775807",
            "UPDATE section SET id = 9223372036854775807 WHERE name = 'b'",
        ])
    func numbers(statement: String) throws {
        let harness = try LibraryHarness()
        let recording = PracticeRecording(
            key: RecordingKey(high: 1, low: 1), sampleRate: 44_100, frameCount: 100_000, title: "made", path: nil)
        func add(_ name: String) throws -> (SectionChange, PracticeStore) {
            let store = try PracticeStore(.file(harness.scratch.file("data/practice.db")))
            let first = Int64(name.utf8.first ?? 0) * 100
            let draft = SectionDraft(first..<first + 50, name: name)
            return (try store.apply(.add([draft]), to: recording), store)
        }
        for name in ["a", "b", "c"] { _ = try add(name) }
        _ = try add("e").1.undo(recording.key)
        let path = harness.scratch.file("data/practice.db")
        let database = try Database(path: path, creating: false)
        _ = try database.rows("PRAGMA ignore_check_constraints = ON") { _ in }
        // An impossible value elsewhere, which no statement here meets.
        try database.run("UPDATE section SET hard = 7 WHERE name = 'a'")
        try database.run(statement)
        let (change, store) = try add("d")
        // The number of the removed section is not given again.
        #expect(change.added.map(\.id) == [5] && store.repair == nil)
        #expect(!FileManager.default.fileExists(atPath: path + ".damaged"))
    }

    @Test("the part of an unreadable fetch is kept")
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

    @Test("the file of an unreadable document is kept when another recording's is removed for good")
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
