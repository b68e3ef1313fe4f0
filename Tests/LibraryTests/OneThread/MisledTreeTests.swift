import Database
import Foundation
import SoundFileSupport
import TestSupport
import Testing

@testable import Store

/// Repairs of stores with a page that leads to the wrong page, where SQLite finds no error.
@Suite("Repair of a table with a misleading tree")
struct MisledTreeTests {
    private let scratch: Scratch
    private let whole: String

    init() throws {
        scratch = try Scratch()
        whole = scratch.file("whole.db")
        try SalvageTests.make(whole)
    }

    /// The pages of one kind of a table, or of all tables whose rows are compared.
    private func pages(_ kind: String, of owner: String? = nil) throws -> [SalvageTests.Page] {
        let owners = owner.map { [$0] } ?? SalvageTests.tables.map(\.name)
        return try Database(path: whole, creating: false).rows(
            "SELECT name, pageno FROM dbstat WHERE pagetype = ? ORDER BY pageno", [.text(kind)]
        ) { (row) throws(DatabaseError) in
            SalvageTests.Page(kind: kind, number: Int(try row.integer(1)), owner: try row.text(0), rowCount: 0)
        }.filter { owners.contains($0.owner) }
    }

    private func bytes() throws -> [UInt8] { Array(try Data(contentsOf: URL(fileURLWithPath: whole))) }

    private static func start(of page: Int) -> Int { 4096 * (page - 1) }

    private static func number(at place: Int, in bytes: [UInt8]) -> Int {
        bytes[place..<place + 4].reduce(0) { $0 << 8 | Int($1) }
    }

    private static func set(_ number: Int, at place: Int, in bytes: inout [UInt8]) {
        for index in 0..<4 { bytes[place + index] = UInt8(truncatingIfNeeded: number >> (24 - 8 * index)) }
    }

    /// The first page number in the list of free pages.
    private static func firstFree(in bytes: [UInt8]) throws -> Int {
        let trunk = start(of: number(at: 32, in: bytes))
        try #require(trunk > 0 && number(at: trunk + 4, in: bytes) > 0)
        return trunk + 8
    }

    /// Repairs a damaged store, and compares the result with the whole store: no row is missing or invented.
    ///
    /// - Returns: Whether the repair claims to have read everything.
    private func repair(_ damaged: [UInt8], after page: SalvageTests.Page) throws -> Bool {
        let path = scratch.file("damaged.db")
        try Data(damaged).write(to: URL(fileURLWithPath: path))
        let cause = StoreError(.damaged("a test"), path: path)
        let repair = try #require(try StoreRepair(of: path, schema: .current, cause: cause, busyTimeout: 5000))
        try SalvageTests.compare(path, with: whole, after: page)
        for name in [path, repair.damagedPath] { try FileManager.default.removeItem(atPath: name) }
        return repair.isComplete
    }

    @Test("a repair takes no rows of an index of words for envelopes")
    func wordsForEnvelopes() throws {
        let scratch = try Scratch()
        let path = scratch.file("practice.db")
        try SalvageTests.make(path)
        func page(_ owner: String) throws -> Int64 {
            let found = try Database(path: path, creating: false).first(
                "SELECT max(pageno) FROM dbstat WHERE name = ? AND pagetype = 'leaf'", .text(owner)
            ) { (row) throws(DatabaseError) in try row.integer(0) }
            return try #require(found)
        }
        let (envelopes, words) = (try page("envelope"), try page("section_trigrams_docsize"))
        let file = try FileHandle(forUpdating: URL(fileURLWithPath: path))
        try file.seek(toOffset: UInt64(4096 * (words - 1)))
        let bytes = try #require(try file.read(upToCount: 4096))
        try file.seek(toOffset: UInt64(4096 * (envelopes - 1)))
        try file.write(contentsOf: bytes)
        try file.close()
        let cause = StoreError(.damaged("a test"), path: path)
        _ = try #require(try StoreRepair(of: path, schema: .current, cause: cause, busyTimeout: 5000))
        let database = try Database(path: path, creating: false)
        func count(_ query: String) throws -> Int64? {
            try database.first(query) { (row) throws(DatabaseError) in try row.integer(0) }
        }
        #expect(try count("SELECT count(*) FROM envelope WHERE length(content) < 1000") == 0)
        #expect(try count("SELECT count(*) FROM envelope") ?? 0 > 50)
        #expect(try database.rows("PRAGMA foreign_key_check") { _ in }.isEmpty)
    }

    @Test("a repair takes no rows of another table for those of its own")
    func otherTable() throws {
        var random = SeededGenerator(printedFor: "pages of other tables")
        let (inner, leaves, bytes) = (try pages("internal"), try pages("leaf"), try bytes())
        let pairs = inner.flatMap { page in leaves.filter { $0.owner != page.owner }.map { (page, $0) } }
        // Entries of playlists have numbers in the places where times of sections have numbers: SQLite mistakes such
        // entries for times.
        let alike = pairs.filter { $0.owner == "section_time" && $1.owner == "entry" }
        #expect(alike.count > 1)
        for (page, leaf) in alike + pairs.shuffled(using: &random).prefix(cases(30, few: 5)) {
            var damaged = bytes
            Self.set(leaf.number, at: Self.start(of: page.number) + 8, in: &damaged)
            // The library can compute envelopes again.
            let isComplete = try repair(damaged, after: page)
            #expect(!isComplete || page.owner == "envelope", "\(random): \(page.owner) leads to \(leaf.owner)")
        }
    }

    @Test("a repair finds rows that an index names on a page wrongly listed as free")
    func hidden() throws {
        // No index covers the marks of takes, nor envelopes.
        let inner = try pages("internal").filter { !["take_mark", "envelope"].contains($0.owner) }
        let bytes = try bytes()
        let free = try Self.firstFree(in: bytes)
        for page in inner {
            var damaged = bytes
            let start = Self.start(of: page.number)
            let count = Int(bytes[start + 3]) << 8 | Int(bytes[start + 4])
            let pointer = start + 12 + 2 * (count - 1)
            let cell = start + (Int(bytes[pointer]) << 8 | Int(bytes[pointer + 1]))
            // The page has fewer children than before, and the last skipped child takes the place of a free page.
            (damaged[start + 3], damaged[start + 4]) = (UInt8((count / 2) >> 8), UInt8(count / 2 & 0xFF))
            Self.set(Self.number(at: cell, in: bytes), at: free, in: &damaged)
            #expect(try !repair(damaged, after: page), "\(page.owner)")
        }
    }

    @Test("a repair restores no deleted rows of a free page")
    func freePage() throws {
        do {
            let database = try Database(path: whole, creating: false)
            // As in an SQLite compiled without SECURE_DELETE: free pages keep their old content.
            _ = try database.rows("PRAGMA secure_delete=OFF") { _ in }
            for (count, isLast) in [(1500, false), (300, true)] {
                try database.run(
                    """
                    WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < \(count))
                    INSERT INTO deleted_playlist (identity, time) SELECT hex(randomblob(16)), i FROM n
                    """)
                if !isLast { try database.run("DELETE FROM deleted_playlist") }
            }
        }
        let (root, bytes) = (try #require(try pages("internal", of: "deleted_playlist").first), try bytes())
        let file = try DatabasePages(path: whole)
        let free = try file.survey(roots: SalvageTests.roots(of: whole)).free.filter { page in
            file.rows(of: page).first?.values.count == 3
        }
        #expect(free.count > 3)
        for page in free {
            var damaged = bytes
            Self.set(Int(page), at: Self.start(of: root.number) + 8, in: &damaged)
            #expect(try !repair(damaged, after: root), "page \(page)")
        }
    }

    @Test("a repair is complete where the list of free pages names a table's page by mistake")
    func namedByMistake() throws {
        var random = SeededGenerator(printedFor: "pages in the list of free pages")
        let bytes = try bytes()
        let free = try Self.firstFree(in: bytes)
        for leaf in try pages("leaf").shuffled(using: &random).prefix(cases(30, few: 5)) {
            var damaged = bytes
            Self.set(leaf.number, at: free, in: &damaged)
            #expect(try repair(damaged, after: leaf), "\(random): \(leaf.owner)")
        }
    }
}
