internal import CSQLite
package import Explanations
internal import Glibc

/// Why a database could not be read or changed. A transaction that was under way has changed nothing.
package struct DatabaseError: ExplainedError, Equatable {
    package enum Kind: String, Sendable, CaseIterable {
        case libraryMissing
        case cannotOpen
        case permissionDenied
        case readOnly
        /// Another connection holds the database for longer than the busy timeout.
        case busy
        /// No room on the disk, or a limit on the size of files or on the user's share.
        case diskFull
        /// SQLite finds the file malformed, or it is no SQLite file, or tables are missing.
        case damaged
        /// A row holds what its owner never writes. Everything else can be used.
        case wrongValue
        case interrupted
        case outOfMemory
        case io
        /// A statement that SQLite refuses: a mistake in the program.
        case refused
    }

    package let kind: Kind
    package let message: String
    package let remedy: String
    /// SQLite's extended result code; 0 if the error is not SQLite's.
    package let code: Int32

    package init(_ kind: Kind, _ message: String, remedy: String, code: Int32 = 0) {
        (self.kind, self.message, self.remedy, self.code) = (kind, message, remedy, code)
    }

    /// The error for a result of SQLite's, with its own words for it.
    ///
    /// - Parameter system: The errno of the call that failed; 0 if there is none.
    init(code: Int32, system: Int32, words: String) {
        let kind = Self.kind(of: code, system: system)
        let reason = system == 0 ? "\(words), SQLite \(code)" : "\(words): \(systemText(system))"
        self.init(kind, "the database \(kind.problem) (\(reason))", remedy: kind.remedy, code: code)
    }

    /// Whether SQLite does not understand a statement, as where a table is missing; not where it breaks a rule for values.
    package var isPlainRefusal: Bool { kind == .refused && code & 0xFF == Int32(SQLITE_ERROR) }

    /// A statement that was refused because of what is in the file.
    package static func damaged(_ what: String) -> DatabaseError {
        DatabaseError(.damaged, "the database \(Kind.damaged.problem) (\(what))", remedy: Kind.damaged.remedy)
    }

    /// A row that holds what its owner never writes.
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
        case .permissionDenied: "may not be opened or changed by you"
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
        case .cannotOpen: "Check that its directory exists."
        case .permissionDenied, .readOnly: "Change the permissions of the file and its directory."
        case .busy: "Wait until the other program has finished, or end it."
        case .diskFull: "Free some room. Nothing has changed."
        case .damaged: "Bring back a copy of the file."
        case .wrongValue: "Everything else in it can be used. Bring back a copy of the file to get this, too."
        case .interrupted: "Try again."
        case .outOfMemory: "End other programs."
        case .io: "Check that the disk works and has room, and that no limit (ulimit -f) is in the way."
        case .refused: "Report this: it is a mistake in the program."
        }
    }
}

extension DatabaseError {
    /// What the command ends with. Real-time safe: yes.
    package var exitStatus: ExitStatus { .inputOutput }
}
