package import Explanations
internal import Glibc

/// The kinds of failure in writing, as a part of a module's own error kinds. An enumeration with these cases conforms.
package protocol WritingFailureKind {
    static var permissionDenied: Self { get }
    static var isDirectory: Self { get }
    static var diskFull: Self { get }
    static var limitExceeded: Self { get }
    static var closedPipe: Self { get }
    static var cannotCreate: Self { get }
    static var io: Self { get }
}

/// The reason for a failed write, in words. This is the only table from the system's error numbers to sentences for
/// writing.
package struct WritingFailure<Kind: WritingFailureKind> {
    package let kind: Kind
    /// The cause, in one plain sentence naming the file.
    package let message: String
    /// The remedy, in one plain sentence.
    package let remedy: String
    /// The exit status, if the kind does not decide; nil for the status of the kind.
    package let status: ExitStatus?

    /// Creates the words for a fault of `path`, the name known to the user.
    package init(_ path: String, _ fault: FileFault) {
        let cause: String
        let limit = SystemLimit(errno: fault.code)
        status = limit?.exitStatus
        switch fault.code {
        case _ where limit != nil:
            kind = .io
            cause = limit?.cause ?? ""
            remedy = limit?.remedy ?? ""
        case EACCES, EPERM, EROFS:
            kind = .permissionDenied
            cause = "you may not write there (\(systemText(fault.code)))"
            remedy = "Choose another place, or change the permissions of the file and its directory."
        case EISDIR:
            kind = .isDirectory
            cause = "this is a directory"
            remedy = "Name a file in it."
        case ENOSPC, EDQUOT:
            kind = .diskFull
            cause = "the disk has no room left"
            remedy = "Free some room, or write to another disk. No incomplete file was left."
        case EFBIG:
            kind = .limitExceeded
            cause = "the file is larger than the system permits"
            remedy = "Raise the limit (ulimit -f), write elsewhere, or write a shorter file."
        case EPIPE:
            kind = .closedPipe
            cause = "the program that reads the output has ended"
            remedy = "Read the message of the program that reads the output."
        default:
            kind = fault.isCreating ? .cannotCreate : .io
            cause = "cannot be \(fault.isCreating ? "created" : "written") (\(systemText(fault.code)))"
            remedy = fault.isCreating ? "Check that its directory exists and can be written." : "Check the disk."
        }
        message = "\(path): \(cause)"
    }
}
