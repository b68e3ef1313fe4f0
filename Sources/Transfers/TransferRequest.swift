/// A request to fetch a file: its address, its destination, and its limits.
public struct TransferRequest: Sendable {
    /// The address of the file.
    package var address: WebAddress
    /// Path of the fetched file, in an existing folder. Until the file is complete, a file of this name plus `.part`
    /// holds the received bytes, and a file of this name plus `.part.json` holds their record.
    package var path: String
    /// True if the transfer replaces an existing file of this name. If false, the transfer fails before sending
    /// anything.
    package var replaces: Bool
    /// Priority: a request of a higher priority begins first. Of two equal requests, the earlier begins first.
    package var priority: Int
    /// Expected SHA-256 checksum of the file, in 64 hexadecimal digits; nil if unknown.
    package var sha256: String?
    /// Conditional request lines: the server sends the file only if it has changed. See
    /// `conditions(tag:lastModified:)`. For an unchanged file the transfer fails with status 304.
    package var conditions: [String] = []
    /// Largest accepted file, in bytes. Default: 20 GB.
    package var sizeLimit: Int64
    /// Header fields added to those of the transfer. Only the server of `address` receives them, never a server reached
    /// by redirection.
    package var headers: [TransferHeader] = []
    /// Path for a complete file refused by `check` or by its checksum. The refused file replaces an older file of this
    /// name. Nil: a refused file is removed.
    package var rejectedPath: String?
    /// Called with the head of the server's answer, before any byte is accepted. Throws to refuse the file. The call
    /// must return at once.
    package var acceptsAnswer: (@Sendable (TransferAnswer) throws -> Void)?
    /// Called about once a second with the number of received bytes, if the server does not state the length. Throws to
    /// refuse further bytes; the part is then kept. The call may wait for the disk.
    package var acceptsBytes: (@Sendable (Int64) throws -> Void)?
    /// Called with the complete file before the file gets its name. Throws to refuse the file, and may take long. A
    /// thrown `ExplainedError` becomes the cause of the failure. Returns another path for the file, on the same disk,
    /// or nil for `path`.
    package var check: (@Sendable (FetchedPart) throws -> String?)?

    /// Creates a request. The queue checks the request when it is added.
    ///
    /// - Parameters:
    ///   - address: The address of the file.
    ///   - path: Path of the fetched file, in an existing folder.
    ///   - replaces: True if the transfer replaces an existing file of this name.
    ///   - priority: Any number; a higher number begins earlier.
    ///   - sha256: Expected checksum of the file, in 64 hexadecimal digits; nil if unknown.
    ///   - sizeLimit: Largest accepted file, in bytes.
    public init(
        _ address: WebAddress, to path: String, replaces: Bool = false, priority: Int = 0, sha256: String? = nil,
        sizeLimit: Int64 = 20_000_000_000
    ) {
        (self.address, self.path, self.replaces, self.priority) = (address, path, replaces, priority)
        (self.sha256, self.sizeLimit) = (sha256, sizeLimit)
    }
}

extension TransferRequest {
    /// Returns the request lines for a file unchanged since a server sent this tag and this date.
    package static func conditions(tag: String?, lastModified: String?) -> [String] {
        var lines: [String] = []
        if let tag, !tag.isEmpty, Validators.isPlain(tag) { lines.append("If-None-Match: \(tag)") }
        if let lastModified, !lastModified.isEmpty, Validators.isPlain(lastModified) {
            lines.append("If-Modified-Since: \(lastModified)")
        }
        return lines
    }
}

/// Properties of a file, stated by the server before the bytes.
package struct TransferAnswer: Sendable, Equatable {
    /// Final address of the file, after all redirections.
    package let address: WebAddress
    /// `Content-Type` field as the server wrote it; nil if absent.
    package let contentType: String?
    /// Number of bytes of the whole file; nil if the server does not say.
    package let byteCount: Int64?
    /// Safe name for the file, suggested by the server or else taken from the address; nil if there is none.
    package let suggestedName: String?
    /// Tag and modification date of this version, as the server wrote them; nil if absent.
    package var tag: String?, lastModified: String?
    /// `Content-Type` of the received bytes replaced by the whole file of this answer, empty if unstated. Nil if the
    /// answer replaces no bytes.
    package var replacedType: String?
}

/// A complete file before it gets its final name.
package struct FetchedPart: Sendable {
    /// Temporary path of the file. The check may rename the file, but must not change its content.
    package let path: String
    /// The server's statements about the file.
    package let answer: TransferAnswer
    /// Length of the file in bytes.
    package let byteCount: Int64
    /// True if the server stated the end of the file. If false and the file is incomplete, the check throws an error of
    /// kind `truncated`. The part is then kept, and the next attempt continues or restarts.
    package let isEndStated: Bool
    /// True if the connection ended properly. If false, `isEndStated` is false as well. The check then accepts only
    /// content with its own proof of completeness, and throws an error of kind `truncated` for any other content.
    package let isEndClean: Bool
    /// True if an earlier attempt brought the same bytes and ended at the same place. A further attempt would hardly
    /// bring more.
    package let endsAsBefore: Bool
    /// Returns true while the transfer is wanted. Long checks call the closure now and then, and throw if it returns
    /// false.
    package let isWanted: @Sendable () -> Bool
}

/// A fetched file.
public struct FetchedFile: Sendable, Equatable {
    /// Path of the file.
    public let path: String
    /// Length of the file in bytes.
    public let byteCount: Int64
    /// The server's statements about the file.
    package let answer: TransferAnswer
}

/// Limits, retries and the network of transfers.
public struct TransferSettings: Sendable {
    /// The choice of a proxy.
    public enum Proxy: Sendable, Equatable {
        /// Proxy from the variables `http_proxy`, `https_proxy`, `all_proxy` and `no_proxy`.
        case system
        /// No proxy.
        case none
        /// This proxy, such as `http://proxy.example:3128`.
        case address(String)
    }

    /// Name and version sent to servers, such as "woodshed/1.0".
    public var userAgent: String
    /// Largest number of simultaneous transfers.
    public var limit = 3
    /// Largest number of simultaneous transfers from the same server.
    public var limitPerHost = 2
    /// Number of retries after a passing error. The count restarts when bytes arrive.
    public var retries = 5
    /// Wait before the first retry, in seconds. Each further wait is twice as long; all waits vary at random.
    package var firstWaitSeconds = 1.0
    /// Longest wait, in seconds. If a server demands a longer wait, the transfer fails.
    package var longestWaitSeconds = 300.0
    /// True if a transfer waits for a network instead of failing.
    public var waitsForNetwork = false
    /// Timeout for the connection and the server's answer together, with all redirections, in seconds.
    package var answerSeconds = 60.0
    /// Timeout without a received byte, in seconds. The connection is then given up.
    package var stallSeconds = 30.0
    /// Lowest permitted rate in bytes per second, averaged over `slowSeconds`. A slower connection is given up.
    package var slowestBytesPerSecond = 100
    /// Averaging time for the lowest rate, in seconds.
    package var slowSeconds = 60.0
    /// Longest wait for the disk before a failure is reported, in seconds. A failure reported without the disk counts
    /// only the bytes already recorded.
    package var settleSeconds = 10.0
    /// The choice of a proxy.
    public var proxy = Proxy.system
    /// File with names and passwords of servers, in the form of `.netrc`; nil for `~/.netrc`. A missing file is no
    /// error.
    public var netrcPath: String?
    /// PEM file with the certificates of the trusted authorities; nil for the system's authorities.
    public var certificatesPath: String?

    /// Creates settings with the usual limits.
    ///
    /// - Parameter userAgent: Name and version of your program, visible to servers, such as "player/1.0".
    public init(userAgent: String) { self.userAgent = userAgent }
}

extension TransferSettings {
    /// Returns the wait after `count` consecutive failures, from 1 on, in seconds.
    ///
    /// Each wait is twice as long as the last, and random within its upper half. Clients that failed together therefore
    /// do not return together.
    func waitSeconds(afterFailures count: Int, using generator: inout some RandomNumberGenerator) -> Double {
        let longest = max(0, longestWaitSeconds)
        var whole = max(0, firstWaitSeconds)
        for _ in 1..<max(2, min(count, 64)) where count > 1 { whole = min(whole * 2, longest) }
        return min(whole, longest) * Double.random(in: 0.5...1, using: &generator)
    }
}
