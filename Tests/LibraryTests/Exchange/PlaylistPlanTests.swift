import AudioFiles
import Database
import Files
import Glibc
import JSON
import Synchronization
import Testing

@testable import Catalogue
@testable import Library
@testable import Store
@testable import TextFormats

/// A catalogue of recordings without files, and of one playlist of them.
private struct Lists {
    static func key(_ number: Int) -> String {
        let digits = String(number + 1, radix: 16)
        return String(repeating: "0", count: 32 - digits.count) + digits
    }

    static func recordings(_ count: Int) -> [UInt8] {
        let list = (0..<count).map {
            """
            {"id":"\(key($0))","fields":{"added":[\(5_000_000 + 1000 * $0),5000000],"title":["Song \($0)",5000000],
            "rate":[44100,0],"frames":[9000,0]},"sections":[{"id":"s","fields":{"range":[[1,2],5000000]}}]}
            """
        }
        return Array(#"{"catalogue":"woodshed library","v":1,"recordings":[\#(list.joined(separator: ","))]}"#.utf8)
    }

    /// A playlist in the format of earlier versions.
    static func playlist(_ numbers: [Int], at time: Int64, named name: String = "All") -> [ExactText: CatalogueItem] {
        var item = CatalogueItem()
        item.set(CatalogueField.name, .string(name), at: time)
        item.set(CatalogueField.entries, .array(numbers.map { .string(key($0)) }), at: time)
        return ["p": item]
    }
}

extension RecordingLibrary {
    fileprivate func list(_ name: String) throws -> [Int] {
        let playlist = try #require(try playlist(named: name))
        return try entries(of: playlist).compactMap { Int($0.item.key.low) - 1 }
    }

    fileprivate func numbers(_ recordings: [Int]) throws -> [Int] {
        try recordings.map { recording in
            let key = try #require(RecordingKey(Lists.key(recording)))
            return try #require(try item(key)).number
        }
    }

    /// Merges playlists, and returns the number of changed playlists.
    @discardableResult
    fileprivate func merge(_ playlists: [ExactText: CatalogueItem], planned: () -> Void = {}) throws -> Int {
        try merge(playlists: { playlists }, now: StoreRows.milliseconds, planned: planned).get().changed
    }
}

@Suite("Merge of playlists")
struct PlaylistPlanTests {
    private func prepared(_ count: Int = 8) throws -> LibraryHarness {
        let harness = try LibraryHarness()
        try harness.library.merge(catalogueIn: Lists.recordings(count))
        return harness
    }

    @Test("a merge makes a list of thousands with repeated entries, in order, and repeats without change")
    func long() throws {
        let harness = try prepared(400)
        let library = harness.library
        let numbers = (0..<3000).map { $0 * 7919 % 401 }
        // One recording is in the list and not in the library.
        let shown = numbers.filter { $0 < 400 }
        #expect(shown.count < numbers.count)
        #expect(try library.merge(Lists.playlist(numbers, at: 6_000_000)) == 1)
        #expect(try library.list("All") == shown)
        #expect(try library.merge(Lists.playlist(numbers, at: 6_000_000)) == 0)
        // An export has a change here as a single change, and keeps the hidden entries.
        let playlist = try #require(try library.playlist(named: "All"))
        try library.removeEntries([1], from: playlist)
        let known = try #require(try library.catalogue().playlists["p"])
        let keys = known[CatalogueField.entries]?.elements?.compactMap(\.stringValue)
        let hidden = Lists.key(400)
        #expect(keys?.filter { $0 != hidden } == shown.dropFirst().map(Lists.key))
        #expect(keys?.count { $0 == hidden } == numbers.count - shown.count)
        #expect(try library.merge(Lists.playlist(numbers, at: 6_000_000)) == 0)
        #expect(try library.list("All") == Array(shown.dropFirst()))
        // A list emptied elsewhere, and a deleted list.
        var emptied = try #require(try library.catalogue().playlists["p"])
        emptied.set(CatalogueField.entries, .array([]), at: 1 << 42)
        emptied.settleEntries()
        #expect(try library.merge(["p": emptied]) == 1)
        #expect(try library.list("All").isEmpty)
        var deleted = CatalogueItem()
        deleted.delete(at: 1 << 43)
        #expect(try library.merge(["p": deleted]) == 1)
        #expect(try library.playlists().isEmpty)
    }

    @Test("a merge of playlists holds no lock while it is planned, and respects changes made meanwhile")
    func changed() throws {
        let changes: [(String, (RecordingLibrary, Playlist) throws -> Void, [Int])] = [
            ("added", { try $0.add($0.numbers([7]), to: $1) }, [0, 1, 2, 7, 3]),
            ("removed", { try $0.removeEntries([1], from: $1) }, [1, 2, 3]),
            ("moved", { try $0.moveEntry(3, to: 1, in: $1) }, [2, 0, 1, 3]),
            (
                "exchanged",
                {
                    try $0.removeEntries([1], from: $1)
                    try $0.add($0.numbers([7]), to: $1)
                }, [1, 2, 7, 3]
            ),
        ]
        for (name, change, expected) in changes {
            let harness = try prepared()
            let (library, other) = (harness.library, try harness.another())
            let base = Lists.playlist([0, 1, 2], at: 6_000_000)
            try library.merge(base)
            // Another computer has added a list.
            var added = try #require(try library.catalogue().playlists["p"])
            added.set(
                CatalogueField.entries, .array([0, 1, 2, 3].map { .string(Lists.key($0)) }), at: 7_000_000)
            added.settleEntries()
            var count = 0
            try library.merge(["p": added]) {
                count += 1
                guard count == 1 else { return }
                #expect(throws: Never.self) {
                    try change(other, #require(try other.playlist(named: "All")))
                    _ = try other.makePlaylist("Mine")
                }
            }
            #expect(count == 2, "\(name)")
            let list = try library.list("All")
            #expect(list.filter { $0 != 3 } == expected.filter { $0 != 3 } && list.contains(3), "\(name): \(list)")
            #expect(try library.playlists().map(\.name).sorted() == ["All", "Mine"])
        }
    }

    @Test("a merge ends even if another program changes playlists constantly, and keeps each change")
    func always() throws {
        let harness = try prepared()
        let other = try harness.another()
        var count = 0
        try harness.library.merge(Lists.playlist([2, 1], at: 6_000_000)) {
            count += 1
            #expect(throws: Never.self) { try other.makePlaylist("\(count)") }
        }
        #expect(count == 4)
        #expect(try harness.library.playlists().map(\.name).sorted() == ["1", "2", "3", "4", "All"])
        #expect(try harness.library.list("All") == [2, 1])
    }

    @Test("a merge exchanges names of playlists, and deletes and renames unchanged ones")
    func names() throws {
        let harness = try prepared()
        let library = harness.library
        var lists = Lists.playlist([0], at: 5, named: "A")
        lists["q"] = Lists.playlist([1], at: 5, named: "B")["p"]
        #expect(try library.merge(lists) == 2)
        lists = Lists.playlist([0], at: 1 << 42, named: "B")
        lists["q"] = Lists.playlist([1], at: 1 << 42, named: "A")["p"]
        #expect(try library.merge(lists) == 2)
        #expect(try library.list("A") == [1] && library.list("B") == [0])
        let playlist = try #require(try library.playlist(named: "A"))
        try library.merge(lists) { _ = try? library.delete(playlist) }
        #expect(try library.playlists().map(\.name) == ["B"])
        #expect(try library.merge(lists) == 0)
    }
}

@Suite("Catalogue in pieces")
struct CatalogueInPiecesTests {
    @Test("a catalogue is the same in pieces of any size, and other programs can write between pieces")
    func pieces() throws {
        let harness = try LibraryHarness()
        let library = harness.library
        try library.merge(catalogueIn: Lists.recordings(7))
        try library.merge(Lists.playlist([3, 1, 3], at: 6_000_000))
        try library.remove(library.numbers([2]))
        let whole = try library.catalogueText()
        #expect(whole.contains("Song 6") && whole.contains("deleted"))
        for size in [1, 3, 7] {
            let other = try harness.another()
            var count = 0
            var recordings: [ExactText: LibraryCatalogue.Recording] = [:]
            let rest = try library.catalogue(recordingsAtOnce: size) { part in
                recordings.merge(part.recordings) { $1 }
                count += 1
                let text = "\(size) \(count)"
                #expect(throws: Never.self) { try other.edit(other.numbers([6])[0]) { $0.artist = text } }
            }
            #expect(count == (7 + size - 1) / size)
            #expect(recordings.count == 7 && rest.playlists.count == 1)
            let artist = recordings[ExactText(Lists.key(6))]?.item[CatalogueField.artist]?.stringValue
            // From the last piece, with the content at that time.
            #expect(size == 7 ? artist?.hasPrefix("3 ") == true : artist == "\(size) \(count - 1)", "\(size)")
            let text = try library.exportedText(withKeys: false, recordingsAtOnce: size).text.joined
            #expect(try text == library.catalogue().text && text == library.catalogueText())
        }
        let again = try LibraryHarness()
        try again.library.merge(catalogueIn: Array(try library.catalogueText().utf8))
        try library.merge(catalogueIn: Array(try again.library.catalogueText().utf8))
        #expect(try again.library.catalogueText() == library.catalogueText())
    }

    @Test("many recordings are edited in pieces, and none if one edit is refused")
    func edits() throws {
        let harness = try LibraryHarness()
        let (library, other) = (harness.library, try harness.another())
        try library.merge(catalogueIn: Lists.recordings(7))
        let numbers = try library.numbers(Array(0..<7))
        var count = 0
        let change = {
            count += 1
            #expect(throws: Never.self) { try other.edit(numbers[6]) { $0.artist = "Ann" } }
        }
        let edited = try library.edit(numbers, atOnce: 3, pieceDone: change) { $0.tags.append("slow") }
        #expect(count == 2 && edited.map(\.number) == numbers && edited.map(\.index) == [7, 6, 5, 4, 3, 2, 1])
        #expect(edited.allSatisfy { $0.words.tags == ["slow"] } && edited[6].words.artist == "Ann")
        #expect(try library.items { $0.text = "slow" }.count == 7)
        try checkWords(of: library)
        // An unknown last recording, or a refused change of the last recording.
        #expect(
            libraryError { _ = try library.edit(numbers + [99], atOnce: 3, pieceDone: {}) { $0.artist = "x" } }
                == .unknown)
        #expect(
            libraryError {
                _ = try library.edit(numbers, atOnce: 3, pieceDone: {}) {
                    $0.title = $0.artist.isEmpty ? "New" : ""
                }
            } == .textRefused)
        #expect(try library.items().allSatisfy { $0.words.title.hasPrefix("Song") && $0.words.artist != "x" })
    }

    @Test("files are moved while no other program adds recordings or empties the trash")
    func locked() throws {
        let harness = try LibraryHarness()
        let item = try harness.library.add(fileAt: harness.wave("a.wav", seed: 1)).item
        let folder = harness.library.folderPath
        for (field, isThere) in [(#""deleted":\#(1 << 42)"#, false), (#""fields":{"title":["T",\#(1 << 43)]}"#, true)] {
            let outcomes = Mutex<[FileLock.Outcome]>([])
            let calls = CallsBeforeStep {
                let lock = unsafe open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
                defer { close(lock) }
                if let outcome = try? FileLock.take(lock) { outcomes.withLock { $0.append(outcome) } }
            }
            let library = try RecordingLibrary(harness.store, folder: folder, calls: calls)
            let text = #"{"catalogue":"woodshed library","v":1,"recordings":[{"id":"\#(item.key)",\#(field)}]}"#
            try library.merge(catalogueIn: Array(text.utf8))
            #expect(calls.wasReached && outcomes.withLock { $0 } != [.taken])
            #expect(harness.isThere(item.path) == isThere)
            #expect(try library.check().isClean)
        }
    }
}
