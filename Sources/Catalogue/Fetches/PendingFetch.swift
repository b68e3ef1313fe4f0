/// A recording that is to be fetched, or whose fetch failed.
public struct PendingFetch: Sendable, Hashable {
    /// The state of a fetch that is not done.
    public enum State: String, Sendable, CaseIterable {
        /// It is fetched when its turn comes.
        case waiting
        /// It waits until it is resumed.
        case paused
        /// It failed; `error` says why.
        case failed
    }

    /// Its number, from 1, which no other fetch has until it is done.
    public let number: Int
    /// The address as the user gave it.
    public let address: String
    /// Its state.
    public let state: State
    /// A higher one is fetched earlier.
    public let priority: Int
    /// The description that the recording gets.
    public let wishes: FetchWishes
    /// The bytes that were received.
    public let doneBytes: Int64
    /// The bytes of the whole file; nil if that is not known.
    public let totalBytes: Int64?
    /// Why it failed, in one plain sentence; empty if it did not.
    public let error: String
    /// What to do about it, in one plain sentence; empty if it did not fail.
    public let remedy: String
    /// When it was added to the list, in seconds since 1970.
    public let addedAt: Int64
    /// When it was tried last, in seconds since 1970; nil if it was not tried yet.
    public let triedAt: Int64?
}

/// The description and the checksum of a recording that is to be fetched.
public struct FetchWishes: Sendable, Hashable {
    /// The title; nil for the one in the file, or else the one in its address.
    public var title: String?
    /// The performers; nil for those in the file.
    public var artist: String?
    /// The language; nil for none.
    public var language: String?
    /// Tags.
    public var tags: [String] = []
    /// The licence, in words; nil for none.
    public var licence: String?
    /// The SHA-256 checksum that the file must have, in 64 hexadecimal digits; nil if it is not known.
    public var sha256: String?

    /// Takes everything from the file, and checks no checksum.
    public init() {}

    /// The same with those of a later request, which count more.
    func corrected(by later: FetchWishes) -> FetchWishes {
        var wishes = self
        (wishes.title, wishes.artist) = (later.title ?? title, later.artist ?? artist)
        (wishes.language, wishes.licence) = (later.language ?? language, later.licence ?? licence)
        if !later.tags.isEmpty { wishes.tags = later.tags }
        wishes.sha256 = later.sha256 ?? sha256
        return wishes
    }

    /// Takes over what is wished.
    package func apply(to words: inout LibraryItem.Words) {
        if let title { words.title = title }
        if let artist { words.artist = artist }
        if let language { words.language = language }
        words.tags += tags
        if let licence { words.licence = licence }
    }
}
