// Takes, the practice log and reviews of a salvaged store.
internal import Database
internal import Files
internal import Glibc
internal import JSON
internal import Store

extension SalvagedRows {
    /// Takes over takes, the practice log and reviews, each with the number of its section here. A section that is not
    /// here gets a new number.
    func takeOverProgress(into summary: inout SalvageSummary) throws(DatabaseError) {
        try findNewRows()
        let tables = ["practice", "review", "take"]
        try giveNumbers(to: tables.map { "SELECT target, section FROM new_\($0)" }.joined(separator: " UNION "))
        let section =
            "(SELECT now FROM renumbered WHERE renumbered.recording = there.target AND renumbered.was = there.section)"
        let practice = "name, first, past, began, ended, milliseconds, passes, lowest, highest, last"
        summary.practice += try insert("practice", practice, section, time: "began")
        summary.reviews += try insert(
            "review", "time, rating, before, after, interval, evidence", section, time: "time")
        let take = "path, time, sample_rate, channel_count, frame_count, device"
        // A take keeps its number if the number is free here. A new number is free in both stores: a later piece may
        // bring the take that has the number there.
        let free = """
            min(max(coalesce((SELECT max(id) FROM main.take), 0), coalesce((SELECT max(id) FROM other.take), 0)), 1 << 53)
            + row_number() OVER (ORDER BY there.id)
            """
        for (number, condition) in [("there.id", "NOT IN"), (free, "IN")] {
            summary.takes += try database.run(
                """
                INSERT INTO main.take (id, \(take), recording, section, model, name, note, rating, trashed, trashing, revision)
                SELECT \(number), \(take), target, \(section), model, name, note, rating, trashed, trashing,
                    \(next("take")) FROM new_take AS there
                WHERE NOT EXISTS (SELECT 1 FROM main.take AS here WHERE here.path = there.path AND here.time = there.time)
                AND there.id \(condition) (SELECT id FROM main.take) ORDER BY there.id
                """)
        }
        try database.run(
            """
            INSERT OR IGNORE INTO main.take_mark (take, content, changed) SELECT here.id, mark.content, mark.changed
            FROM new_take AS there JOIN other.take_mark AS mark ON mark.take = there.id
            JOIN main.take AS here ON here.path = there.path AND here.time = there.time
            """)
    }

    /// Inserts rows before the existing rows, or after them if later than all rows of the same section. The order of
    /// rows determines the state of a memory and the last speed.
    private func insert(
        _ table: String, _ columns: String, _ section: String, time: String
    ) throws(DatabaseError) -> Int {
        try makeTable(
            "newest AS SELECT recording, section, max(\(time)) AS time FROM main.\(table) WHERE recording IN (SELECT number FROM pair) GROUP BY recording, section"
        )
        try database.run("CREATE INDEX temp.newest_by_section ON newest (recording, section)")
        let isLater =
            "there.\(time) > (SELECT time FROM newest WHERE newest.recording = there.target AND newest.section IS \(section))"
        let earlier = """
            (SELECT max(min(0, coalesce(min(id), 0)), \(ClosedRange.places.lowerBound)) FROM main.\(table)) - (SELECT count(*) FROM new_\(table)) - 1
            + row_number() OVER (ORDER BY there.id)
            """
        try makeTable("later AS SELECT there.id FROM new_\(table) AS there WHERE \(isLater)")
        var count = 0
        for (number, condition) in [(earlier, "NOT IN"), ("NULL", "IN")] {
            count += try database.run(
                """
                INSERT INTO main.\(table) (id, recording, section, \(columns)) SELECT \(number), target, \(section), \(columns)
                FROM new_\(table) AS there WHERE there.id \(condition) (SELECT id FROM later) ORDER BY there.id
                """)
        }
        return count
    }

    /// Columns that never change within a row, by table.
    static let unchanging = [
        ("practice", "began, first, past"), ("review", "time, rating, after"), ("take", "path, time"),
    ]

    /// Makes tables of the existing rows with which rows of the piece can be equal, indexed for fast lookup.
    func listToday() throws(DatabaseError) {
        let paths = "path IN (SELECT path FROM other.take AS there WHERE \(piece.takes))"
        for (table, columns) in Self.unchanging {
            let isTake = table == "take"
            try makeTable(
                "today_\(table) AS SELECT \(isTake ? "0" : "recording") AS recording, \(isTake ? "NULL" : "section") AS section, \(columns) FROM main.\(table) WHERE \(isTake ? paths : "recording IN (SELECT number FROM pair)")"
            )
            try database.run("CREATE INDEX temp.today_\(table)_by_row ON today_\(table) (recording, \(columns))")
        }
    }

    /// Makes a table of the sections that recordings here have adopted from other recordings.
    private func listAdopted() throws(DatabaseError) {
        try makeTable("adopted (giver INTEGER, given INTEGER, recording INTEGER, section INTEGER)")
        for (recording, section, origin) in try rows.adoptions() {
            guard let giver = try rows.recording(origin.key)?.id else { continue }
            try database.run(
                "INSERT INTO adopted VALUES (?, ?, ?, ?)", .integer(giver), .integer(origin.sectionID),
                .integer(recording),
                .integer(section))
        }
        try database.run("CREATE INDEX temp.adopted_by_giver ON adopted (giver, given)")
    }

    /// Finds the rows that are not here, by comparing the columns that never change.
    private func findNewRows() throws(DatabaseError) {
        try listAdopted()
        for (table, columns) in Self.unchanging {
            let isTake = table == "take"
            let equal = columns.split(separator: ", ").map { "here.\($0) = there.\($0)" }.joined(separator: " AND ")
            let now =
                "(SELECT now FROM renumbered WHERE renumbered.recording = pair.number AND renumbered.was = there.section)"
            // Rows of a section adopted by another recording have moved with the section.
            let went = """
                AND NOT EXISTS (SELECT 1 FROM adopted JOIN main.\(table) AS here ON here.recording = adopted.recording AND here.section = adopted.section
                    WHERE adopted.giver = pair.number AND adopted.given = coalesce(\(now), there.section)
                    AND \(table == "review" ? equal : "here.began = there.began AND here.milliseconds = there.milliseconds"))
                """
            try makeTable(
                """
                new_\(table) AS SELECT there.*, pair.number AS target FROM other.\(table) AS there
                \(isTake ? "LEFT " : "")JOIN pair ON pair.was = there.recording
                WHERE NOT EXISTS (SELECT 1 FROM today_\(table) AS here WHERE here.recording = \(isTake ? "0" : "pair.number") AND \(equal)
                \(isTake ? "" : "AND (here.section IS \(now) OR \(now) IS NULL)"))\(isTake ? " AND there.gone = 0 AND \(piece.takes)" : went)
                """)
        }
        // Recognises a take with a renamed file by its sound. The content holds the key, then possibly a hash of the
        // bytes. A take here that is also listed there is another take with the same sound.
        try database.run(
            """
            DELETE FROM new_take WHERE id IN (
                SELECT take FROM other.take_mark WHERE substr(content, 1, 16) IN (
                    SELECT substr(content, 1, 16) FROM main.take_mark JOIN main.take AS here ON here.id = take_mark.take
                    WHERE NOT EXISTS (SELECT 1 FROM other.take AS listed WHERE listed.path = here.path AND listed.time = here.time)))
            """)
    }

    /// Returns the trashed takes with a new number here. The hidden name of such a take's file contains the number.
    /// Includes takes that came back earlier: the program may have ended before renaming their files.
    func renumberedTrash() throws(DatabaseError) -> [(path: String, was: Int, now: Int)] {
        try database.rows(
            """
            SELECT there.path, there.id, here.id FROM other.take AS there JOIN main.take AS here
            ON here.path = there.path AND here.time = there.time WHERE there.trashed IS NOT NULL AND there.gone = 0
            AND here.trashed IS NOT NULL AND here.gone = 0 AND here.id <> there.id AND \(piece.takes)
            AND NOT EXISTS (SELECT 1 FROM main.take AS other_take WHERE other_take.id = there.id AND other_take.trashed IS NOT NULL)
            """
        ) { (row) throws(DatabaseError) in (try row.text(0), Int(try row.integer(1)), Int(try row.integer(2))) }
    }
}
