// Causes of a missing picture.
public import Explanations
internal import Files

/// The reason why a picture could not be drawn or written, and the remedy.
public typealias PictureError = Failure<PictureErrorKind>

/// The kind of failure, to decide by.
public enum PictureErrorKind: String, FailureKind, CaseIterable {
    /// A value given by the caller is outside the permitted values.
    case invalidRequest
    /// The file cannot be created.
    case cannotCreate
    /// The path names a directory.
    case isDirectory
    /// The system denies access.
    case permissionDenied
    /// There is not enough space left for the file.
    case diskFull
    /// A limit of the system on the size of files was reached.
    case limitExceeded
    /// The reader of the output has closed it.
    case closedPipe
    /// Writing failed.
    case io
    /// There is not enough memory for the picture.
    case outOfMemory
    /// The drawing library failed.
    case drawingFailed
    /// A drawing library is missing on this machine.
    case libraryMissing
}

extension PictureError {
    /// Returns the error for a value outside the permitted values.
    static func invalid(_ what: String, is value: String, permitted: String) -> PictureError {
        PictureError(.invalidRequest, "\(what) of a picture cannot be \(value)", remedy: "Permitted is \(permitted).")
    }

    /// Returns the error for a fault in creating or writing `path`.
    static func writing(_ path: String, _ fault: FileFault) -> PictureError {
        let failure = WritingFailure<Kind>(path, fault)
        return PictureError(failure.kind, failure.message, remedy: failure.remedy, status: failure.status)
    }
}

extension PictureErrorKind: WritingFailureKind {}

extension PictureErrorKind: CategorisedKind {
    package var exitStatus: ExitStatus {
        switch self {
        case .invalidRequest: .usage
        case .cannotCreate, .isDirectory: .cannotCreate
        case .permissionDenied: .noPermission
        case .diskFull, .limitExceeded, .io: .inputOutput
        case .closedPipe: .closedPipe
        case .outOfMemory, .drawingFailed: .software
        case .libraryMissing: .unavailable
        }
    }
}
