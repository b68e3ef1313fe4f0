internal import JSON

/// JSON Feed 1.1 (https://www.jsonfeed.org/version/1.1/).
enum JSONFeed {
    static func read(_ bytes: [UInt8], address: String) throws(FeedError) -> Feed {
        guard let value = JSONValue(reading: bytes) else { throw .brokenJSON }
        guard value["version"]?.stringValue?.contains("jsonfeed.org/version/1") == true,
            let items = value["items"]?.elements
        else { throw .unknownFormat }
        guard items.count <= Feed.mostEpisodes else { throw .tooLarge }
        let about = entry(value, ["title": "title", "home_page_url": "link", "description": "description"])
        var (episodes, otherCount) = ([Feed.Episode](), 0)
        for item in items {
            if let episode = entry(item).episode(address: address) { episodes.append(episode) } else { otherCount += 1 }
        }
        return Feed(
            title: about.line("title") ?? "", page: about.page(address: address), summary: about.summary,
            found: episodes, otherCount: otherCount)
    }

    private static func entry(_ item: JSONValue) -> FeedEntry {
        var entry = entry(
            item,
            [
                "id": "id", "title": "title", "url": "link", "summary": "description", "date_published": "published",
                "date_modified": "updated",
            ])
        if let text = item["content_text"]?.stringValue { entry.take("summary", FeedText(escaped(text), type: "")) }
        if let text = item["content_html"]?.stringValue { entry.take("content", FeedText(text, type: "html")) }
        let author = item["authors"]?.elements?.first ?? item["author"]
        if let name = author?["name"]?.stringValue { entry.take("author", FeedText(escaped(name), type: "")) }
        for attachment in item["attachments"]?.elements ?? [] {
            let seconds = attachment["duration_in_seconds"]?.number(in: 0...1e7).flatMap { $0 > 0 ? $0 : nil }
            entry.take(
                enclosure: attachment["url"]?.stringValue, type: attachment["mime_type"]?.stringValue,
                length: attachment["size_in_bytes"]?.integer(in: .counts).map(String.init), seconds: seconds)
        }
        return entry
    }

    private static func entry(_ value: JSONValue, _ names: [String: String]) -> FeedEntry {
        var entry = FeedEntry()
        for (key, name) in names {
            // Numeric ids break the rules, but occur.
            let text = value[key]?.stringValue ?? value[key]?.integer(in: .identities).map(String.init)
            guard let text else { continue }
            // Only human-readable texts are plain text; other texts contain no entities.
            let isProse = name == "title" || name == "description"
            entry.take(name, FeedText(isProse ? escaped(text) : text, type: ""))
        }
        return entry
    }

    /// Turns plain text into HTML, which the common code turns back into plain text.
    private static func escaped(_ text: String) -> String {
        text.replacing("&", with: "&amp;").replacing("<", with: "&lt;")
    }
}
