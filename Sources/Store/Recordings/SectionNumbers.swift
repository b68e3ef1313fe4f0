// Restores the section numbers and counts of a recording from the rows of its sections.
package import Database

extension StoreRows {
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
