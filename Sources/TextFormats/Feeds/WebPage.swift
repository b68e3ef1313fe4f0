/// Finds the feed that a web page names.
enum WebPage {
    /// Searched bytes. Pages name their feeds at the beginning.
    private static let searched = 1 << 20
    /// Maximum number of links examined.
    private static let mostLinks = 1000

    /// True if a text begins like a web page, possibly after comments.
    static func isPage(_ text: ArraySlice<UInt8>) -> Bool {
        var rest = text.prefix(searched)
        while true {
            rest = rest.drop { $0 <= 32 }
            let mark = rest.starts(with: "<!--".utf8) ? "-->" : rest.starts(with: "<?".utf8) ? "?>" : nil
            guard let mark else { break }
            guard let end = PlainText.end(of: mark, rest) else { return false }
            rest = rest[end...]
        }
        let start = rest.prefix(16).lowercased
        return start.hasPrefix("<!doctype html") || start.hasPrefix("<html")
    }

    /// Returns the address in the first `<link rel="alternate">` of a page with the type of a feed; nil if there is
    /// none.
    static func feedAddress(in page: ArraySlice<UInt8>, address: String) -> String? {
        let bytes = Array(page.prefix(searched))
        var (place, patience) = (0, mostLinks)
        while patience > 0, let start = bytes[place...].firstIndex(of: UInt8(ascii: "<")) {
            place = start + 1
            guard bytes[place...].prefix(5).lowercased.hasPrefix("link"), place + 4 < bytes.count,
                bytes[place + 4] <= 32
            else { continue }
            patience -= 1
            let attributes = attributes(bytes[(place + 4)...].prefix(4096))
            let kinds = (attributes["rel"] ?? "").lowercased().split(separator: " ")
            let type = (attributes["type"] ?? "").lowercased()
            if kinds.contains("alternate"), types.contains(type), let reference = attributes["href"],
                let found = AddressParts.resolved(PlainText.line(reference), against: address)
            {
                return found
            }
        }
        return nil
    }

    private static let types: Set<String> = ["application/rss+xml", "application/atom+xml", "application/feed+json"]

    /// Returns the attributes up to the end of a tag, by name in lower case. The first attribute of each name counts.
    private static func attributes(_ tag: ArraySlice<UInt8>) -> [String: String] {
        var attributes: [String: String] = [:]
        var rest = tag
        func isBlank(_ byte: UInt8) -> Bool { byte <= 32 || byte == UInt8(ascii: "/") }
        while true {
            rest = rest.drop(while: isBlank)
            let name = rest.prefix { !isBlank($0) && $0 != UInt8(ascii: "=") && $0 != UInt8(ascii: ">") }
            rest = rest[name.endIndex...].drop { $0 <= 32 }
            var value: ArraySlice<UInt8> = []
            if rest.first == UInt8(ascii: "=") {
                rest = rest.dropFirst().drop { $0 <= 32 }
                if let quote = rest.first, quote == UInt8(ascii: "\"") || quote == UInt8(ascii: "'") {
                    value = rest.dropFirst().prefix { $0 != quote }
                    rest = rest[value.endIndex...].dropFirst()
                } else {
                    value = rest.prefix { $0 > 32 && $0 != UInt8(ascii: ">") }
                    rest = rest[value.endIndex...]
                }
            } else if name.isEmpty {
                return attributes
            }
            let key = name.lowercased
            if attributes[key] == nil { attributes[key] = String(decoding: value, as: UTF8.self) }
        }
    }
}
