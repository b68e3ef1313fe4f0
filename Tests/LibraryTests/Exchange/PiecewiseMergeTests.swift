import AudioFiles
import Database
import Files
import Glibc
import Practice
import Sections
import SoundFileSupport
import TestSupport
import Testing

@testable import Catalogue
@testable import Library
@testable import Store
@testable import TextFormats

/// The text of a catalogue.
private struct Told {
    var recordings: [String] = []
    var lists = ""

    var bytes: [UInt8] {
        Array(
            """
            {"playlists":[\(lists)],"takes":[],"recordings":[\(recordings.joined(separator: ","))],"v":1,
            "catalogue":"woodshed library"}
            """.utf8)
    }

    static func key(_ number: Int) -> String {
        let digits = String(number &* 7919 &+ 4099, radix: 16)
        return String(repeating: "0", count: 32 - digits.count) + digits
    }

    /// - Parameter fields: More fields, each with a comma before it.
    mutating func tell(_ number: Int, title: String, at time: Int, _ fields: String = "", rest: String = "") {
        recordings.append(
            """
            {"id":"\(Self.key(number))","fields":{"added":[\(5_000_000 + number * 1000),\(5_000_000 + number * 1000)],
            "title":["\(title)",\(time)],"artist":["Ann",\(time)],"rate":[44100,0],"frames":[9000,0],
            "file":[{"name":"x.flac","bytes":10,"container":"flac","codec":"flac","channels":2,"kind":"music"},0]\(fields)}\(rest)}
            """)
    }

    static func document(_ number: Int) -> String {
        let digits = String(number, radix: 16)
        return "document " + String(repeating: "0", count: 32 - digits.count) + digits
    }

    /// Recordings with a document and sections each, and a playlist of them.
    static func first(_ count: Int) -> Told {
        var told = Told()
        for number in 0..<count {
            told.tell(
                number, title: "Song \(number)", at: 6_000_000,
                #","\#(document(number))":[{"name":"a.pdf","bytes":3},6000000]"#,
                rest: """
                    ,"tags":{"slow":[true,6000000]},"sections":[{"id":"s\(number)","fields":{"range":[[10,500],6000000],
                    "name":["Head",6000000]}},{"id":"t\(number)","fields":{"range":[[600,900],6000000],"name":["Tail",6000000]}}]
                    """)
        }
        told.lists = playlist((0..<count).map(key), at: 6_000_000)
        return told
    }

    /// The same recordings later: every third recording is gone; others have lost their document, have another name, or
    /// are new.
    static func second(_ count: Int) -> Told {
        var told = Told()
        for number in stride(from: 2 * count - 1, through: 0, by: -1) {
            let isNew = number >= count
            let fields = number % 5 == 1 && !isNew ? #","\#(document(number))":[false,7000000]"# : ""
            var rest =
                #","sections":[{"id":"u\#(number)","fields":{"range":[[1000,1500],7000000],"name":["New",7000000]}}]"#
            if number % 3 == 0, !isNew { rest = #","deleted":7500000"# }
            told.tell(number, title: "Later \(number)", at: 7_000_000, fields, rest: rest)
        }
        told.lists = playlist((0..<2 * count).reversed().map(key), at: 7_000_000)
        return told
    }

    private static func playlist(_ keys: [String], at time: Int) -> String {
        let entries = keys.map { "\"\($0)\"" }.joined(separator: ",")
        return #"{"id":"p","fields":{"name":["All",\#(time)],"entries":[[\#(entries)],\#(time)]}}"#
    }
}

extension LibraryHarness {
    /// All rows of the store. Left out are values that follow from the time and the folder of the run, the numbers of
    /// rows without references, and the indexes of words.
    fileprivate func rows() throws -> [String] {
        let left: Set = [
            "merged.id", "section_time.changed", "item.trashed", "document.trashed", "playlist.made",
            "playlist.changed",
            "entry.added", "recording.path",
        ]
        return try store.read { (rows) throws(DatabaseError) in
            let database = rows.database
            let tables = try database.rows(
                """
                SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE '%\\_words%' ESCAPE '\\'
                AND name NOT LIKE '%\\_trigrams%' ESCAPE '\\' AND name NOT LIKE 'sqlite%' ORDER BY name
                """
            ) { (row) throws(DatabaseError) in try row.text(0) }
            var lines: [String] = []
            for table in tables {
                let columns = try database.rows("SELECT name FROM pragma_table_info(?)", [.text(table)]) {
                    (row) throws(DatabaseError) in try row.text(0)
                }.filter { !left.contains("\(table).\($0)") }
                let values = columns.map { "quote(\"\($0)\")" }.joined(separator: " || ' ' || ")
                lines += try database.rows("SELECT '\(table) ' || \(values) FROM \(table) ORDER BY 1") {
                    (row) throws(DatabaseError) in try row.text(0)
                }
            }
            return lines
        } ?? []
    }

    fileprivate func found(_ words: String) throws -> Int { try library.items { $0.text = words }.count }
}

@Suite("Merge in pieces")
struct PiecewiseMergeTests {
    private static let count = 12

    private func prepared() throws -> LibraryHarness {
        let harness = try LibraryHarness()
        try harness.library.merge(catalogueIn: Told.first(Self.count).bytes)
        return harness
    }

    @Test("a merge stopped before any piece and repeated leaves the rows of a single merge")
    func stopped() throws {
        let pieces = try CataloguePieces(reading: Told.second(Self.count).bytes)
        let whole = try prepared()
        let summary = try whole.library.apply(pieces, recordingsAtOnce: .max)
        #expect(summary.added == Self.count && summary.removed == 4 && summary.documents == 2, "\(summary)")
        let (before, rows) = (try prepared().rows(), try whole.rows())
        #expect(rows.count > 200)
        #expect(pieces.removalCount == 6)
        for size in [2, 5, 8] {
            // The first piece has all removals.
            let last = 1 + (pieces.count - max(6, size) + size - 1) / size
            for stop in 0...last {
                let harness = try prepared()
                var asked = 0
                let kind = libraryError {
                    try harness.library.apply(pieces, recordingsAtOnce: size) {
                        asked += 1
                        return asked > stop
                    }
                }
                #expect(kind == .cancelled)
                let difference = Set(try harness.rows()).symmetricDifference(before)
                #expect((difference.count > 0) == (stop > 0))
                _ = try harness.library.apply(pieces, recordingsAtOnce: size)
                let wrong = Set(try harness.rows()).symmetricDifference(rows)
                #expect(wrong.count == 0, "stopped after \(stop) pieces of \(size): \(wrong.sorted())")
                #expect(try harness.found("later") == whole.found("later") && harness.found("song") == 0)
                #expect(try harness.library.apply(pieces).isEmpty)
            }
        }
    }

    @Test("a merge in pieces of any size has the summary and the rows of a single merge", arguments: [1, 7, 1000])
    func sizes(_ size: Int) throws {
        let pieces = try CataloguePieces(reading: Told.second(Self.count).bytes)
        let (whole, parts) = (try prepared(), try prepared())
        let summary = try whole.library.apply(pieces, recordingsAtOnce: .max)
        #expect(try parts.library.apply(pieces, recordingsAtOnce: size) == summary)
        #expect(Set(try parts.rows()).symmetricDifference(try whole.rows()).isEmpty)
        // Recordings removed in several pieces come back in one step.
        let items = try parts.library.items().count
        #expect(try parts.library.undoRemoval().count == summary.removed + summary.documents)
        #expect(try parts.library.items().count == items + summary.removed)
    }

    @Test("a merge lets other programs change the store between pieces, and respects the changes")
    func changes() throws {
        let pieces = try CataloguePieces(reading: Told.second(Self.count).bytes)
        let harness = try prepared()
        let other = try harness.another()
        let keys = try [10, 11, 8].map { try #require(RecordingKey(Told.key($0))) }
        let (edited, removed, cut) = (keys[0], keys[1], keys[2])
        func item(_ key: RecordingKey) throws -> LibraryItem { try #require(try other.item(key)) }
        var asked = 0
        _ = try harness.library.apply(pieces, recordingsAtOnce: 4) {
            asked += 1
            guard asked == 2 else { return false }
            // After the merge of the first piece; both changes come later.
            #expect(throws: Never.self) {
                try other.edit(item(edited).number) { $0.title = "Mine" }
                try other.remove([item(removed).number])
                try other.store.apply(.remove(ids: [1]), to: item(cut).recording)
                _ = try other.makePlaylist("Other")
            }
            return false
        }
        #expect(asked == 2 + (pieces.count - pieces.removalCount + 3) / 4)
        let library = harness.library
        let titles = try library.items().map(\.words.title)
        #expect(titles.contains("Mine") && !titles.contains("Later 10") && !titles.contains("Later 11"))
        #expect(try library.items { $0.isTrash = true }.contains { $0.key == removed })
        let names = try harness.store.sections(of: cut)?.sections.map(\.name).sorted()
        #expect(names == ["New", "Tail"])
        #expect(try library.playlists().map(\.name).sorted() == ["All", "Other"])
        #expect(try library.apply(pieces).isEmpty)
    }

    @Test("takes are merged in pieces, between which other programs write, and completed by a repetition")
    func takes() throws {
        let (here, there) = (try LibraryHarness(), try LibraryHarness())
        for number in 1...5 {
            let path = try here.wave("take-\(number).wav", seed: UInt64(number))
            let sound = StoredTake.Sound(
                time: Int64(1_790_000_000 + number), sampleRate: 44_100, channelCount: 1, frameCount: 400)
            let take = try here.store.addTake(inFileAt: path, sound)
            _ = try here.store.edit(take: take.number, .note("note \(number)"))
            _ = try there.store.addTake(inFileAt: path, sound)
        }
        try there.library.folder.make()
        let takes = try CataloguePieces(reading: Array(here.library.catalogueText().utf8)).takes
        func notes() throws -> Int { try there.store.takes().filter { !$0.note.isEmpty }.count }
        struct Stopped: Error {}
        var merge = CatalogueMerge(there.library)
        #expect(throws: Stopped.self) {
            try merge.merge(takes: takes, atOnce: 2) {
                _ = try there.another().makePlaylist("Other")
                throw Stopped()
            }
        }
        #expect(try notes() == 2)
        #expect(try there.library.apply(takes: takes).takes == 3)
        #expect(try notes() == 5 && there.library.apply(takes: takes).isEmpty)
    }

    @Test("a stopped merge reports its progress and the remedy")
    func words() throws {
        let harness = try LibraryHarness()
        let pieces = try CataloguePieces(reading: Told.first(10).bytes)
        var asked = 0
        do {
            _ = try harness.library.apply(pieces, recordingsAtOnce: 4) {
                asked += 1
                return asked == 3
            }
            Issue.record("it was not stopped")
        } catch let error as RecordingLibraryError {
            #expect(error.kind == .cancelled && error.message == "the import was stopped after 8 of 10 recordings")
            #expect(error.remedy.contains("again"))
        }
        #expect(try harness.library.items().count == 8)
    }

    @Test("a merge of a file that changes meanwhile ends, and a repetition completes it")
    func changedFile() throws {
        let harness = try LibraryHarness()
        let path = try harness.scratch.write("catalogue.json", Told.first(1100).bytes)
        var asked = 0
        #expect(throws: CatalogueError.changed) {
            _ = try harness.library.importFile(at: path) {
                asked += 1
                if asked == 2 {
                    let file = unsafe open(path, O_WRONLY | O_APPEND | O_CLOEXEC)
                    #expect(throws: Never.self) { try FileBytes.append([UInt8(ascii: " ")], to: file) }
                    close(file)
                }
                return false
            }
        }
        #expect(try harness.library.items().count == CatalogueMerge.recordingsAtOnce)
        #expect(try harness.library.importFile(at: path).merge.added == 1100 - CatalogueMerge.recordingsAtOnce)
        #expect(try harness.library.items().count == 1100)
    }

    @Test("a merge of a file that changes before the playlists ends, and a repetition completes it")
    func changedLists() throws {
        let harness = try LibraryHarness()
        let path = try harness.scratch.write("catalogue.json", Told.first(3).bytes)
        var asked = 0
        #expect(throws: CatalogueError.changed) {
            _ = try harness.library.importFile(at: path) {
                asked += 1
                // Before the takes, after the only piece of recordings.
                if asked == 2 {
                    let file = unsafe open(path, O_WRONLY | O_APPEND | O_CLOEXEC)
                    #expect(throws: Never.self) { try FileBytes.append([UInt8(ascii: " ")], to: file) }
                    close(file)
                }
                return false
            }
        }
        #expect(try harness.library.items().count == 3 && harness.library.playlists().isEmpty)
        #expect(try harness.library.importFile(at: path).merge.playlists == 1)
        #expect(try harness.library.playlists().map(\.name) == ["All"])
    }

    @Test("a piece of a merge or export has few recordings if the recordings have many sections")
    func sections() throws {
        var told = Told()
        for number in 0..<2 {
            let list = (0..<700).map { #"{"id":"s\#($0)","fields":{"range":[[\#($0),\#($0 + 5)],6000000]}}"# }
            told.tell(number, title: "Song", at: 6_000_000, rest: #","sections":[\#(list.joined(separator: ","))]"#)
        }
        let harness = try LibraryHarness()
        var (asked, pieceCount) = (0, 0)
        _ = try harness.library.apply(CataloguePieces(reading: told.bytes)) {
            asked += 1
            return false
        }
        // Before each piece, and before the lists.
        #expect(asked == 3)
        _ = try harness.library.catalogue(recordingsAtOnce: 400) { part in
            pieceCount += 1
            #expect(part.recordings.values.map(\.sections.count) == [700])
        }
        #expect(pieceCount == 2)
    }

    @Test("a merge of a large catalogue locks the store for at most some hundred recordings at a time")
    func bounds() throws {
        let harness = try LibraryHarness()
        var asked = 0
        var counts: [Int] = []
        _ = try harness.library.apply(CataloguePieces(reading: Told.first(1100).bytes)) {
            asked += 1
            // Another program sees the merged part, and can write.
            #expect(throws: Never.self) {
                let other = try harness.another()
                counts.append(try other.items().count)
                _ = try other.makePlaylist("\(asked)")
            }
            return false
        }
        #expect(zip(counts, counts.dropFirst()).allSatisfy { $1 - $0 <= 400 } && counts.last == 1100, "\(counts)")
    }
}
