/// A list of episodes that a source publishes, for example a podcast: RSS 0.9x to 2.0, Atom or JSON Feed.
///
/// A feed is a value, parsed from bytes that the caller fetches. Common mistakes of real feeds are tolerated where the
/// meaning is clear: malformed XML is repaired first.
///
/// Real-time safe: no. Threads: any.
package struct Feed: Sendable, Hashable {
    /// A recording in a feed.
    package struct Episode: Sendable, Hashable, Identifiable {
        /// Stable identity of the episode, even when title and address change; the recording's address, if the feed
        /// gives no identity. Never empty.
        package let id: String
        /// Title, one line; empty if the feed gives none.
        package let title: String
        /// Absolute http or https address of the recording.
        package let address: String
        /// Media type from the feed, for example `audio/mpeg`; nil if not stated.
        package let mediaType: String?
        /// Length in bytes from the feed, often wrong; nil if not stated.
        package let byteCount: Int64?
        /// Time of publication, in seconds since 1970; nil without a readable date.
        package let date: Int64?
        /// Playing time; nil if not stated.
        package let seconds: Double?
        /// Author; nil if not stated.
        package let author: String?
        /// Absolute http or https address of the page about the episode.
        package let page: String?
        /// Description, as plain text with line feeds between paragraphs. May be empty. At most 64 KiB.
        package let summary: String
    }

    /// Title, one line; empty if the feed gives none.
    package let title: String
    /// Absolute http or https address of the source's page.
    package let page: String?
    /// Description of the feed, as plain text. May be empty.
    package let summary: String
    /// Episodes, newest first. Episodes with the same date keep the order of the feed; episodes without a date come
    /// last. Every id occurs once.
    package let episodes: [Episode]
    /// Number of entries without a recording.
    package let otherCount: Int
    /// True if the text ends early, so that entries may be missing.
    package let isCutOff: Bool

    /// Longest accepted feed, in bytes.
    package static let largest = 32 << 20
    /// Maximum number of entries.
    package static let mostEpisodes = 100_000
    /// Longest kept summary, in bytes.
    static let longestSummary = 1 << 16

    /// Parses a feed.
    ///
    /// - Parameters:
    ///   - bytes: The complete feed, as sent by the server.
    ///   - address: Address of the feed, used to resolve relative addresses. May be empty.
    /// - Throws: A ``FeedError``.
    package init(reading bytes: [UInt8], address: String) throws(FeedError) {
        guard bytes.count <= Self.largest else { throw .tooLarge }
        // Blank lines before the XML declaration are forbidden, but common.
        let content = bytes.starts(with: [0xEF, 0xBB, 0xBF]) ? bytes.dropFirst(3) : bytes[...]
        let text = content.drop { $0 == 32 || $0 == 9 || $0 == 10 || $0 == 13 }
        let start = text.prefix(1).lowercased
        if start.hasPrefix("{") {
            self = try JSONFeed.read(Array(text), address: address)
        } else if WebPage.isPage(text) {
            throw .webPage(feedAddress: WebPage.feedAddress(in: text, address: address))
        } else if start.hasPrefix("<") || bytes.starts(with: [0xFF, 0xFE]) || bytes.starts(with: [0xFE, 0xFF]) {
            self = try XMLFeed.read(text, address: address)
        } else {
            throw .unknownFormat
        }
    }

    /// Creates a feed from entries in document order.
    init(
        title: String, page: String?, summary: String, found: [Episode], otherCount: Int, isCutOff: Bool = false
    ) {
        var known: Set<String> = []
        let once = found.filter { known.insert($0.id).inserted }
        let ordered = once.enumerated().sorted { left, right in
            let dates = (left.element.date ?? .min, right.element.date ?? .min)
            return dates.0 == dates.1 ? left.offset < right.offset : dates.0 > dates.1
        }
        (self.title, self.page, self.summary) = (title, page, summary)
        (episodes, self.otherCount, self.isCutOff) = (ordered.map(\.element), otherCount, isCutOff)
    }
}
