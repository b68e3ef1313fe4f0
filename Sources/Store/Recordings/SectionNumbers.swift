// Restores the section numbers and counts of a recording from the rows of its sections.
package import Database

extension StoreRows {
    /// Possible numbers of sections.
    static let numbersOfSections = 1...Int64(Int32.max)

    /// Returns the next section number of a recording; instead of an impossible number, the number after all numbers
    /// ever used in the recording.
    func nextSection(of row: RecordingRow) throws(DatabaseError) -> Int {
        if Self.numbersOfSections.contains(Int64(row.nextSection)) { return row.nextSection }
        let last = try database.first(
            "SELECT coalesce(max(section), 0) FROM section_time WHERE recording = ? AND section < ?",
            .integer(row.id), .integer(Self.numbersOfSections.upperBound)
        ) { (row) throws(DatabaseError) in try row.integer(0) }
        return Int(last ?? 0) + 1
    }

    /// Raises the next section number of each recording above all numbers ever used in the recording. Numbers are never
    /// reused, because facts about a section outlive the section.
    package func raiseNextSections() throws(DatabaseError) {
        for (table, number) in [
            ("section", "id"), ("review", "section"), ("practice", "section"), ("take", "section"),
            ("section_time", "section"),
        ] {
            let last = "(SELECT max(\(number)) FROM \(table) WHERE \(table).recording = recording.id)"
            try database.run(
                """
                UPDATE recording SET next_section = min(\(last), \(Int64(1) << 53)) + 1
                WHERE next_section <= min(\(last), \(Int64(1) << 53))
                """)
        }
    }

    /// Counts the sections of each recording.
    package func countSections() throws(DatabaseError) {
        let count = "(SELECT count(*) FROM section WHERE section.recording = recording.id)"
        try database.run("UPDATE recording SET section_count = \(count) WHERE section_count <> \(count)")
    }
}
