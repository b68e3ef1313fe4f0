public import Explanations
public import Transfers

/// What happens to a fetch.
public struct FetchEvent: Sendable {
    /// Its number on the list.
    public let number: Int
    /// Its address as the user gave it.
    public let address: String
    /// What happens.
    public let kind: Kind

    /// The kinds of events, in the usual order.
    public enum Kind: Sendable {
        /// A program of the user's looks for the sound of a video.
        case extracting
        /// The server is asked; the text is the address without its secrets.
        case connecting(String)
        /// The server has answered, and bytes follow. `from` of them are there from an earlier attempt; `total` is nil if the server does not
        /// say it.
        case downloading(from: Int64, total: Int64?)
        /// How far it is; ten times a second at most, and once at the end.
        case progress(TransferProgress)
        /// It begins again with the first byte.
        case restarted(RestartReason)
        /// The next attempt follows in so many seconds, after this error.
        case retrying(afterSeconds: Double, any ExplainedError)
        /// It stands still.
        case paused
        /// It goes on.
        case resumed
        /// The file is complete. It is recognised, and its loudness measured.
        case analysing
        /// It is in the library; false if it was there already.
        case finished(LibraryItem, isNew: Bool)
        /// It ended with an error, which the list keeps. So many bytes are kept, from which it can go on.
        case failed(any ExplainedError, keptBytes: Int64)
        /// It was stopped. So many bytes are kept, from which it can go on.
        case cancelled(keptBytes: Int64)
    }

    /// Whether nothing follows.
    public var isLast: Bool {
        switch kind {
        case .finished, .failed, .cancelled: true
        default: false
        }
    }
}

/// Why what was fetched is not taken into the library.
public struct FetchRefusal: ExplainedError, Equatable {
    /// The kind of refusal, to decide by.
    public enum Kind: String, Sendable, CaseIterable {
        /// It is a page of the web.
        case webPage
        /// It is no recording that is known.
        case notAudio
        /// The file ends too early, or is damaged.
        case broken
        /// The user has no program that finds the sound of a video.
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
