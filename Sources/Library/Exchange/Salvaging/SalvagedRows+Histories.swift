// Undo histories of a salvaged store: the removals of takes, recordings and documents, and the changes of sections.
internal import Database
internal import JSON
internal import Store

/// The number of a removal in a salvaged store, and its number here.
struct SalvagedRemoval: Sendable {
    let was: Int64
    let now: Int64
}

extension SalvagedRows {
    /// Tables whose rows share the numbers of removals, and the rows that are the same here and there.
    private static let removals: [[(table: String, pairs: String)]] = {
        let recordings = """
            JOIN other.recording AS theirs ON theirs.id = there.recording JOIN main.recording AS ours ON ours.key = theirs.key
            """
        return [
            [("take", "JOIN main.take AS here ON here.path = there.path AND here.time = there.time")],
            [
                ("item", "\(recordings) JOIN main.item AS here ON here.recording = ours.id"),
                (
                    "document",
                    "\(recordings) JOIN main.document AS here ON here.recording = ours.id AND here.hash = there.hash"
                ),
            ],
        ]
    }()

    /// Returns the numbers of the removals here, for each group of tables. A removal that this store has, too, keeps
    /// its number here. All others get new numbers below the numbers here, so that the removals of today are undone
    /// first. The numbers have the order of the removals, unless an interrupted salvage has brought some before.
    func salvagedRemovals() throws(DatabaseError) -> [[SalvagedRemoval]] {
        var all: [[SalvagedRemoval]] = []
        for tables in Self.removals {
            let known = tables.map { table, pairs in
                """
                SELECT there.trashing AS was, here.trashing AS now FROM other.\(table) AS there \(pairs)
                WHERE here.trashed = there.trashed AND there.trashing IS NOT NULL AND here.trashing IS NOT NULL
                """
            }
            let removals = tables.map {
                "SELECT DISTINCT trashing AS was FROM other.\($0.table) WHERE trashing IS NOT NULL"
            }
            let lowest = tables.map { "SELECT min(trashing) AS number FROM main.\($0.table)" }
            all.append(
                try database.rows(
                    """
                    WITH known AS (SELECT was, max(now) AS now FROM (\(known.joined(separator: " UNION ALL "))) GROUP BY was),
                        removal AS (\(removals.joined(separator: " UNION ")))
                    SELECT removal.was, coalesce(known.now, (
                        SELECT max(coalesce(min(number), 0), \(ClosedRange.places.lowerBound))
                            FROM (\(lowest.joined(separator: " UNION ALL ")) UNION ALL SELECT 0))
                        - row_number() OVER (PARTITION BY known.now IS NULL ORDER BY removal.was DESC))
                    FROM removal LEFT JOIN known ON known.was = removal.was
                    """
                ) { (row) throws(DatabaseError) in
                    SalvagedRemoval(was: try row.integer(0), now: try row.integer(1))
                })
        }
        return all
    }

    /// Changes the numbers of removals in the salvaged store itself, once for all pieces.
    ///
    /// - Parameter removals: Result of ``salvagedRemovals()``.
    func setRemovals(_ removals: [[SalvagedRemoval]]) throws(DatabaseError) {
        defer { removeTables() }
        for (tables, numbers) in zip(Self.removals, removals) where !numbers.isEmpty {
            try makeTable("removal (was INTEGER PRIMARY KEY, now INTEGER NOT NULL)")
            for number in numbers {
                try database.run(
                    "INSERT INTO temp.removal VALUES (?, ?)", .integer(number.was), .integer(number.now))
            }
            for (table, _) in tables {
                try database.run(
                    """
                    UPDATE \(table) SET trashing = (SELECT now FROM temp.removal WHERE was = \(table).trashing)
                    WHERE trashing IS NOT NULL
                    """)
            }
        }
    }

    /// Takes over the changes of sections of recordings that have no changes here, as far as the changes fit the
    /// sections. Call after the sections and the progress, which have given numbers to sections.
    ///
    /// Leaves out the changes of a recording whose sections got other numbers, and those with sections adopted from
    /// another recording: such changes name sections by their numbers there.
    ///
    /// - Returns: The number of recordings.
    func takeOverHistories() throws(DatabaseError) -> Int {
        try makeTable("undoable (number INTEGER PRIMARY KEY)")
        try database.run(
            """
            INSERT INTO undoable SELECT number FROM pair WHERE number NOT IN (SELECT recording FROM main.change)
            AND was IN (SELECT recording FROM other.change)
            AND NOT EXISTS (SELECT 1 FROM renumbered WHERE recording = pair.number AND renumbered.was <> renumbered.now)
            AND NOT EXISTS (SELECT 1 FROM other.change AS there WHERE there.recording = pair.was
                AND instr(there.added, '"origin"') > 0)
            """)
        let chosen = "SELECT number FROM undoable"
        _ = try copy("change", "number, summary, removed, added", where: "pair.number IN (\(chosen))")
        // A new section must not get the number of a section that an undo brings back.
        try database.run(
            """
            UPDATE main.recording SET (done, next_section) = (
                SELECT there.done, max(main.recording.next_section, there.next_section) FROM pair
                JOIN other.recording AS there ON there.id = pair.was WHERE pair.number = main.recording.id)
            WHERE id IN (\(chosen))
            """)
        try rows.keepFittingChanges(of: chosen)
        return try database.first(
            "SELECT count(*) FROM undoable WHERE number IN (SELECT recording FROM main.change)", row: Self.number) ?? 0
    }

    /// Returns the undo histories with changes in force that are not here.
    func conflictsOfHistories() throws(DatabaseError) -> [SalvageConflict] {
        func summaries(_ changes: String) -> String {
            "substr(coalesce((SELECT group_concat(summary, ', ') FROM (\(changes) ORDER BY number)), ''), 1, 1000)"
        }
        // A long history here has dropped its first changes.
        let lost = """
            SELECT number, summary FROM other.change AS there WHERE there.recording = pair.was AND there.number <= theirs.done
            AND there.number > ours.done - \(StoreRows.mostChanges) AND NOT EXISTS (
                SELECT 1 FROM main.change AS here WHERE here.recording = pair.number AND here.number = there.number
                AND here.removed = there.removed AND here.added = there.added)
            """
        let kept = "SELECT number, summary FROM main.change WHERE recording = pair.number AND number <= ours.done"
        return try found(
            "undo history",
            """
            SELECT \(Self.title("main", "ours")), \(summaries(kept)), \(summaries(lost)) FROM pair
            JOIN main.recording AS ours ON ours.id = pair.number JOIN other.recording AS theirs ON theirs.id = pair.was
            WHERE EXISTS (\(lost)) ORDER BY ours.id
            """)
    }
}
