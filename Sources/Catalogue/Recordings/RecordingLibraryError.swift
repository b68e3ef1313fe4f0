public import Explanations
package import Files
internal import Glibc
internal import Store

/// An error of the library. Nothing has changed, unless the error says so.
public typealias RecordingLibraryError = Failure<RecordingLibraryErrorKind>

/// The kind of failure, for decisions in code.
public enum RecordingLibraryErrorKind: String, FailureKind, CaseIterable {
    /// There is no such recording, playlist, fetch or feed.
    case unknown
    /// The words fit several recordings, playlists or feeds.
    case ambiguous
    /// The name or text cannot be kept.
    case textRefused
    /// Another playlist has the name.
    case nameTaken
    /// There is no removal to undo.
    case nothingToUndo
    /// The recording is in the trash, or is not in the trash and should be.
    case trashed
    /// The recording's file is missing from its place.
    case missing
    /// The copy differs from the original.
    case changed
    /// The library would become larger than its limit.
    case overQuota
    /// The file is no bundle or catalogue of a library.
    case badBundle
    /// The library or the folder is not empty, and its contents would be replaced.
    case notEmpty
    /// The system denies access.
    case permissionDenied
    /// Not enough space is left.
    case diskFull
    /// The user stopped the operation.
    case cancelled
    /// There is no home folder.
    case noHome
    /// Reading or writing failed.
    case io
}

extension RecordingLibraryError {
    package static var noHome: RecordingLibraryError {
        RecordingLibraryError(
            .noHome, "there is no home folder to keep recordings in",
            remedy: "Set HOME or XDG_DATA_HOME to a folder of yours.")
    }

    package static var cancelled: RecordingLibraryError {
        RecordingLibraryError(.cancelled, "the operation was stopped", remedy: "Repeat the operation to complete it.")
    }

    package static var wishesChanged: RecordingLibraryError {
        RecordingLibraryError(
            .changed, "another program has changed the settings of this fetch", remedy: "Fetch the address again.")
    }

    package static func unknown(_ number: Int) -> RecordingLibraryError {
        RecordingLibraryError(
            .unknown, "there is no recording \(number) in the library",
            remedy: "List the recordings with: woodshed list")
    }

    /// Returns the error for a failed call on a file of the library.
    package static func writing(_ path: String, _ fault: FileFault) -> RecordingLibraryError {
        let failure = WritingFailure<WritingKind>(path, fault)
        let kind: Kind =
            switch failure.kind {
            case .permissionDenied: .permissionDenied
            case .diskFull, .limitExceeded: .diskFull
            case .isDirectory, .closedPipe, .cannotCreate, .io: .io
            }
        return RecordingLibraryError(kind, failure.message, remedy: failure.remedy, status: failure.status)
    }

    /// Returns the error for an unreadable file.
    package static func reading(_ path: String, _ fault: FileFault) -> RecordingLibraryError {
        if let limit = SystemLimit(errno: fault.code) {
            return RecordingLibraryError(
                .io, "\(path): \(limit.cause)", remedy: limit.remedy, status: limit.exitStatus)
        }
        let words = systemText(fault.code)
        switch fault.code {
        case ENOENT where path.isEmpty:
            return RecordingLibraryError(.unknown, "the name of the file is empty", remedy: "Name a file.")
        case ENOENT, ENOTDIR, ENAMETOOLONG, ELOOP:
            return RecordingLibraryError(.unknown, "\(path): there is no such file", remedy: "Check the name.")
        case EACCES, EPERM:
            return RecordingLibraryError(
                .permissionDenied, "\(path): you may not read this file", remedy: "Ask the owner of the file.")
        case EISDIR, ENODEV:
            return RecordingLibraryError(
                .unknown, "\(path): this is not a regular file", remedy: "Name a file, not a folder or a device.")
        default:
            return RecordingLibraryError(.io, "\(path): reading failed: \(words)", remedy: "Check the disk.")
        }
    }

    /// - Parameter done: Operation on the file, as in "copied".
    static func changed(_ path: String, _ done: String) -> RecordingLibraryError {
        RecordingLibraryError(.changed, "\(path): the file changed while it was \(done)", remedy: "Try again.")
    }
}

private enum WritingKind: WritingFailureKind {
    case permissionDenied, isDirectory, diskFull, limitExceeded, closedPipe, cannotCreate, io
}

extension RecordingLibraryErrorKind: CategorisedKind {
    package var exitStatus: ExitStatus {
        switch self {
        case .unknown, .ambiguous, .nothingToUndo, .trashed, .missing: .notFound
        case .textRefused: .usage
        case .changed, .badBundle: .badData
        case .nameTaken, .notEmpty: .cannotCreate
        case .overQuota, .diskFull, .io: .inputOutput
        case .permissionDenied: .noPermission
        case .cancelled: .interrupted
        case .noHome: .unavailable
        }
    }
}
