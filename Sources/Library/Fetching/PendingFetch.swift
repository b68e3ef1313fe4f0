/// A recording that is to be fetched, or could not be.
public struct PendingFetch: Sendable, Hashable {
    /// Where a fetch that is not done stands.
    public enum State: String, Sendable, CaseIterable {
        /// It is fetched when its turn comes.
        case waiting
        /// It waits until it is told to go on.
        case paused
        /// It could not be fetched.
        case failed
    }

    /// Its number, from 1, which no other fetch has until it is done.
    public let number: Int
    /// The address as the user gave it.
    public let address: String
    /// Where it stands.
    public let state: State
    /// A higher one is fetched earlier.
    public let priority: Int
    /// What the user said about the recording.
    public let wishes: FetchWishes
    /// Bytes that are there, and of the whole file; nil if that is not known.
    public let doneBytes: Int64, totalBytes: Int64?
    /// Why it failed, and what to do; empty if it did not.
    public let error: String, remedy: String
    /// When it was asked for, and when it was tried last, in seconds since 1970.
    public let addedAt: Int64, triedAt: Int64?

    /// What it is called while it is fetched: the title that the user gave, or else the name of the file.
    package var shownName: String { wishes.title ?? FetchedContent.name(of: address) }
}

/// What a user wants with a recording that is fetched.
public struct FetchWishes: Sendable, Hashable {
    /// The title; nil for the one that the file has, or else the one that its address has.
    public var title: String?
    /// The performers; nil for those that the file has.
    public var artist: String?
    /// The language; nil for none.
    public var language: String?
    /// Tags.
    public var tags: [String] = []
    /// What may be done with it; nil for nothing.
    public var licence: String?
    /// The SHA-256 checksum that the file must have, in 64 hexadecimal digits; nil if it is not known.
    public var sha256: String?

    /// No wishes.
    public init() {}

    /// Takes over what is wished.
    func apply(to words: inout LibraryItem.Words) {
        if let title { words.title = title }
        if let artist { words.artist = artist }
        if let language { words.language = language }
        words.tags += tags
        if let licence { words.licence = licence }
    }
}
