// What the catalogue said when it was written or merged last, and how that was shown in the store.
internal import Database
internal import Store
internal import TextFormats

/// A thing of a catalogue, with what was shown of it.
struct MergedEntry: Equatable {
    var content = CatalogueItem()
    /// The text of what was shown; nil if nothing was.
    var shown: String?
    /// The number of a section among those of its recording; nil if it never was here.
    var section: Int?

    static func == (left: MergedEntry, right: MergedEntry) -> Bool {
        left.content == right.content && left.section == right.section
            && left.shown.map { ExactText($0) } == right.shown.map { ExactText($0) }
    }
}

struct MergedRows {
    let database: Database

    func all(in scope: CatalogueScope) throws(DatabaseError) -> [EntryID: MergedEntry] {
        var entries: [EntryID: MergedEntry] = [:]
        guard let recordings = scope.recordings else {
            try read("true", [], into: &entries)
            return entries
        }
        for identity in recordings {
            try read("kind = 'recording' AND owner = '' AND identity = ?", [.text(identity.text)], into: &entries)
            try read("kind = 'section' AND owner = ?", [.text(identity.text)], into: &entries)
        }
        if scope.hasLists { try read("kind IN ('playlist', 'take')", [], into: &entries) }
        return entries
    }

    private func read(
        _ condition: String, _ values: [DatabaseValue], into entries: inout [EntryID: MergedEntry]
    ) throws(DatabaseError) {
        try database.forEachRow(
            "SELECT kind, owner, identity, section, content, shown FROM merged WHERE \(condition)", values
        ) { (row) throws(DatabaseError) in
            guard let kind = EntryID.Kind(rawValue: try row.text(0)) else {
                throw .wrongValue("a part of the catalogue has an impossible kind")
            }
            guard let content = CatalogueItem(stored: try row.text(4)) else {
                throw .wrongValue("a part of the catalogue cannot be read")
            }
            let id = EntryID(kind, ExactText(try row.text(2)), owner: ExactText(try row.text(1)))
            entries[id] = MergedEntry(
                content: content, shown: try row.text(orNull: 5), section: try row.integer(orNull: 3).map(Int.init))
            return true
        }
    }

    /// The number that a section has among those of its recording; nil if it never was here.
    func section(_ id: EntryID) throws(DatabaseError) -> Int? {
        try database.first(
            "SELECT section FROM merged WHERE kind = 'section' AND owner = ? AND identity = ?", .text(id.owner.text),
            .text(id.identity.text)
        ) { (row) throws(DatabaseError) in try row.integer(orNull: 0).map(Int.init) } ?? nil
    }

    func write(_ id: EntryID, _ entry: MergedEntry) throws(DatabaseError) {
        try database.run(
            """
            INSERT INTO merged (kind, owner, identity, section, content, shown) VALUES (?, ?, ?, ?, ?, ?)
            ON CONFLICT (kind, owner, identity)
            DO UPDATE SET section = excluded.section, content = excluded.content, shown = excluded.shown
            """, .text(id.kind.rawValue), .text(id.owner.text), .text(id.identity.text),
            .integer(orNull: entry.section.map(Int64.init)), .text(entry.content.storedText),
            .text(orNull: entry.shown))
    }
}
