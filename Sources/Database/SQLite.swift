// Database: values and transactions in one SQLite file.
//
// SQLite is loaded when the first database is opened, because few verbs of the command need a database. The types and
// functions of SQLite stay in this module. The module does not know the contents or the places of databases.
internal import CSQLite
internal import Libraries

enum SQLite {
    private static let loaded: Result<LibraryFunctions<SQLiteFunctions>, LibraryError> = {
        do throws(LibraryError) {
            return .success(try unsafe LibraryFunctions(sqlite_description()))
        } catch {
            return .failure(error)
        }
    }()

    static func functions() throws(DatabaseError) -> LibraryFunctions<SQLiteFunctions> {
        switch loaded {
        case .success(let functions): return functions
        case .failure(let error):
            throw DatabaseError(.libraryMissing, error.message, remedy: error.remedy)
        }
    }
}

/// A value of a column, or a value bound to a statement.
package enum DatabaseValue: Hashable, Sendable {
    case null
    case integer(Int64)
    case text(String)
    case bytes([UInt8])

    package static func integer(_ value: Int) -> DatabaseValue { .integer(Int64(value)) }
    package static func text(orNull text: String?) -> DatabaseValue { text.map(DatabaseValue.text) ?? .null }
    package static func integer(orNull value: Int64?) -> DatabaseValue { value.map { .integer($0) } ?? .null }
}
