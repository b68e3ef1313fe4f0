// Why there is no picture, and the one place of the module where the system's error numbers become sentences.
public import Explanations
internal import Glibc

/// Why a picture could not be drawn or written, and what to do about it.
public struct PictureError: ExplainedError, Equatable {
    /// The kind of failure, to decide by.
    public enum Kind: String, Sendable, CaseIterable {
        /// A value given by the caller is outside what is permitted.
        case invalidRequest
        /// The file to be written cannot be created.
        case cannotCreate
        /// The path names a directory.
        case isDirectory
        /// The system forbids it.
        case permissionDenied
        /// There is no room left for what is to be written.
        case diskFull
        /// A limit of the system on the size of files was reached.
        case limitExceeded
        /// Who read the output has gone.
        case closedPipe
        /// Writing failed.
        case io
        /// There is not enough memory for the picture.
        case outOfMemory
        /// The library that draws refused.
        case drawingFailed
        /// A library that draws is missing on this machine.
        case libraryMissing
    }

    /// The kind of failure.
    public let kind: Kind
    /// The file it concerns, as the caller named it; `nil` where it concerns none.
    public let path: String?
    /// The cause, in one plain sentence.
    public let message: String
    /// What to do about it, in one plain sentence.
    public let remedy: String

    init(_ kind: Kind, path: String? = nil, _ message: String, remedy: String) {
        (self.kind, self.path, self.message, self.remedy) = (kind, path, message, remedy)
    }
}

extension PictureError {
    /// A value that is not permitted, with those that are.
    static func invalid(_ what: String, is value: String, permitted: String) -> PictureError {
        PictureError(.invalidRequest, "\(what) of a picture cannot be \(value)", remedy: "Permitted is \(permitted).")
    }

    /// What `errno` says about creating or writing `path`.
    static func writing(_ path: String, errno code: Int32, creating: Bool) -> PictureError {
        switch code {
        case EACCES, EPERM, EROFS:
            PictureError(
                .permissionDenied, path: path, "\(path): you may not write there (\(systemText(code)))",
                remedy: "Choose another place, or change the permissions of the file and its directory.")
        case EISDIR: .directory(path)
        case ENOSPC, EDQUOT:
            PictureError(
                .diskFull, path: path, "\(path): no room left on the disk",
                remedy: "Free some room or write elsewhere. Nothing was left behind.")
        case EFBIG:
            PictureError(
                .limitExceeded, path: path, "\(path): the picture is larger than the system permits a file to be",
                remedy: "Raise the limit (ulimit -f), or make the picture smaller.")
        case EPIPE:
            PictureError(
                .closedPipe, path: path, "\(path): the program that reads the picture has ended",
                remedy: "Look at that program's own message.")
        default:
            PictureError(
                creating ? .cannotCreate : .io, path: path,
                "\(path): cannot be \(creating ? "created" : "written") (\(systemText(code)))",
                remedy: creating ? "Check that its directory exists and can be written." : "Check the disk.")
        }
    }

    static func directory(_ path: String) -> PictureError {
        PictureError(.isDirectory, path: path, "\(path): this is a directory", remedy: "Name a file in it.")
    }

    /// The system's own words for an error number.
    private static func systemText(_ code: Int32) -> String {
        unsafe withUnsafeTemporaryAllocation(of: CChar.self, capacity: 128) { text in
            guard let buffer = text.baseAddress, unsafe strerror_r(code, buffer, text.count) == 0 else {
                return "error \(code)"
            }
            return unsafe String(cString: buffer)
        }
    }
}
