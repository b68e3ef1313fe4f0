// The changes to sections that can be undone after rows of a damaged store were lost.
internal import Database
internal import Sections

extension StoreRows {
    /// Keeps of each history the changes that fit the sections as they are now, because a change can be undone only in the list that it led to.
    ///
    /// A change that is not undone fits if the sections that it added are there as it left them, and those that it removed are not there; one that was undone the
    /// other way round. The first change that does not fit, or is missing, ends the history on its side.
    func keepFittingChanges() throws(DatabaseError) {
        // Of a recording of which only the key is left nobody knows what was undone.
        try database.run(
            """
            DELETE FROM change WHERE recording IN
                (SELECT id FROM recording WHERE sample_rate = \(Self.lostRate) AND frame_count = 0 AND done = 0)
            """)
        let histories = try database.rows(
            "SELECT id, done FROM recording WHERE id IN (SELECT recording FROM change) AND done BETWEEN 0 AND \(1 << 53)"
        ) { (row) throws(DatabaseError) in (id: try row.integer(0), done: try row.integer(1)) }
        for (id, done) in histories {
            let sections = try database.readableRows(
                "SELECT id, kind, first, past, name, text, hard, settings FROM section WHERE recording = ?",
                [.integer(id)], row: Self.section)
            let now = Dictionary(sections.map { ($0.id, $0) }) { first, _ in first }
            var (list, oldest) = (now, done)
            while let change = try readableChange(oldest, of: id), change.reversed.step(&list) { oldest -= 1 }
            var newest = done + 1
            list = now
            while let change = try readableChange(newest, of: id), change.step(&list) { newest += 1 }
            try database.run(
                "DELETE FROM change WHERE recording = ? AND (number <= ? OR number >= ?)", .integer(id),
                .integer(oldest), .integer(newest))
        }
        try database.run(
            "DELETE FROM change WHERE recording IN (SELECT id FROM recording WHERE done NOT BETWEEN 0 AND \(1 << 53))")
        try database.run("UPDATE recording SET done = 0 WHERE done NOT BETWEEN 0 AND \(1 << 53)")
    }

    /// Nil also for a change that cannot be read.
    private func readableChange(_ number: Int64, of id: Int64) throws(DatabaseError) -> SectionChange? {
        do throws(DatabaseError) { return try change(number, of: id) } catch {
            guard error.kind == .wrongValue else { throw error }
            return nil
        }
    }
}

extension SectionChange {
    /// Carries out the change in a list of sections by their numbers.
    ///
    /// - Returns: False if the change does not fit the list.
    fileprivate func step(_ list: inout [Int: SavedSection]) -> Bool {
        for section in removed {
            guard list[section.id] == section else { return false }
            list[section.id] = nil
        }
        for section in added {
            guard list[section.id] == nil else { return false }
            list[section.id] = section
        }
        return true
    }
}
