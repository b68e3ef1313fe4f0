import Database
import Glibc
import TestSupport
import Testing

@Suite("Databases")
struct DatabaseTests {
    private func memory() throws -> Database { try Database(path: ":memory:", creating: true) }

    private func kind<Value>(_ body: () throws -> Value) -> DatabaseError.Kind? {
        do {
            _ = try body()
            return nil
        } catch {
            let error = error as? DatabaseError
            #expect(error?.message.isEmpty == false && error?.remedy.isEmpty == false)
            return error?.kind
        }
    }

    @Test("a database returns every kind of value as it was bound, empty values too")
    func values() throws {
        let database = try memory()
        try database.run("CREATE TABLE t (a, b, c, d)")
        let rows: [[DatabaseValue]] = [
            [.integer(Int64.min), .text("ä\u{0}b"), .bytes([0, 255]), .null],
            [.integer(Int64.max), .text(""), .bytes([]), .null],
        ]
        for row in rows { #expect(try database.run("INSERT INTO t VALUES (?, ?, ?, ?)", values: row) == 1) }
        let read = try database.rows("SELECT * FROM t ORDER BY rowid") { (row) throws(DatabaseError) in
            [
                try DatabaseValue.integer(row.integer(0)), .text(try row.text(1)), .bytes(try row.bytes(2)),
                row.isNull(3) ? .null : .integer(1),
            ]
        }
        #expect(read == rows && database.lastInsertedRow == 2)
        let again = try database.rows("SELECT * FROM t ORDER BY rowid") { (row) throws(DatabaseError) in
            [try row.value(0), try row.value(1), try row.value(2), try row.value(3)]
        }
        #expect(again == rows)
    }

    @Test("a database stores long values as they were bound, among short ones, and after a refused statement")
    func longValues() throws {
        let database = try memory()
        try database.run("CREATE TABLE t (a, b UNIQUE, c, d, e)")
        let insert = "INSERT INTO t VALUES (?, ?, ?, ?, ?)"
        let text = String(repeating: "ä\u{0}", count: 100_000)
        var rows: [[DatabaseValue]] = []
        for (number, count) in [65_535, 65_536, 65_537, 300_000].enumerated() {
            let bytes = (0..<count).map { UInt8(truncatingIfNeeded: $0 / 7) }
            rows += [
                [
                    .text(String(repeating: "x", count: count)), .integer(2 * number), .bytes(bytes), .null,
                    .text(text + "\(number)"),
                ],
                [.bytes(bytes), .integer(2 * number + 1), .text(text), .text("short"), .bytes([])],
            ]
        }
        for row in rows {
            #expect(try database.run(insert, values: row) == 1)
            #expect(kind { try database.run(insert, values: row) } == .refused)
        }
        let read = try database.rows("SELECT * FROM t ORDER BY b") { (row) throws(DatabaseError) in
            [try row.value(0), try row.value(1), try row.value(2), try row.value(3), try row.value(4)]
        }
        #expect(read == rows)
        // Rows are read while the long value is bound, also in nested statements, and to their end or not.
        let query = "SELECT b FROM t WHERE c = ? OR a = ? ORDER BY b"
        let values = [rows[3][2], rows[6][0]]
        let found = try database.rows(query, values) { (outer) throws(DatabaseError) in
            try database.rows(query, values) { (inner) throws(DatabaseError) in
                [try outer.integer(0), try inner.integer(0)]
            }
        }
        #expect(found.count == 5 && found.allSatisfy { $0.map(\.[1]) == [1, 3, 5, 6, 7] })
        for _ in 0..<2 {
            let first = try database.first(query, values[0], values[1]) { (row) throws(DatabaseError) in
                try row.integer(0)
            }
            #expect(first == 1)
        }
    }

    @Test("a database reports a column of another type and a wrong statement")
    func mistakes() throws {
        let database = try memory()
        #expect(
            kind { try database.rows("SELECT 'text'") { (row) throws(DatabaseError) in try row.integer(0) } }
                == .wrongValue)
        #expect(
            kind { try database.rows("SELECT 1") { (row) throws(DatabaseError) in try row.text(0) } } == .wrongValue)
        #expect(kind { try database.run("SELEKT 1") } == .refused)
        #expect(kind { try database.run("") } == .refused)
        #expect(
            try database.first("SELECT NULL") { (row) throws(DatabaseError) in try row.text(orNull: 0) } == .some(nil))
    }

    @Test("a failed transaction is rolled back as a whole")
    func transactions() throws {
        let database = try memory()
        try database.run("CREATE TABLE t (a UNIQUE)")
        let failed = kind {
            try database.transaction { () throws(DatabaseError) in
                try database.run("INSERT INTO t VALUES (1)")
                try database.run("INSERT INTO t VALUES (1)")
            }
        }
        #expect(failed == .refused && !database.isInTransaction)
        #expect(try database.first("SELECT count(*) FROM t") { (row) throws(DatabaseError) in try row.integer(0) } == 0)
    }

    @Test("a statement can be nested in itself")
    func nesting() throws {
        let database = try memory()
        let query = "SELECT value FROM (SELECT 1 AS value UNION SELECT 2)"
        let pairs = try database.rows(query) { (outer) throws(DatabaseError) in
            try database.rows(query) { (inner) throws(DatabaseError) in
                [try outer.integer(0), try inner.integer(0)]
            }
        }
        #expect(pairs == [[[1, 1], [1, 2]], [[2, 1], [2, 2]]])
    }

    @Test("a database is copied as a whole")
    func copies() throws {
        let (from, to) = (try memory(), try memory())
        try from.run("CREATE TABLE t (a)")
        try from.run("INSERT INTO t VALUES (7)")
        try from.copy(to: to)
        #expect(try to.first("SELECT a FROM t") { (row) throws(DatabaseError) in try row.integer(0) } == 7)
    }

    @Test("an interrupted database ends a long statement")
    func interruption() throws {
        let database = try memory()
        // Ends only if interrupted, from the statement itself, so nothing depends on the time.
        var count = 0
        let result = kind {
            try database.forEachRow("WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT i FROM n")
            {
                (_) throws(DatabaseError) in
                count += 1
                if count == 1000 { database.interrupt() }
                return true
            }
        }
        #expect(result == .interrupted && count == 1000)
    }

    @Test("a database at a path without a file reports that, and makes no file")
    func missing() {
        #expect(kind { try Database(path: "/nowhere/at/all.db", creating: true) } == .cannotOpen)
        #expect(kind { try Database(path: "/dev/null/x.db", creating: false) } == .cannotOpen)
    }
}
