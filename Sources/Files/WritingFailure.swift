internal import Explanations
internal import Glibc

/// The kinds of failure that writing has, among those of a module's own error. An enumeration that has these cases conforms.
package protocol WritingFailureKind {
    static var permissionDenied: Self { get }
    static var isDirectory: Self { get }
    static var diskFull: Self { get }
    static var limitExceeded: Self { get }
    static var closedPipe: Self { get }
    static var cannotCreate: Self { get }
    static var io: Self { get }
}

/// Why a file could not be written, in words: the one table from the system's error numbers to sentences for all writing.
package struct WritingFailure<Kind: WritingFailureKind> {
    package let kind: Kind
    /// The cause, in one plain sentence that names the file.
    package let message: String
    /// What to do about it, in one plain sentence.
    package let remedy: String

    /// The words for a fault of `path`, which is the name as the user knows it.
    package init(_ path: String, _ fault: FileFault) {
        let cause: String
        switch fault.code {
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
            cause = "no room left on the disk"
            remedy = "Free some room or write elsewhere. Nothing was left behind."
        case EFBIG:
            kind = .limitExceeded
            cause = "the file is larger than the system permits"
            remedy = "Raise the limit (ulimit -f), write elsewhere, or write a shorter file."
        case EPIPE:
            kind = .closedPipe
            cause = "the program that reads the output has ended"
            remedy = "Look at that program's own message."
        default:
            kind = fault.isCreating ? .cannotCreate : .io
            cause = "cannot be \(fault.isCreating ? "created" : "written") (\(systemText(fault.code)))"
            remedy = fault.isCreating ? "Check that its directory exists and can be written." : "Check the disk."
        }
        message = "\(path): \(cause)"
    }
}
