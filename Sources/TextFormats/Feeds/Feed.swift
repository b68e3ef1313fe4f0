/// A list of episodes that a source publishes, for example a podcast: RSS 0.9x to 2.0, Atom or JSON Feed.
///
/// It is a value, read from bytes; the caller fetches them. What real feeds do wrong is put up with where the meaning is clear: XML that is not
/// well-formed is repaired first.
///
/// Real-time safe: no. Threads: any.
package struct Feed: Sendable, Hashable {
    /// A recording that a feed offers.
    package struct Episode: Sendable, Hashable, Identifiable {
        /// What stays the same when title and address change; the recording's address, if the feed gives nothing else. Never empty.
        package let id: String
        /// One line; empty if the feed gives none.
        package let title: String
        /// Where the recording is: a whole address of http or https.
        package let address: String
        /// Its kind as the feed says it, for example `audio/mpeg`; nil if it does not.
        package let mediaType: String?
        /// Its length in bytes as the feed says it, which is often wrong; nil if it does not.
        package let byteCount: Int64?
        /// When it was published, in seconds since 1970; nil if the feed has no date that can be understood.
        package let date: Int64?
        /// How long it plays; nil if the feed does not say.
        package let seconds: Double?
        /// Who made it; nil if the feed does not say.
        package let author: String?
        /// The page about it: a whole address of http or https.
        package let page: String?
        /// What it is about, as plain text with line feeds between paragraphs; may be empty. At most 64 KiB.
        package let summary: String
    }

    /// One line; empty if the feed gives none.
    package let title: String
    /// The page of the source: a whole address of http or https.
    package let page: String?
    /// What the feed is about, as plain text; may be empty.
    package let summary: String
    /// The newest first; those of the same date, and those without one (at the end), as the feed has them. Each id is there once.
    package let episodes: [Episode]
    /// How many entries of the feed have no recording.
    package let otherCount: Int
    /// Whether the text ends in the middle, so that entries may be missing.
    package let isCutOff: Bool

    /// The longest feed that is read, in bytes.
    package static let largest = 32 << 20
    /// The most entries that are read.
    package static let mostEpisodes = 100_000
    /// The longest summary that is kept, in bytes.
    static let longestSummary = 1 << 16

    /// Reads a feed.
    ///
    /// - Parameters:
    ///   - bytes: All of it, as the server sent it.
    ///   - address: Where it came from; relative addresses in it are completed by it. May be empty.
    /// - Throws: A ``FeedError``.
    package init(reading bytes: [UInt8], address: String) throws(FeedError) {
        guard bytes.count <= Self.largest else { throw .tooLarge }
        // Blank lines before the declaration of XML are forbidden, and common.
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

    /// A feed from entries in the order in which they were found.
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
