internal import TextFormats

/// A feed that the user follows.
public struct Subscription: Sendable, Hashable {
    /// Its number, from 1, which stays the same.
    public let number: Int
    /// The address of the feed.
    public let address: String
    /// What the feed calls itself.
    public let title: String
    /// When it was asked for last, in seconds since 1970; nil if it never was.
    public let checkedAt: Int64?
    /// Why it could not be read the last time; empty if it could.
    public let error: String
    /// When the user subscribed to it, in seconds since 1970.
    public let addedAt: Int64
    /// The number of its episodes.
    public let episodeCount: Int
    /// The number of its episodes that are new.
    public let newCount: Int
}

/// An episode of a feed that the user follows.
public struct SubscribedEpisode: Sendable, Hashable {
    /// Its number, from 1, which stays the same.
    public let number: Int
    /// The number of its feed.
    public let feed: Int
    /// The title of its feed.
    public let feedTitle: String
    /// Its title: one line, which may be empty.
    public let title: String
    /// Where the recording is.
    public let address: String
    /// When it was published, in seconds since 1970; nil if the feed does not say.
    public let publishedAt: Int64?
    /// How long it plays; nil if the feed does not say.
    public let seconds: Double?
    /// Its length in bytes as the feed says it, which is often wrong; nil if it does not.
    public let byteCount: Int64?
    /// What it is about, as plain text.
    public let summary: String
    /// Whether it was published since the user subscribed, and is neither fetched nor marked as seen.
    public let isNew: Bool
    /// Whether a recording in the library came from its address.
    public internal(set) var isFetched: Bool
}

extension SubscribedEpisode {
    /// The address without its private keys, for lists.
    package var publicAddress: String { AddressKeys.removed(from: address) }
}

/// The result of fetching a feed again.
public struct FeedRefresh: Sendable {
    /// The feed as it is now.
    public let subscription: Subscription
    /// Whether the server had nothing new.
    public let isUnchanged: Bool
    /// The number of new episodes.
    public let newCount: Int
    /// Why the feed could not be read; nil if it could. The episodes that were known stay.
    public let error: (any Error)?
}
