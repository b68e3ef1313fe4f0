internal import CSQLite
internal import Libraries

/// A row of a query, valid only in the closure that receives the row. Columns count from 0.
///
/// Each reader throws an error of kind `wrongValue` if the column holds a value of another type: the owner never writes
/// such a value.
@safe
package struct DatabaseRow {
    private let statement: OpaquePointer
    private let functions: LibraryFunctions<SQLiteFunctions>
    private let database: Database

    private var sqlite: SQLiteFunctions { unsafe functions.table.pointee }

    init(statement: OpaquePointer, functions: LibraryFunctions<SQLiteFunctions>, of database: Database) {
        unsafe self.statement = statement
        (self.functions, self.database) = (functions, database)
    }

    /// Returns the result of `body`, or an empty `substitute` for an impossible value. Reports the value in
    /// `Database.unreadable`.
    package func readable<Value>(
        or substitute: Value, _ body: () throws(DatabaseError) -> Value
    ) throws(DatabaseError) -> Value {
        do throws(DatabaseError) { return try body() } catch {
            guard error.kind == .wrongValue else { throw error }
            database.note(unreadable: error, "the value is read as empty")
            return substitute
        }
    }

    package func isNull(_ column: Int) -> Bool { type(column) == Int32(SQLITE_NULL) }

    package func integer(_ column: Int) throws(DatabaseError) -> Int64 {
        try check(column, SQLITE_INTEGER, "a number")
        return unsafe sqlite.sqlite3_column_int64(statement, Int32(column))
    }

    package func text(_ column: Int) throws(DatabaseError) -> String {
        try check(column, SQLITE_TEXT, "a text")
        // Get the text first: the conversion may change the length.
        let start = unsafe sqlite.sqlite3_column_text(statement, Int32(column))
        let count = Int(unsafe sqlite.sqlite3_column_bytes(statement, Int32(column)))
        return unsafe String(
            decoding: UnsafeBufferPointer(start: start, count: start == nil ? 0 : count), as: UTF8.self)
    }

    package func bytes(_ column: Int) throws(DatabaseError) -> [UInt8] {
        try check(column, SQLITE_BLOB, "bytes")
        // A null pointer for no bytes.
        let start = unsafe sqlite.sqlite3_column_blob(statement, Int32(column))
        let count = Int(unsafe sqlite.sqlite3_column_bytes(statement, Int32(column)))
        return unsafe Array(UnsafeRawBufferPointer(start: start, count: start == nil ? 0 : count))
    }

    package func integer(orNull column: Int) throws(DatabaseError) -> Int64? {
        isNull(column) ? nil : try integer(column)
    }

    package func text(orNull column: Int) throws(DatabaseError) -> String? {
        isNull(column) ? nil : try text(column)
    }

    /// Returns a column of any type.
    package func value(_ column: Int) throws(DatabaseError) -> DatabaseValue {
        switch Int(type(column)) {
        case SQLITE_NULL: .null
        case SQLITE_INTEGER: .integer(try integer(column))
        case SQLITE_TEXT: .text(try text(column))
        default: .bytes(try bytes(column))
        }
    }

    private func type(_ column: Int) -> Int32 { unsafe sqlite.sqlite3_column_type(statement, Int32(column)) }

    private func check(_ column: Int, _ expected: Int, _ what: String) throws(DatabaseError) {
        guard type(column) == Int32(expected) else { throw .wrongValue("column \(column) of a row is not \(what)") }
    }
}
