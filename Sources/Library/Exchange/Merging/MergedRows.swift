// The catalogue as last written or merged, and how the store showed the catalogue then.
internal import Database
internal import Store
internal import TextFormats

/// A thing of a catalogue, with its shown form.
struct MergedEntry: Equatable {
    var content = CatalogueItem()
    /// Text of the shown form; nil if the store showed nothing.
    var shown: String?
    /// Number of a section within its recording; nil if the section was never here.
    var section: Int?

    static func == (left: MergedEntry, right: MergedEntry) -> Bool {
        left.content == right.content && left.section == right.section
            && left.shown.map { ExactText($0) } == right.shown.map { ExactText($0) }
    }
}

/// An entry as the store has it.
struct MergedRow: Sendable, Equatable {
    let content: ExactText
    let shown: ExactText?
    let section: Int?
}

extension MergedEntry {
    init(_ row: MergedRow) throws(DatabaseError) {
        guard let content = CatalogueItem(stored: row.content.text) else {
            throw .wrongValue("a part of the catalogue cannot be read")
        }
        self.init(content: content, shown: row.shown?.text, section: row.section)
    }

    /// The remains of an entry with unreadable content: a thing not yet shown, under its number. A missing thing
    /// therefore does not count as deleted here.
    init(lost row: MergedRow) { self.init(section: row.section) }

    var row: MergedRow {
        MergedRow(content: ExactText(content.storedText), shown: shown.map { ExactText($0) }, section: section)
    }
}

struct MergedRows {
    let database: Database

    func all(in scope: CatalogueScope) throws(DatabaseError) -> [EntryID: MergedEntry] {
        var entries: [EntryID: MergedEntry] = [:]
        func add(_ condition: String, _ values: [DatabaseValue]) throws(DatabaseError) {
            let found = try read(condition, values) { (row, merged) throws(DatabaseError) in
                try row.readable(or: MergedEntry(lost: merged)) { () throws(DatabaseError) in try MergedEntry(merged) }
            }
            for (id, entry) in found { entries[id] = entry }
        }
        for identity in scope.recordings {
            try add("kind = 'recording' AND owner = '' AND identity = ?", [.text(identity.text)])
            try add("kind = 'section' AND owner = ?", [.text(identity.text)])
        }
        if scope.hasTakes {
            if let keys = scope.takeKeys {
                for key in keys { try add("kind = 'take' AND owner = '' AND identity = ?", [.text(key.text)]) }
            } else {
                try add("kind = 'take'", [])
            }
        }
        return entries
    }

    static func entries(_ rows: [EntryID: MergedRow]) -> [EntryID: MergedEntry] {
        rows.mapValues { (try? MergedEntry($0)) ?? MergedEntry(lost: $0) }
    }

    func playlists() throws(DatabaseError) -> [EntryID: MergedRow] {
        let found = try read("kind = 'playlist'", []) { (_, merged) throws(DatabaseError) in merged }
        return Dictionary(found) { $1 }
    }

    /// Returns the identities of all recordings known to the store or the catalogue.
    func recordings() throws(DatabaseError) -> [(identity: ExactText, sectionCount: Int)] {
        try database.readableRows(
            """
            SELECT identity, max(sections) FROM (
                SELECT lower(hex(key)) AS identity, section_count AS sections FROM recording
                UNION ALL SELECT owner, count(*) FROM merged WHERE kind = 'section' GROUP BY owner
                UNION ALL SELECT identity, 0 FROM merged WHERE kind = 'recording')
            GROUP BY identity ORDER BY identity
            """
        ) { (row) throws(DatabaseError) in (ExactText(try row.text(0)), Int(try row.integer(1))) }
    }

    private func read<Value>(
        _ condition: String, _ values: [DatabaseValue],
        _ body: (DatabaseRow, MergedRow) throws(DatabaseError) -> Value
    ) throws(DatabaseError) -> [(EntryID, Value)] {
        try database.readableRows(
            "SELECT kind, owner, identity, section, content, shown FROM merged WHERE \(condition)", values
        ) { (row) throws(DatabaseError) in
            guard let kind = EntryID.Kind(rawValue: try row.text(0)) else {
                throw .wrongValue("a part of the catalogue has an impossible kind")
            }
            let id = EntryID(kind, ExactText(try row.text(2)), owner: ExactText(try row.text(1)))
            let merged = MergedRow(
                content: ExactText(try row.text(4)), shown: try row.text(orNull: 5).map { ExactText($0) },
                section: try row.integer(orNull: 3).map(Int.init))
            return (id, try body(row, merged))
        }
    }

    /// Returns the number of a section within its recording; nil if the section was never here.
    func section(_ id: EntryID) throws(DatabaseError) -> Int? {
        try database.first(
            "SELECT section FROM merged WHERE kind = 'section' AND owner = ? AND identity = ?", .text(id.owner.text),
            .text(id.identity.text)
        ) { (row) throws(DatabaseError) in try row.integer(orNull: 0).map(Int.init) } ?? nil
    }

    func write(_ id: EntryID, _ row: MergedRow) throws(DatabaseError) {
        try database.run(
            """
            INSERT INTO merged (kind, owner, identity, section, content, shown) VALUES (?, ?, ?, ?, ?, ?)
            ON CONFLICT (kind, owner, identity)
            DO UPDATE SET section = excluded.section, content = excluded.content, shown = excluded.shown
            """, .text(id.kind.rawValue), .text(id.owner.text), .text(id.identity.text),
            .integer(orNull: row.section.map(Int64.init)), .text(row.content.text), .text(orNull: row.shown?.text))
    }
}
