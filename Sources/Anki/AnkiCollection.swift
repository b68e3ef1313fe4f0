internal import Database
internal import JSON

/// The database in a package: schema version 11, readable by every Anki since 2012.
///
/// The tables come from Anki's own source (`rslib/src/storage/schema11.sql`). Anki's documentation describes [the
/// database structure](https://github.com/ankidroid/Anki-Android/wiki/Database-Structure).
enum AnkiCollection {
    private static let tables = [
        """
        CREATE TABLE col (
            id integer PRIMARY KEY, crt integer NOT NULL, mod integer NOT NULL, scm integer NOT NULL, ver integer NOT NULL,
            dty integer NOT NULL, usn integer NOT NULL, ls integer NOT NULL, conf text NOT NULL, models text NOT NULL,
            decks text NOT NULL, dconf text NOT NULL, tags text NOT NULL
        )
        """,
        """
        CREATE TABLE notes (
            id integer PRIMARY KEY, guid text NOT NULL, mid integer NOT NULL, mod integer NOT NULL, usn integer NOT NULL,
            tags text NOT NULL, flds text NOT NULL, sfld integer NOT NULL, csum integer NOT NULL, flags integer NOT NULL,
            data text NOT NULL
        )
        """,
        """
        CREATE TABLE cards (
            id integer PRIMARY KEY, nid integer NOT NULL, did integer NOT NULL, ord integer NOT NULL, mod integer NOT NULL,
            usn integer NOT NULL, type integer NOT NULL, queue integer NOT NULL, due integer NOT NULL, ivl integer NOT NULL,
            factor integer NOT NULL, reps integer NOT NULL, lapses integer NOT NULL, left integer NOT NULL,
            odue integer NOT NULL, odid integer NOT NULL, flags integer NOT NULL, data text NOT NULL
        )
        """,
        """
        CREATE TABLE revlog (
            id integer PRIMARY KEY, cid integer NOT NULL, usn integer NOT NULL, ease integer NOT NULL, ivl integer NOT NULL,
            lastIvl integer NOT NULL, factor integer NOT NULL, time integer NOT NULL, type integer NOT NULL
        )
        """,
        "CREATE TABLE graves (usn integer NOT NULL, oid integer NOT NULL, type integer NOT NULL)",
        "CREATE INDEX ix_notes_usn ON notes (usn)", "CREATE INDEX ix_cards_usn ON cards (usn)",
        "CREATE INDEX ix_revlog_usn ON revlog (usn)", "CREATE INDEX ix_cards_nid ON cards (nid)",
        "CREATE INDEX ix_cards_sched ON cards (did, queue, due)", "CREATE INDEX ix_revlog_cid ON revlog (cid)",
        "CREATE INDEX ix_notes_csum ON notes (csum)",
    ]

    /// Fills an empty database. All cards are new: Anki schedules new cards, and keeps the schedule of cards already in
    /// the user's collection.
    ///
    /// - Parameter now: Time of the change to the notes, in seconds since 1970. Anki updates its own copy of a note if
    ///   the copy is older.
    static func write(
        _ notes: [AnkiNote], of type: AnkiNoteType, in deck: AnkiDeck, at now: Int64, to database: Database
    ) throws(DatabaseError) {
        // No other program uses the file, and a failed file is made anew; therefore write no journal beside it.
        _ = try database.rows("PRAGMA journal_mode=MEMORY") { _ in }
        _ = try database.rows("PRAGMA synchronous=OFF") { _ in }
        try database.transaction { () throws(DatabaseError) in
            for table in tables { try database.run(table) }
            try database.run(
                "INSERT INTO col VALUES (1, ?, ?, ?, 11, 0, 0, 0, ?, ?, ?, ?, '{}')", .integer(now),
                .integer(now * 1000), .integer(now * 1000), .text(settings(type)),
                .text(keyed(type.id, description(of: type))), .text(decks(deck, now)), .text(options))
            for (index, note) in notes.enumerated() { try add(note, index, type, deck, now, to: database) }
        }
    }

    private static func add(
        _ note: AnkiNote, _ index: Int, _ type: AnkiNoteType, _ deck: AnkiDeck, _ now: Int64, to database: Database
    ) throws(DatabaseError) {
        precondition(note.fields.count == type.fields.count, "a note has the fields of its type")
        // Anki keeps the ids of known notes. A new note whose id is taken gets another id.
        let id = now * 1000 + Int64(index)
        let tags = note.tags.isEmpty ? "" : " \(note.tags.joined(separator: " ")) "
        // The checksum covers the first field; Anki itself computes it when importing the note.
        try database.run(
            "INSERT INTO notes VALUES (?, ?, ?, ?, -1, ?, ?, ?, 0, 0, '')", .integer(id), .text(note.identity),
            .integer(type.id), .integer(now), .text(tags), .text(note.fields.joined(separator: "\u{1F}")),
            .text(note.fields.first ?? ""))
        try database.run(
            "INSERT INTO cards VALUES (?, ?, ?, 0, ?, -1, 0, 0, ?, 0, 0, 0, 0, 0, 0, 0, 0, '')", .integer(id),
            .integer(id), .integer(deck.id), .integer(now), .integer(Int64(index + 1)))
    }

    // MARK: Descriptions

    private static func keyed(_ id: Int64, _ value: JSONValue) -> String {
        JSONValue.object([.init(String(id), value)]).text
    }

    private static func description(of type: AnkiNoteType) -> JSONValue {
        let fields = type.fields.enumerated().map { index, name -> JSONValue in
            .object([
                .init("name", .string(name)), .init("ord", .integer(Int64(index))), .init("sticky", .bool(false)),
                .init("rtl", .bool(false)), .init("font", .string("Arial")), .init("size", .integer(20)),
                .init("media", .array([])),
            ])
        }
        let card: JSONValue = .object([
            .init("name", .string("Card 1")), .init("ord", .integer(0)), .init("qfmt", .string(type.front)),
            .init("afmt", .string(type.back)), .init("bqfmt", .string("")), .init("bafmt", .string("")),
            .init("did", .null),
        ])
        return .object([
            .init("id", .integer(type.id)), .init("name", .string(type.name)), .init("type", .integer(0)),
            .init("mod", .integer(type.changed)), .init("usn", .integer(-1)), .init("sortf", .integer(0)),
            .init("did", .integer(1)), .init("tmpls", .array([card])), .init("flds", .array(fields)),
            .init("css", .string(type.style)), .init("latexPre", .string("")), .init("latexPost", .string("")),
            .init("latexsvg", .bool(false)), .init("tags", .array([])), .init("vers", .array([])),
            .init("req", .array([.array([.integer(0), .string("any"), .array([.integer(0)])])])),
        ])
    }

    private static func decks(_ deck: AnkiDeck, _ now: Int64) -> String {
        func described(_ deck: AnkiDeck) -> JSONValue.Field {
            let today = ["newToday", "revToday", "lrnToday", "timeToday"].map { name in
                JSONValue.Field(name, .array([.integer(0), .integer(0)]))
            }
            return .init(
                String(deck.id),
                .object(
                    [
                        .init("id", .integer(deck.id)), .init("name", .string(deck.name)), .init("mod", .integer(now)),
                        .init("usn", .integer(-1)), .init("desc", .string("")), .init("dyn", .integer(0)),
                        .init("conf", .integer(1)), .init("collapsed", .bool(false)),
                        .init("browserCollapsed", .bool(false)), .init("extendNew", .integer(0)),
                        .init("extendRev", .integer(0)),
                    ] + today))
        }
        return JSONValue.object([described(AnkiDeck(id: 1, name: "Default")), described(deck)]).text
    }

    /// Returns Anki's settings for a new collection.
    private static func settings(_ type: AnkiNoteType) -> String {
        """
        {"nextPos": 1, "estTimes": true, "activeDecks": [1], "sortType": "noteFld", "timeLim": 0, "sortBackwards": false, \
        "addToCur": true, "curDeck": 1, "newSpread": 0, "dueCounts": true, "curModel": \(type.id), "collapseTime": 1200}
        """
    }

    private static let options = """
        {"1": {"id": 1, "name": "Default", "mod": 0, "usn": 0, "maxTaken": 60, "autoplay": true, "timer": 0, "replayq": true, \
        "dyn": false, "new": {"bury": false, "delays": [1, 10], "initialFactor": 2500, "ints": [1, 4, 0], "order": 1, \
        "perDay": 20}, "rev": {"bury": false, "ease4": 1.3, "ivlFct": 1, "maxIvl": 36500, "perDay": 200, "hardFactor": 1.2}, \
        "lapse": {"delays": [10], "leechAction": 1, "leechFails": 8, "minInt": 1, "mult": 0}}}
        """
}
