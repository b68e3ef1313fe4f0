internal import CSQLite
internal import Libraries
internal import RunLog

/// A connection to one SQLite database.
///
/// Its owner lets only one thread use it at a time, because transactions of several would mix; `interrupt()` may be called from any
/// thread. Real-time safe: no.
@safe
package final class Database: @unchecked Sendable {
    private let functions: LibraryFunctions<SQLiteFunctions>
    private let connection: OpaquePointer
    /// Statements that are prepared and not in use, by their text.
    private var idle: [String: OpaquePointer] = unsafe [:]
    /// What was wrong with rows that were left out, and with values that were read otherwise; each message once.
    package private(set) var unreadable: Set<String> = []

    private var sqlite: SQLiteFunctions { unsafe functions.table.pointee }

    /// Statements that are kept prepared, at most.
    private static let mostIdle = 64

    /// Opens the database in a file, or a new one in memory.
    ///
    /// - Parameters:
    ///   - path: The file; ":memory:" for a database in memory, which ends with the connection.
    ///   - creating: Whether the file is made if it is missing.
    ///   - busyTimeout: How long a statement waits for other connections, in ms.
    package init(path: String, creating: Bool, busyTimeout: Int32 = 5000) throws(DatabaseError) {
        functions = try SQLite.functions()
        let flags =
            SQLITE_OPEN_READWRITE | SQLITE_OPEN_FULLMUTEX | SQLITE_OPEN_EXRESCODE
            | (creating ? SQLITE_OPEN_CREATE : 0)
        let sqlite = unsafe functions.table.pointee
        var handle: OpaquePointer?
        let code = unsafe sqlite.sqlite3_open_v2(path, &handle, Int32(flags), nil)
        guard let handle = unsafe handle else {
            throw DatabaseError(code: Int32(SQLITE_NOMEM), system: 0, words: "out of memory")
        }
        unsafe connection = handle
        guard code == SQLITE_OK else { throw failure(code) }
        RunLog.note(.sql, .info, "opened \(path)")
        _ = unsafe sqlite.sqlite3_busy_timeout(handle, busyTimeout)
        // Builds of SQLite differ in these. A file from elsewhere must not make the connection run what it defines, and a disk error
        // in mapped memory would end the process.
        for setting in [
            "trusted_schema=OFF", "mmap_size=0", "cell_size_check=ON", "temp_store=MEMORY", "foreign_keys=ON",
        ] {
            _ = try rows("PRAGMA \(setting)") { _ in }
        }
        try addFolding()
    }

    deinit {
        unsafe idle.values.forEach { _ = unsafe sqlite.sqlite3_finalize($0) }
        _ = unsafe sqlite.sqlite3_close_v2(connection)
    }

    /// The library's version, as in "3.40.1".
    package static func libraryVersion() throws(DatabaseError) -> String {
        let functions = try SQLite.functions()
        return unsafe functions.table.pointee.sqlite3_libversion().map { unsafe String(cString: $0) } ?? ""
    }

    /// Ends the statement that is running, if there is one; it throws an error of kind `interrupted`. Any thread may call it.
    package func interrupt() { unsafe sqlite.sqlite3_interrupt(connection) }

    // MARK: Statements

    /// Runs a statement that returns no rows.
    ///
    /// - Returns: The number of rows that it changed.
    @discardableResult
    package func run(_ sql: String, _ values: DatabaseValue...) throws(DatabaseError) -> Int {
        try run(sql, values: values)
    }

    /// Runs a statement that returns no rows.
    ///
    /// - Returns: The number of rows that it changed.
    @discardableResult
    package func run(_ sql: String, values: [DatabaseValue]) throws(DatabaseError) -> Int {
        _ = try rows(sql, values) { _ in }
        return Int(unsafe sqlite.sqlite3_changes(connection))
    }

    /// The first row of a query; nil if it has none.
    package func first<Value>(
        _ sql: String, _ values: DatabaseValue..., row: (DatabaseRow) throws(DatabaseError) -> Value
    ) throws(DatabaseError) -> Value? {
        var found: Value?
        try forEachRow(sql, values) { (columns) throws(DatabaseError) in
            found = try row(columns)
            return false
        }
        return found
    }

    /// Every row of a query.
    package func rows<Value>(
        _ sql: String, _ values: [DatabaseValue] = [], row: (DatabaseRow) throws(DatabaseError) -> Value
    ) throws(DatabaseError) -> [Value] {
        var found: [Value] = []
        try forEachRow(sql, values) { (columns) throws(DatabaseError) in
            found.append(try row(columns))
            return true
        }
        return found
    }

    /// Every row of a query but those with impossible values, which are noted in `unreadable`.
    package func readableRows<Value>(
        _ sql: String, _ values: [DatabaseValue] = [], row: (DatabaseRow) throws(DatabaseError) -> Value
    ) throws(DatabaseError) -> [Value] {
        var isWhole = true
        return try readableRows(sql, values, isWhole: &isWhole, row: row)
    }

    /// The same; makes `isWhole` false if a row is left out.
    package func readableRows<Value>(
        _ sql: String, _ values: [DatabaseValue] = [], isWhole: inout Bool,
        row: (DatabaseRow) throws(DatabaseError) -> Value
    ) throws(DatabaseError) -> [Value] {
        var (found, isComplete): ([Value], Bool) = ([], true)
        try forEachRow(sql, values) { (columns) throws(DatabaseError) in
            do throws(DatabaseError) { found.append(try row(columns)) } catch {
                guard error.kind == .wrongValue else { throw error }
                note(unreadable: error, "the row is left out")
                isComplete = false
            }
            return true
        }
        if !isComplete { isWhole = false }
        return found
    }

    func note(unreadable error: DatabaseError, _ result: String) {
        let message = "\(error.message); \(result)"
        if unreadable.insert(message).inserted { RunLog.note(.sql, .warning, message) }
    }

    /// Passes the rows of a query to `body` until it returns false.
    package func forEachRow(
        _ sql: String, _ values: [DatabaseValue] = [], _ body: (DatabaseRow) throws(DatabaseError) -> Bool
    ) throws(DatabaseError) {
        var note = StatementNote(sql)
        defer { note?.write() }
        let statement = try unsafe prepared(sql)
        defer { unsafe putBack(statement, sql) }
        try unsafe bind(values, to: statement)
        while true {
            let code = unsafe sqlite.sqlite3_step(statement)
            if code == SQLITE_DONE { return }
            guard code == SQLITE_ROW else { throw failure(code) }
            note?.rowCount += 1
            guard try unsafe body(DatabaseRow(statement: statement, functions: functions, of: self)) else { return }
        }
    }

    /// The identity of the row that was inserted last.
    package var lastInsertedRow: Int64 { unsafe sqlite.sqlite3_last_insert_rowid(connection) }

    private func prepared(_ sql: String) throws(DatabaseError) -> OpaquePointer {
        if let statement = unsafe idle.removeValue(forKey: sql) { return unsafe statement }
        var statement: OpaquePointer?
        let code = unsafe sqlite.sqlite3_prepare_v2(connection, sql, -1, &statement, nil)
        guard code == SQLITE_OK else { throw failure(code) }
        guard let statement = unsafe statement else { throw failure(Int32(SQLITE_ERROR)) }
        return unsafe statement
    }

    private func putBack(_ statement: OpaquePointer, _ sql: String) {
        _ = unsafe sqlite.sqlite3_reset(statement)
        _ = unsafe sqlite.sqlite3_clear_bindings(statement)
        // One makes room, so that statements of the beginning, which come once, do not keep out those of the work.
        if unsafe idle.count >= Self.mostIdle {
            let other = unsafe idle.remove(at: idle.startIndex).value
            _ = unsafe sqlite.sqlite3_finalize(other)
        }
        // The same text may have been prepared twice, inside of itself.
        if let other = unsafe idle.updateValue(statement, forKey: sql) { _ = unsafe sqlite.sqlite3_finalize(other) }
    }

    /// SQLite's SQLITE_TRANSIENT: it copies the bytes before it returns.
    private static var copies: @convention(c) (UnsafeMutableRawPointer?) -> Void {
        unsafe unsafeBitCast(-1, to: (@convention(c) (UnsafeMutableRawPointer?) -> Void).self)
    }

    private func bind(_ values: [DatabaseValue], to statement: OpaquePointer) throws(DatabaseError) {
        precondition(
            unsafe Int(sqlite.sqlite3_bind_parameter_count(statement)) == values.count,
            "A statement has another number of values.")
        let copies = unsafe Self.copies
        for (index, value) in values.enumerated() {
            let place = Int32(index + 1)
            let code: Int32
            switch value {
            case .null: code = unsafe sqlite.sqlite3_bind_null(statement, place)
            case .integer(let number): code = unsafe sqlite.sqlite3_bind_int64(statement, place, number)
            case .text(var text):
                code = text.withUTF8 { bytes in
                    // Not null, even if it is empty.
                    let start =
                        unsafe bytes.baseAddress.map { unsafe UnsafeRawPointer($0) } ?? UnsafeRawPointer(bitPattern: 1)
                    return unsafe sqlite.sqlite3_bind_text(
                        statement, place, start?.assumingMemoryBound(to: CChar.self), Int32(clamping: bytes.count),
                        copies)
                }
            case .bytes(let bytes):
                code = unsafe bytes.withUnsafeBytes { bytes in
                    let start = unsafe bytes.baseAddress ?? UnsafeRawPointer(bitPattern: 1)
                    return unsafe sqlite.sqlite3_bind_blob(
                        statement, place, start, Int32(clamping: bytes.count), copies)
                }
            }
            guard code == SQLITE_OK else { throw failure(code) }
        }
    }

    /// Lets statements and views fold letters. Views may call it although the schema is not trusted: it reads nothing but its argument.
    private func addFolding() throws(DatabaseError) {
        let flags = Int32(SQLITE_UTF8 | SQLITE_DETERMINISTIC | SQLITE_INNOCUOUS)
        let code = unsafe sqlite.sqlite3_create_function_v2(
            connection, FoldedText.function, 1, flags, nil,
            { context, _, values in
                guard let functions = try? SQLite.functions(), let value = unsafe values?.pointee else { return }
                let sqlite = unsafe functions.table
                // The text first, as it may change its length.
                let start = unsafe sqlite.pointee.sqlite3_value_text(value)
                let count = unsafe start == nil ? 0 : Int(sqlite.pointee.sqlite3_value_bytes(value))
                guard var folded = unsafe FoldedText.folded(UnsafeBufferPointer(start: start, count: count)) else {
                    return unsafe sqlite.pointee.sqlite3_result_value(context, value)
                }
                folded.withUTF8 { bytes in
                    unsafe bytes.withMemoryRebound(to: CChar.self) { text in
                        unsafe sqlite.pointee.sqlite3_result_text(
                            context, text.baseAddress, Int32(clamping: text.count), Database.copies)
                    }
                }
            }, nil, nil, nil)
        guard code == SQLITE_OK else { throw failure(code) }
    }

    // MARK: Transactions and copies

    /// Whether a transaction is open.
    package var isInTransaction: Bool { unsafe sqlite.sqlite3_get_autocommit(connection) == 0 }

    /// Carries out `body` as one transaction, which no other connection can come between: it holds the right to write from its beginning.
    ///
    /// If `body` or the end of the transaction throws, nothing has changed.
    package func transaction<Value>(
        exclusive: Bool = false, _ body: () throws(DatabaseError) -> Value
    ) throws(DatabaseError) -> Value {
        try run(exclusive ? "BEGIN EXCLUSIVE" : "BEGIN IMMEDIATE")
        do throws(DatabaseError) {
            let value = try body()
            try run("COMMIT")
            return value
        } catch {
            // Some errors have already ended it.
            if isInTransaction { _ = try? run("ROLLBACK") }
            throw error
        }
    }

    /// Carries out `body` on one state of the database, whatever other connections change meanwhile.
    package func snapshot<Value>(_ body: () throws(DatabaseError) -> Value) throws(DatabaseError) -> Value {
        try run("BEGIN")
        // It has changed nothing, so its end cannot lose anything.
        defer { _ = try? run("ROLLBACK") }
        return try body()
    }

    /// Copies the whole database into another one, whose contents are replaced.
    package func copy(to other: Database) throws(DatabaseError) {
        guard let backup = unsafe sqlite.sqlite3_backup_init(other.connection, "main", connection, "main") else {
            throw other.failure(unsafe sqlite.sqlite3_extended_errcode(other.connection))
        }
        let code = unsafe sqlite.sqlite3_backup_step(backup, -1)
        let end = unsafe sqlite.sqlite3_backup_finish(backup)
        guard code == SQLITE_DONE else { throw other.failure(code) }
        guard end == SQLITE_OK else { throw other.failure(end) }
    }

    /// The error for a result of SQLite's.
    private func failure(_ code: Int32) -> DatabaseError {
        let words = unsafe sqlite.sqlite3_errmsg(connection).map { unsafe String(cString: $0) } ?? "no reason given"
        // The last errno stays, so it counts only for an error that comes from the system.
        let isSystem = [SQLITE_IOERR, SQLITE_CANTOPEN, SQLITE_FULL].contains(Int(code & 0xFF))
        return DatabaseError(
            code: code, system: isSystem ? unsafe sqlite.sqlite3_system_errno(connection) : 0, words: words)
    }
}
