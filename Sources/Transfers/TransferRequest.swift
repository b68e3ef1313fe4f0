/// What is to be fetched, and where it goes.
public struct TransferRequest: Sendable {
    /// The address of the file.
    public var address: WebAddress
    /// The name of the fetched file. Its folder must exist. Until the file is complete, a file of this name with `.part` after it holds
    /// what has been received, and `.part.json` what is known of it.
    public var path: String
    /// Whether an existing file of this name is replaced; if not, the transfer fails before anything is sent.
    public var replaces: Bool
    /// Requests of a higher priority begin first; among equal ones, the earlier.
    public var priority: Int
    /// The SHA-256 checksum that the file must have, in 64 hexadecimal digits; nil if it is not known.
    public var sha256: String?
    /// Lines of the request that make the server send the file only if it has changed: see `conditions(tag:lastModified:)`. If it has not,
    /// the transfer fails with the status 304.
    package var conditions: [String] = []
    /// The longest file that is taken, in bytes. Default: 20 GB.
    public var sizeLimit: Int64
    /// Header fields that are sent besides those of the transfer's own, to the server of `address` only, not to one that it leads to.
    package var headers: [TransferHeader] = []
    /// The name under which a complete file is kept that was refused, by `check` or by its checksum; an older file of this name goes. Nil: it is removed.
    package var rejectedPath: String?
    /// Called with the head of the server's answer, before any byte is taken; refuses the file by throwing. It must return at once.
    package var acceptsAnswer: (@Sendable (TransferAnswer) throws -> Void)?
    /// Called about once a second with the bytes that have come, if the server does not say how many will; refuses more of them by throwing, and the
    /// part is kept. It may wait for the disk.
    package var acceptsBytes: (@Sendable (Int64) throws -> Void)?
    /// Called with the complete file before it has its name; refuses it by throwing, and may take its time. An error that is an
    /// `ExplainedError` is the cause that is told. Returns another name for the file, on the same disk; nil for `path`.
    package var check: (@Sendable (FetchedPart) throws -> String?)?

    /// Makes a request. Nothing is checked before it is added to a queue.
    ///
    /// - Parameters:
    ///   - address: The address of the file.
    ///   - path: The name of the fetched file, in a folder that exists.
    ///   - replaces: Whether an existing file of this name is replaced.
    ///   - priority: Any number; a higher one begins earlier.
    ///   - sha256: The checksum that the file must have, in 64 hexadecimal digits; nil if it is not known.
    ///   - sizeLimit: The longest file that is taken, in bytes.
    public init(
        _ address: WebAddress, to path: String, replaces: Bool = false, priority: Int = 0, sha256: String? = nil,
        sizeLimit: Int64 = 20_000_000_000
    ) {
        (self.address, self.path, self.replaces, self.priority) = (address, path, replaces, priority)
        (self.sha256, self.sizeLimit) = (sha256, sizeLimit)
    }
}

extension TransferRequest {
    /// The conditions for a file that has not changed since a server wrote these.
    package static func conditions(tag: String?, lastModified: String?) -> [String] {
        var lines: [String] = []
        if let tag, !tag.isEmpty, Validators.isPlain(tag) { lines.append("If-None-Match: \(tag)") }
        if let lastModified, !lastModified.isEmpty, Validators.isPlain(lastModified) {
            lines.append("If-Modified-Since: \(lastModified)")
        }
        return lines
    }
}

/// What a server says about a file before it sends it.
public struct TransferAnswer: Sendable, Equatable {
    /// The address that the file comes from, after all redirections.
    public let address: WebAddress
    /// The `Content-Type` field as the server wrote it; nil if there is none.
    public let contentType: String?
    /// Bytes of the whole file; nil if the server does not say.
    public let byteCount: Int64?
    /// A harmless name for the file, from what the server suggests or else from the address; nil if there is none.
    public let suggestedName: String?
    /// The tag of this version, and when it was changed, as the server wrote them; nil if it did not.
    package var tag: String?, lastModified: String?
    /// The `Content-Type` of received bytes that the whole file of this answer would replace, empty if they have none; nil if it replaces none.
    package var replacedType: String?
}

/// A complete file that has not got its name yet.
package struct FetchedPart: Sendable {
    /// Where it is for now. Another name is permitted, the contents must stay.
    package let path: String
    /// What the server said about it.
    package let answer: TransferAnswer
    /// Its length in bytes.
    package let byteCount: Int64
    /// Whether the server said where the file ends. If not, and the file is not whole, the check throws an error of kind `truncated`: the part is kept,
    /// and the next attempt goes on or begins anew.
    package let isEndStated: Bool
    /// Whether the connection ended as it should. If not, the server did not say where the file ends either: then the check accepts only content
    /// that tells by itself that it is whole, and throws an error of kind `truncated` for any other.
    package let isEndClean: Bool
    /// Whether an earlier attempt brought the same bytes, and ended with them, too. Then a further one would hardly bring more.
    package let endsAsBefore: Bool
    /// Whether the transfer is still wanted: long checks ask now and then, and give up by throwing.
    package let isWanted: @Sendable () -> Bool
}

/// A file that was fetched.
public struct FetchedFile: Sendable, Equatable {
    /// Its name.
    public let path: String
    /// Its length in bytes.
    public let byteCount: Int64
    /// What the server said about it.
    public let answer: TransferAnswer
}

/// Limits, retries and the network of transfers.
public struct TransferSettings: Sendable {
    /// How proxies are found.
    public enum Proxy: Sendable, Equatable {
        /// By the variables `http_proxy`, `https_proxy`, `all_proxy` and `no_proxy`.
        case system
        /// None is used.
        case none
        /// This one, as in `http://proxy.example:3128`.
        case address(String)
    }

    /// The name and version that servers are told, as in "woodshed/1.0".
    public var userAgent: String
    /// Transfers at a time, in all.
    public var limit = 3
    /// Transfers at a time from one server.
    public var limitPerHost = 2
    /// How often a request is repeated after an error that may pass, counted anew when bytes arrive.
    public var retries = 5
    /// The wait before the first repetition, in seconds; each further one is twice as long, and all vary at random.
    public var firstWaitSeconds = 1.0
    /// The longest wait, in seconds. A server that asks for more ends the transfer.
    public var longestWaitSeconds = 300.0
    /// Whether a transfer waits until there is a network, instead of failing.
    public var waitsForNetwork = false
    /// The time until there is a connection and the server has answered, in seconds.
    public var answerSeconds = 60.0
    /// The time without a byte after which a connection is given up, in seconds.
    public var stallSeconds = 30.0
    /// The lowest rate in bytes per second, on average over `slowSeconds`. A slower connection is given up.
    public var slowestBytesPerSecond = 100
    /// The time over which the lowest rate is measured, in seconds.
    public var slowSeconds = 60.0
    /// How proxies are found.
    public var proxy = Proxy.system
    /// The file with names and passwords of servers, in the form of `.netrc`; nil for `~/.netrc`. A missing file is no error.
    public var netrcPath: String?
    /// A file with the certificates of the authorities that are trusted, in PEM form; nil for the system's.
    public var certificatesPath: String?

    /// Makes settings with the usual limits.
    ///
    /// - Parameter userAgent: the name and the version of your program, which servers see, such as "player/1.0".
    public init(userAgent: String) { self.userAgent = userAgent }
}
