// Moves the practice log, reviews and takes of sections to another recording: the same music in another file.
internal import AudioFiles
package import Database
internal import JSON

extension StoreRows {
    /// Returns the origin of each section of a change, by the identity of the section.
    func origins(ofChange number: Int64, of id: Int64) throws(DatabaseError) -> [Int: SectionOrigin] {
        try database.first(
            "SELECT added FROM change WHERE recording = ? AND number = ?", .integer(id), .integer(number)
        ) { (row) throws(DatabaseError) in try StoredText.origins(try row.text(0)) } ?? [:]
    }

    /// Returns the sections adopted from other recordings by changes in force, not undone ones.
    package func adoptions() throws(DatabaseError) -> [(recording: Int64, section: Int, origin: SectionOrigin)] {
        let changes = try database.readableRows(
            """
            SELECT change.recording, added FROM change JOIN recording ON recording.id = change.recording
            WHERE change.number <= recording.done AND instr(added, '"origin"') > 0
            """
        ) { (row) throws(DatabaseError) in (try row.integer(0), try StoredText.origins(try row.text(1))) }
        return changes.flatMap { recording, origins in origins.map { (recording, $0.key, $0.value) } }
    }

    /// Moves the ratings, the log entries and the takes of sections to the sections adopted from them, or back. A move
    /// back includes entries made since.
    ///
    /// - Parameters:
    ///   - origins: The origins of the sections, by the identities of the new sections.
    ///   - id: The recording of the new sections.
    ///   - forward: False to move back.
    func moveProgress(of origins: [Int: SectionOrigin], to id: Int64, forward: Bool) throws(DatabaseError) {
        guard !origins.isEmpty, let taker = try recording(id: id)?.stored.recording else { return }
        for (section, origin) in origins.sorted(by: { $0.key < $1.key }) {
            guard let giver = try recording(origin.key) else { continue }
            let (new, first) = ((recording: id, section: section), (recording: giver.id, section: origin.sectionID))
            let (from, to) = forward ? (first, new) : (new, first)
            try database.run(
                "UPDATE review SET recording = ?, section = ? WHERE recording = ? AND section = ?",
                .integer(to.recording), .integer(to.section), .integer(from.recording), .integer(from.section))
            // Frames count in the recording's own file, so the entries take the frames of the new section.
            try database.run(
                """
                UPDATE practice SET recording = ?1, section = ?2,
                    first = coalesce((SELECT first FROM section WHERE recording = ?1 AND id = ?2), first),
                    past = coalesce((SELECT past FROM section WHERE recording = ?1 AND id = ?2), past)
                WHERE recording = ?3 AND section = ?4
                """, .integer(to.recording), .integer(to.section), .integer(from.recording), .integer(from.section))
            let places = (
                old: TakePlace(giver.stored.recording, try frames(origin.sectionID, of: giver.id), origin.sectionID),
                new: TakePlace(taker, try frames(section, of: id), section)
            )
            try moveTakes(
                of: from, from: forward ? places.old : places.new, to: forward ? places.new : places.old)
        }
    }

    /// Returns the frames of a section; nil if the section is gone.
    private func frames(_ section: Int, of recording: Int64) throws(DatabaseError) -> Range<Int64>? {
        try database.first(
            "SELECT first, past FROM section WHERE recording = ? AND id = ?", .integer(recording), .integer(section)
        ) { (row) throws(DatabaseError) in
            let (first, past) = (try row.integer(0), try row.integer(1))
            return first < past ? first..<past : nil
        } ?? nil
    }

    private func moveTakes(
        of section: (recording: Int64, section: Int), from: TakePlace, to: TakePlace
    ) throws(DatabaseError) {
        for take in try takes(ofSection: section.section, of: section.recording) {
            guard var model = take.model else { continue }
            model.frames = to.frames(of: model.frames, in: from)
            (model.key, model.sectionID) = (to.recording.key, to.sectionID)
            try updateTake(take.number, model)
        }
    }
}

/// A section of a recording that has takes.
private struct TakePlace {
    let recording: PracticeRecording
    let section: Range<Int64>?
    let sectionID: Int

    init(_ recording: PracticeRecording, _ section: Range<Int64>?, _ sectionID: Int) {
        (self.recording, self.section, self.sectionID) = (recording, section, sectionID)
    }

    /// Converts a range of the other recording to frames of this recording: the same music, at this recording's rate
    /// and place.
    func frames(of range: Range<Int64>, in other: TakePlace) -> Range<Int64> {
        // Exact for a whole section, so that a move there and back changes nothing.
        if let section, range == other.section { return section }
        let ratio = Double(recording.sampleRate) / Double(other.recording.sampleRate)
        let (own, others) = (section?.lowerBound ?? 0, other.section?.lowerBound ?? 0)
        let limit = Double(ClosedRange.counts.upperBound)
        func frame(_ frame: Int64) -> Int64 {
            // Frames of an imported store, at another rate, can exceed the range of an integer.
            let frames = ((Double(frame) - Double(others)) * ratio).rounded()
            return min(max(0, own + Int64(min(max(-limit, frames), limit))), recording.frameCount)
        }
        return frame(range.lowerBound)..<frame(range.upperBound)
    }
}
