import Database
import Files
import Foundation
import Glibc
import JSON
import TestSupport
import Testing

@testable import Anki

@Suite("Packages of cards")
final class AnkiPackageTests {
    private let folder: String
    private var path: String { folder + "/cards.apkg" }

    private let type = AnkiNoteType(
        id: 1_700_000_000_001, name: "Type", changed: 1_700_000_000, fields: ["Name", "Sound"], front: "{{Name}}",
        back: "{{Sound}}", style: ".card {}")
    private let deck = AnkiDeck(id: 1_600_000_000_000, name: "Woodshed::Song")

    init() throws {
        folder = NSTemporaryDirectory() + "woodshed-anki-\(UInt64.random(in: 0...UInt64.max))"
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    }

    deinit { try? FileManager.default.removeItem(atPath: folder) }

    private var names: [String] { ((try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []).sorted() }

    /// An unnamed file with some bytes.
    private func medium(_ bytes: [UInt8]) throws -> Int32 { try UnnamedFile.inMemory(bytes) }

    private func bytes(_ path: String) throws -> [UInt8] {
        Array(try #require(FileManager.default.contents(atPath: path)))
    }

    @Test("the check sum is the standard CRC-32, however the bytes are divided")
    func checkSum() {
        // The check value of CRC-32 in the catalogue of parametrised CRCs, and two more.
        for (text, sum) in [("123456789", 0xCBF4_3926 as UInt32), ("", 0), ("a", 0xE8B7_BE43)] {
            var whole = CheckSum()
            whole.add(Array(text.utf8))
            #expect(whole.value == sum)
            for cut in 0...text.utf8.count {
                var parts = CheckSum()
                parts.add(Array(text.utf8.prefix(cut)))
                parts.add(Array(text.utf8.dropFirst(cut)))
                #expect(parts.value == sum)
            }
        }
    }

    @Test("an archive holds the bytes put into it, with their names and sums")
    func archive() throws {
        var generator = SeededGenerator(seed: 17)
        let contents = [0, 1, 65_535, 65_536, 200_003].map { count in
            (0..<count).map { _ in UInt8.random(in: 0...255, using: &generator) }
        }
        let file = try WholeFile(path)
        var zip = ZipWriter(file)
        for (index, content) in contents.enumerated() {
            if index % 2 == 0 {
                let source = try medium(content)
                defer { close(source) }
                try zip.add(contentsOf: source, try ZipWriter.sum(of: source), named: "\(index)")
            } else {
                try zip.add(content, named: "\(index)")
            }
        }
        try zip.finish()
        try file.commit()
        let read = try #require(ZipReader(try bytes(path)))
        #expect(read.entries.map(\.name) == contents.indices.map(String.init))
        #expect(read.entries.map(\.bytes) == contents)
        for entry in read.entries {
            var sum = CheckSum()
            sum.add(entry.bytes)
            #expect(sum.value == entry.sum)
        }
    }

    @Test("an archive beyond the limits of its format is refused at each limit")
    func limits() throws {
        // One entry of 100 bytes: 30 + 1 + 100, then 46 + 1, then 22.
        for (limit, fits) in [(200, true), (199, false), (131, false), (130, false), (0, false)] as [(Int64, Bool)] {
            let file = try WholeFile(path)
            var zip = ZipWriter(file, mostBytes: limit)
            var failure: PackageFault?
            do throws(PackageFault) {
                try zip.add([UInt8](repeating: 7, count: 100), named: "a")
                try zip.finish()
            } catch { failure = error }
            #expect((failure == nil) == fits)
            #expect(fits || failure == .tooLarge)
        }
        let file = try WholeFile(path)
        var zip = ZipWriter(file)
        for index in 0..<0xFFFE { try zip.add([], named: String(index)) }
        #expect(throws: PackageFault.tooLarge) { try zip.add([], named: "one more") }
        try zip.finish()
        try file.commit()
        #expect(ZipReader(try bytes(path))?.entries.count == 0xFFFE)
    }

    @Test("a package has a collection, the list of its media, and the media by their numbers")
    func package() throws {
        let package = try AnkiPackage(path: path)
        let (first, second) = (try medium([1, 2, 3]), try medium([4]))
        defer { [first, second].forEach { close($0) } }
        let sound = try package.add(first, named: "a", ending: "mp3")
        #expect(sound == "a-55bc801d.mp3")
        #expect(try package.add(second, named: "b", ending: "mp3").hasPrefix("b-"))
        #expect(try package.add(first, named: "a", ending: "mp3") == sound)
        let notes = [
            AnkiNote(identity: "one", fields: ["A", AnkiText.sound(sound)], tags: ["woodshed", "hard"]),
            AnkiNote(identity: "two", fields: ["B", ""]),
        ]
        #expect(names.count == 1, "only the unfinished package is in the folder")
        try package.finish(notes, of: type, in: deck, at: 1_764_100_000)
        #expect(names == ["cards.apkg"])

        let read = try #require(ZipReader(try bytes(path)))
        #expect(read.entries.map(\.name) == ["0", "1", "collection.anki2", "media"])
        #expect(read["0"] == [1, 2, 3] && read["1"] == [4])
        let list = try #require(JSONValue(reading: read["media"] ?? []))
        #expect(list["0"]?.stringValue == sound)

        let collection = folder + "/collection.anki2"
        _ = FileManager.default.createFile(atPath: collection, contents: Data(read["collection.anki2"] ?? []))
        let database = try Database(path: collection, creating: false)
        let found = try database.rows("SELECT id, guid, mid, mod, tags, flds, sfld FROM notes ORDER BY id") {
            (row) throws(DatabaseError) in
            [try row.integer(0), try row.integer(2), try row.integer(3)].map { "\($0)" }
                + [try row.text(1), try row.text(4), try row.text(5), try row.text(6)]
        }
        #expect(
            found == [
                [
                    "1764100000000", "1700000000001", "1764100000", "one", " woodshed hard ", "A\u{1F}[sound:\(sound)]",
                    "A",
                ],
                ["1764100000001", "1700000000001", "1764100000", "two", "", "B\u{1F}", "B"],
            ])
        let cards = try database.rows("SELECT nid, did, ord, type, queue, due, reps FROM cards ORDER BY id") {
            (row) throws(DatabaseError) in
            try (0..<7).map { (column) throws(DatabaseError) in try row.integer(column) }
        }
        #expect(
            cards == [
                [1_764_100_000_000, 1_600_000_000_000, 0, 0, 0, 1, 0],
                [1_764_100_000_001, 1_600_000_000_000, 0, 0, 0, 2, 0],
            ])
        let described = try database.first("SELECT ver, models, decks, dconf, conf FROM col") {
            (row) throws(DatabaseError) in
            (try row.integer(0), try (1...4).map { (column) throws(DatabaseError) in try row.text(column) })
        }
        let (version, texts) = try #require(described)
        #expect(version == 11)
        let values = texts.map { JSONValue(reading: Array($0.utf8)) }
        #expect(!values.contains { $0 == nil }, "each description is JSON")
        #expect(values[0]?["1700000000001"]?["name"]?.stringValue == "Type")
        #expect(values[1]?["1600000000000"]?["name"]?.stringValue == "Woodshed::Song")
    }

    @Test("a package that is given up leaves no file, and the older file stays")
    func givenUp() throws {
        _ = FileManager.default.createFile(atPath: path, contents: Data("old".utf8))
        do {
            let package = try AnkiPackage(path: path)
            let sound = try medium([1])
            defer { close(sound) }
            _ = try package.add(sound, named: "a", ending: "mp3")
        }
        #expect(names == ["cards.apkg"])
        #expect(try bytes(path) == Array("old".utf8))
    }

    @Test("a package in a missing folder or in a pipe is refused")
    func refused() {
        #expect(throws: PackageFault.self) { try AnkiPackage(path: folder + "/none/cards.apkg") }
        #expect(throws: PackageFault.file(FileFault(code: ESPIPE, isCreating: true))) {
            try AnkiPackage(path: "/dev/null")
        }
    }

    @Test("a user's text is shown unchanged, whatever Anki would make of it")
    func texts() {
        #expect(AnkiText.html("a < b & \"c\" > d") == "a &lt; b &amp; \"c\" &gt; d")
        #expect(AnkiText.html("[sound:x.mp3]\n[latex]") == "&#91;sound:x.mp3]<br>&#91;latex]")
        #expect(AnkiText.html("a\u{1F}b\u{0}c\td") == "abc d")
        #expect(AnkiText.deckName("Prelude:: \"No. 1\"\n") == "Prelude:  'No. 1'")
        #expect(AnkiText.deckName("::") == "")
    }
}
