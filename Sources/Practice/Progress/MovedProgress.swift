// What was practised and how it went, when sections go over to another recording: the same music in another file.
internal import AudioFiles
internal import Database

extension StoreRows {
    /// What the sections of a change were taken over from, by their identities.
    func origins(ofChange number: Int64, of id: Int64) throws(DatabaseError) -> [Int: SectionOrigin] {
        try database.first(
            "SELECT added FROM change WHERE recording = ? AND number = ?", .integer(id), .integer(number)
        ) { (row) throws(DatabaseError) in try StoredText.origins(try row.text(0)) } ?? [:]
    }

    /// Moves the ratings and the log of sections to those that were taken over from them, or back. All of it: what was rated since goes
    /// back, too.
    ///
    /// - Parameters:
    ///   - origins: Where they come from, by the identities of the new ones.
    ///   - id: The recording of the new ones.
    ///   - forward: False to move back.
    func moveProgress(of origins: [Int: SectionOrigin], to id: Int64, forward: Bool) throws(DatabaseError) {
        for (section, origin) in origins.sorted(by: { $0.key < $1.key }) {
            guard let old = try recording(origin.key)?.id else { continue }
            let (new, first) = ((recording: id, section: section), (recording: old, section: origin.sectionID))
            let (from, to) = forward ? (first, new) : (new, first)
            try database.run(
                "UPDATE review SET recording = ?, section = ? WHERE recording = ? AND section = ?",
                .integer(to.recording), .integer(to.section), .integer(from.recording), .integer(from.section))
            // Frames are those of the recording's own file.
            try database.run(
                """
                UPDATE practice SET recording = ?1, section = ?2,
                    first = coalesce((SELECT first FROM section WHERE recording = ?1 AND id = ?2), first),
                    past = coalesce((SELECT past FROM section WHERE recording = ?1 AND id = ?2), past)
                WHERE recording = ?3 AND section = ?4
                """, .integer(to.recording), .integer(to.section), .integer(from.recording), .integer(from.section))
        }
    }
}
