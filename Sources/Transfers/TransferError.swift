public import Explanations
internal import Files
internal import Glibc
internal import Libraries

/// The cause of a failed transfer.
public struct TransferError: ExplainedError, Equatable {
    /// The kind of the error. The list is closed.
    public enum Kind: String, CaseIterable, Sendable {
        /// The text is not the address of a file on the web.
        case badAddress
        /// The server's name is unknown, or the name server does not answer.
        case dns
        /// The server refuses connections.
        case refused
        /// No route leads to the server, or the system opens no connection.
        case unreachable
        /// The server cannot prove its identity, or encryption cannot be negotiated.
        case tls
        /// The server does not answer in time, or sends too slowly.
        case timeout
        /// The connection broke before the server answered.
        case disconnected
        /// Redirections form a loop, or there are too many.
        case redirectLoop
        /// An encrypted address redirects to an unencrypted address.
        case redirectToInsecure
        /// The server demands a name and a password, or forbids the file (401, 403).
        case unauthorised
        /// The server has no such file (404).
        case notFound
        /// The server has removed the file (410).
        case gone
        /// The server demands fewer requests (429).
        case tooManyRequests
        /// The server reports a fault of its own (5xx).
        case server
        /// The server's answer is unusable.
        case unexpected
        /// The caller refused the file.
        case rejected
        /// The server sent fewer bytes than promised.
        case truncated
        /// The file changed on the server during the transfer.
        case changedOnServer
        /// The received bytes do not match the expected checksum.
        case checksum
        /// The file exceeds the size limit.
        case tooLarge
        /// The disk has too little free space.
        case diskFull
        /// The user has no permission to write the file.
        case noPermission
        /// A file of this name exists, and the request does not replace files.
        case alreadyExists
        /// Creating or writing the file failed for another reason.
        case disk
        /// Another transfer writes the same file.
        case heldByOther
        /// A library is missing.
        case libraryMissing
        /// The caller cancelled the transfer.
        case cancelled
    }

    /// The kind of the error.
    public let kind: Kind
    /// The cause, in one plain sentence.
    public let message: String
    /// The advice, in one plain sentence.
    public let remedy: String
    /// The status of the server's answer; nil if the server did not answer, or the status is not the cause.
    public let status: Int?
    /// Delay before the next request demanded by the server, in seconds; nil if the server states none.
    public let retryAfterSeconds: Int?
    package let exitStatus: ExitStatus

    /// Creates an error with the caller's message and remedy.
    ///
    /// - Parameter exitStatus: The exit status; nil for the status of the kind.
    package init(
        _ kind: Kind, _ message: String, remedy: String, status: Int? = nil, retryAfterSeconds: Int? = nil,
        exitStatus: ExitStatus? = nil
    ) {
        (self.kind, self.message, self.remedy) = (kind, message, remedy)
        (self.status, self.retryAfterSeconds) = (status, retryAfterSeconds)
        self.exitStatus = exitStatus ?? kind.exitStatus
    }

    /// True if the cause may pass: the same request may succeed a little later.
    var isPassing: Bool {
        switch kind {
        case .timeout, .disconnected, .truncated, .tooManyRequests, .server: true
        case .badAddress, .dns, .refused, .unreachable, .tls, .redirectLoop, .redirectToInsecure, .unauthorised,
            .notFound,
            .gone, .unexpected, .rejected, .changedOnServer, .checksum, .tooLarge, .diskFull, .noPermission,
            .alreadyExists, .disk, .heldByOther, .libraryMissing, .cancelled:
            false
        }
    }

    /// True if the computer may have no network at the moment.
    var isOffline: Bool { kind == .dns || kind == .unreachable || kind == .refused }
}

extension TransferError {
    static let cancelled = TransferError(
        .cancelled, "the transfer was cancelled", remedy: "Fetch the file again to continue.")

    static func badAddress(_ text: String, _ fault: WebAddress.Fault) -> TransferError {
        // The text may be of any length. It may also hold a password, whichever fault was found first, and a key behind
        // the path.
        let isShown = fault != .empty && !text.utf8.contains(UInt8(ascii: "@"))
        let end = text.utf8.firstIndex { "?#".utf8.contains($0) } ?? text.endIndex
        let place = FileNames.printable(String(text[..<end])).prefix(80)
        let shown = isShown ? "\"\(place)\(end < text.endIndex ? "?…" : "")\"" : "the address"
        return TransferError(.badAddress, "\(shown) \(fault.problem)", remedy: fault.remedy)
    }

    /// Returns the error for a file that cannot be created or written.
    static func disk(_ path: String, _ fault: FileFault) -> TransferError {
        if let limit = SystemLimit(errno: fault.code) { return .exhausted(path, limit) }
        return switch fault.code {
        case EEXIST:
            TransferError(
                .alreadyExists, "\(path): there is a file of this name already",
                remedy: "Choose another name, or ask for the file to be replaced.")
        case EACCES, EPERM, EROFS:
            TransferError(
                .noPermission, "\(path): you may not write there (\(systemText(fault.code)))",
                remedy: "Choose another folder, or change its permissions.")
        case ENOSPC, EDQUOT: diskFull(path)
        case EFBIG:
            TransferError(
                .disk, "\(path): the file is larger than the system permits",
                remedy: "Raise the limit (ulimit -f), or choose a disk that takes larger files.")
        case EISDIR:
            TransferError(.disk, "\(path): this is a directory", remedy: "Name a file in it.")
        default:
            TransferError(
                .disk, "\(path): cannot be written (\(systemText(fault.code)))",
                remedy: "Check that the folder exists, and that the disk works.")
        }
    }

    /// Returns the error for a record that exists but cannot be read.
    static func unreadableRecord(_ path: String, _ fault: FileFault) -> TransferError {
        if let limit = SystemLimit(errno: fault.code) { return .exhausted(path, limit) }
        return TransferError(
            .disk, "\(path): cannot be read (\(systemText(fault.code)))",
            remedy: "Fetch the file again later: the transfer continues where it stopped.")
    }

    private static func exhausted(_ path: String, _ limit: SystemLimit) -> TransferError {
        TransferError(.disk, "\(path): \(limit.cause)", remedy: limit.remedy, exitStatus: limit.exitStatus)
    }

    static func diskFull(_ path: String, needed: Int64? = nil) -> TransferError {
        let amount = needed.map { ", which takes \($0) more bytes" } ?? ""
        return TransferError(
            .diskFull, "\(path): there is no room on the disk for the file\(amount)",
            remedy: "Free some room, then fetch the file again: the transfer continues where it stopped.")
    }

    static func library(_ error: LibraryError) -> TransferError {
        TransferError(.libraryMissing, error.message, remedy: error.remedy)
    }

    /// Returns the error for an answer without a file; nil for an answer with a file.
    static func answer(_ status: Int, _ address: WebAddress, retryAfterSeconds: Int?) -> TransferError? {
        let place = address.shown
        func error(_ kind: Kind, _ message: String, _ remedy: String) -> TransferError {
            TransferError(kind, message, remedy: remedy, status: status, retryAfterSeconds: retryAfterSeconds)
        }
        switch status {
        case 200, 206: return nil
        case 401, 407:
            return error(
                .unauthorised, "\(place): the server demands a name and a password",
                "Put the name and the password in ~/.netrc, then run: chmod 600 ~/.netrc")
        case 403:
            return error(
                .unauthorised, "\(place): the server forbids this file",
                "Check that the address is the address of the file, and has not expired.")
        case 404: return error(.notFound, "\(place): the server has no such file", "Check the address.")
        case 410:
            return error(.gone, "\(place): the server has removed this file", "Look for another source of the file.")
        case 429:
            let wait =
                retryAfterSeconds.map { "Wait \($0) seconds, then try again." } ?? "Wait a while, then try again."
            return error(.tooManyRequests, "\(place): the server demands fewer requests", wait)
        case 500...599:
            return error(.server, "\(place): the server has a fault (\(status))", "Try again later.")
        default:
            return error(
                .unexpected, "\(place): the server answered with status \(status), without a file",
                "Open the address in a browser to see what is there.")
        }
    }

    static func unexpected(_ address: WebAddress, _ what: String) -> TransferError {
        TransferError(
            .unexpected, "\(address.shown): \(what)", remedy: "Try again later, or look for the file elsewhere.")
    }

    static func tooLarge(_ address: WebAddress, limit: Int64) -> TransferError {
        TransferError(
            .tooLarge, "\(address.shown): the file is larger than \(limit) bytes",
            remedy: "Raise the limit on the size.")
    }

    /// - Parameter isAsked: True if the caller gave the checksum; false if the server gave it.
    static func checksum(_ place: String, _ algorithm: Checksum.Algorithm, isAsked: Bool) -> TransferError {
        let name = algorithm == .sha256 ? "SHA-256" : "MD5"
        let origin = isAsked ? "that was requested" : "that the server states"
        return TransferError(
            .checksum, "\(place): the file does not have the \(name) checksum \(origin)",
            remedy: "Fetch the file again, or look for another source of the file.")
    }

    static func truncated(_ address: WebAddress, done: Int64, total: Int64?) -> TransferError {
        let amount = total.map { "\(done) of \($0) bytes" } ?? "\(done) bytes"
        return TransferError(
            .truncated, "\(address.shown): the connection ended after \(amount)",
            remedy: "Fetch the file again: the transfer continues where it stopped.")
    }

    static func timeout(_ address: WebAddress, _ what: String) -> TransferError {
        TransferError(.timeout, "\(address.shown): \(what)", remedy: "Try again later, or check the network.")
    }
}

extension WebAddress.Fault {
    /// The fault, as the end of a sentence.
    var problem: String {
        switch self {
        case .empty: "is empty"
        case .tooLong: "is longer than \(WebAddress.longest) bytes"
        case .forbiddenCharacter: "contains a space, or a character that no address may contain"
        case .noScheme: "does not begin with http:// or https://"
        case .otherScheme: "begins with another scheme than http:// and https://"
        case .noHost: "names no server"
        case .badHost: "names an impossible server"
        case .badPort: "has a port that is not a number from 1 to 65535"
        case .credentials: "contains a user name or a password, which other users of this machine could see"
        case .badPercent: "has a percent sign that is not followed by two hexadecimal digits"
        }
    }

    var remedy: String {
        switch self {
        case .credentials: "Put the name and the password in ~/.netrc instead."
        case .forbiddenCharacter: "Write a space as %20, and copy the address from the browser's address line."
        case .noScheme, .otherScheme: "Copy the whole address, with http:// or https:// at its beginning."
        default: "Check the address."
        }
    }
}

extension TransferError: CategorisedError {}

extension TransferError.Kind {
    fileprivate var exitStatus: ExitStatus {
        switch self {
        case .badAddress, .rejected, .unexpected, .checksum, .changedOnServer, .tooLarge, .redirectLoop,
            .redirectToInsecure:
            .badData
        case .notFound, .gone: .notFound
        case .dns, .refused, .unreachable, .tls, .libraryMissing: .unavailable
        case .timeout, .disconnected, .truncated, .tooManyRequests, .server, .heldByOther: .tryAgain
        case .alreadyExists: .cannotCreate
        case .diskFull, .disk: .inputOutput
        case .noPermission, .unauthorised: .noPermission
        case .cancelled: .interrupted
        }
    }
}
