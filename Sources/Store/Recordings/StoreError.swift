internal import Database
public import Explanations
internal import Glibc

/// The reason why a store could not be opened, read or changed. The store keeps its previous contents.
public typealias StoreError = Failure<StoreErrorKind>

/// The kind of failure, for decisions by programs.
public enum StoreErrorKind: String, FailureKind, CaseIterable {
    /// The file cannot be opened or created.
    case cannotOpen
    /// The system denies access.
    case permissionDenied
    /// The disk has too little free space.
    case diskFull
    /// The file or its disk is read-only.
    case readOnly
    /// Another program has been changing the store for more than five seconds.
    case busy
    /// The file is damaged, and the repair failed.
    case damaged
    /// A row holds a value that no version of this program writes. All other rows are usable.
    case unreadableRow
    /// A newer version of this program made the store.
    case newer
    /// The file is another program's database.
    case foreign
    /// The store knows the recording with another length or sample rate.
    case otherRecording
    /// SQLite is missing on this machine.
    case libraryMissing
    /// The user has no home folder.
    case noHome
    /// Reading or writing failed.
    case io
}

extension StoreError {
    package static var noHome: StoreError {
        StoreError(
            .noHome, "there is no home folder to keep sections in",
            remedy: "Set HOME or XDG_DATA_HOME to a folder of yours.")
    }

    package static var noLogThread: StoreError {
        StoreError(
            .io, "\(SystemLimit.threads.cause) for the practice log, so this session is not logged",
            remedy: SystemLimit.threads.remedy, status: SystemLimit.threads.exitStatus)
    }

    package static var lateLog: StoreError {
        StoreError(
            .io, "the practice log was not written in time; its last entries may be missing",
            remedy: "Check that the disk of the store answers.")
    }

    /// The error for entries of the practice log that were dropped, because too many others waited for the store.
    package static func lostPractice(entries count: Int) -> StoreError {
        StoreError(
            .io, "the practice log lost \(counted(count, "entry", "entries")), because too many waited for the store",
            remedy: "Check that the disk of the store answers, and that no other program locks the store.")
    }

    static func newer(_ path: String, version: Int64) -> StoreError {
        StoreError(
            .newer, "\(path): the store was made by a newer version of this program (its version is \(version))",
            remedy: "Use the newer version. The file is unchanged.")
    }

    /// The error for a store of an earlier version on a read-only place.
    static func older(_ path: String, _ kind: Kind) -> StoreError {
        StoreError(
            kind, "\(path): the store is of an earlier version, and its upgrade needs to write the file",
            remedy: "Change the permissions of the file and its directory, or copy the file to a writable disk.")
    }

    static func foreign(_ path: String) -> StoreError {
        StoreError(
            .foreign, "\(path): this is another program's database",
            remedy: "Move the file away, or name another file. The file is unchanged.")
    }

    static func cannotOpen(_ path: String, _ reason: String) -> StoreError {
        StoreError(.cannotOpen, "\(path): \(reason)", remedy: "Move the file away, or name another file.")
    }

    /// The error for an errno.
    package static func system(_ path: String, _ code: Int32) -> StoreError {
        let kind: Kind =
            switch code {
            case EACCES, EPERM: .permissionDenied
            case EROFS: .readOnly
            case ENOSPC, EDQUOT, EFBIG: .diskFull
            default: .cannotOpen
            }
        let remedy =
            switch kind {
            case .permissionDenied, .readOnly: "Change the permissions of the file and its directory."
            case .diskFull: "Free some room."
            default: "Check that its directory exists and can be written."
            }
        let limit = SystemLimit(errno: code)
        return StoreError(
            kind, "\(path): the store cannot be opened or changed (\(limit?.cause ?? systemText(code)))",
            remedy: limit?.remedy ?? remedy, status: limit?.exitStatus)
    }

    /// The error for a damaged store left without repair.
    static func beyondRepair(_ path: String, _ damage: StoreError, _ reason: StoreError) -> StoreError {
        // A cause outside of the store, which the user can change, becomes the kind.
        let isOutside = [.diskFull, .readOnly, .permissionDenied].contains(reason.kind)
        return StoreError(
            isOutside ? reason.kind : .damaged, "\(damage.message); the repair failed: \(reason.message)",
            remedy: reason.remedy)
    }

    static func otherRecording(_ recording: PracticeRecording, known: PracticeRecording) -> StoreError {
        StoreError(
            .otherRecording,
            "\(recording.path ?? recording.title): the store knows this recording with \(known.frameCount) frames at "
                + "\(known.sampleRate) Hz, not with \(recording.frameCount) at \(recording.sampleRate) Hz",
            remedy: "Check that the file is whole; fetch it again if it is not.")
    }

    init(_ error: DatabaseError, path: String) {
        let kind: Kind =
            switch error.kind {
            case .libraryMissing: .libraryMissing
            case .cannotOpen: .cannotOpen
            case .permissionDenied: .permissionDenied
            case .readOnly: .readOnly
            case .busy: .busy
            case .diskFull: .diskFull
            case .damaged: .damaged
            case .wrongValue: .unreadableRow
            case .interrupted, .outOfMemory, .io, .refused: .io
            }
        let isAboutFile = kind != .libraryMissing
        self.init(
            kind, isAboutFile ? "\(path): \(error.message)" : error.message, remedy: error.remedy,
            status: error.exitStatus.ifTemporary)
    }
}

extension StoreErrorKind: CategorisedKind {
    package var exitStatus: ExitStatus {
        switch self {
        case .cannotOpen: .cannotCreate
        case .permissionDenied, .readOnly: .noPermission
        case .diskFull, .io: .inputOutput
        case .damaged, .unreadableRow, .newer, .foreign, .otherRecording: .badData
        case .busy, .libraryMissing, .noHome: .unavailable
        }
    }
}
