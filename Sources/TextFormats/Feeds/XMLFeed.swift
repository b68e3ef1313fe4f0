/// Feeds in XML: all versions of RSS, and Atom. A single reader parses all formats, because real feeds mix their
/// elements.
enum XMLFeed {
    static func read(_ text: ArraySlice<UInt8>, address: String) throws(FeedError) -> Feed {
        let reader = Reader(address: address)
        var limits = XMLLimits()
        limits.byteCount = Feed.largest
        do {
            try XMLReader.read(text, limits: limits, repairing: true, into: reader)
        } catch {
            // A truncated feed keeps its complete entries.
            if error.kind == .broken, reader.hasEntries, !reader.isTooLong { return reader.feed(isCutOff: true) }
            // A page that is not XML fails at some point; its beginning identifies the page.
            if reader.root == .page { throw .webPage(feedAddress: WebPage.feedAddress(in: text, address: address)) }
            if reader.root == .foreign { throw .unknownFormat }
            throw FeedError(error)
        }
        switch reader.root {
        case .page: throw .webPage(feedAddress: WebPage.feedAddress(in: text, address: address))
        case .foreign: throw .unknownFormat
        case .feed: break
        }
        if reader.isTooLong { throw .tooLarge }
        return reader.feed(isCutOff: false)
    }

    enum Root { case feed, page, foreign }

    private final class Reader: XMLEvents {
        private(set) var root = Root.feed
        private(set) var isTooLong = false

        private let address: String
        /// Names of the open elements, each with the usual prefix of its namespace.
        private var path: [String] = []
        private var about = FeedEntry()
        /// The open entry.
        private var entry: FeedEntry?
        private var episodes: [Feed.Episode] = []
        private var otherCount = 0
        /// Text of the current text element, including the text of nested elements.
        private var value = ""
        /// Depth of the current text element; 0 for none.
        private var valueDepth = 0
        private var valueType = ""

        init(address: String) { self.address = address }

        var hasEntries: Bool { !episodes.isEmpty || otherCount > 0 }

        func feed(isCutOff: Bool) -> Feed {
            Feed(
                title: about.line("title") ?? "", page: about.page(address: address), summary: about.summary,
                found: episodes, otherCount: otherCount, isCutOff: isCutOff)
        }

        func start(_ element: XMLElement) {
            let name = FeedNames.usual(element)
            if path.isEmpty { root = Self.root(name) }
            path.append(name)
            // Tags inside a text, as Atom allows.
            if valueDepth > 0 {
                takeTag(element.name)
                return
            }
            if name == "item" || name == "entry", entry == nil, FeedNames.lists.contains(path.dropLast().last ?? "") {
                entry = FeedEntry()
                return
            }
            switch name {
            case "enclosure": entry?.take(enclosure: element["url"], type: element["type"], length: element["length"])
            case "media:content":
                entry?.takeMedia(
                    element["url"], type: element["type"], medium: element["medium"], length: element["fileSize"])
            case "link" where element["href"] != nil: takeLink(element)
            default:
                if FeedNames.texts.contains(name) {
                    (value, valueDepth, valueType) = ("", path.count, element["type"] ?? "")
                    if name == "guid", element["isPermaLink"]?.lowercased() == "false" { valueType = "id" }
                }
            }
        }

        func text(_ text: String) { if valueDepth > 0 { value += text } }

        func end() {
            let depth = path.count
            let name = path.removeLast()
            if valueDepth == depth {
                valueDepth = 0
                // Texts about an author or an image do not belong to the entry.
                let parent = path.last ?? ""
                let isAuthor = name == "name" && parent == "author"
                if isAuthor || name != "name" && FeedNames.parents.contains(parent) {
                    take(isAuthor ? "author" : name, FeedText(value, type: valueType))
                }
                value = ""
            } else if valueDepth > 0 {
                takeTag(name)
            } else if name == "item" || name == "entry", let entry, FeedNames.lists.contains(path.last ?? "") {
                end(entry)
                self.entry = nil
            }
        }

        private func takeTag(_ name: String) {
            if PlainText.breaking.contains(name.lowercased()) { value += " " }
        }

        private static func root(_ name: String) -> Root {
            switch name {
            case "rss", "feed", "rdf:RDF": .feed
            case "html", "HTML": .page
            default: .foreign
            }
        }

        private func take(_ name: String, _ text: FeedText) {
            if entry != nil { entry?.take(name, text) } else { about.take(name, text) }
        }

        private func takeLink(_ element: XMLElement) {
            guard let reference = element["href"] else { return }
            switch element["rel"] ?? "alternate" {
            case "enclosure": entry?.take(enclosure: reference, type: element["type"], length: element["length"])
            case "alternate": take("link", FeedText(reference, type: ""))
            default: break
            }
        }

        private func end(_ entry: FeedEntry) {
            if episodes.count + otherCount >= Feed.mostEpisodes {
                isTooLong = true
            } else if let episode = entry.episode(address: address) {
                episodes.append(episode)
            } else {
                otherCount += 1
            }
        }
    }
}

/// Names of elements in feeds.
enum FeedNames {
    /// Returns the name of an element with the usual prefix of its namespace, whatever prefix the document uses.
    /// Elements of the formats themselves have no prefix.
    static func usual(_ element: XMLElement) -> String {
        guard let namespace = element.namespace else {
            // Undeclared prefix: the author means the usual namespace.
            return element.prefix.isEmpty ? element.name : element.prefix.lowercased() + ":" + element.name
        }
        if let prefix = prefixes[namespace.lowercased()] {
            return prefix.isEmpty ? element.name : prefix + ":" + element.name
        }
        return element.prefix.isEmpty ? element.name : "other:" + element.name
    }

    private static let prefixes = [
        "": "", "http://www.w3.org/2005/atom": "", "http://purl.org/atom/ns#": "", "http://purl.org/rss/1.0/": "",
        "http://backend.userland.com/rss2": "", "http://my.netscape.com/rdf/simple/0.9/": "",
        "http://www.itunes.com/dtds/podcast-1.0.dtd": "itunes", "http://purl.org/rss/1.0/modules/content/": "content",
        "http://purl.org/dc/elements/1.1/": "dc", "http://search.yahoo.com/mrss/": "media",
        "http://search.yahoo.com/mrss": "media",
        "http://www.w3.org/1999/02/22-rdf-syntax-ns#": "rdf", "http://www.w3.org/1999/xhtml": "",
    ]

    /// Elements with a text of interest.
    static let texts: Set<String> = [
        "title", "link", "guid", "id", "pubDate", "published", "updated", "issued", "modified", "dc:date",
        "itunes:duration",
        "itunes:author", "dc:creator", "description", "summary", "subtitle", "itunes:summary", "content", "name",
        "itunes:title",
    ]

    /// Elements that contain the texts of the feed or of an entry.
    static let parents: Set<String> = ["channel", "item", "feed", "entry"]

    /// Elements that contain entries.
    static let lists: Set<String> = ["channel", "feed", "rdf:RDF", "rss"]
}
