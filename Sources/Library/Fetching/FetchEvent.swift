public import Catalogue
public import Explanations
public import Transfers

/// Something that happened to a fetch.
public struct FetchEvent: Sendable {
    /// The number of the fetch on the list.
    public let number: Int
    /// Its address as the user gave it.
    public let address: String
    /// What happened.
    public let kind: Kind
    /// An oddity of a file that was taken, as a sentence; nil if it has none.
    package var note: String?

    /// The kinds of events, in the usual order.
    public enum Kind: Sendable {
        /// The user's helper program looks for the sound of a video.
        case extracting
        /// The server is asked; the text is the address without its query, which may contain secrets.
        case connecting(String)
        /// The server has answered, and bytes follow. `from` of them are there from an earlier attempt; `total` is nil if the server does not
        /// say it.
        case downloading(from: Int64, total: Int64?)
        /// How far it is; ten times a second at most, and once at the end.
        case progress(TransferProgress)
        /// The fetch begins again with the first byte, for this reason.
        case restarted(RestartReason)
        /// The next attempt follows in so many seconds, after this error.
        case retrying(afterSeconds: Double, any ExplainedError)
        /// The fetch was paused.
        case paused
        /// The fetch was resumed.
        case resumed
        /// The file is complete. It is checked, and its loudness is measured.
        case analysing
        /// The recording is in the library; `isNew` is false if it was there already.
        case finished(LibraryItem, isNew: Bool)
        /// The fetch ended with an error, which the list keeps. `keptBytes` bytes are kept, from which it can continue.
        case failed(any ExplainedError, keptBytes: Int64)
        /// The fetch was cancelled. `keptBytes` bytes are kept, from which it can continue.
        case cancelled(keptBytes: Int64)
    }

    /// Whether no further event of this fetch follows.
    public var isLast: Bool {
        switch kind {
        case .finished, .failed, .cancelled: true
        default: false
        }
    }
}

/// Why a file that was fetched is not added to the library.
public struct FetchRefusal: ExplainedError, Equatable {
    /// The kind of refusal, to decide by.
    public enum Kind: String, Sendable, CaseIterable {
        /// It is a web page.
        case webPage
        /// It is not a recording in a known format.
        case notAudio
        /// The file ends too early, or is damaged.
        case broken
        /// It is a video of a site that needs a helper program, and the user has not configured one.
        case needsExtractor
    }

    /// The kind of refusal.
    public let kind: Kind
    /// The cause, in one plain sentence.
    public let message: String
    /// What to do about it, in one plain sentence.
    public let remedy: String

    static func webPage(_ address: String) -> FetchRefusal {
        FetchRefusal(
            kind: .webPage, message: "\(address): this is a web page, not a recording",
            remedy: "Open it in a browser, and copy the address of the recording itself.")
    }
}

extension FetchRefusal {
    /// The exit status of a command that ends with this error.
    ///
    /// Real-time safe: no.
    public var exitStatus: ExitStatus {
        switch kind {
        case .webPage, .notAudio, .broken: .badData
        case .needsExtractor: .configuration
        }
    }
}
