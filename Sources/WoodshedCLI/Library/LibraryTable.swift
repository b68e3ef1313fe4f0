// A list of the library's recordings, for people and for programs.
import JSON
import Terminal
import WoodshedLibrary

/// Recordings as lines.
struct LibraryTable {
    /// A recording, and the state of its file. The initialiser asks the file system only once.
    struct Row {
        let item: LibraryItem
        let isMissing: Bool

        init(_ item: LibraryItem) { (self.item, isMissing) = (item, item.isMissing) }
    }

    let rows: [Row]
    /// The columns of the terminal; nil where lines are not cut.
    let columns: Int?
    /// Words in place of signs.
    let isPlain: Bool

    /// Returns a line for each recording: number, state of the file, length, number of sections, title and tags.
    func lines(header: Bool) -> [String] {
        var cells = rows.map { row in
            let item = row.item
            return [
                item.index > 0 ? "@\(item.index)" : "", state(row), clockText(item.seconds),
                item.sectionCount > 0 ? String(item.sectionCount) : "", words(item),
            ]
        }
        if header, !cells.isEmpty { cells.insert(["@", "", "length", "sections", "recording"], at: 0) }
        return tableLines(cells, columns: columns)
    }

    private func state(_ row: Row) -> String {
        if row.isMissing { return isPlain ? "missing" : "x" }
        switch row.item.place {
        case .kept: return isPlain ? "kept" : "●"
        case .linked: return isPlain ? "linked" : "○"
        }
    }

    private func words(_ item: LibraryItem) -> String {
        var words = [printable(item.words.title)]
        if !item.words.artist.isEmpty { words.append(printable(item.words.artist)) }
        if !item.words.language.isEmpty { words.append("[\(printable(item.words.language))]") }
        words += item.words.tags.map { printable("#" + $0.replacing(" ", with: "-")) }
        return words.joined(separator: "  ")
    }

    /// Legend of the signs; nil without signs.
    var legend: String? {
        guard !isPlain, !rows.isEmpty else { return nil }
        let missing = rows.contains(where: \.isMissing) ? ", x missing" : ""
        return "● in the library, ○ linked\(missing)"
    }

    /// A JSON object for each recording.
    var json: [JSONValue] {
        rows.map { .object([.init("v", .integer(1))] + $0.item.fields(isMissing: $0.isMissing)) }
    }
}

extension LibraryItem {
    /// The recording for programs.
    var fields: [JSONValue.Field] { fields(isMissing: isMissing) }

    fileprivate func fields(isMissing: Bool) -> [JSONValue.Field] {
        [
            .init("number", .integer(number)), .init("index", index > 0 ? .integer(index) : .null),
            .init("key", .string("\(key)")), .init("kind", .string(kind.rawValue)),
            .init("place", .string(place.rawValue)), .init("path", .string(path)), .init("missing", .bool(isMissing)),
            .init("original", .string(originalName)), .init("bytes", .integer(byteCount)),
            .init("container", .string(container)), .init("codec", .string(codec)),
            .init("sample_rate", .integer(recording.sampleRate)), .init("channels", .integer(channelCount)),
            .init("frames", .integer(recording.frameCount)), .init("seconds", .number(seconds)),
            .init("title", .string(words.title)), .init("artist", .string(words.artist)),
            .init("language", .string(words.language)), .init("tags", .array(words.tags.map { .string($0) })),
            .init("source", .string(words.source)), .init("licence", .string(words.licence)),
            .init("loudness", loudness.map { .number($0.integrated) } ?? .null),
            .init("true_peak", loudness.map { .number($0.truePeak) } ?? .null),
            .init("sections", .integer(sectionCount)), .init("documents", .integer(documentCount)),
            .init("added", .integer(addedAt)),
            .init("seen", .integer(seenAt)), .init("trashed", .bool(isTrashed)),
        ]
    }
}
