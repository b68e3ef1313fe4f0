/// A recording that waits to be fetched, or whose fetch failed.
public struct PendingFetch: Sendable, Hashable {
    /// The state of an unfinished fetch.
    public enum State: String, Sendable, CaseIterable {
        /// The fetch runs when its turn comes.
        case waiting
        /// The fetch waits until resumed.
        case paused
        /// The fetch failed; `error` contains the cause.
        case failed
    }

    /// Number of the fetch, from 1. Unique until the fetch is done.
    public let number: Int
    /// Address of the recording, as the user entered the address.
    public let address: String
    /// State of the fetch.
    public let state: State
    /// Priority. Higher priorities are fetched earlier.
    public let priority: Int
    /// Description for the recording.
    public let wishes: FetchWishes
    /// Received bytes.
    public let doneBytes: Int64
    /// Bytes of the whole file; nil if unknown.
    public let totalBytes: Int64?
    /// Cause of the failure, in one plain sentence; empty without a failure.
    public let error: String
    /// Remedy for the failure, in one plain sentence; empty without a failure.
    public let remedy: String
    /// Time of addition to the list, in seconds since 1970.
    package let addedAt: Int64
    /// Time of the last attempt, in seconds since 1970; nil before the first attempt.
    package let triedAt: Int64?
}

/// The description and the checksum of a recording to fetch.
public struct FetchWishes: Sendable, Hashable {
    /// Title; nil for the title in the file, or else in the address.
    public var title: String?
    /// Performers; nil for the performers in the file.
    public var artist: String?
    /// Language; nil for none.
    public var language: String?
    /// Tags.
    public var tags: [String] = []
    /// Licence, in words; nil for none.
    public var licence: String?
    /// Required SHA-256 checksum of the file, in 64 hexadecimal digits; nil if unknown.
    public var sha256: String?

    /// Takes everything from the file, and compares no checksum.
    public init() {}

    /// Returns these wishes, overridden by the wishes of a later request.
    func corrected(by later: FetchWishes) -> FetchWishes {
        var wishes = self
        (wishes.title, wishes.artist) = (later.title ?? title, later.artist ?? artist)
        (wishes.language, wishes.licence) = (later.language ?? language, later.licence ?? licence)
        if !later.tags.isEmpty { wishes.tags = later.tags }
        wishes.sha256 = later.sha256 ?? sha256
        return wishes
    }

    /// Applies the wishes to a description.
    package func apply(to words: inout LibraryItem.Words) {
        if let title { words.title = title }
        if let artist { words.artist = artist }
        if let language { words.language = language }
        words.tags += tags
        if let licence { words.licence = licence }
    }
}
