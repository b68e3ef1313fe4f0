import Database
import Foundation
import Practice
import Sections
import SoundFileSupport
import TestSupport
import Testing

@testable import Catalogue
@testable import Library
@testable import Store

@Suite("Libraries of earlier versions")
struct EarlierLibraryTests {
    @Test("a library of each earlier version opens with all its contents", arguments: [5, 6, 7])
    func opens(_ version: Int) throws {
        let harness = try LibraryHarness()
        let kept = #filePath.replacing(
            "LibraryTests/EarlierLibraryTests.swift", with: "PracticeTests/Stores/version-\(version).db")
        let path = harness.scratch.file("earlier.db")
        try FileManager.default.copyItem(atPath: kept, toPath: path)
        let library = try RecordingLibrary(PracticeStore(.file(path)), folder: harness.scratch.file("library"))
        let item = try #require(try library.items { $0.text = "ｂｏſſa" }.first)
        #expect(item.words.title == "Blue Bossa" && item.words.artist == "Ana" && item.words.tags == ["slow"])
        #expect(item.words.language == "pt-BR" && item.words.source == "https://example.org/x.flac")
        #expect(item.place == .linked && item.path == "/music/x.flac" && item.codec == "flac")
        let playlist = try #require(try library.playlist(named: "Warm up"))
        #expect(try library.entries(of: playlist).map(\.item.number) == [item.number])
        let fetch = try #require(try library.pendingFetches().first)
        #expect(fetch.address == "https://example.org/later.mp3" && fetch.wishes.title == "Later")
        let documents = try library.documents(of: item.number)
        #expect(documents.map(\.name) == (version < 6 ? [] : ["sheet.pdf"]))
        #expect(documents.allSatisfy { $0.place == .kept && $0.byteCount == 14 && $0.isMissing })
        let more = try harness.text("more.pdf", "more")
        #expect(try library.attach(fileAt: more, to: item.number).document.index == documents.count + 1)
        #expect(try library.edit(item.number) { $0.title = "Other" }.words.title == "Other")
        #expect(try library.store.sections(of: item.key)?.sections.isEmpty == true && library.store.repair == nil)
    }

    @Test("a store older than libraries gets an empty library", arguments: 1...4)
    func withoutLibrary(_ version: Int) throws {
        let harness = try LibraryHarness()
        let kept = #filePath.replacing(
            "LibraryTests/EarlierLibraryTests.swift", with: "PracticeTests/Stores/version-\(version).db")
        let path = harness.scratch.file("earlier.db")
        try FileManager.default.copyItem(atPath: kept, toPath: path)
        let library = try RecordingLibrary(PracticeStore(.file(path)), folder: harness.scratch.file("library"))
        #expect(try library.items().isEmpty && library.playlists().isEmpty && library.check().isClean)
        let item = try library.add(fileAt: try harness.wave("a.wav", seed: 1)).item
        #expect(try library.items { $0.text = "a" }.map(\.number) == [item.number])
    }

    @Test("letters are folded in a library that an earlier version has indexed", arguments: [5, 6, 7])
    func folded(_ version: Int) throws {
        let harness = try LibraryHarness()
        let kept = #filePath.replacing(
            "LibraryTests/EarlierLibraryTests.swift", with: "PracticeTests/Stores/version-\(version).db")
        let path = harness.scratch.file("earlier.db")
        try FileManager.default.copyItem(atPath: kept, toPath: path)
        if version < 7 {
            try Database(path: path, creating: false).run(
                "UPDATE item SET title = 'Straße 日本語ｶﾞ', artist = 'Łódź', tags = 'Ænima'")
        }
        let library = try RecordingLibrary(PracticeStore(.file(path)), folder: harness.scratch.file("library"))
        if version == 7 {
            let number = try #require(try library.items().first).number
            try library.edit(number) { ($0.title, $0.artist, $0.tags) = ("Straße 日本語ｶﾞ", "Łódź", ["Ænima"]) }
        }
        for text in ["strasse", "lodz", "AENIMA", "本語ガ", "語ガ"] {
            #expect(try library.items { $0.text = text }.count == 1, "\(text)")
        }
        #expect(library.store.repair == nil)
    }
}
