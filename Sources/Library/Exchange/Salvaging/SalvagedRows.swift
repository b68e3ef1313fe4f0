// Rows of a salvaged store that the library's store lacks. The salvaged store is attached as `other`. Existing rows are
// never removed. Only a description with a later edit in the salvaged store is changed.
internal import Catalogue
internal import Database
internal import Store

struct SalvagedRows {
    let rows: StoreRows
    /// Milliseconds since 1970.
    let now: Int64
    /// The rows that this transaction takes over.
    var piece = SalvagePiece.playlists

    var database: Database { rows.database }

    /// Returns an SQL expression for the revision of a new row, so that listeners notice the row.
    func next(_ table: String) -> String { StoreRows.nextRevision(of: "main.\(table)") }

    /// Returns an SQL condition that is true if only the key of a recording is known.
    private func isLost(_ table: String) -> String {
        "(\(table).sample_rate = \(StoreRows.lostRate) AND \(table).frame_count = 0)"
    }

    /// Takes over the rows of the piece, and notes the fields that differ.
    ///
    /// - Parameter described: The recordings of the salvaged store.
    func takeOver(
        _ described: [ItemRow], _ items: ItemRows, into summary: inout SalvageSummary
    ) throws(DatabaseError) {
        switch piece {
        case .recordings(let numbers):
            summary = try rows.indexingNewRows { () throws(DatabaseError) in
                var all = summary
                try takeOverRecordings()
                try takeOverRows(into: &all)
                return all
            }
            try describe(described.filter { numbers.contains($0.recording) }, items, &summary)
            summary.add(try conflictsOfRecordings() + conflictsOfHistories())
        case .takes:
            try pairRecordings()
            try listToday()
            try makeNumbers()
            try takeOverProgress(into: &summary)
        case .playlists:
            try pairRecordings()
            try takeOverPlaylists(into: &summary)
            summary.add(try conflictsOfPlaylists())
        case .feeds:
            try pairRecordings()
            try takeOverFeeds(into: &summary)
            summary.add(try conflictsOfTakes())
        }
    }

    /// Takes over the rows that belong to recordings.
    private func takeOverRows(into summary: inout SalvageSummary) throws(DatabaseError) {
        try pairRecordings()
        try listToday()
        try numberSections()
        summary.sections += try takeOverSections()
        func copyItems(_ condition: String) throws(DatabaseError) -> Int {
            try copy(
                "item",
                """
                kind, place, path, original, byte_count, container, codec, channel_count, title, artist, language, tags, source, licence, loudness,
                true_peak, added, edited, trashed, trashing, gone
                """, hasRevision: true,
                where: """
                    pair.number NOT IN (SELECT recording FROM main.item)
                    AND (there.place <> 'kept' OR there.path NOT IN (SELECT path FROM main.item)) AND \(condition)
                    """)
        }
        summary.items += try copyItems("there.gone = 0")
        // Measured values, not descriptions: fill these in where missing.
        for field in ["loudness", "true_peak"] {
            try database.run(
                """
                UPDATE main.item SET \(field) = (SELECT there.\(field) FROM other.item AS there JOIN pair ON pair.was = there.recording
                    WHERE pair.number = main.item.recording) WHERE \(field) IS NULL AND recording IN (SELECT number FROM pair)
                """)
        }
        // Recordings with permanently removed files are hidden, but hold information for later merges.
        _ = try copyItems("there.gone <> 0")
        summary.documents += try copy(
            "document", "hash, place, path, name, byte_count, added, trashed, trashing, gone, changed",
            where:
                "NOT EXISTS (SELECT 1 FROM main.document AS here WHERE here.recording = pair.number AND here.hash = there.hash)"
        )
        try takeOverProgress(into: &summary)
        summary.histories += try takeOverHistories()
        summary.outside +=
            try database.first(
                "SELECT count(*) FROM known WHERE id NOT IN (SELECT recording FROM main.item)", row: Self.number) ?? 0
    }

    private func takeOverRecordings() throws(DatabaseError) {
        let columns = "key, sample_rate, frame_count, title, path, seen, position, settings"
        let last = try database.first("SELECT coalesce(max(id), 0) FROM main.recording", row: Self.number) ?? 0
        // Skips rows with a lost key: the repair derived a key from the row's number. Skips damaged keys too: the name
        // of a kept file begins with the key.
        try database.run(
            """
            INSERT INTO main.recording (\(columns), revision) SELECT \(columns), \(next("recording")) FROM other.recording AS there
            WHERE \(piece.recordings) AND NOT EXISTS (SELECT 1 FROM main.recording AS here WHERE here.key = there.key)
            AND NOT (\(isLost("there")) AND hex(substr(key, 9)) = printf('%016X', id))
            AND NOT EXISTS (SELECT 1 FROM other.item WHERE item.recording = there.id AND place = 'kept'
                AND instr(item.path, lower(hex(there.key))) <> 1)
            ORDER BY there.id
            """)
        let same = "FROM other.recording AS there WHERE there.key = main.recording.key AND \(piece.recordings)"
        let told = "sample_rate, frame_count, title, path, position, settings"
        let isTold = "\(isLost("main.recording")) AND EXISTS (SELECT 1 \(same) AND NOT \(isLost("there")))"
        try makeTable("known AS SELECT id FROM main.recording WHERE id > \(last) OR \(isTold)")
        try rows.changingTitles(of: "SELECT id FROM known WHERE id <= \(last)") { () throws(DatabaseError) in
            _ = try database.run("UPDATE main.recording SET (\(told)) = (SELECT \(told) \(same)) WHERE \(isTold)")
        }
    }

    /// Makes a table of the recordings in both stores: number here, number there, and frame count here.
    private func pairRecordings() throws(DatabaseError) {
        try makeTable("pair (number INTEGER PRIMARY KEY, was INTEGER NOT NULL UNIQUE, frame_count INTEGER NOT NULL)")
        try database.run(
            """
            INSERT INTO pair SELECT here.id, there.id, CASE WHEN \(isLost("here")) THEN \(Int64.max) ELSE here.frame_count END
            FROM main.recording AS here JOIN other.recording AS there ON there.key = here.key
            WHERE \(piece.recordings) AND (here.sample_rate = there.sample_rate OR \(isLost("there")))
            """)
    }

    func makeTable(_ definition: String) throws(DatabaseError) {
        let name = definition.prefix { $0 != " " }
        try database.run("DROP TABLE IF EXISTS temp.\(name)")
        try database.run("CREATE TEMP TABLE \(definition)")
    }

    /// Removes the tables made by `makeTable`. Such tables take memory until the store is closed.
    func removeTables() {
        let names = try? database.rows("SELECT name FROM temp.sqlite_schema WHERE type = 'table'") {
            (row) throws(DatabaseError) in try row.text(0)
        }
        for name in names ?? [] { _ = try? database.run("DROP TABLE temp.\(name)") }
    }

    static func number(_ row: DatabaseRow) throws(DatabaseError) -> Int { Int(try row.integer(0)) }

    /// Copies the rows of a table that belong to recordings.
    ///
    /// - Parameter condition: Condition on `there` and `pair` that selects the rows.
    func copy(
        _ table: String, _ columns: String, hasRevision: Bool = false, where condition: String
    ) throws(DatabaseError) -> Int {
        let values = columns.split(separator: ",").map { "there." + $0.trimmingPrefix { $0.isWhitespace } }
        return try database.run(
            """
            INSERT INTO main.\(table) (recording, \(columns)\(hasRevision ? ", revision" : ""))
            SELECT pair.number, \(values.joined(separator: ", "))\(hasRevision ? ", \(next(table))" : "")
            FROM other.\(table) AS there JOIN pair ON pair.was = there.recording WHERE \(condition) ORDER BY there.rowid
            """)
    }

    // MARK: Sections

    /// Makes a table of the old and new numbers of sections. A section equal to a section here gets the number of the
    /// section here. If more numbers confirm than deny that a recording has the same history in both stores, every
    /// other number stays, unless another section has the number here.
    private func numberSections() throws(DatabaseError) {
        try makeNumbers()
        try makeTable("history (number INTEGER PRIMARY KEY)")
        func both(_ table: String, _ number: String, _ condition: String) -> String {
            """
            (SELECT count(*) FROM main.\(table) AS here JOIN other.\(table) AS there ON there.\(number) = here.\(number)
            WHERE here.recording = pair.number AND there.recording = pair.was AND \(condition))
            """
        }
        try database.run(
            """
            INSERT INTO history SELECT pair.number FROM pair JOIN main.recording AS ours ON ours.id = pair.number
            WHERE ours.next_section = 1
            OR (\(both("section_time", "section", "1")) > 0 AND \(both("section", "id", Self.isOther)) <=
                \(both("section", "id", "here.first = there.first AND here.past = there.past AND here.name = there.name"))
                + \(both("section_time", "section", "here.changed = there.changed"))
                + \(both("review", "section", "here.id = there.id AND here.time = there.time")))
            """)
        try database.run(
            """
            INSERT OR IGNORE INTO renumbered SELECT pair.number, there.id, here.id FROM other.section AS there
            JOIN pair ON pair.was = there.recording JOIN main.section AS here ON here.recording = pair.number AND here.first = there.first
            AND here.past = min(there.past, pair.frame_count) AND here.name = there.name AND here.kind = there.kind AND here.text = there.text
            ORDER BY here.id <> there.id, here.id
            """)
        try pairSectionsByProgress()
        let used = ["section", "practice", "review", "take"].map { table in
            """
            SELECT recording, \(table == "section" ? "id" : "section") AS number FROM other.\(table)
            WHERE recording IN (SELECT was FROM pair)
            """
        }
        try database.run(
            """
            INSERT INTO renumbered SELECT pair.number, used.number, used.number FROM (\(used.joined(separator: " UNION "))) AS used
            JOIN pair ON pair.was = used.recording WHERE used.number IS NOT NULL AND pair.number IN (SELECT number FROM history)
            AND NOT EXISTS (SELECT 1 FROM main.section AS here JOIN other.section AS there ON there.id = here.id
                WHERE here.recording = pair.number AND there.recording = pair.was AND here.id = used.number AND \(Self.isOther))
            AND NOT EXISTS (SELECT 1 FROM main.change JOIN main.recording AS ours ON ours.id = change.recording
                WHERE ours.id = pair.number AND change.number > ours.done
                AND instr(change.added || change.removed, '"id":' || used.number || ',') > 0)
            AND NOT EXISTS (SELECT 1 FROM renumbered WHERE renumbered.recording = pair.number
                AND (renumbered.was = used.number OR renumbered.now = used.number))
            """)
    }

    private func makeNumbers() throws(DatabaseError) {
        try makeTable("renumbered (recording INTEGER, was INTEGER, now INTEGER, PRIMARY KEY (recording, was))")
    }

    /// SQL condition: a number belongs to different sections here and there.
    private static let isOther = "here.name <> there.name AND (here.first <> there.first OR here.past <> there.past)"

    /// Pairs sections that have ratings, practice log entries or takes in common. Such rows came back earlier, so the
    /// section did too, and was renamed or removed here since. In a recording with the same history in both stores,
    /// pairs only sections whose number belongs to another section here. Equal rows belong to the sections in the order
    /// of section numbers, which salvaging preserves.
    private func pairSectionsByProgress() throws(DatabaseError) {
        func common(_ table: String, _ today: String, _ columns: String) -> String {
            let equal = columns.split(separator: ", ").map { "here.\($0) = there.\($0)" }.joined(separator: " AND ")
            func ranked(_ table: String, _ number: String) -> String {
                """
                (SELECT *, row_number() OVER (PARTITION BY recording, \(columns) ORDER BY section) AS place,
                    count(*) OVER (PARTITION BY recording, \(columns)) AS alike
                FROM (SELECT DISTINCT recording, section, \(columns) FROM \(table)
                    WHERE section IS NOT NULL AND recording IN (SELECT \(number) FROM pair)))
                """
            }
            return """
                SELECT pair.number AS recording, there.section AS was, here.section AS now FROM \(ranked("other." + table, "was")) AS there
                JOIN pair ON pair.was = there.recording JOIN \(ranked(today, "number")) AS here ON here.recording = pair.number AND \(equal)
                WHERE here.place = there.place AND here.alike = there.alike
                """
        }
        let queries = Self.unchanging.map { common($0, $0 == "take" ? "main.take" : "today_\($0)", $1) }
        try makeTable("common AS \(queries.joined(separator: " UNION "))")
        try database.run(
            """
            INSERT INTO renumbered SELECT recording, was, now FROM (
                SELECT *, count(*) OVER (PARTITION BY recording, was) AS from_one, count(*) OVER (PARTITION BY recording, now) AS to_one FROM common)
            AS common WHERE from_one = 1 AND to_one = 1 AND NOT EXISTS (SELECT 1 FROM renumbered
                WHERE renumbered.recording = common.recording AND (renumbered.was = common.was OR renumbered.now = common.now))
            AND (recording NOT IN (SELECT number FROM history) OR EXISTS (
                SELECT 1 FROM main.section AS here JOIN pair ON pair.number = here.recording JOIN other.section AS there
                ON there.recording = pair.was AND there.id = here.id
                WHERE here.recording = common.recording AND here.id = common.was AND \(Self.isOther)))
            """)
    }

    /// Assigns section numbers that were never used here.
    ///
    /// - Parameter used: Query for recordings here and section numbers there.
    func giveNumbers(to used: String) throws(DatabaseError) {
        try database.run(
            """
            INSERT INTO renumbered SELECT target, used.section, next_section - 1 + row_number() OVER (PARTITION BY target ORDER BY used.section)
            FROM (\(used)) AS used JOIN main.recording ON recording.id = target WHERE used.section IS NOT NULL
            AND NOT EXISTS (SELECT 1 FROM renumbered WHERE renumbered.recording = target AND renumbered.was = used.section)
            """)
        try database.run(
            """
            UPDATE main.recording SET next_section = max(next_section,
                (SELECT max(now) + 1 FROM renumbered WHERE renumbered.recording = main.recording.id))
            WHERE id IN (SELECT recording FROM renumbered)
            """)
    }

    /// Copies sections. A section removed here since stays removed: its removal is later than the last change there.
    private func takeOverSections() throws(DatabaseError) -> Int {
        try giveNumbers(
            to: """
                SELECT pair.number AS target, there.id AS section FROM other.section AS there JOIN pair ON pair.was = there.recording
                WHERE there.first < pair.frame_count
                """)
        let columns = "kind, name, text, hard, settings"
        let count = try database.run(
            """
            INSERT INTO main.section (recording, id, first, past, \(columns))
            SELECT pair.number, renumbered.now, there.first, min(there.past, pair.frame_count),
                \(columns.split(separator: ", ").map { "there.\($0)" }.joined(separator: ", "))
            FROM other.section AS there JOIN pair ON pair.was = there.recording
            JOIN renumbered ON renumbered.recording = pair.number AND renumbered.was = there.id
            WHERE there.first < pair.frame_count
            AND NOT EXISTS (SELECT 1 FROM main.section AS here WHERE here.recording = pair.number AND here.id = renumbered.now)
            AND NOT EXISTS (SELECT 1 FROM main.section_time AS here WHERE here.recording = pair.number AND here.section = renumbered.now
                AND here.changed > coalesce((SELECT changed FROM other.section_time AS old
                    WHERE old.recording = there.recording AND old.section = there.id), 0))
            ORDER BY there.row
            """)
        try database.run(
            """
            INSERT OR IGNORE INTO main.section_time (recording, section, changed) SELECT pair.number, renumbered.now, there.changed
            FROM other.section_time AS there JOIN pair ON pair.was = there.recording
            JOIN renumbered ON renumbered.recording = pair.number AND renumbered.was = there.section
            """)
        try database.run(
            """
            UPDATE main.recording SET revision = \(next("recording")),
            section_count = (SELECT count(*) FROM main.section WHERE section.recording = main.recording.id)
            WHERE id IN (SELECT number FROM pair)
            AND section_count <> (SELECT count(*) FROM main.section WHERE section.recording = main.recording.id)
            """)
        return count
    }

    // MARK: Playlists, feeds and fetches

    private func takeOverPlaylists(into summary: inout SalvageSummary) throws(DatabaseError) {
        // A playlist of which only the entries survived has an identity that the repair derived from its number.
        let isNew = """
            there.identity NOT IN (SELECT identity FROM main.deleted_playlist) AND substr(there.identity, 17) <> printf('%016x', there.id)
            """
        try makeTable("list (number INTEGER PRIMARY KEY, was INTEGER NOT NULL UNIQUE, place INTEGER NOT NULL)")
        summary.playlists += try database.run(
            """
            INSERT INTO main.playlist (identity, name, made, changed, revision)
            SELECT identity, CASE WHEN name IN (SELECT name FROM main.playlist) THEN name || ' (' || identity || ')' ELSE name END,
                made, changed, \(next("playlist")) FROM other.playlist AS there
            WHERE \(isNew) AND identity NOT IN (SELECT identity FROM main.playlist) ORDER BY id
            """)
        // Playlists that were not changed since, so that their missing entries count as lost.
        try database.run(
            """
            INSERT INTO list SELECT here.id, there.id, (SELECT coalesce(max(place), 0) FROM main.entry WHERE playlist = here.id)
            FROM main.playlist AS here JOIN other.playlist AS there ON there.identity = here.identity AND there.changed = here.changed
            WHERE (SELECT count(*) FROM main.entry WHERE playlist = here.id) < (SELECT count(*) FROM other.entry WHERE playlist = there.id)
            """)
        // A recording can be in a playlist several times.
        try makeTable("listed (playlist INTEGER, recording INTEGER, times INTEGER, PRIMARY KEY (playlist, recording))")
        try database.run(
            """
            INSERT INTO listed SELECT playlist, recording, count(*) FROM main.entry
            WHERE playlist IN (SELECT id FROM main.playlist WHERE identity IN (SELECT identity FROM other.playlist)) GROUP BY playlist, recording
            """)
        try makeTable(
            """
            missing AS SELECT here.id AS playlist, pair.number AS recording, old.place, old.added
            FROM (SELECT *, row_number() OVER (PARTITION BY playlist, recording ORDER BY place) AS nth FROM other.entry) AS old
            JOIN other.playlist AS there ON there.id = old.playlist JOIN main.playlist AS here ON here.identity = there.identity
            JOIN pair ON pair.was = old.recording
            WHERE old.nth > coalesce((SELECT times FROM listed WHERE listed.playlist = here.id AND listed.recording = pair.number), 0)
            """)
        summary.entries += try database.run(
            """
            INSERT INTO main.entry (playlist, recording, place, added) SELECT list.number, recording,
                list.place + 1024 * row_number() OVER (PARTITION BY list.number ORDER BY missing.place), added
            FROM missing JOIN list ON list.number = missing.playlist
            """)
    }

    private func takeOverFeeds(into summary: inout SalvageSummary) throws(DatabaseError) {
        // A feed of which only the episodes survived has an address that the repair made up.
        summary.feeds += try database.run(
            """
            INSERT INTO main.feed (address, title, validators, checked, error, added) SELECT address, title, validators, checked, error, added
            FROM other.feed AS there WHERE address NOT LIKE 'lost:%' AND address NOT IN (SELECT address FROM main.feed) ORDER BY id
            """)
        let columns = "identity, title, address, published, milliseconds, byte_count, about"
        summary.episodes += try database.run(
            """
            INSERT INTO main.episode (feed, \(columns), recording, is_new)
            SELECT ours.id, \(columns.split(separator: ", ").map { "there.\($0)" }.joined(separator: ", ")),
                (SELECT number FROM pair WHERE was = there.recording), there.is_new
            FROM other.episode AS there JOIN other.feed AS theirs ON theirs.id = there.feed JOIN main.feed AS ours ON ours.address = theirs.address
            WHERE NOT EXISTS (SELECT 1 FROM main.episode AS here WHERE here.feed = ours.id AND here.identity = there.identity) ORDER BY there.id
            """)
        // An episode heard in either store stays heard.
        summary.episodes += try database.run(
            """
            UPDATE main.episode SET is_new = 0 WHERE is_new = 1 AND EXISTS (
                SELECT 1 FROM main.feed AS ours JOIN other.feed AS theirs ON theirs.address = ours.address JOIN other.episode AS there
                ON there.feed = theirs.id AND there.identity = main.episode.identity WHERE ours.id = main.episode.feed AND there.is_new = 0)
            """)
        let fetch = "address, state, priority, wishes, done, total, error, remedy, added, tried"
        summary.fetches += try database.run(
            """
            INSERT INTO main.fetch (\(fetch), revision) SELECT \(fetch), \(next("fetch")) FROM other.fetch AS there
            WHERE address NOT IN (SELECT address FROM main.fetch) AND address NOT IN (SELECT source FROM main.item) ORDER BY id
            """)
    }
}
