import AudioFiles
import Database
import Files
import Foundation
import Practice
import Sections
import SoundFileSupport
import TestSupport
import Testing

@testable import Catalogue
@testable import Library
@testable import Store

/// A library in a scratch folder, with recordings that differ.
final class LibraryHarness {
    let scratch: Scratch
    let store: PracticeStore
    let library: RecordingLibrary

    init() throws {
        scratch = try Scratch()
        store = try Self.patientStore(scratch.file("data/practice.db"))
        library = try RecordingLibrary(store, folder: scratch.file("data/library"))
    }

    /// A short recording of its own sound; other seeds sound otherwise.
    func wave(_ name: String, seed: UInt64, frames: Int = 400) throws -> String {
        let path = scratch.file(name)
        try writeWave(path, music(frameCount: frames, channelCount: 1, seed: seed))
        return path
    }

    func isThere(_ path: String) -> Bool { FileManager.default.fileExists(atPath: path) }
    func names(_ folder: String) -> [String] {
        ((try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []).sorted()
    }
    func another() throws -> RecordingLibrary {
        try RecordingLibrary(
            Self.patientStore(scratch.file("data/practice.db")), folder: scratch.file("data/library"))
    }
    /// A busy machine may hold up one of two connections while it has the store.
    private static func patientStore(_ path: String) throws -> PracticeStore {
        try PracticeStore(.file(path), schema: .current, busyTimeout: 120_000)
    }
}

/// Throws if an index of words does not fit the rows of a library's store.
func checkWords(of library: RecordingLibrary) throws {
    try StoreSchema.checkWords(in: Database(path: try #require(library.store.path), creating: false))
}

/// The kind of a library's error.
func libraryError(_ body: () throws -> Void) -> RecordingLibraryError.Kind? {
    do {
        try body()
        return nil
    } catch {
        let error = error as? RecordingLibraryError
        #expect(error?.message.isEmpty == false)
        return error?.kind
    }
}

@Suite("Library")
struct CatalogueTests {
    @Test("reading a library creates no file")
    func reading() throws {
        let harness = try LibraryHarness()
        #expect(try harness.library.items().isEmpty && harness.library.item(1) == nil)
        #expect(try harness.library.check().isClean)
        #expect(harness.names(harness.scratch.path).isEmpty)
    }

    @Test("a copied file is equal, is named by its sound, and the original stays")
    func copying() throws {
        let harness = try LibraryHarness()
        let path = try harness.wave("Blue_Bossa.wav", seed: 1)
        let added = try harness.library.add(fileAt: path)
        let item = added.item
        #expect(added.isNew && item.place == .kept && item.words.title == "Blue Bossa" && item.index == 0)
        #expect(item.originalName == "Blue_Bossa.wav" && item.kind == .audio && item.channelCount == 1)
        #expect(try item.key == RecordingKey(ofFileAt: path))
        #expect(item.path == harness.library.folderPath + "/\(item.key).wav")
        #expect(try Data(contentsOf: URL(filePath: path)) == Data(contentsOf: URL(filePath: item.path)))
        let listed = try harness.library.items()
        #expect(listed.map(\.number) == [item.number] && listed[0].index == 1)
        #expect(harness.names(harness.library.folderPath + "/parts").isEmpty)
        #expect(try harness.another().items() == listed)
    }

    @Test("the same sound is not added twice, whatever its name")
    func twice() throws {
        let harness = try LibraryHarness()
        let path = try harness.wave("a.wav", seed: 1)
        let other = harness.scratch.file("b.wav")
        try FileManager.default.copyItem(atPath: path, toPath: other)
        let first = try harness.library.add(fileAt: path)
        let second = try harness.library.add(fileAt: other, .link)
        #expect(!second.isNew && second.item.number == first.item.number && second.item.place == .kept)
        #expect(try harness.library.items().count == 1)
    }

    @Test("two recordings with the same file name and title do not clash")
    func sameName() throws {
        let harness = try LibraryHarness()
        try FileManager.default.createDirectory(atPath: harness.scratch.file("x"), withIntermediateDirectories: true)
        let one = try harness.library.add(fileAt: try harness.wave("track01.wav", seed: 1)).item
        let two = try harness.library.add(fileAt: try harness.wave("x/track01.wav", seed: 2)).item
        #expect(one.words.title == two.words.title && one.path != two.path)
        #expect(try harness.library.items().count == 2)
    }

    @Test("a linked file stays in place, and a moved file leaves its place")
    func linkedAndMoved() throws {
        let harness = try LibraryHarness()
        let (one, two) = (try harness.wave("one.wav", seed: 1), try harness.wave("two.wav", seed: 2))
        let linked = try harness.library.add(fileAt: one, .link).item
        #expect(linked.place == .linked && linked.path == one && harness.isThere(one))
        let moved = try harness.library.add(fileAt: two, .move).item
        #expect(moved.place == .kept && harness.isThere(moved.path) && !harness.isThere(two))
        // A link becomes a copy when the user asks for a copy.
        #expect(try harness.library.add(fileAt: one).item.place == .kept && harness.isThere(one))
    }

    @Test("moving a symbolic link adds the sound, removes the link, and leaves the link's target")
    func movedLink() throws {
        let harness = try LibraryHarness()
        let (target, link) = (try harness.wave("one.wav", seed: 1), harness.scratch.file("link.wav"))
        let bytes = FileManager.default.contents(atPath: target)
        try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: "one.wav")
        let item = try harness.library.add(fileAt: link, .move).item
        #expect(
            try FileManager.default.attributesOfItem(atPath: item.path)[.type] as? FileAttributeType == .typeRegular)
        #expect(FileManager.default.contents(atPath: item.path) == bytes)
        #expect(!harness.names(harness.scratch.path).contains("link.wav"))
        #expect(FileManager.default.contents(atPath: target) == bytes)
    }

    @Test("a file that is no recording is refused, and leaves nothing in the library")
    func refusing() throws {
        let harness = try LibraryHarness()
        let path = try harness.scratch.write("page.mp3", Array("<!DOCTYPE html><html></html>".utf8))
        #expect(throws: AudioFileError.self) { try harness.library.add(fileAt: path) }
        #expect(throws: AudioFileError.self) { try harness.library.add(fileAt: harness.scratch.file("none.wav")) }
        #expect(harness.names(harness.scratch.path) == ["page.mp3"])
    }

    // MARK: Editing and finding

    @Test("an edit changes the named fields, cleans texts, and refuses invalid values")
    func editing() throws {
        let harness = try LibraryHarness()
        let number = try harness.library.add(fileAt: try harness.wave("a.wav", seed: 1)).item.number
        let edited = try harness.library.edit(number) { words in
            (words.title, words.artist, words.language) = (" Café\tdel  Mar ", "Ana", "pt-BR")
            words.tags = ["Bossa", "slow", "bossa", " "]
        }
        #expect(edited.words.title == "Café del  Mar" && edited.words.tags == ["Bossa", "slow"])
        #expect(try harness.library.item(number)?.words == edited.words)
        #expect(libraryError { try harness.library.edit(number) { $0.title = "\n" } } == .textRefused)
        #expect(libraryError { try harness.library.edit(number) { $0.language = "no tag!" } } == .textRefused)
        #expect(libraryError { try harness.library.edit(99) { $0.title = "x" } } == .unknown)
        #expect(try harness.library.item(number)?.words == edited.words)
        // Playing the file does not restore the old title.
        _ = try harness.store.remember(edited.recording, position: 3, settings: [:])
        #expect(try harness.library.item(number)?.words.title == "Café del  Mar")
    }

    @Test("a search finds titles, artists, tags and sections, ignoring case and accents")
    func finding() throws {
        let harness = try LibraryHarness()
        let library = harness.library
        let one = try library.add(fileAt: try harness.wave("one.wav", seed: 1)).item
        let two = try library.add(fileAt: try harness.wave("two.wav", seed: 2)).item
        let three = try library.add(fileAt: try harness.wave("three.wav", seed: 3)).item
        try library.edit(one.number) { ($0.title, $0.artist) = ("Café del Mar", "José Padilla") }
        try library.edit(two.number) { ($0.title, $0.tags) = ("日本語の歌を練習する", ["café culture"]) }
        try harness.store.apply(
            .add([SectionDraft(0..<100, name: "Refrão", text: "寿限無寿限無五劫の擦り切れ")]), to: three.recording)
        func found(_ text: String) throws -> Set<Int> { Set(try library.items { $0.text = text }.map(\.number)) }
        #expect(try found("cafe") == [one.number, two.number])
        #expect(try found("CAFE padi") == [one.number])
        #expect(try found("jose mar") == [one.number])
        #expect(try found("refrao") == [three.number])
        // Inside a word of a script without spaces: three letters by an index, fewer by a full scan.
        #expect(try found("の歌を") == [two.number] && found("練習") == [two.number] && found("歌") == [two.number])
        #expect(try found("五劫の") == [three.number] && found("五劫") == [three.number])
        #expect(try found("nothing").isEmpty && found("\"'*%_").isEmpty && found("\0").isEmpty)
        #expect(try found("one").isEmpty)
        // The index follows changes.
        try library.edit(two.number) { ($0.title, $0.artist) = ("other", "กัน") }
        #expect(try found("の歌を").isEmpty && found("other") == [two.number])
        // A LIKE wildcard with a combining mark still counts as a wildcard; and no word extends over the end of a
        // field.
        #expect(try found("กั") == [two.number] && found("%\u{E31}").isEmpty && found("rก").isEmpty)
    }

    @Test(
        "a search finds letters like ß, ligatures and half-width letters by plain ones, and vice versa"
    )
    func folding() throws {
        let harness = try LibraryHarness()
        let library = harness.library
        let one = try library.add(fileAt: try harness.wave("one.wav", seed: 1)).item
        let two = try library.add(fileAt: try harness.wave("two.wav", seed: 2)).item
        try library.edit(one.number) { ($0.title, $0.artist, $0.tags) = ("Straße", "Łódź", ["Ænima"]) }
        try library.edit(two.number) { ($0.title, $0.artist, $0.tags) = ("Strasse ｶﾞｯｺｳ", "Lodz", ["Ｏｒｅｓｕｎｄ"]) }
        try harness.store.apply(.add([SectionDraft(0..<100, name: "ｶﾀｶﾅ", text: "ﾄｳ")]), to: one.recording)
        func found(_ text: String) throws -> Set<Int> { Set(try library.items { $0.text = text }.map(\.number)) }
        let both: Set = [one.number, two.number]
        #expect(
            try found("strasse") == both && found("Straße") == both && found("lodz") == both && found("Łódź") == both)
        #expect(try found("aenima") == [one.number] && found("ＡＥＮ") == [one.number] && found("Øresund") == [two.number])
        // Three letters by an index, fewer by a full scan.
        #expect(try found("ガッコ") == [two.number] && found("ｶﾞｯｺ") == [two.number] && found("タカナ") == [one.number])
        #expect(try found("ガ") == [two.number] && found("コウ") == [two.number] && found("トウ") == [one.number])
        #expect(try found("カ\u{3099}") == [two.number])
        try library.edit(one.number) { ($0.title, $0.artist) = ("Ðing", "") }
        #expect(try found("strasse") == [two.number] && found("ding") == [one.number] && library.check().isClean)
        try checkWords(of: library)
    }

    @Test("a combined filter is the intersection of its parts")
    func filters() throws {
        let harness = try LibraryHarness()
        let library = harness.library
        var random = SeededGenerator(seed: 18)
        var expected: [LibraryItem] = []
        for number in 0..<24 {
            let path = try harness.wave("\(number).wav", seed: UInt64(number + 1))
            let item = try library.add(fileAt: path, Bool.random(using: &random) ? .copy : .link).item
            let words = (
                Bool.random(using: &random), Bool.random(using: &random), Int.random(in: 0..<3, using: &random)
            )
            try library.edit(item.number) {
                $0.tags = words.0 ? ["Öl", "x"] : ["x"]
                $0.artist = words.1 ? "Ännchen" : "other"
                $0.language = ["", "pt", "pt-BR"][words.2]
            }
            if Bool.random(using: &random) {
                try harness.store.apply(.mark(frame: 50, name: "half"), to: item.recording)
            }
        }
        expected = try library.items()
        #expect(expected.map(\.index) == Array(1...24))
        let conditions: [((inout ItemFilter) -> Void, (LibraryItem) -> Bool)] = [
            ({ $0.tags = ["ÖL"] }, { $0.words.tags.contains("Öl") }),
            ({ $0.artist = "ännchen" }, { $0.words.artist == "Ännchen" }),
            ({ $0.language = "PT" }, { $0.words.language.hasPrefix("pt") }),
            ({ $0.language = "pt-br" }, { $0.words.language == "pt-BR" }),
            ({ $0.place = .linked }, { $0.place == .linked }), ({ $0.hasSections = true }, { $0.sectionCount > 0 }),
            ({ $0.text = "half" }, { $0.sectionCount > 0 }), ({ $0.kind = .audio }, { _ in true }),
        ]
        for _ in 0..<60 {
            let chosen = conditions.filter { _ in Int.random(in: 0..<3, using: &random) == 0 }
            var filter = ItemFilter()
            for condition in chosen { condition.0(&filter) }
            if chosen.filter({ $0.1(expected[0]) != $0.1(expected[0]) }).isEmpty {
                // Two languages in one filter: the last counts.
                let languages = chosen.indices.filter { index in
                    var one = ItemFilter()
                    chosen[index].0(&one)
                    return one.language != nil
                }
                let meant = chosen.enumerated().filter { !languages.dropLast().contains($0.offset) }.map(\.element)
                let model = expected.filter { item in meant.allSatisfy { $0.1(item) } }
                #expect(try library.items(filter).map(\.number) == model.map(\.number))
                #expect(try library.items(filter).map(\.index) == model.map(\.index))
                filter.limit = 3
                #expect(try library.items(filter).map(\.number) == model.prefix(3).map(\.number))
            }
        }
    }

    // MARK: The trash

    @Test("undo returns removed recordings with their files")
    func removing() throws {
        let harness = try LibraryHarness()
        let library = harness.library
        let one = try library.add(fileAt: try harness.wave("one.wav", seed: 1)).item
        let two = try library.add(fileAt: try harness.wave("two.wav", seed: 2), .link).item
        let removed = try library.remove([one.number, two.number])
        #expect(removed.map(\.isTrashed) == [true, true] && !harness.isThere(one.path) && harness.isThere(two.path))
        #expect(harness.isThere(removed[0].path) && removed[0].path.contains("/trash/"))
        #expect(try library.items().isEmpty && library.items { $0.isTrash = true }.count == 2)
        #expect(libraryError { try library.remove([one.number]) } == .trashed)
        let back = try library.undoRemoval()
        #expect(back.map(\.number) == [one.number, two.number] && harness.isThere(one.path))
        #expect(try library.items().count == 2)
        try checkWords(of: library)
        #expect(libraryError { try library.undoRemoval() } == .nothingToUndo)
    }

    @Test("an emptied trash frees the reported bytes, and a recording added again has its words")
    func emptying() throws {
        let harness = try LibraryHarness()
        let library = harness.library
        let path = try harness.wave("one.wav", seed: 1, frames: 40_000)
        let item = try library.add(fileAt: path).item
        try library.edit(item.number) { $0.title = "Named" }
        try harness.store.apply(.mark(frame: 50, name: "half"), to: item.recording)
        try library.remove([item.number])
        let bytes = try library.trashByteCount()
        let emptied = try library.emptyTrash()
        #expect(emptied.bytes == bytes && bytes >= 80_000 && emptied.items.map(\.number) == [item.number])
        #expect(harness.names(library.folderPath + "/trash").isEmpty && harness.isThere(path))
        #expect(try library.item(item.number) == nil && library.items().isEmpty)
        let again = try library.add(fileAt: path)
        #expect(again.isNew && again.item.number == item.number && again.item.words.title == "Named")
        #expect(again.item.sectionCount == 2)
    }

    @Test("a recording that is added again leaves the trash")
    func addedFromTrash() throws {
        let harness = try LibraryHarness()
        let path = try harness.wave("one.wav", seed: 1)
        let item = try harness.library.add(fileAt: path).item
        try harness.library.remove([item.number])
        #expect(try !harness.library.add(fileAt: path).item.isTrashed)
        #expect(harness.names(harness.library.folderPath + "/trash").isEmpty && harness.isThere(item.path))
    }

    // MARK: The disk

    @Test("a check finds missing, moved, changed, orphaned, misplaced and unfinished files, and changes none")
    func checking() throws {
        let harness = try LibraryHarness()
        let library = harness.library
        let manager = FileManager.default
        try manager.createDirectory(atPath: harness.scratch.file("in"), withIntermediateDirectories: true)
        let items = try (1...5).map { number in
            let path = try harness.wave(number < 3 ? "in/\(number).wav" : "\(number).wav", seed: UInt64(number))
            return try library.add(fileAt: path, number < 3 ? .copy : .link).item
        }
        try manager.removeItem(atPath: items[0].path)
        try manager.moveItem(
            atPath: items[1].path,
            toPath: library.folderPath + "/trash/" + (items[1].path as NSString).lastPathComponent)
        try manager.moveItem(atPath: items[2].path, toPath: harness.scratch.file("elsewhere.wav"))
        try manager.createDirectory(atPath: harness.scratch.file("deep/er"), withIntermediateDirectories: true)
        try manager.moveItem(atPath: items[3].path, toPath: harness.scratch.file("deep/er/4.wav"))
        let orphan = try harness.wave("data/library/\(RecordingKey(high: 1, low: 2)).wav", seed: 9)
        _ = try harness.scratch.write("data/library/parts/old.part", [1])
        try manager.setAttributes(
            [.modificationDate: Date(timeIntervalSinceNow: -7200)], ofItemAtPath: library.folderPath + "/parts/old.part"
        )
        _ = try harness.scratch.write("data/library/parts/young.part", [1])
        let before = harness.names(library.folderPath)
        let report = try library.check()
        #expect(report.missing.map(\.number) == [items[0].number, items[3].number])
        #expect(report.moved.map(\.path) == [harness.scratch.file("elsewhere.wav")])
        #expect(report.orphans.map(\.path) == [orphan] && report.misplaced.count == 1)
        #expect(report.parts.map { fileName($0.path) } == ["old.part"] && report.changed.isEmpty)
        #expect(try harness.names(library.folderPath) == before && library.check() == report)
        let deeper = try library.check(lookingIn: [harness.scratch.file("deep")])
        #expect(deeper.missing.map(\.number) == [items[0].number] && deeper.moved.count == 2)

        try library.repair(deeper)
        let after = try library.check()
        #expect(after.missing.map(\.number) == [items[0].number])
        #expect(after.moved.isEmpty && after.orphans.isEmpty && after.parts.isEmpty && after.misplaced.isEmpty)
        #expect(try library.items().count == 6)
        // The missing recording is whole again after adding the file again.
        try library.add(fileAt: harness.scratch.file("in/1.wav"))
        #expect(try library.check().isClean)
    }

    @Test("a failure of any disk call leaves either no recording or a whole one", arguments: 0..<14)
    func faults(_ step: Int) throws {
        let harness = try LibraryHarness()
        let path = try harness.wave("one.wav", seed: 1)
        let calls = FailingCalls(after: step)
        let library = try RecordingLibrary(harness.store, folder: harness.scratch.file("data/library"), calls: calls)
        let way = [AddingWay.copy, .move][step % 2]
        let added = try? library.add(fileAt: path, way)
        let fresh = try harness.another()
        if let added {
            #expect(try RecordingKey(ofFileAt: added.item.path) == added.item.key)
        } else {
            #expect(harness.isThere(path))
            #expect(try fresh.items().isEmpty && fresh.check().missing.isEmpty)
            #expect(harness.names(harness.library.folderPath).filter { $0.hasSuffix(".wav") }.isEmpty)
        }
        calls.stopFailing()
        #expect(
            try library.add(fileAt: added?.item.path ?? path).item.key
                == RecordingKey(ofFileAt: added?.item.path ?? path))
    }
}
