internal import Database
internal import Files

/// Copies the readable rows of a damaged store that the tables accept. Other impossible values are reported on reading.
///
/// SQLite reads each table as far as possible. Three kinds of table are read from the pages of the file: tables with an
/// unreadable end, lost tables, and tables whose tree leads to pages of other tables.
final class Salvage {
    private let source: Database
    private let target: Database
    /// The damaged file.
    private let path: String
    /// Number of copied rows, by table.
    private var counts: [String: Int] = [:]
    /// Tables with unreadable rows, or with rows found only on unreachable pages.
    private var damaged: Set<String> = []
    /// The damaged file, read without SQLite; nil if unreadable. Stays open as long as the source: closing any
    /// descriptor of the file would release the source's lock.
    private var file: DamagedFile?
    /// The row numbers found in the indexes, by table.
    private var indexed: [String: IndexedRows] = [:]

    /// The pages of the damaged file, and the references to the pages.
    private struct DamagedFile {
        let pages: DatabasePages
        /// The root pages of tables.
        let roots: [String: UInt32]
        let survey: DatabasePages.Survey
    }

    /// The row numbers in the indexes of a table.
    private struct IndexedRows {
        var numbers: Set<Int64> = []
        /// True if SQLite can read one of the indexes to its end.
        var isWhole = false
    }

    /// A table, and the statement that copies its rows.
    private struct Table {
        let name: String
        /// Name, declared type, and whether the column is never null.
        let columns: [(name: String, type: String, isNeeded: Bool)]
        /// The column with the row's number, stored as null.
        let numberColumn: Int?

        /// The copied columns, without the row's number.
        var copied: [Int] { columns.indices.filter { $0 != numberColumn } }

        func insert(_ names: [String]) -> String {
            """
            INSERT OR IGNORE INTO \(name) (rowid, \(names.joined(separator: ", ")))
            VALUES (?\(String(repeating: ", ?", count: names.count)))
            """
        }

        /// True if a row has the types of this table's columns, and so may belong to the table.
        func fits(_ row: DatabasePages.Row) -> Bool {
            guard row.values.count == columns.count else { return false }
            return columns.indices.allSatisfy { index in
                switch (row.values[index], columns[index].type) {
                case (.null, _): index == numberColumn || !columns[index].isNeeded
                case (.integer, "INTEGER"): index != numberColumn
                case (.text, "TEXT"), (.bytes, "BLOB"): true
                default: false
                }
            }
        }
    }

    /// - Parameters:
    ///   - source: reads the damaged store.
    ///   - path: the damaged store's file, which does not change meanwhile.
    ///   - target: an empty database.
    init(from source: Database, at path: String, into target: Database) {
        (self.source, self.path, self.target) = (source, path, target)
    }

    /// Envelopes do not count, because they can be recomputed from the sound.
    var isComplete: Bool { damaged.subtracting(["envelope"]).isEmpty }

    /// Number of copied rows of all tables.
    var total: Int { counts.values.reduce(0, +) }

    /// Returns the number of copied rows of a table.
    func count(_ table: String) -> Int { counts[table, default: 0] }

    func run(_ schema: StoreSchema) throws(DatabaseError) {
        // Keeps rows even if their recording is lost. This setting has an effect only outside of a transaction.
        _ = try target.rows("PRAGMA foreign_keys=OFF") { _ in }
        try target.transaction { () throws(DatabaseError) in
            try schema.make(in: target)
            let (tables, rows) = (try tables(), StoreRows(database: target))
            file = damagedFile()
            var unread: [Table] = []
            for table in tables where try isMisled(table) ? true : !copy(table) { unread.append(table) }
            try copyPages(of: unread, besides: tables)
            try replaceLostRecordings()
            try replaceLostParents()
            try removeOtherEnvelopes()
            if !damaged.isDisjoint(with: ["recording", "section", "change"]) { try rows.keepFittingChanges() }
            // A lost row was not deleted: the next merge restores the row. Merges do not cover changes and envelopes.
            if !damaged.subtracting(["change", "envelope"]).isEmpty {
                try target.run("UPDATE merged SET shown = NULL")
            }
            if !isComplete { try rows.raiseNextSections() }
            try rows.countSections()
            try rows.rebuildWords()
        }
    }

    // MARK: Tables

    /// Returns the tables of the store, except SQLite's word indexes and the states of files: files are read again.
    private func tables() throws(DatabaseError) -> [Table] {
        let names = try target.rows("SELECT name FROM sqlite_schema WHERE type = 'table' ORDER BY rowid") {
            (row) throws(DatabaseError) in try row.text(0)
        }
        var tables: [Table] = []
        for name in names where name != "file" && !StoreSchema.wordIndexes.contains(where: name.hasPrefix) {
            let columns = try target.rows("PRAGMA table_info(\(name))") { (row) throws(DatabaseError) in
                (
                    name: try row.text(1), type: try row.text(2), isNeeded: try row.integer(3) != 0,
                    key: try row.integer(5)
                )
            }
            let keys = columns.indices.filter { columns[$0].key > 0 }
            let number = keys.count == 1 && columns[keys[0]].type == "INTEGER" ? keys[0] : nil
            tables.append(
                Table(name: name, columns: columns.map { ($0.name, $0.type, $0.isNeeded) }, numberColumn: number))
        }
        return tables
    }

    /// Copies the rows of a table as far as SQLite can read them; returns false if part of the table is unreadable.
    private func copy(_ table: Table) throws(DatabaseError) -> Bool {
        guard let names = columns(of: table) else { return isYounger(table.name) }
        let insert = table.insert(names)
        var failure: DatabaseError?
        do throws(DatabaseError) {
            try source.forEachRow("SELECT rowid, \(names.joined(separator: ", ")) FROM \(table.name) ORDER BY rowid") {
                (row) throws(DatabaseError) in
                var values: [DatabaseValue] = []
                for column in 0...names.count { values.append(try row.value(column)) }
                failure = add(values, to: table, insert)
                return failure == nil
            }
        } catch {
            return false
        }
        if let failure { throw failure }
        return true
    }

    /// Returns the columns of a table in the damaged store, perhaps an older one, without the row's number; nil if
    /// unknown.
    private func columns(of table: Table) -> [String]? {
        let there = try? source.rows("PRAGMA table_info(\(table.name))") { (row) throws(DatabaseError) in
            try row.text(1)
        }
        guard let there, !there.isEmpty else { return nil }
        return table.copied.map { table.columns[$0].name }.filter(there.contains)
    }

    /// True if a table is younger than the damaged store.
    private func isYounger(_ table: String) -> Bool {
        do throws(DatabaseError) {
            let version = try source.first("PRAGMA user_version") { (row) throws(DatabaseError) in try row.integer(0) }
            guard let version, version > 0, version < StoreSchema.current.version else { return false }
            return try source.rows("SELECT 1 FROM sqlite_schema WHERE name = ?", [.text(table)]) { _ in }.isEmpty
        } catch { return false }
    }

    /// Adds a row, unless a row with its number exists.
    ///
    /// - Returns: An error that prevents all additions, such as a full disk. A row that the table refuses counts as
    ///   damaged.
    private func add(_ values: [DatabaseValue], to table: Table, _ insert: String) -> DatabaseError? {
        do throws(DatabaseError) {
            if try target.run(insert, values: values) > 0 {
                counts[table.name, default: 0] += 1
            } else {
                damaged.insert(table.name)
            }
            return nil
        } catch {
            damaged.insert(table.name)
            return error.kind == .damaged || error.kind == .refused ? nil : error
        }
    }

    // MARK: Pages

    private func damagedFile() -> DamagedFile? {
        let size = try? source.first("PRAGMA page_size") { (row) throws(DatabaseError) in Int(try row.integer(0)) }
        guard let pages = try? DatabasePages(path: path, pageSize: size ?? nil) else { return nil }
        var roots: [String: UInt32] = [:]
        try? source.forEachRow("SELECT name, rootpage FROM sqlite_schema WHERE type = 'table' AND rootpage > 0") {
            (row) throws(DatabaseError) in
            roots[try row.text(0)] = UInt32(clamping: try row.integer(1))
            return true
        }
        return DamagedFile(pages: pages, roots: roots, survey: pages.survey(roots: Array(roots.values) + [1]))
    }

    /// True if the tree of a table leads to pages of other tables, or to free pages. SQLite would take their rows for
    /// rows of the table, in place of rows with the same numbers.
    private func isMisled(_ table: Table) -> Bool {
        guard let file, let root = file.roots[table.name] else { return false }
        return !strays(of: table).isEmpty
            || (file.survey.leaves[root] ?? []).contains { file.pages.isOther($0, table.fits) }
    }

    /// Returns the pages in the tree of a table that are proven free by their rows: the row numbers belong elsewhere,
    /// or are missing from an index. Without such a proof, the list of free pages is wrong.
    private func strays(of table: Table) -> Set<UInt32> {
        guard let file, let root = file.roots[table.name] else { return [] }
        let strays = (file.survey.named[root] ?? []).filter { named in
            let known = indexedRows(of: table)
            return !named.isInPlace
                || known.isWhole && !file.pages.rows(of: named.page).allSatisfy { known.numbers.contains($0.number) }
        }
        return Set(strays.map(\.page))
    }

    /// Copies rows from the pages of the file: all rows of tables that SQLite cannot read correctly, and of other
    /// tables the rows on unreachable pages. A damaged page may hide other pages without an error from SQLite.
    private func copyPages(of unread: [Table], besides tables: [Table]) throws(DatabaseError) {
        let names = Set(unread.map(\.name))
        damaged.formUnion(names)
        guard let file else { return }
        var strays: Set<UInt32> = []
        // Envelopes last: the recordings identify their rows.
        for table in unread.filter({ $0.name != "envelope" }) + unread.filter({ $0.name == "envelope" }) {
            guard let root = file.roots[table.name] else { continue }
            let own = self.strays(of: table)
            strays.formUnion(own)
            for page in file.survey.leaves[root] ?? [] where !own.contains(page) {
                try add(file.pages.rows(of: page), to: table)
            }
        }
        var envelopes: [(page: UInt32, isFree: Bool)] = []
        // Free pages last: they may hold older states of other rows.
        for (pages, areFree) in [(file.survey.lost, false), (file.survey.free + strays.sorted(), true)] {
            for page in pages {
                // No two tables have the same columns, except the inner tables of word indexes.
                for row in file.pages.rows(of: page) {
                    guard let table = tables.first(where: { $0.fits(row) }) else { continue }
                    if table.name == "envelope" {
                        envelopes.append((page, areFree))
                        break
                    }
                    // If the free pages are unknown, such a row may be deleted. Copied only if its table has lost rows.
                    let isTaken =
                        file.survey.isFreeListWhole
                        ? !areFree : names.contains(table.name) && !(areFree && indexedRows(of: table).isWhole)
                    guard try isTaken ? true : isMissing(row.number, in: table) else { continue }
                    damaged.insert(table.name)
                    try add([row], to: table)
                }
            }
        }
        guard let table = tables.first(where: { $0.name == "envelope" }) else { return }
        for (page, isFree) in envelopes
        where file.survey.isFreeListWhole ? !isFree : names.contains(table.name) {
            try add(file.pages.rows(of: page), to: table)
        }
    }

    /// True if a row is an envelope, of the length that its recording determines. Inner tables of indexes look the
    /// same.
    private func isEnvelope(_ row: DatabasePages.Row) throws(DatabaseError) -> Bool {
        guard case .bytes(let content)? = row.values.last, content.count > 9, content[0] == 1 else { return false }
        let wanted = try target.first(
            "SELECT \(Self.isLengthOfEnvelope("?2")) FROM recording WHERE id = ?1",
            .integer(row.number), .integer(Int64(content.count))
        ) { (row) throws(DatabaseError) in try row.integer(0) != 0 }
        return wanted ?? false
    }

    /// True if an index contains a row that was not copied.
    private func isMissing(_ number: Int64, in table: Table) throws(DatabaseError) -> Bool {
        guard indexedRows(of: table).numbers.contains(number) else { return false }
        return try target.rows("SELECT 1 FROM \(table.name) WHERE rowid = ?", [.integer(number)]) { _ in }.isEmpty
    }

    private func indexedRows(of table: Table) -> IndexedRows {
        if let known = indexed[table.name] { return known }
        var found = IndexedRows()
        let indexes = try? source.rows("PRAGMA index_list(\(table.name))") { (row) throws(DatabaseError) in
            try row.text(1)
        }
        for index in indexes ?? [] {
            do throws(DatabaseError) {
                try source.forEachRow("SELECT rowid FROM \(table.name) INDEXED BY \"\(index)\"") {
                    (row) throws(DatabaseError) in
                    found.numbers.insert(try row.integer(0))
                    return true
                }
                found.isWhole = true
            } catch { continue }
        }
        indexed[table.name] = found
        return found
    }

    private func add(_ rows: [DatabasePages.Row], to table: Table) throws(DatabaseError) {
        let insert = table.insert(table.copied.map { table.columns[$0].name })
        for row in rows where table.fits(row) {
            if table.name == "envelope" {
                guard try isEnvelope(row) else { continue }
                damaged.insert(table.name)
            }
            if let failure = add([.integer(row.number)] + table.copied.map { row.values[$0] }, to: table, insert) {
                throw failure
            }
        }
    }

    // MARK: Recordings that are lost

    /// Recreates the lost recordings of rows. The index of keys may still have the key, by which the recording is
    /// recognised when its file is next opened. If this index is damaged, too, a placeholder occupies the number, so
    /// that no other recording gets the rows. Its key follows from the number and another key of the store, so that two
    /// repairs agree.
    private func replaceLostRecordings() throws(DatabaseError) {
        guard !isComplete else { return }
        let stem = try target.first("SELECT min(key) FROM recording") { (row) throws(DatabaseError) in
            row.isNull(0) ? [] : try row.bytes(0)
        }
        func key(_ id: Int64) -> [UInt8] {
            let first = (stem ?? []).prefix(8)
            return first + [UInt8](repeating: 0, count: 8 - first.count)
                + (0..<8).map { UInt8(truncatingIfNeeded: id >> (56 - 8 * $0)) }
        }
        func add(_ id: Int64, _ known: [UInt8]?) throws(DatabaseError) {
            try target.run(
                """
                INSERT OR IGNORE INTO recording (id, key, sample_rate, frame_count, title, seen, revision)
                VALUES (?1, ?2, \(StoreRows.lostRate), 0, 'recording ' || ?1, 0, 0)
                """, .integer(id), .bytes(known ?? key(id)))
        }
        var known: [(Int64, [UInt8])] = []
        var knowsAll = true
        do throws(DatabaseError) {
            try source.forEachRow("SELECT id, key FROM recording INDEXED BY sqlite_autoindex_recording_1 ORDER BY key")
            {
                (row) throws(DatabaseError) in
                known.append((try row.integer(0), try row.bytes(1)))
                return true
            }
        } catch { knowsAll = false }
        for (id, key) in known { try add(id, key) }
        for table in try tables() where table.columns.contains(where: { $0.name == "recording" }) {
            let condition = "WHERE recording NOT IN (SELECT id FROM recording)"
            let isNeeded = table.columns.indices.contains {
                table.columns[$0].name == "recording" && (table.columns[$0].isNeeded || $0 == table.numberColumn)
            }
            // There never was such a recording: the row itself is damaged.
            let change = isNeeded ? "DELETE FROM" : "UPDATE"
            try target.run(
                "\(change) \(table.name) \(isNeeded ? "" : "SET recording = NULL") \(condition)\(knowsAll ? "" : " AND recording < 1")"
            )
            if !knowsAll {
                let ids = try target.rows("SELECT DISTINCT recording FROM \(table.name) \(condition)") {
                    (row) throws(DatabaseError) in
                    try row.integer(0)
                }
                for id in ids { try add(id, nil) }
            }
        }
    }

    /// Deletes envelopes whose length does not fit their recording: SQLite takes rows of an index of words for
    /// envelopes if a page of such an index is in the place of a page of envelopes.
    private func removeOtherEnvelopes() throws(DatabaseError) {
        try target.run(
            """
            DELETE FROM envelope WHERE NOT EXISTS (SELECT 1 FROM recording WHERE id = envelope.recording
                AND (frame_count = 0 OR \(Self.isLengthOfEnvelope("length(content)"))))
            """)
    }

    /// Returns an SQL condition for the length of the envelope of a recording, in bytes.
    private static func isLengthOfEnvelope(_ length: String) -> String {
        "50.0 * frame_count / sample_rate BETWEEN \(length) - 65 AND \(length) + 63"
    }

    /// Recreates other lost parents of rows, so that no new parent gets the rows.
    private func replaceLostParents() throws(DatabaseError) {
        guard !isComplete else { return }
        /// Deletes rows with an impossible parent number, because such rows are damaged. Returns a query for the lost
        /// parents.
        func lost(_ column: String, of table: String, in parents: String) throws(DatabaseError) -> String {
            let condition = "\(column) NOT IN (SELECT id FROM \(parents))"
            try target.run("DELETE FROM \(table) WHERE \(column) < 1 AND \(condition)")
            return "(SELECT DISTINCT \(column) AS id FROM \(table) WHERE \(condition))"
        }
        try target.run(
            """
            INSERT OR IGNORE INTO playlist (id, identity, name, made, changed, revision)
            SELECT id, substr(lower(hex((SELECT min(key) FROM recording))), 1, 16) || printf('%016x', id), 'playlist ' || id, 0, 0, 0
            FROM \(lost("playlist", of: "entry", in: "playlist"))
            """)
        try target.run(
            """
            INSERT OR IGNORE INTO feed (id, address, title, added)
            SELECT id, 'lost:' || id, 'feed ' || id, 0 FROM \(lost("feed", of: "episode", in: "feed"))
            """)
        try target.run(
            """
            INSERT OR IGNORE INTO take (id, path, time, sample_rate, channel_count, frame_count, device, gone, revision)
            SELECT id, '', 0, 1, 1, 0, '', 1, 0 FROM \(lost("take", of: "take_mark", in: "take"))
            """)
    }
}
