internal import JSON

/// A text of a feed, with its kind of markup.
struct FeedText {
    private let text: String
    private let isHTML: Bool
    /// True for a `guid` that is a name and not an address.
    let isName: Bool

    /// - Parameter type: The attribute `type` of Atom: `html`, `xhtml`, `text` or empty; `id` for a guid that is not an
    ///   address.
    init(_ text: String, type: String) {
        self.text = text
        isHTML = type.lowercased().contains("html") && type.lowercased() != "xhtml"
        isName = type == "id"
    }

    /// Unchanged text, without blanks at both ends.
    var exact: String { String(decoding: LineText.trimmed(Array(text.utf8)[...]), as: UTF8.self) }
    /// One line of plain text.
    var line: String { isHTML ? PlainText.line(plain) : PlainText.line(text) }
    /// Plain text. RSS does not mark HTML, so anything that looks like a tag counts as a tag.
    var plain: String { PlainText.ofHTML(text, longest: Feed.longestSummary) }
}

/// Contents of an entry, or of the feed itself, in any format.
struct FeedEntry {
    private struct Enclosure {
        let address: String
        let mediaType: String
        let length: String?
        let seconds: Double?

        /// Rank as a recording, lower is better; nil if not a recording.
        var rank: Int? {
            let type = mediaType.lowercased()
            if type.hasPrefix("audio/") { return 0 }
            if type.hasPrefix("video/") { return 1 }
            return type.isEmpty || type.hasPrefix("application/") ? 2 : nil
        }
    }

    /// First text of each name that is not empty.
    private var texts: [String: FeedText] = [:]
    private var enclosures: [Enclosure] = []
    private var media: [Enclosure] = []

    /// Maximum number of enclosures examined in an entry.
    private static let mostEnclosures = 64
    /// Longest accepted id, in bytes.
    private static let longestID = 4096

    mutating func take(_ name: String, _ text: FeedText) {
        if texts[name] == nil, !text.exact.isEmpty { texts[name] = text }
    }

    mutating func take(enclosure address: String?, type: String?, length: String?, seconds: Double? = nil) {
        guard let address, enclosures.count < Self.mostEnclosures else { return }
        enclosures.append(Enclosure(address: address, mediaType: type ?? "", length: length, seconds: seconds))
    }

    /// Takes a Media RSS item. Media RSS also lists pictures, so only items marked as sound or video count, and only
    /// without an enclosure.
    mutating func takeMedia(_ address: String?, type: String?, medium: String?, length: String?) {
        let type = type ?? (medium == "audio" || medium == "video" ? "" : "unknown/unknown")
        guard let address, media.count < Self.mostEnclosures, medium != "image" else { return }
        media.append(Enclosure(address: address, mediaType: type, length: length, seconds: nil))
    }

    func line(_ names: String...) -> String? { first(names, \.line) }

    var summary: String {
        first(["description", "summary", "itunes:summary", "subtitle", "content"], \.plain) ?? ""
    }

    func page(address: String) -> String? {
        if let link = texts["link"], let page = AddressParts.resolved(link.exact, against: address) { return page }
        guard let guid = texts["guid"], !guid.isName, AddressParts.isWeb(guid.exact) else { return nil }
        return guid.exact
    }

    /// Returns the episode; nil if the entry has no recording.
    func episode(address: String) -> Feed.Episode? {
        guard let (enclosure, place) = best(enclosures, address) ?? best(media, address) else { return nil }
        let date = first(["pubDate", "published", "dc:date", "issued", "updated", "modified"], \.exact)
        let id = first(["guid", "id"], \.exact).flatMap { $0.utf8.count <= Self.longestID ? $0 : nil }
        let byteCount = enclosure.length.flatMap { Int64(digits: FeedText($0, type: "").exact, in: .counts) } ?? 0
        return Feed.Episode(
            id: id ?? place, title: line("title", "itunes:title") ?? "", address: place,
            mediaType: enclosure.mediaType.isEmpty ? nil : enclosure.mediaType.lowercased(),
            byteCount: byteCount > 0 ? byteCount : nil, date: date.flatMap(FeedDate.seconds),
            seconds: enclosure.seconds ?? first(["itunes:duration"], \.exact).flatMap(FeedLength.seconds),
            author: line("itunes:author", "author", "dc:creator"), page: page(address: address), summary: summary)
    }

    private func first(_ names: [String], _ form: (FeedText) -> String) -> String? {
        for name in names {
            if let text = texts[name].map(form), !text.isEmpty { return text }
        }
        return nil
    }

    private func best(_ enclosures: [Enclosure], _ base: String) -> (enclosure: Enclosure, place: String)? {
        let usable = enclosures.compactMap { enclosure in
            enclosure.rank.flatMap { rank in
                AddressParts.resolved(enclosure.address, against: base).map {
                    (rank: rank, enclosure: enclosure, place: $0)
                }
            }
        }
        // First enclosure of the best rank.
        guard let rank = usable.map(\.rank).min(), let found = usable.first(where: { $0.rank == rank }) else {
            return nil
        }
        return (found.enclosure, found.place)
    }
}
