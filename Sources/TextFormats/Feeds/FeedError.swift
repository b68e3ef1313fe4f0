package import Explanations

/// Why a feed cannot be read.
package struct FeedError: ExplainedError, Hashable {
    /// The closed list of causes.
    package enum Kind: String, Sendable, Hashable, CaseIterable {
        /// The text is a web page. If the page names the feed of its site, the remedy contains the feed's address.
        case webPage
        /// The text is neither RSS, Atom nor JSON Feed.
        case unknownFormat
        /// The text breaks the rules of its own format.
        case broken
        /// The encoding is not supported.
        case encoding
        /// The feed exceeds the limit of bytes or of another quantity.
        case tooLarge
        /// The library that reads XML is not installed.
        case libraryMissing
    }

    /// The cause.
    package let kind: Kind
    /// The cause, in one plain sentence.
    package let message: String
    /// The remedy, in one plain sentence.
    package let remedy: String
    /// Address of the feed named in a web page; nil for other errors, and for a page that names no feed.
    package let feedAddress: String?

    init(_ kind: Kind, _ message: String, remedy: String, feedAddress: String? = nil) {
        (self.kind, self.message, self.remedy, self.feedAddress) = (kind, message, remedy, feedAddress)
    }

    static func webPage(feedAddress: String?) -> FeedError {
        FeedError(
            .webPage, "This is a web page, not a feed",
            remedy: feedAddress.map { "Use the feed that the page names: \($0)" }
                ?? "Look on the page for a link named RSS, Atom or Podcast, and use its address.",
            feedAddress: feedAddress)
    }

    package static let unknownFormat = FeedError(
        .unknownFormat, "This is not a feed that can be read", remedy: "Use the address of an RSS, Atom or JSON feed.")

    static let brokenJSON = FeedError(
        .broken, "The JSON of the feed is broken", remedy: "Try again later, or tell the feed's author.")

    static let tooLarge = FeedError(
        .tooLarge, "The feed is larger than \(Feed.largest >> 20) MiB, or has more than \(Feed.mostEpisodes) entries",
        remedy: "Use another feed of the same source.")

    init(_ error: XMLError) {
        let kind: Kind =
            switch error.kind {
            case .libraryMissing: .libraryMissing
            case .encoding: .encoding
            case .limit, .outOfMemory: .tooLarge
            case .broken, .entities: .broken
            }
        self.init(kind, kind == .libraryMissing ? error.message : "The feed: \(error.message)", remedy: error.remedy)
    }
}

extension FeedError: CategorisedError {
    package var exitStatus: ExitStatus {
        switch kind {
        case .webPage, .unknownFormat, .broken, .encoding, .tooLarge: .badData
        case .libraryMissing: .unavailable
        }
    }
}
