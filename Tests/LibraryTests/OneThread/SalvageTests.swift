import AudioFiles
import Database
import Foundation
import Sections
import SoundFileSupport
import TestSupport
import Testing

@testable import Store

/// The rows kept by a repair of a store with one damaged page, of each kind and each table in turn.
@Suite("Repair of damaged pages")
struct SalvageTests {
    /// Tables, with the compared columns: a repair sets all other columns anew.
    static let tables: [(name: String, columns: [String])] = [
        ("recording", ["id", "key", "sample_rate", "frame_count", "title", "path", "seen", "position", "settings"]),
        ("section", ["row", "recording", "id", "kind", "first", "past", "name", "text", "hard", "settings"]),
        ("take", ["id", "path", "time", "sample_rate", "device", "recording", "section", "note", "rating", "trashed"]),
        (
            "practice",
            ["id", "recording", "section", "name", "first", "past", "began", "ended", "milliseconds", "passes"]
        ),
        ("review", ["id", "recording", "section", "time", "rating", "after", "interval", "evidence"]),
        (
            "item",
            ["id", "recording", "kind", "place", "path", "original", "title", "artist", "tags", "edited", "added"]
        ),
        ("playlist", ["id", "identity", "name", "made", "changed"]),
        ("entry", ["id", "playlist", "recording", "place", "added"]),
        ("fetch", ["id", "address", "state", "priority", "wishes", "done", "total", "added"]),
        ("feed", ["id", "address", "title", "validators", "added"]),
        ("episode", ["id", "feed", "identity", "title", "address", "published", "about", "recording", "is_new"]),
        ("deleted_playlist", ["id", "identity", "time"]),
        ("section_time", ["id", "recording", "section", "changed"]),
        ("take_mark", ["take", "content", "changed"]),
        ("merged", ["id", "kind", "owner", "identity", "section", "content"]),
        ("document", ["id", "recording", "hash", "place", "path", "name", "byte_count", "added", "changed"]),
        ("change", ["recording", "number", "summary", "removed", "added"]),
        ("envelope", ["recording", "content"]),
    ]

    /// A store with enough rows in each table for trees of two levels, with rows longer than a page, and with free
    /// pages.
    static func make(_ path: String) throws {
        let one = try PracticeStore(.file(path))
        try one.apply(.mark(frame: 5), to: PracticeRecording.made)
        let database = try Database(path: path, creating: false)
        let rows: [(String, String)] = [
            (
                "recording (id, key, sample_rate, frame_count, title, path, seen, done, revision)",
                "i + 1, randomblob(16), 44100, 4410000 + i, 'title ' || i, '/music/' || i || '.wav', i, 1, i"
            ),
            (
                "section (recording, id, kind, first, past, name, text, hard, settings)",
                "i + 1, 1, 'range', i, i + 9, 'name ' || i, hex(zeroblob(CASE i % 100 WHEN 0 THEN 5000 ELSE 30 END)), 0, '{}'"
            ),
            (
                "change (recording, number, summary, removed, added)",
                """
                i + 1, 1, 'marked', '[]', '[{"id":1,"kind":"range","first":' || i || ',"past":' || (i + 9) || ',"name":"name ' || i
                || '","text":"' || hex(zeroblob(CASE i % 100 WHEN 0 THEN 5000 ELSE 30 END)) || '","hard":false,"settings":{}}]'
                """
            ),
            (
                "take (path, time, sample_rate, channel_count, frame_count, device, recording, section, note, revision)",
                "'/takes/' || i || '.wav', i, 48000, 1, i, 'card', i + 1, 1, hex(zeroblob(20)), i"
            ),
            (
                "practice (recording, section, name, first, past, began, ended, milliseconds, passes)",
                "i + 1, 1, 'a name that is practised ' || i, i, i + 5, i, i + 9, 9000, 3"
            ),
            (
                "review (recording, section, time, rating, after, interval, evidence)",
                "i + 1, 1, i, 1 + i % 4, '{\"stability\":' || i || '}', 1 + i % 30, '{}'"
            ),
            (
                "item (recording, kind, place, path, original, byte_count, container, codec, channel_count, title, artist, edited, added, revision)",
                "i + 1, 'audio', 'linked', '/music/' || i || '.wav', i || '.wav', i, 'wav', 'pcm', 2, 'title ' || i, 'artist', '{\"title\":' || i || '}', i, i"
            ),
            ("playlist (identity, name, made, changed, revision)", "hex(randomblob(16)), 'list ' || i, i, i, i"),
            ("entry (playlist, recording, place, added)", "1 + i % 9, i + 1, i * 1024, 1790000000 + i"),
            ("fetch (address, state, added, revision)", "'https://example.org/a/long/way/to/' || i, 'failed', i, i"),
            ("feed (address, title, added)", "'https://example.org/feed/' || i, 'feed ' || i, i"),
            (
                "episode (feed, identity, title, address, about)",
                "1 + i % 9, 'e' || i, 'episode ' || i, 'https://example.org/' || i, hex(zeroblob(CASE i % 31 WHEN 0 THEN 9000 ELSE 9 END))"
            ),
            ("deleted_playlist (identity, time)", "hex(randomblob(16)), i"),
            ("section_time (recording, section, changed)", "i + 1, 1, 1790000000000 + i"),
            ("take_mark (take, content, changed)", "i, randomblob(16), 1790000000000 + i"),
            (
                "merged (kind, owner, identity, content)",
                "'section', hex(randomblob(8)), i, '{\"name\":\"' || i || '\"}'"
            ),
            (
                "document (recording, hash, place, path, name, byte_count, added, changed)",
                "i + 1, lower(hex(randomblob(16))), 'kept', i || '.pdf', 'score ' || i, i, i, i"
            ),
            // As of a recording of 100 seconds.
            ("envelope (recording, content)", "i + 1, CAST(x'01' || randomblob(5000) AS BLOB)"),
        ]
        try database.transaction { () throws(DatabaseError) in
            for (table, values) in rows {
                try database.run(
                    """
                    WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 300)
                    INSERT INTO \(table) SELECT \(values) FROM n
                    """)
            }
            for index in StoreSchema.wordIndexes {
                try database.run("INSERT INTO \(index) (\(index)) VALUES ('rebuild')")
            }
        }
        // These deletions leave free pages.
        try database.run("DELETE FROM envelope WHERE recording > 100")
    }

    struct Page {
        let kind: String
        let number: Int
        /// The page's table or index; "" for a free page.
        let owner: String
        /// The number of the table's rows that are lost with the page.
        let rowCount: Int64
    }

    /// The pages to damage, as listed by SQLite's own `dbstat`: one of each kind of each tree and a free page, or more
    /// in the soak.
    static func pages(of path: String) throws -> [Page] {
        let database = try Database(path: path, creating: false)
        let all = try database.rows("SELECT name, pagetype, pageno, ncell FROM dbstat ORDER BY pageno") {
            (row) throws(DatabaseError) in
            let (owner, kind, cells) = (try row.text(0), try row.text(1), try row.integer(3))
            let rows = kind == "leaf" ? cells : kind == "overflow" ? 1 : 0
            return Page(kind: kind, number: Int(try row.integer(2)), owner: owner, rowCount: rows)
        }
        var counts: [String: Int] = [:]
        let most = environmentCount("WOODSHED_DAMAGED_PAGES", short: 1)
        // The tables of words are made anew.
        let chosen = all.filter { page in
            guard !page.owner.contains("_words_"), !page.owner.contains("_trigrams_") else { return false }
            counts[page.owner + page.kind, default: 0] += 1
            return counts[page.owner + page.kind, default: 0] <= most
        }
        let used = Set(all.map(\.number))
        let count =
            try database.first("PRAGMA page_count") { (row) throws(DatabaseError) in Int(try row.integer(0)) } ?? 0
        let free = (1...max(1, count)).filter { !used.contains($0) }.prefix(most)
        return chosen + free.map { Page(kind: "free", number: $0, owner: "", rowCount: 0) }
    }

    /// The roots of all tables.
    static func roots(of path: String) throws -> [UInt32] {
        try [1]
            + Database(path: path, creating: false).rows(
                "SELECT rootpage FROM sqlite_schema WHERE type = 'table' AND rootpage > 0"
            ) { (row) throws(DatabaseError) in UInt32(clamping: try row.integer(0)) }
    }

    /// Compares a repaired store with the whole store.
    static func compare(_ repaired: String, with whole: String, after page: Page) throws {
        let database = try Database(path: repaired, creating: false)
        _ = try database.rows("ATTACH '\(whole)' AS whole") { _ in }
        // No two rows of a table are equal.
        func differences(_ table: String, _ columns: [String]) throws -> (lost: Int64, made: Int64) {
            let list = columns.joined(separator: ", ")
            return try #require(
                try database.first(
                    """
                    SELECT (SELECT count(*) FROM whole.\(table)), (SELECT count(*) FROM main.\(table)), count(*)
                    FROM (SELECT \(list) FROM whole.\(table) INTERSECT SELECT \(list) FROM main.\(table))
                    """
                ) { (row) throws(DatabaseError) in
                    let common = try row.integer(2)
                    return (lost: try row.integer(0) - common, made: try row.integer(1) - common)
                })
        }
        for (table, columns) in tables {
            let (lost, made) = try differences(table, columns)
            // The repair keeps a change as long as the change fits the sections.
            let owners = table == "change" ? ["recording", "section", "change"] : [table]
            let most = owners.contains(page.owner) ? page.rowCount : 0
            #expect((0...most).contains(lost), "\(table), \(page.kind) page of \(page.owner)")
            // A new recording with the same key replaces a lost recording. A row that continues in the damaged page may
            // have another text.
            let isReplaced = ["recording", "playlist", "feed", "take"].contains(table)
            let mostMade = isReplaced || page.kind == "overflow" ? lost : 0
            #expect(made <= mostMade, "\(table), \(page.kind) page of \(page.owner)")
        }
        #expect(try differences("recording", ["id", "key"]).lost == 0, "\(page.kind) page of \(page.owner)")
    }

    @Test("a repair keeps each row outside the damaged page, for every kind of page")
    func everyKind() throws {
        let scratch = try Scratch()
        let whole = scratch.file("whole.db")
        try Self.make(whole)
        let pages = try Self.pages(of: whole)
        #expect(pages.count > 50)
        #expect(Set(pages.map(\.kind)) == ["internal", "leaf", "overflow", "free"])
        var generator = SeededGenerator(printedFor: "damaged pages")
        let bytes = Array(try #require(FileManager.default.contents(atPath: whole)))
        for (index, page) in cases(pages, few: Array(pages.shuffled(using: &generator).prefix(20))).enumerated() {
            let path = scratch.file("damaged-\(index).db")
            var damaged = bytes
            let start = 4096 * (page.number - 1) + (page.number == 1 ? 100 : 0)
            for place in start..<start + 64 { damaged[place] = UInt8.random(in: 0...255, using: &generator) }
            #expect(FileManager.default.createFile(atPath: path, contents: Data(damaged)))
            let cause = StoreError(.damaged("a test"), path: path)
            let repair = try #require(try StoreRepair(of: path, schema: .current, cause: cause, busyTimeout: 5000))
            try Self.compare(path, with: whole, after: page)
            for name in [path, repair.damagedPath] { try FileManager.default.removeItem(atPath: name) }
        }
    }

    @Test("a repair keeps the rows that a damaged page skips, although SQLite finds no mistake")
    func passedBy() throws {
        let scratch = try Scratch()
        let whole = scratch.file("whole.db")
        try Self.make(whole)
        let tables = Set(Self.tables.map(\.name))
        let pages = try Self.pages(of: whole).filter { $0.kind == "internal" && tables.contains($0.owner) }
        #expect(pages.count >= tables.count / 2)
        let bytes = Array(try #require(FileManager.default.contents(atPath: whole)))
        for page in pages {
            let path = scratch.file("damaged.db")
            var damaged = bytes
            // Fewer children than before.
            let count = 4096 * (page.number - 1) + 3
            #expect(damaged[count] == 0 && damaged[count + 1] > 0)
            damaged[count + 1] /= 2
            try Data(damaged).write(to: URL(fileURLWithPath: path))
            let cause = StoreError(.damaged("a test"), path: path)
            let repair = try #require(try StoreRepair(of: path, schema: .current, cause: cause, busyTimeout: 5000))
            // The library can compute envelopes again.
            #expect(!repair.isComplete || page.owner == "envelope", "\(page.owner)")
            try Self.compare(path, with: whole, after: page)
            for name in [path, repair.damagedPath] { try FileManager.default.removeItem(atPath: name) }
        }
    }

    @Test("a repair keeps the rows of a page that seems to have more cells", arguments: [300, 30_000])
    func moreCells(added: Int) throws {
        let scratch = try Scratch()
        let whole = scratch.file("whole.db")
        try Self.make(whole)
        let tables = Set(Self.tables.map(\.name))
        let pages = try Self.pages(of: whole).filter { $0.kind == "leaf" && tables.contains($0.owner) }
        #expect(pages.count >= tables.count)
        var bytes = Array(try #require(FileManager.default.contents(atPath: whole)))
        for page in pages {
            let place = 4096 * (page.number - 1) + 3
            let count = (Int(bytes[place]) << 8 | Int(bytes[place + 1])) + added
            (bytes[place], bytes[place + 1]) = (UInt8(count >> 8), UInt8(count & 0xFF))
        }
        let path = scratch.file("damaged.db")
        try Data(bytes).write(to: URL(fileURLWithPath: path))
        let cause = StoreError(.damaged("a test"), path: path)
        _ = try #require(try StoreRepair(of: path, schema: .current, cause: cause, busyTimeout: 5000))
        // No row is lost, and none is made.
        try Self.compare(path, with: whole, after: Page(kind: "leaf", number: 0, owner: "", rowCount: 0))
    }

    @Test("a repair knows free pages by a whole list, and reads those of a damaged list last")
    func freePages() throws {
        let scratch = try Scratch()
        let path = scratch.file("practice.db")
        try Self.make(path)
        let roots = try Self.roots(of: path)
        let found = try DatabasePages(path: path).survey(roots: roots)
        #expect(found.lost.isEmpty && found.isFreeListWhole)
        let file = try FileHandle(forUpdating: URL(fileURLWithPath: path))
        try file.seek(toOffset: 39)
        let count = try #require(try file.read(upToCount: 1)?.first)
        try file.seek(toOffset: 39)
        // The header has the number of free pages.
        try file.write(contentsOf: [count &+ 1])
        try file.close()
        #expect(try !DatabasePages(path: path).survey(roots: roots).isFreeListWhole)
        // No other page is damaged, so no deleted row comes back.
        let before = try Data(contentsOf: URL(fileURLWithPath: path))
        let cause = StoreError(.damaged("a test"), path: path)
        let repair = try #require(try StoreRepair(of: path, schema: .current, cause: cause, busyTimeout: 5000))
        #expect(repair.isComplete && repair.recordingCount == 301)
        #expect(try Data(contentsOf: URL(fileURLWithPath: repair.damagedPath)) == before)
    }

    @Test("a store is repaired by one program at a time, even where SQLite has no lock")
    func oneAtATime() throws {
        let scratch = try Scratch()
        let path = scratch.file("practice.db")
        try Self.make(path)
        let file = try FileHandle(forWritingTo: URL(fileURLWithPath: path))
        try file.write(contentsOf: Data(repeating: 0xA5, count: 16))
        try file.close()
        let cause = StoreError(.damaged("a test"), path: path)
        // Another program begins when the repaired file is about to get the store's name.
        let calls = CallsBeforeStep {
            let error = #expect(throws: StoreError.self) {
                try StoreRepair(of: path, schema: .current, cause: cause, busyTimeout: 20)
            }
            #expect(error?.kind == .busy)
        }
        let repair = try #require(
            try StoreRepair(of: path, schema: .current, cause: cause, busyTimeout: 5000, calls: calls))
        #expect(repair.recordingCount == 301)
        #expect(try PracticeStore(.file(path)).recordings().count == 301)
    }

    @Test("a repair invents no parent for a row with an impossible number")
    func impossibleNumbers() throws {
        let scratch = try Scratch()
        let path = scratch.file("practice.db")
        try Self.make(path)
        let parents = [
            ("recording", "section", "recording"), ("playlist", "entry", "playlist"), ("feed", "episode", "feed"),
            ("take", "take_mark", "take"),
        ]
        do {
            let database = try Database(path: path, creating: false)
            try database.run("PRAGMA foreign_keys = OFF")
            for (_, table, column) in parents {
                try database.run("UPDATE \(table) SET \(column) = -7 WHERE rowid = (SELECT max(rowid) FROM \(table))")
            }
        }
        let page = try #require(try Self.pages(of: path).first { $0.owner == "review" && $0.kind == "leaf" })
        let file = try FileHandle(forWritingTo: URL(fileURLWithPath: path))
        try file.seek(toOffset: UInt64(4096 * (page.number - 1)))
        try file.write(contentsOf: Data(repeating: 0xA5, count: 64))
        try file.close()
        let cause = StoreError(.damaged("a test"), path: path)
        let repair = try #require(try StoreRepair(of: path, schema: .current, cause: cause, busyTimeout: 5000))
        #expect(!repair.isComplete)
        let database = try Database(path: path, creating: false)
        func numbers(_ sql: String) throws -> [Int64] {
            try database.rows(sql) { (row) throws(DatabaseError) in try row.integer(0) }
        }
        for (parent, table, column) in parents {
            #expect(try numbers("SELECT id FROM \(parent) WHERE id < 1").isEmpty, "\(parent)")
            #expect(try numbers("SELECT \(column) FROM \(table) WHERE \(column) < 1").isEmpty, "\(table)")
        }
        #expect(try numbers("SELECT count(*) FROM pragma_foreign_key_check") == [0])
    }

    @Test("a repair on a full disk leaves the damaged file as it was, and no other file")
    func fullDisk() throws {
        let scratch = try Scratch()
        let path = scratch.file("practice.db")
        try Self.make(path)
        let file = try FileHandle(forWritingTo: URL(fileURLWithPath: path))
        try file.write(contentsOf: Data(repeating: 0xA5, count: 16))
        try file.close()
        func files() throws -> [String: Data] {
            let names = try FileManager.default.contentsOfDirectory(atPath: scratch.path)
            return try Dictionary(
                uniqueKeysWithValues: names.map { ($0, try Data(contentsOf: URL(fileURLWithPath: scratch.file($0)))) })
        }
        let before = try files()
        let cause = StoreError(.damaged("a test"), path: path)
        for count in [0, 2] {
            // Undoing a renaming works: this step needs no space.
            let disk = FailingCalls(after: count, isOnce: true)
            let error = #expect(throws: StoreError.self, "\(count)") {
                try StoreRepair(of: path, schema: .current, cause: cause, busyTimeout: 5000, calls: disk)
            }
            #expect(error?.kind == .diskFull && error?.exitStatus == .inputOutput, "\(count): \(error?.message ?? "")")
            let after = try files()
            #expect(after == before, "\(count): \(after.keys.sorted()) in place of \(before.keys.sorted())")
        }
        let repair = try #require(try StoreRepair(of: path, schema: .current, cause: cause, busyTimeout: 5000))
        #expect(repair.damagedPath == path + ".damaged")
    }
}

extension PracticeRecording {
    fileprivate static var made: PracticeRecording {
        PracticeRecording(
            key: RecordingKey(high: 1, low: 1), sampleRate: 44_100, frameCount: 100_000, title: "made", path: nil)
    }
}
