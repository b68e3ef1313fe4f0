import Database
import Foundation
import SoundFileSupport
import TestSupport
import Testing

@testable import Store

/// A repair, compared with an independent reader of damaged files: `.recover` of SQLite's own shell.
@Suite("Repair compared with SQLite's .recover")
struct RecoverTests {
    /// Debian's shell lacks the table of pages that `.recover` reads. `scripts/soak/recover-shell.sh` builds a shell
    /// with this table.
    private static let shell = unsafe getenv("WOODSHED_SQLITE_SHELL").map { unsafe String(cString: $0) } ?? "sqlite3"

    static let canRecover: Bool = {
        guard let scratch = try? Scratch(), (try? run(Self.shell, scratch.file("a.db"), "CREATE TABLE a (b)")) != nil
        else {
            return false
        }
        return (try? run(Self.shell, scratch.file("a.db"), ".recover"))?.contains("CREATE TABLE a") == true
    }()

    /// The kinds of damage to a page. After some kinds SQLite finds no error.
    private enum Damage: CaseIterable {
        /// The page's first bytes are random, and so hide the page's kind.
        case beginning
        /// Bytes in the page's middle are random.
        case middle
        /// The page is empty.
        case zeros
        /// The page has fewer cells than before. An inner page then skips some of its children.
        case fewerCells
        /// The page has more cells than before, so its list of cells seems to reach into the cells.
        case moreCells
        /// The page's last child, or next page, is another page of the file.
        case otherLink
    }

    private static func damage(
        _ page: SalvageTests.Page, _ damage: Damage, _ bytes: inout [UInt8], using random: inout SeededGenerator
    ) {
        let start = 4096 * (page.number - 1)
        let first = start + (page.number == 1 ? 100 : 0)
        func setCells(_ count: Int) {
            let count = UInt16(clamping: count)
            (bytes[first + 3], bytes[first + 4]) = (UInt8(count >> 8), UInt8(count & 0xFF))
        }
        switch damage {
        case .beginning: for place in first..<first + 64 { bytes[place] = random.byte }
        case .middle:
            let place = first + Int.random(in: 64..<3900, using: &random)
            for place in place..<place + 64 { bytes[place] = random.byte }
        case .zeros: for place in first..<start + 4096 { bytes[place] = 0 }
        case .fewerCells:
            setCells((Int(bytes[first + 3]) << 8 | Int(bytes[first + 4])) / 2)
        case .moreCells:
            // Also more than a page has room for.
            setCells((Int(bytes[first + 3]) << 8 | Int(bytes[first + 4])) + Int.random(in: 1...3000, using: &random))
        case .otherLink:
            let other = UInt32.random(in: 2...UInt32(bytes.count / 4096), using: &random)
            let place = page.kind == "internal" ? first + 8 : first
            for index in 0..<4 { bytes[place + index] = UInt8(truncatingIfNeeded: other >> UInt32(24 - 8 * index)) }
        }
    }

    /// The rows of a table that are in the whole file and found by `.recover`, but missing in the repaired file.
    private static func missing(_ table: String, _ compared: [String], in database: Database) throws -> Int64 {
        func columns(_ schema: String, _ table: String) throws -> [(name: String, isNumber: Bool)] {
            try database.rows("PRAGMA \(schema).table_info(\(table))") { (row) throws(DatabaseError) in
                let (type, key) = (try row.text(2), try row.integer(5))
                return (name: try row.text(1), isNumber: type == "INTEGER" && key == 1)
            }
        }
        let all = try columns("whole", table)
        // A table with a key of one number stores the key as the row's number.
        let number = all.filter { $0.isNumber }.count == 1 ? all.firstIndex { $0.isNumber } : nil
        let list = compared.joined(separator: ", ")
        var found: [String] = []
        if try !columns("recovered", table).isEmpty { found.append("SELECT \(list) FROM recovered.\(table)") }
        // Rows of an unknown table, after their places: the root, the page, the count of fields and the number.
        if try columns("recovered", "lost_and_found").count >= 4 + all.count {
            let places = compared.map { name in
                all.firstIndex { $0.name == name }.map { $0 == number ? "id" : "c\($0)" } ?? "NULL"
            }
            found.append(
                "SELECT \(places.joined(separator: ", ")) FROM recovered.lost_and_found WHERE nfield = \(all.count)")
        }
        if found.isEmpty { return 0 }
        return try database.first(
            """
            SELECT count(*) FROM (\(found.joined(separator: " UNION "))
            INTERSECT SELECT \(list) FROM whole.\(table) EXCEPT SELECT \(list) FROM main.\(table))
            """
        ) { (row) throws(DatabaseError) in try row.integer(0) } ?? 0
    }

    @Test(
        "a repair has each user row that .recover finds, for any damaged page and damage",
        .enabled("the shell of SQLite has no .recover here") { canRecover })
    func compared() throws {
        var random = SeededGenerator(printedFor: ".recover")
        let scratch = try Scratch()
        let whole = scratch.file("whole.db")
        try SalvageTests.make(whole)
        let bytes = Array(try #require(FileManager.default.contents(atPath: whole)))
        var runs = try SalvageTests.pages(of: whole).flatMap { page in Damage.allCases.map { (page, $0) } }
        runs.shuffle(using: &random)
        // In the soak, all pages.
        runs = Array(runs.prefix(environmentCount("WOODSHED_DAMAGED_PAGES", short: 12)))
        var lost: Int64 = 0
        for (page, way) in runs {
            let (path, recovered) = (scratch.file("damaged.db"), scratch.file("recovered.db"))
            var damaged = bytes
            Self.damage(page, way, &damaged, using: &random)
            try Data(damaged).write(to: URL(fileURLWithPath: path))
            let cause = StoreError(.damaged("a test"), path: path)
            let repair = try #require(try StoreRepair(of: path, schema: .current, cause: cause, busyTimeout: 5000))
            // Statements for the indexes of words fail, as the required functions are missing.
            try run(
                "sh", "-c", "\"$0\" \"$1\" .recover 2>/dev/null | \"$0\" \"$2\" >/dev/null 2>&1; true", Self.shell,
                repair.damagedPath, recovered)
            do {
                let database = try Database(path: path, creating: false)
                _ = try database.rows("ATTACH '\(whole)' AS whole") { _ in }
                _ = try database.rows("ATTACH '\(recovered)' AS recovered") { _ in }
                // The repair keeps a change only as long as the change fits the sections.
                for (table, columns) in SalvageTests.tables where table != "change" || page.owner != "section" {
                    let count = try Self.missing(table, columns, in: database)
                    lost += count
                    #expect(
                        count == 0, "\(random): \(table), \(way) of \(page.kind) page \(page.number) of \(page.owner)")
                }
            }
            for name in [path, repair.damagedPath, recovered] { try? FileManager.default.removeItem(atPath: name) }
        }
        print(".recover: \(runs.count) damaged pages, \(lost) rows that it finds and a repair lacks")
    }
}

extension SeededGenerator {
    fileprivate var byte: UInt8 {
        mutating get { UInt8.random(in: 0...255, using: &self) }
    }
}
