public import Catalogue
public import Explanations
public import Transfers

/// An event of a fetch.
public struct FetchEvent: Sendable {
    /// Number of the fetch on the list.
    public let number: Int
    /// Address of the fetch, as the user entered the address.
    public let address: String
    /// Kind of the event.
    public let kind: Kind
    /// Remark about an oddity of an accepted file, as a sentence; nil if the file has none.
    package var note: String?
    /// Reason of a restart; nil for other events.
    package var restart: RestartReason?

    /// The kinds of events, in the usual order.
    public enum Kind: Sendable {
        /// The user's helper program is looking for the sound of a video. Only the command has a helper program.
        case extracting
        /// The fetch is contacting the server. The text is the address without its query, which may contain secrets.
        case connecting(String)
        /// The server has answered, and bytes follow. `from` is the number of bytes kept from an earlier attempt;
        /// `total` is nil if the server does not state the length.
        case downloading(from: Int64, total: Int64?)
        /// Progress of the download. At most ten times a second, and once at the end.
        case progress(TransferProgress)
        /// The fetch restarts with the first byte. The text is the reason, as the end of a sentence.
        case restarted(String)
        /// The next attempt follows after this time in seconds, because of this error.
        case retrying(afterSeconds: Double, any ExplainedError)
        /// The fetch is now paused.
        case paused
        /// The fetch has resumed.
        case resumed
        /// The file is complete. The fetch is checking the file and measuring its loudness.
        case analysing
        /// The recording is in the library; `isNew` is false if the library already had the recording.
        case finished(LibraryItem, isNew: Bool)
        /// The fetch ended with an error, stored on the list. The fetch can continue from `keptBytes` kept bytes.
        case failed(any ExplainedError, keptBytes: Int64)
        /// The user cancelled the fetch. The fetch can continue from `keptBytes` kept bytes.
        case cancelled(keptBytes: Int64)
    }

    /// True if no further event of this fetch follows.
    public var isLast: Bool {
        switch kind {
        case .finished, .failed, .cancelled: true
        default: false
        }
    }
}

/// Why the library refuses a fetched file.
package typealias FetchRefusal = Failure<FetchRefusalKind>

/// The kind of refusal, for decisions in code.
package enum FetchRefusalKind: String, FailureKind, CaseIterable {
    /// The file is a web page.
    case webPage
    /// The file is not a recording in a known format.
    case notAudio
    /// The file is truncated or damaged.
    case broken
    /// The address is a video of a site that needs a helper program. Only the command has a helper program, if
    /// the user has configured one.
    case needsExtractor
}

extension FetchRefusal {
    static func webPage(_ address: String) -> FetchRefusal {
        FetchRefusal(
            .webPage, "\(address): this is a web page, not a recording",
            remedy: "Open the page in a browser, and copy the address of the recording.")
    }
}

extension FetchRefusalKind: CategorisedKind {
    package var exitStatus: ExitStatus {
        switch self {
        case .webPage, .notAudio, .broken: .badData
        case .needsExtractor: .configuration
        }
    }
}
