internal import JSON

/// A text of a feed, and what it is made of.
struct FeedText {
    private let text: String
    private let isHTML: Bool
    /// A `guid` that is only a name, no address.
    let isName: Bool

    /// - Parameter type: The attribute `type` of Atom: `html`, `xhtml`, `text` or empty; `id` for a guid that is no address.
    init(_ text: String, type: String) {
        self.text = text
        isHTML = type.lowercased().contains("html") && type.lowercased() != "xhtml"
        isName = type == "id"
    }

    /// As it is, without blanks at its ends.
    var exact: String { String(decoding: LineText.trimmed(Array(text.utf8)[...]), as: UTF8.self) }
    /// One line of plain text.
    var line: String { isHTML ? PlainText.line(plain) : PlainText.line(text) }
    /// Plain text. RSS does not say what is HTML, so that whatever looks like a tag is one.
    var plain: String { PlainText.ofHTML(text, longest: Feed.longestSummary) }
}

/// What a feed says about an entry, or about itself, whatever format it has.
struct FeedEntry {
    private struct Enclosure {
        let address: String
        let mediaType: String
        let length: String?
        let seconds: Double?

        /// The lower the better; nil if it is no recording.
        var rank: Int? {
            let type = mediaType.lowercased()
            if type.hasPrefix("audio/") { return 0 }
            if type.hasPrefix("video/") { return 1 }
            return type.isEmpty || type.hasPrefix("application/") ? 2 : nil
        }
    }

    /// The first of each name that is not empty.
    private var texts: [String: FeedText] = [:]
    private var enclosures: [Enclosure] = []
    private var media: [Enclosure] = []

    /// More in one entry are not looked at.
    private static let mostEnclosures = 64
    /// A longer id is not one, in bytes.
    private static let longestID = 4096

    mutating func take(_ name: String, _ text: FeedText) {
        if texts[name] == nil, !text.exact.isEmpty { texts[name] = text }
    }

    mutating func take(enclosure address: String?, type: String?, length: String?, seconds: Double? = nil) {
        guard let address, enclosures.count < Self.mostEnclosures else { return }
        enclosures.append(Enclosure(address: address, mediaType: type ?? "", length: length, seconds: seconds))
    }

    /// Media RSS also lists pictures, so only what is said to be sound is taken, and only if there is no enclosure.
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

    /// The episode; nil if it has no recording.
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
        // The first of the best.
        guard let rank = usable.map(\.rank).min(), let found = usable.first(where: { $0.rank == rank }) else {
            return nil
        }
        return (found.enclosure, found.place)
    }
}
