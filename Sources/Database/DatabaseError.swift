internal import CSQLite
package import Explanations
internal import Glibc

/// Why reading or changing a database failed. An open transaction has changed nothing.
package struct DatabaseError: ExplainedError, Equatable {
    package enum Kind: String, Sendable, CaseIterable {
        case libraryMissing
        case cannotOpen
        case permissionDenied
        case readOnly
        /// Another connection holds the database for longer than the busy timeout.
        case busy
        /// The disk is full, or a limit on the size of files or on the user's quota was reached.
        case diskFull
        /// SQLite finds the file malformed, the file is not an SQLite file, or tables are missing.
        case damaged
        /// A row contains a value that the database's owner never writes. All other rows are usable.
        case wrongValue
        case interrupted
        case outOfMemory
        case io
        /// SQLite refuses a statement: a mistake in the program.
        case refused
    }

    package let kind: Kind
    package let message: String
    package let remedy: String
    /// SQLite's extended result code; 0 for errors from elsewhere.
    package let code: Int32
    package let exitStatus: ExitStatus

    package init(
        _ kind: Kind, _ message: String, remedy: String, code: Int32 = 0, status: ExitStatus = .inputOutput
    ) {
        (self.kind, self.message, self.remedy, self.code) = (kind, message, remedy, code)
        exitStatus = status
    }

    /// Creates the error for an SQLite result code, with SQLite's message.
    ///
    /// - Parameter system: The errno of the failed call; 0 if there is none.
    init(code: Int32, system: Int32, words: String) {
        let kind = Self.kind(of: code, system: system)
        let limit = SystemLimit(errno: system)
        let reason = system == 0 ? "\(words), SQLite \(code)" : "\(words): \(limit?.cause ?? systemText(system))"
        self.init(
            kind, "the database \(kind.problem) (\(reason))", remedy: limit?.remedy ?? kind.remedy, code: code,
            status: limit?.exitStatus ?? .inputOutput)
    }

    /// True if SQLite does not understand a statement, for example with a missing table; false if a statement breaks a
    /// rule for values.
    package var isPlainRefusal: Bool { kind == .refused && code & 0xFF == Int32(SQLITE_ERROR) }

    /// True if a table's condition for values refuses a statement.
    package var isConditionRefusal: Bool { code == Int32(SQLITE_CONSTRAINT) | 1 << 8 }

    /// Returns the error for a statement refused because of the file's contents.
    package static func damaged(_ what: String) -> DatabaseError {
        DatabaseError(.damaged, "the database \(Kind.damaged.problem) (\(what))", remedy: Kind.damaged.remedy)
    }

    /// Returns the error for a row with a value that the owner never writes.
    package static func wrongValue(_ what: String) -> DatabaseError {
        DatabaseError(.wrongValue, "the database \(Kind.wrongValue.problem) (\(what))", remedy: Kind.wrongValue.remedy)
    }

    private static func kind(of code: Int32, system: Int32) -> Kind {
        switch system {
        case ENOSPC, EDQUOT, EFBIG: return .diskFull
        case EACCES, EPERM: return .permissionDenied
        case EROFS: return .readOnly
        default: break
        }
        switch code & 0xFF {
        case Int32(SQLITE_BUSY), Int32(SQLITE_LOCKED), Int32(SQLITE_PROTOCOL): return .busy
        case Int32(SQLITE_READONLY): return .readOnly
        case Int32(SQLITE_PERM), Int32(SQLITE_AUTH): return .permissionDenied
        case Int32(SQLITE_FULL): return .diskFull
        case Int32(SQLITE_CORRUPT), Int32(SQLITE_NOTADB): return .damaged
        case Int32(SQLITE_INTERRUPT): return .interrupted
        case Int32(SQLITE_NOMEM): return .outOfMemory
        case Int32(SQLITE_CANTOPEN): return .cannotOpen
        case Int32(SQLITE_IOERR): return .io
        default: return .refused
        }
    }
}

extension DatabaseError.Kind {
    fileprivate var problem: String {
        switch self {
        case .libraryMissing: "needs a library that is missing"
        case .cannotOpen: "cannot be opened"
        case .permissionDenied: "cannot be opened or changed without permission"
        case .readOnly: "can only be read"
        case .busy: "is being changed by another program"
        case .diskFull: "has no room left on the disk"
        case .damaged: "is damaged"
        case .wrongValue: "has a row that cannot be read"
        case .interrupted: "was interrupted"
        case .outOfMemory: "needs more memory than there is"
        case .io: "cannot be read or written"
        case .refused: "refused a statement"
        }
    }

    fileprivate var remedy: String {
        switch self {
        case .libraryMissing: "Install the library."
        case .cannotOpen: "Check that the directory of the file exists."
        case .permissionDenied, .readOnly: "Change the permissions of the file and its directory."
        case .busy: "Wait until the other program has finished, or end it."
        case .diskFull: "Free some room."
        case .damaged: "Restore the file from a backup."
        case .wrongValue: "All other rows can be used. Restore the file from a backup to get this row."
        case .interrupted: "Try again."
        case .outOfMemory: "End other programs."
        case .io:
            "Check that the disk works and has room, and that the limit on the size of files (ulimit -f) is not reached."
        case .refused: "Report this fault of the program."
        }
    }
}

extension DatabaseError: CategorisedError {}
