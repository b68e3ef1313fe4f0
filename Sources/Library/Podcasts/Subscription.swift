internal import TextFormats

/// A feed that the user follows.
public struct Subscription: Sendable, Hashable {
    /// Number of the feed, from 1. Never changes.
    public let number: Int
    /// Address of the feed.
    public let address: String
    /// Title from the feed.
    public let title: String
    /// Time of the last check, in seconds since 1970; nil if never checked.
    public let checkedAt: Int64?
    /// Error of the last check; empty if the feed could be read.
    public let error: String
    /// Time of subscription, in seconds since 1970.
    package let addedAt: Int64
    /// Number of episodes.
    public let episodeCount: Int
    /// Number of new episodes.
    public let newCount: Int
}

/// An episode of a feed that the user follows.
public struct SubscribedEpisode: Sendable, Hashable {
    /// Number of the episode, from 1. Never changes.
    public let number: Int
    /// Number of the feed.
    public let feed: Int
    /// Title of the feed.
    package let feedTitle: String
    /// Title of the episode: one line, possibly empty.
    public let title: String
    /// Address of the recording.
    public let address: String
    /// Time of publication, in seconds since 1970; nil if the feed does not state a time.
    public let publishedAt: Int64?
    /// Playing time; nil if the feed does not state a time.
    public let seconds: Double?
    /// Length in bytes from the feed, often wrong; nil if the feed does not state a length.
    package let byteCount: Int64?
    /// Description of the episode, as plain text.
    public let summary: String
    /// True if published since the subscription, and neither fetched nor marked as seen.
    public let isNew: Bool
    /// True if a recording in the library came from this address.
    public internal(set) var isFetched: Bool
}

extension SubscribedEpisode {
    /// The address without its private keys, for lists.
    package var publicAddress: String { AddressKeys.removed(from: address) }
}

/// The result of fetching a feed again.
public struct FeedRefresh: Sendable {
    /// The feed after the refresh.
    public let subscription: Subscription
    /// True if the server had nothing new.
    package let isUnchanged: Bool
    /// Number of new episodes.
    public let newCount: Int
    /// Why the feed could not be read; nil if the feed was read. Known episodes stay.
    public let error: (any Error)?
}
