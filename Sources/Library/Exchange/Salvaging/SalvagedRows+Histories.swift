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

    /// Returns the numbers of the removals here, for each group of tables, in the order of the removals.
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
                "SELECT trashing AS was, NULL AS now FROM other.\($0.table) WHERE trashing IS NOT NULL"
            }
            let both = (known + removals).joined(separator: " UNION ALL ")
            let removed = try database.rows("SELECT was, max(now) FROM (\(both)) GROUP BY was ORDER BY was") {
                (row) throws(DatabaseError) in (was: try row.integer(0), now: try row.integer(orNull: 1))
            }
            let used = tables.map { "SELECT trashing FROM main.\($0.table) WHERE trashing < 0" }
            let numbers = try database.rows(used.joined(separator: " UNION ")) { (row) throws(DatabaseError) in
                try row.integer(0)
            }
            all.append(Self.numbered(removed, besides: Set(numbers)))
        }
        return all
    }

    /// Numbers the removals of a salvaged store. A removal that this store has, too, keeps its number here. All others
    /// get numbers below 0 and, unless an interrupted salvage has brought an older removal, below the numbers here, so
    /// that the removals of today are undone first.
    ///
    /// - Parameters:
    ///   - removed: The removals, the oldest first, with their numbers there, and here or nil.
    ///   - used: The numbers below 0 here.
    static func numbered(_ removed: [(was: Int64, now: Int64?)], besides used: Set<Int64>) -> [SalvagedRemoval] {
        var (numbers, lowest, used): ([SalvagedRemoval], [Int64], Set<Int64>) = ([], [], used)
        var next = max(used.min() ?? 0, ClosedRange.places.lowerBound) - 1
        // The highest free number above a removal that is older than the removals to come.
        var free: Int64?
        for removal in removed {
            guard let now = removal.now ?? free else {
                lowest.append(removal.was)
                continue
            }
            numbers.append(SalvagedRemoval(was: removal.was, now: now))
            if removal.now == nil {
                used.insert(now)
                free = nil
            }
            if now < -1, !used.contains(now + 1) { free = max(free ?? now, now + 1) }
        }
        for was in lowest.reversed() {
            numbers.append(SalvagedRemoval(was: was, now: next))
            next -= 1
        }
        return numbers
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
