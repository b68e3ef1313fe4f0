import AudioFiles
import Foundation
import JSON
import Practice
import Sections
import SoundFileSupport
import TestSupport
import Testing

@testable import Catalogue
@testable import Library
@testable import Store
@testable import TextFormats

/// A library's contents as displayed, without numbers that differ between computers.
private func shown(_ harness: LibraryHarness) throws -> [String] {
    var lines: [String] = []
    for item in try harness.library.items() {
        // The order of tags is not exchanged.
        var words = item.words
        words.tags = words.tags.map { "\(Array($0.utf8))" }.sorted()
        lines.append("item \(item.key) \(words) \(item.addedAt)")
        for document in try harness.library.documents(of: item.number) {
            lines.append("document \(item.key) \(document.hash) \(Array(document.name.utf8)) \(document.byteCount)")
        }
    }
    for recording in try harness.store.recordings() {
        for section in try harness.store.sections(of: recording.recording.key)?.sections ?? [] {
            lines.append(
                "section \(recording.recording.key) \(section.frames) \(section.kind) '\(section.name)' \(section.text) \(section.isHard) \(section.settings.sorted { $0.key < $1.key })"
            )
        }
    }
    for playlist in try harness.library.playlists() {
        // A recording removed before ever reaching this library appears nowhere, and a recording known here is in the
        // trash.
        let entries = try harness.library.entries(of: playlist).filter { !$0.item.isTrashed }.map { "\($0.item.key)" }
        lines.append("playlist \(playlist.name) \(entries)")
    }
    for take in try harness.store.takes() {
        lines.append("take \(take.sound.time) '\(take.name)' '\(take.note)' \(take.rating ?? 0)")
    }
    return lines.sorted()
}

private func text(_ harness: LibraryHarness) throws -> String { try harness.library.catalogueText() }

/// Merges the catalogue of `source` into `target`.
@discardableResult
private func give(_ source: LibraryHarness, to target: LibraryHarness) throws -> MergeSummary {
    let summary = try target.library.merge(catalogueIn: Array(text(source).utf8))
    try checkWords(of: target.library)
    return summary
}

/// Changes libraries at random, as users do.
private struct RandomUser {
    var random: SeededGenerator
    let waves: [String]
    let takes: [String]
    var documents: [String] = []

    private mutating func pick<Value>(_ values: [Value]) -> Value? { values.randomElement(using: &random) }
    private mutating func number(_ range: Range<Int64>) -> Int64 { Int64.random(in: range, using: &random) }

    mutating func change(_ harness: LibraryHarness) throws {
        let library = harness.library
        let items = try library.items()
        let word = pick(["blue", "é", "e\u{301}", "so what", "\"x\""]) ?? ""
        switch Int.random(in: 0..<18, using: &random) {
        case 0, 1: if let wave = pick(waves) { try library.add(fileAt: wave, .link) }
        case 2: if let item = pick(items) { try library.edit(item.number) { $0.title = word } }
        case 3:
            let isTagged = Bool.random(using: &random)
            if let item = pick(items) {
                try library.edit(item.number) { words in
                    if isTagged { words.tags.append(word) } else { words.tags.removeAll { $0 == word } }
                }
            }
        case 4: if let item = pick(items) { try library.remove([item.number]) }
        case 5: _ = try? library.undoRemoval()
        case 6: if number(0..<4) == 0 { try library.emptyTrash() }
        case 7, 8:
            guard let item = pick(items) else { return }
            let first = number(0..<300)
            try harness.store.apply(
                .add([SectionDraft(first..<first + 1 + number(0..<90), name: word)]), to: item.recording)
        case 9:
            guard let item = pick(items) else { return }
            _ = try? harness.store.apply(.mark(frame: number(1..<399), name: word), to: item.recording)
        case 10:
            guard let item = pick(items), let section = pick(try harness.store.sections(of: item.key)?.sections ?? []),
                let place = try harness.store.sections(of: item.key)?.number(ofID: section.id)
            else { return }
            _ = place
            if Bool.random(using: &random) {
                _ = try? harness.store.apply(.remove(ids: [section.id]), to: item.recording)
            } else {
                _ = try? harness.store.apply(.rename(id: section.id, name: word), to: item.recording)
            }
        case 11: if let item = pick(items) { _ = try? harness.store.undo(item.key) }
        case 12:
            if let playlist = pick(try library.playlists()), Bool.random(using: &random) {
                if Bool.random(using: &random) {
                    try library.delete(playlist)
                } else {
                    _ = try? library.rename(playlist, to: word)
                }
            } else {
                _ = try? library.makePlaylist(word)
            }
        case 13:
            guard let playlist = pick(try library.playlists()), let item = pick(items) else { return }
            if Bool.random(using: &random) {
                try library.add([item.number], to: playlist, at: 1)
            } else {
                _ = try? library.removeEntries([1], from: playlist)
            }
        case 15, 16:
            guard let item = pick(items), let path = pick(documents) else { return }
            _ = try library.attach(fileAt: path, to: item.number, link: number(0..<4) == 0)
        case 17: if let item = pick(items) { _ = try? library.removeDocument(Int(number(1..<3)), of: item.number) }
        default:
            guard let path = pick(takes) else { return }
            let index = Int64(takes.firstIndex(of: path) ?? 0)
            let take = try harness.store.addTake(
                inFileAt: path, .init(time: index, sampleRate: 44_100, channelCount: 1, frameCount: 300))
            try harness.store.edit(
                take: take.number, pick([.rename(word), .note(word), .rate(3), .rate(nil)]) ?? .rate(1))
        }
    }
}

@Suite("Merge into the store of a library")
struct StoreMergeTests {
    @Test(
        "the stores of libraries are equal after an exchange of catalogues in any order",
        arguments: 0..<cases(12, few: 3))
    func exchange(round: Int) throws {
        let seed = UInt64(round) &* 7919 + 18
        print("seed \(seed)")
        let sources = try LibraryHarness()
        let waves = try (0..<4).map { try sources.wave("w\($0).wav", seed: UInt64($0) + 1) }
        let takes = try (0..<3).map { try sources.wave("t\($0).wav", seed: UInt64($0) + 50, frames: 300) }
        var user = RandomUser(random: SeededGenerator(seed: seed), waves: waves, takes: takes)
        // Two of the files have the same content under names that differ only in the composition of a letter.
        for (name, words) in [("é.pdf", "notes"), ("e\u{301}.pdf", "notes"), ("b.txt", "words")] {
            user.documents.append(try sources.scratch.write(name, Array(words.utf8)))
        }
        let libraries = try (0..<3).map { _ in try LibraryHarness() }
        for library in libraries {
            // An exchange of takes needs the files, so every library has the files.
            for (index, path) in takes.enumerated() {
                try library.store.addTake(
                    inFileAt: path, .init(time: Int64(index), sampleRate: 44_100, channelCount: 1, frameCount: 300))
            }
        }
        for phase in 0..<3 {
            for library in libraries {
                for _ in 0..<15 { try user.change(library) }
                if phase == 1 { _ = try text(library) }
            }
            let merged = try libraries.map { try $0.library.catalogue() }
            let all = merged[0].merged(with: merged[1]).merged(with: merged[2])
            // Every pair often enough for every change to reach every library, in a random order.
            var pairs = [(0, 1), (1, 2), (2, 0), (1, 0), (2, 1), (0, 2)].shuffled(using: &user.random)
            pairs += [(0, 1), (1, 2), (2, 0), (0, 1)]
            for (from, to) in pairs { try give(libraries[from], to: libraries[to]) }
            let texts = try libraries.map(text)
            #expect(texts.allSatisfy { $0 == all.text }, "seed \(seed), phase \(phase)")
            let lists = try libraries.map(shown)
            for list in lists[1...] {
                #expect(Set(lists[0]).symmetricDifference(list) == [], "seed \(seed), phase \(phase)")
            }
            #expect(try give(libraries[0], to: libraries[1]).isEmpty)
            #expect(try text(libraries[1]) == texts[1])
        }
    }

    @Test("a merge takes over words, sections, playlists and tags of another computer")
    func takingOver() throws {
        let (here, there) = (try LibraryHarness(), try LibraryHarness())
        let wave = try here.wave("a.wav", seed: 1)
        let item = try here.library.add(fileAt: wave).item
        try here.library.edit(item.number) {
            $0.title = "So What"
            $0.tags = ["modal", "slow"]
        }
        try here.store.apply(.add([SectionDraft(10..<90, name: "Head", text: "wörds")]), to: item.recording)
        let playlist = try here.library.makePlaylist("Monday")
        try here.library.add([item.number, item.number], to: playlist)
        let summary = try give(here, to: there)
        #expect(summary.added == 1 && summary.sections == 1 && summary.playlists == 1)
        let copy = try #require(try there.library.items().first)
        #expect(copy.words == (try here.library.item(item.key))?.words && copy.addedAt == item.addedAt)
        #expect(copy.isMissing && copy.sectionCount == 1)
        #expect(try shown(here) == shown(there))
        // The file comes later, and all stored metadata stays.
        let added = try there.library.add(fileAt: wave)
        #expect(added.item.number == copy.number && added.item.words == copy.words && !added.item.isMissing)
        #expect(try there.library.items { $0.text = "so wh" }.count == 1)
        #expect(try there.library.items { $0.text = "head" }.count == 1)
    }

    @Test("a merge keeps additions to and removals from a playlist by two computers, in one order")
    func playlists() throws {
        let (here, there) = (try LibraryHarness(), try LibraryHarness())
        var numbers: [Int] = []
        for seed in 1...5 {
            numbers.append(
                try here.library.add(fileAt: here.wave("\(seed).wav", seed: UInt64(seed)), .link).item.number)
        }
        let playlist = try here.library.makePlaylist("Monday")
        try here.library.add(Array(numbers[..<3]), to: playlist)
        try give(here, to: there)
        let copy = try #require(try there.library.playlists().first)
        func keys(_ harness: LibraryHarness, _ playlist: Playlist) throws -> [String] {
            try harness.library.entries(of: playlist).map { "\($0.item.key)" }
        }
        let all = try here.library.items().sorted { $0.number < $1.number }.map { "\($0.key)" }
        let fourth = try #require(try there.library.items().first { "\($0.key)" == all[3] })
        try there.library.add([fourth.number], to: copy)
        try there.library.removeEntries([2], from: copy)
        try here.library.add([numbers[4]], to: playlist, at: 1)
        try give(here, to: there)
        try give(there, to: here)
        try give(here, to: there)
        let expected = [all[4], all[0], all[2], all[3]]
        #expect(try keys(here, playlist) == expected && keys(there, copy) == expected)
        #expect(try text(here) == text(there))
    }

    @Test("a merge keeps the later of two changes to a field, and both changes to two fields")
    func laterWins() throws {
        let (here, there) = (try LibraryHarness(), try LibraryHarness())
        let item = try here.library.add(fileAt: here.wave("a.wav", seed: 1)).item
        try give(here, to: there)
        let copy = try #require(try there.library.items().first)
        try there.library.edit(copy.number) { $0.title = "earlier" }
        try there.library.edit(copy.number) { $0.artist = "theirs" }
        while StoreTime.now <= (try #require(try StoreTime.last(there))) {}
        try here.library.edit(item.number) { $0.title = "later" }
        // The merge of the later change comes first.
        try give(here, to: there)
        try give(there, to: here)
        for library in [here, there] {
            let words = try #require(try library.library.items().first).words
            #expect(words.title == "later" && words.artist == "theirs")
        }
    }

    @Test("a merge trashes recordings removed elsewhere, and restores recordings changed later")
    func removal() throws {
        let (here, there) = (try LibraryHarness(), try LibraryHarness())
        let wave = try here.wave("a.wav", seed: 1)
        let item = try here.library.add(fileAt: wave).item
        try here.store.apply(.add([SectionDraft(10..<90, name: "Head")]), to: item.recording)
        try there.library.add(fileAt: wave)
        try give(here, to: there)
        try here.library.remove([item.number])
        try here.store.apply(.remove(ids: [1]), to: item.recording)
        #expect(try give(here, to: there).removed == 1)
        #expect(try there.library.items().isEmpty)
        let trashed = try #require(try there.library.items { $0.isTrash = true }.first)
        #expect(!trashed.isMissing && trashed.sectionCount == 0)
        #expect(try there.library.check().isClean)
        #expect(try there.library.undoRemoval().count == 1)
        try there.store.undo(item.key)
        try give(there, to: here)
        #expect(try here.library.items().count == 1 && here.store.sections(of: item.key)?.sections.count == 1)
        #expect(try here.library.check().isClean)
        #expect(try shown(here).count == shown(there).count)
    }

    @Test("a catalogue that cannot be read changes nothing")
    func refusal() throws {
        let harness = try LibraryHarness()
        for text in [
            "", "{}", #"{"catalogue":"woodshed library","v":2}"#,
            #"{"catalogue":"woodshed library","v":1,"recordings":3}"#,
        ] {
            #expect(throws: CatalogueError.self) { try harness.library.merge(catalogueIn: Array(text.utf8)) }
        }
        #expect(harness.names(harness.scratch.path).isEmpty)
    }

    @Test("a merge keeps unknown and invalid fields, and passes them on")
    func unknown() throws {
        let (here, there) = (try LibraryHarness(), try LibraryHarness())
        let key = "00000000000000000000000000000001"
        let catalogue = """
            {"catalogue":"woodshed library","v":1,"recordings":[{"id":"\(key)","fields":{"title":["",5],"rate":[44100,0],
            "frames":[100,0],"added":[9007000,9007000],"colour":["red",7],"language":["no tag!",1],"file":[{"name":"../../x"},0]},
            "tags":{"a\\nb":[true,4],"":[true,1]},
            "sections":[{"id":"s","fields":{"range":[[90,500],3],"name":["x\\ny",3]}},{"id":"bad","fields":{"range":[[500,600],3]}}]},
            {"id":"nonsense","fields":{"title":["T",5],"rate":[0,0]}}],
            "playlists":[{"id":"p","fields":{"name":["",1],"entries":[["\(key)","none"],1]}},{"id":"q","fields":{"name":["playlist",1]}},
            {"id":"r","fields":{"name":["playlist",1]}},{"id":"s","fields":{"name":["playlist (2)",1]}}],
            "takes":[{"id":"t","fields":{"rating":[9,1]}}]}
            """
        try here.library.merge(catalogueIn: Array(catalogue.utf8))
        let item = try #require(try here.library.items().first)
        #expect(item.words.title == "untitled" && item.words.language.isEmpty && item.words.tags == ["a b"])
        #expect(item.path.hasPrefix(here.scratch.file("data/library")) && !item.path.contains(".."))
        #expect(try here.store.sections(of: item.key)?.sections.map(\.frames) == [90..<100])
        #expect(
            try here.library.playlists().map(\.name)
                == ["playlist", "playlist (2)", "playlist (2) (2)", "playlist (3)"])
        let first = try text(here)
        #expect(try here.library.merge(catalogueIn: Array(first.utf8)).isEmpty)
        try give(here, to: there)
        #expect(try text(there) == first && first.contains("colour") && first.contains("nonsense"))
    }
}

private enum StoreTime {
    static var now: Int64 { Int64(Date().timeIntervalSince1970 * 1000) }
    /// The latest time of a library's catalogue.
    static func last(_ harness: LibraryHarness) throws -> Int64? {
        try harness.library.catalogue().recordings.values.compactMap(\.item.lastChange).max()
    }
}
