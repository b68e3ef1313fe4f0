internal import CSQLite
internal import Libraries
internal import RunLog

/// A connection to one SQLite database.
///
/// Transactions of several threads would mix, so the owner must let only one thread at a time use the connection. Any
/// thread may call `interrupt()`. Real-time safe: no.
@safe
package final class Database: @unchecked Sendable {
    private let functions: LibraryFunctions<SQLiteFunctions>
    private let connection: OpaquePointer
    /// Prepared statements that are not in use, by SQL text.
    private var idle: [String: OpaquePointer] = unsafe [:]
    /// Messages about skipped rows and replaced values, without duplicates.
    package private(set) var unreadable: Set<String> = []

    private var sqlite: SQLiteFunctions { unsafe functions.table.pointee }

    /// Maximum number of idle prepared statements.
    private static let mostIdle = 64

    /// Opens the database in a file, or a new database in memory.
    ///
    /// - Parameters:
    ///   - path: Path of the file; ":memory:" for a database in memory, which ends with the connection.
    ///   - creating: True to create a missing file.
    ///   - busyTimeout: Time for which a statement waits for other connections, in ms.
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
        // Defaults differ between builds of SQLite. A foreign file must not make the connection run code from its
        // schema. A disk error in mapped memory would end the process.
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

    /// Returns the version of the SQLite library, as in "3.40.1".
    package static func libraryVersion() throws(DatabaseError) -> String {
        let functions = try SQLite.functions()
        return unsafe functions.table.pointee.sqlite3_libversion().map { unsafe String(cString: $0) } ?? ""
    }

    /// Ends the running statement, if any; the statement throws an error of kind `interrupted`. Threads: any.
    package func interrupt() { unsafe sqlite.sqlite3_interrupt(connection) }

    // MARK: Statements

    /// Runs a statement that returns no rows.
    ///
    /// - Returns: Number of changed rows.
    @discardableResult
    package func run(_ sql: String, _ values: DatabaseValue...) throws(DatabaseError) -> Int {
        try run(sql, values: values)
    }

    /// Runs a statement that returns no rows.
    ///
    /// - Returns: Number of changed rows.
    @discardableResult
    package func run(_ sql: String, values: [DatabaseValue]) throws(DatabaseError) -> Int {
        _ = try rows(sql, values) { _ in }
        return Int(unsafe sqlite.sqlite3_changes(connection))
    }

    /// Returns the first row of a query; nil if there is none.
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

    /// Returns all rows of a query.
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

    /// Returns the rows of a query, without rows that have impossible values. Reports skipped rows in `unreadable`.
    package func readableRows<Value>(
        _ sql: String, _ values: [DatabaseValue] = [], row: (DatabaseRow) throws(DatabaseError) -> Value
    ) throws(DatabaseError) -> [Value] {
        var isWhole = true
        return try readableRows(sql, values, isWhole: &isWhole, row: row)
    }

    /// Returns the rows of a query, without rows that have impossible values. Sets `isWhole` to false if a row is
    /// skipped.
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

    /// Passes the rows of a query to `body` until `body` returns false.
    package func forEachRow(
        _ sql: String, _ values: [DatabaseValue] = [], _ body: (DatabaseRow) throws(DatabaseError) -> Bool
    ) throws(DatabaseError) {
        var note = StatementNote(sql)
        defer { note?.write() }
        let statement = try unsafe prepared(sql)
        defer { unsafe putBack(statement, sql) }
        try unsafe binding(values, to: statement) { () throws(DatabaseError) in
            while true {
                let code = unsafe sqlite.sqlite3_step(statement)
                if code == SQLITE_DONE { return }
                guard code == SQLITE_ROW else { throw failure(code) }
                note?.rowCount += 1
                guard try unsafe body(DatabaseRow(statement: statement, functions: functions, of: self)) else { return }
            }
        }
    }

    /// Row number of the last inserted row.
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
        unsafe reset(statement)
        // Evicts a statement, so that statements used only at the start do not displace frequent statements.
        if unsafe idle.count >= Self.mostIdle {
            let other = unsafe idle.remove(at: idle.startIndex).value
            _ = unsafe sqlite.sqlite3_finalize(other)
        }
        // A nested call may have prepared the same text twice.
        if let other = unsafe idle.updateValue(statement, forKey: sql) { _ = unsafe sqlite.sqlite3_finalize(other) }
    }

    private func reset(_ statement: OpaquePointer) {
        _ = unsafe sqlite.sqlite3_reset(statement)
        _ = unsafe sqlite.sqlite3_clear_bindings(statement)
    }

    /// SQLITE_TRANSIENT: SQLite copies the bytes before returning.
    private static var copies: @convention(c) (UnsafeMutableRawPointer?) -> Void {
        unsafe unsafeBitCast(-1, to: (@convention(c) (UnsafeMutableRawPointer?) -> Void).self)
    }

    /// Length from which SQLite reads a value where it is, in bytes. A copy of a long playlist's row would take 14 MB.
    private static let longValue = 1 << 16

    /// Executes `body` once while values are bound to a statement.
    private func binding(
        _ values: [DatabaseValue], to statement: OpaquePointer, _ body: () throws(DatabaseError) -> Void
    ) throws(DatabaseError) {
        precondition(
            unsafe Int(sqlite.sqlite3_bind_parameter_count(statement)) == values.count,
            "A statement has another number of values.")
        try unsafe binding(values[...], to: statement, body)
    }

    /// Binds the values of a slice, whose first indices are bound, and executes `body`.
    private func binding(
        _ values: ArraySlice<DatabaseValue>, to statement: OpaquePointer, _ body: () throws(DatabaseError) -> Void
    ) throws(DatabaseError) {
        for (index, value) in zip(values.indices, values) {
            let place = Int32(index + 1)
            /// Binds bytes. If these are long, also binds the rest, executes `body`, and returns true.
            func bind(_ bytes: UnsafeRawBufferPointer, asText isText: Bool) -> Result<Bool, DatabaseError> {
                Result { () throws(DatabaseError) in
                    let isLong = bytes.count >= Self.longValue
                    // Not a null pointer, even for no bytes.
                    let start = unsafe bytes.baseAddress ?? UnsafeRawPointer(bitPattern: 1)
                    // No function means SQLITE_STATIC: the bytes stay where they are until the statement is reset.
                    let copies = unsafe isLong ? nil : Self.copies
                    let count = Int32(clamping: bytes.count)
                    try check(
                        isText
                            ? unsafe sqlite.sqlite3_bind_text(
                                statement, place, start?.assumingMemoryBound(to: CChar.self), count, copies)
                            : unsafe sqlite.sqlite3_bind_blob(statement, place, start, count, copies))
                    if isLong { try unsafe binding(values[(index + 1)...], to: statement, body) }
                    return isLong
                }
            }
            switch value {
            case .null: try check(unsafe sqlite.sqlite3_bind_null(statement, place))
            case .integer(let number): try check(unsafe sqlite.sqlite3_bind_int64(statement, place, number))
            case .text(var text):
                if try text.withUTF8({ unsafe bind(UnsafeRawBufferPointer($0), asText: true) }).get() { return }
            case .bytes(let bytes):
                if try unsafe bytes.withUnsafeBytes({ unsafe bind($0, asText: false) }).get() { return }
            }
        }
        // Long values are still in place.
        defer { unsafe reset(statement) }
        try body()
    }

    private func check(_ code: Int32) throws(DatabaseError) {
        guard code == SQLITE_OK else { throw failure(code) }
    }

    /// Adds the SQL function that folds letters. Views may call this function although the schema is not trusted: the
    /// function reads only its argument.
    private func addFolding() throws(DatabaseError) {
        let flags = Int32(SQLITE_UTF8 | SQLITE_DETERMINISTIC | SQLITE_INNOCUOUS)
        let code = unsafe sqlite.sqlite3_create_function_v2(
            connection, FoldedText.function, 1, flags, nil,
            { context, _, values in
                guard let functions = try? SQLite.functions(), let value = unsafe values?.pointee else { return }
                let sqlite = unsafe functions.table
                // Get the text first: the conversion may change the length.
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

    /// True if a transaction is open.
    package var isInTransaction: Bool { unsafe sqlite.sqlite3_get_autocommit(connection) == 0 }

    /// Executes `body` as one transaction. The transaction holds the write lock from its beginning, so no other
    /// connection can write in between.
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
            // Some errors have already ended the transaction.
            if isInTransaction { _ = try? run("ROLLBACK") }
            throw error
        }
    }

    /// Executes `body` on one consistent state of the database, whatever other connections change meanwhile.
    package func snapshot<Value>(_ body: () throws(DatabaseError) -> Value) throws(DatabaseError) -> Value {
        try run("BEGIN")
        // The transaction has changed nothing, so a rollback loses nothing.
        defer { _ = try? run("ROLLBACK") }
        return try body()
    }

    /// Copies the whole database into another database, replacing its contents.
    package func copy(to other: Database) throws(DatabaseError) {
        guard let backup = unsafe sqlite.sqlite3_backup_init(other.connection, "main", connection, "main") else {
            throw other.failure(unsafe sqlite.sqlite3_extended_errcode(other.connection))
        }
        let code = unsafe sqlite.sqlite3_backup_step(backup, -1)
        let end = unsafe sqlite.sqlite3_backup_finish(backup)
        guard code == SQLITE_DONE else { throw other.failure(code) }
        guard end == SQLITE_OK else { throw other.failure(end) }
    }

    /// Returns the error for an SQLite result code.
    private func failure(_ code: Int32) -> DatabaseError {
        let words = unsafe sqlite.sqlite3_errmsg(connection).map { unsafe String(cString: $0) } ?? "no reason given"
        // SQLite keeps the last errno, so errno counts only for system errors.
        let isSystem = [SQLITE_IOERR, SQLITE_CANTOPEN, SQLITE_FULL].contains(Int(code & 0xFF))
        return DatabaseError(
            code: code, system: isSystem ? unsafe sqlite.sqlite3_system_errno(connection) : 0, words: words)
    }
}
