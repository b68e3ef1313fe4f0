// The conditions of a filter in SQL.
internal import Database
internal import Store

struct ItemQuery {
    private(set) var conditions = ["gone = 0"]
    private(set) var values: [DatabaseValue] = []
    let order: String
    private let filter: ItemFilter

    /// Number of conditions of an empty filter.
    static let usualConditions = 2

    /// Nil if nothing can match: the text has neither a letter nor a digit.
    init?(_ filter: ItemFilter) {
        self.filter = filter
        order =
            switch filter.order {
            case .added: "added DESC, item.id DESC"
            case .seen: "recording.seen DESC, item.id DESC"
            case .title: "item.title COLLATE NOCASE, item.id"
            case .artist: "artist COLLATE NOCASE, item.title COLLATE NOCASE, item.id"
            case .length: "recording.frame_count * 1.0 / recording.sample_rate DESC, item.id"
            }
        conditions.append("trashed IS \(filter.isTrash ? "NOT " : "")NULL")
        if !filter.text.isEmpty {
            guard add(text: filter.text) else { return nil }
        }
        if let kind = filter.kind { add("kind = ?", kind.rawValue) }
        if let place = filter.place { add("place = ?", place.rawValue) }
        if let hasSections = filter.hasSections { conditions.append("section_count \(hasSections ? ">" : "=") 0") }
    }

    private mutating func add(_ condition: String, _ texts: String...) {
        conditions.append(condition)
        values += texts.map { .text($0) }
    }

    /// True if `accepts` may refuse rows that fulfil the conditions.
    var isFilteredLater: Bool { !filter.tags.isEmpty || filter.artist != nil || filter.language != nil }

    /// Applies the conditions that need case folding, which SQLite supports for ASCII only.
    func accepts(_ words: LibraryItem.Words) -> Bool {
        if !filter.tags.isEmpty {
            let tags = Set(words.tags.map { $0.lowercased() })
            guard filter.tags.allSatisfy({ tags.contains($0.lowercased()) }) else { return false }
        }
        if let artist = filter.artist, words.artist.lowercased() != artist.lowercased() { return false }
        if let language = filter.language?.lowercased() {
            let known = words.language.lowercased()
            return known == language || known.hasPrefix(language + "-")
        }
        return true
    }

    // MARK: Text

    /// Adds a condition for each word of the text: the recording or one of its sections must contain the word.
    private mutating func add(text: String) -> Bool {
        let words = FoldedText.folded(text).split(whereSeparator: \.isWhitespace).map(String.init).prefix(
            Self.mostWords)
        var count = 0
        for word in words {
            if Self.isWithoutSpaces(word) {
                addPart(StoreQuery.plain(word))
            } else if let query = StoreQuery(word)?.text {
                add(
                    """
                    (item.id IN (SELECT rowid FROM item_words WHERE item_words MATCH ?)
                    OR item.recording IN (SELECT section.recording FROM section WHERE row IN (
                        SELECT rowid FROM section_words WHERE section_words MATCH ?)))
                    """, query, query)
            } else {
                continue
            }
            count += 1
        }
        return count > 0
    }

    /// Adds a condition for a part of a word, in a script without spaces between words.
    private mutating func addPart(_ part: String) {
        guard part.unicodeScalars.count >= Self.indexedScalars else {
            // Too short for the index.
            let pattern = "%" + Self.pattern(part) + "%"
            // Folds and searches several columns as one text. No part of a word contains a line feed.
            func matches(_ columns: String...) -> String {
                "\(FoldedText.function)(\(columns.joined(separator: " || char(10) || "))) LIKE ? ESCAPE '\\'"
            }
            add(
                """
                (\(matches("item.title", "artist", "tags"))
                OR item.recording IN (SELECT section.recording FROM section WHERE \(matches("name", "text"))))
                """, pattern, pattern)
            return
        }
        let query = StoreQuery.quoted(part)
        add(
            """
            (item.id IN (SELECT rowid FROM item_trigrams WHERE item_trigrams MATCH ?)
            OR item.recording IN (SELECT section.recording FROM section WHERE row IN (
                SELECT rowid FROM section_trigrams WHERE section_trigrams MATCH ?)))
            """, query, query)
    }

    private static let mostWords = 32
    /// Length of the shortest text that SQLite's trigram index finds, in scalars.
    private static let indexedScalars = 3

    /// True if a word has letters of a script without spaces between words: Thai, Lao, Khmer, Myanmar, Tibetan, the
    /// scripts of Japanese, and Chinese.
    static func isWithoutSpaces(_ word: String) -> Bool {
        word.unicodeScalars.contains { scalar in
            switch scalar.value {
            case 0x0E00...0x0EFF, 0x0F00...0x0FFF, 0x1000...0x109F, 0x1780...0x17FF, 0x19E0...0x19FF, 0x1A20...0x1AAF,
                0x2E80...0x2FDF, 0x3005...0x3007, 0x3021...0x30FF, 0x31C0...0x31FF, 0x3400...0x4DBF, 0x4E00...0x9FFF,
                0xA9E0...0xA9FF, 0xAA60...0xAA7F, 0xF900...0xFAFF, 0xFF66...0xFF9F, 0x20000...0x3FFFF:
                true
            default: false
            }
        }
    }

    /// Returns a LIKE pattern that matches exactly a text.
    private static func pattern(_ text: String) -> String {
        text.unicodeScalars.reduce(into: "") { pattern, scalar in
            if "%_\\".unicodeScalars.contains(scalar) { pattern += "\\" }
            pattern.unicodeScalars.append(scalar)
        }
    }
}
