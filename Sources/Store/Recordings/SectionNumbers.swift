// What a recording says of its sections' numbers, made again from the rows that have them.
package import Database

extension StoreRows {
    /// Makes the number of the next section greater than all that sections of its recording have had. A number that was given must not be given again: what
    /// is known of a section outlives it.
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
