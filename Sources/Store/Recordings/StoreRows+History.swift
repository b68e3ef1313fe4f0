// Repairs the undo history of sections after the loss of rows in a damaged store.
package import Database
internal import Sections

extension StoreRows {
    /// Keeps the changes of each history that fit the current sections.
    func keepFittingChanges() throws(DatabaseError) {
        try keepFittingChanges(of: "SELECT recording FROM change")
        try database.run(
            "DELETE FROM change WHERE recording IN (SELECT id FROM recording WHERE done NOT BETWEEN 0 AND \(1 << 53))")
        try database.run("UPDATE recording SET done = 0 WHERE done NOT BETWEEN 0 AND \(1 << 53)")
    }

    /// Keeps the changes of some histories that fit the current sections. A change can be undone only in the list after
    /// the change.
    ///
    /// A change in force fits if its added sections are present and unaltered, and its removed sections are absent. An
    /// undone change fits in the opposite case. The first misfit or missing change ends the history on its side.
    ///
    /// - Parameter recordings: Query for the numbers of the recordings.
    package func keepFittingChanges(of recordings: String) throws(DatabaseError) {
        let histories = try database.rows(
            """
            SELECT id, done, sample_rate = \(Self.lostRate) AND frame_count = 0 AND done = 0 FROM recording
            WHERE id IN (\(recordings)) AND done BETWEEN 0 AND \(1 << 53)
            """
        ) { (row) throws(DatabaseError) in
            (id: try row.integer(0), done: try row.integer(1), isLost: try row.integer(2) != 0)
        }
        for (id, stored, isLost) in histories {
            let sections = try database.readableRows(
                "SELECT id, kind, first, past, name, text, hard, settings FROM section WHERE recording = ?",
                [.integer(id)], row: Self.section)
            let now = Dictionary(sections.map { ($0.id, $0) }) { first, _ in first }
            let done = isLost ? try fittingDone(of: id, now) : stored
            if done != stored {
                try database.run("UPDATE recording SET done = ? WHERE id = ?", .integer(done), .integer(id))
            }
            var (list, oldest) = (now, done)
            while let change = try readableChange(oldest, of: id), change.reversed.step(&list) { oldest -= 1 }
            var newest = done + 1
            list = now
            while let change = try readableChange(newest, of: id), change.step(&list) { newest += 1 }
            try database.run(
                "DELETE FROM change WHERE recording = ? AND (number <= ? OR number >= ?)", .integer(id),
                .integer(oldest), .integer(newest))
        }
    }

    /// Returns the number of changes in force of a recording with nothing but a key: the greatest number to which the
    /// sections fit; 0 if the sections fit no number.
    private func fittingDone(of id: Int64, _ sections: [Int: SavedSection]) throws(DatabaseError) -> Int64 {
        let numbers = try database.rows(
            "SELECT number FROM change WHERE recording = ? AND number BETWEEN 1 AND \(1 << 53) ORDER BY number DESC",
            [.integer(id)]
        ) { (row) throws(DatabaseError) in try row.integer(0) }
        func fits(_ change: SectionChange?) -> Bool {
            var list = sections
            return change?.step(&list) ?? true
        }
        for number in numbers {
            let (last, next) = (try readableChange(number, of: id), try readableChange(number + 1, of: id))
            if let last, fits(last.reversed), fits(next) { return number }
        }
        return 0
    }

    /// Returns a change; nil if the change is missing or unreadable.
    private func readableChange(_ number: Int64, of id: Int64) throws(DatabaseError) -> SectionChange? {
        do throws(DatabaseError) { return try change(number, of: id) } catch {
            guard error.kind == .wrongValue else { throw error }
            return nil
        }
    }
}

extension SectionChange {
    /// Applies the change to a list of sections by their numbers.
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
