internal import Explanations

extension Player {
    /// Plays from the place chosen by requests since the player's creation or end: a skip, a seek, or a score that
    /// begins with one of its sections. Without such requests, plays from the first frame of the score. Otherwise like
    /// `start(at:)`.
    ///
    /// - Parameter frame: the output frame of the first sound; nil for the next block.
    package func startInPlace(at frame: Int64? = nil) {
        var command = PlayerCommand(code: .start, frame: frame ?? -1, value: -1)
        command.moved.to = SectionMove.chosen
        start(command)
    }

    /// Plays a score with other sections, as `setScore(_:at:)` does; one of the old sections has another number in the
    /// new score.
    ///
    /// - Parameters:
    ///   - section: a section of the old score, from 1. If another section plays by then, playing continues as without
    ///     this parameter.
    ///   - place: the number of the section in the new score.
    ///   - pass: the pass at which to continue, from 1; nil for the current pass.
    ///   - staysWithin: true if the section begins anew when it lacks the current frame, or the gap in which the player
    ///     rests; false if another section with this frame continues.
    ///   - frame: the first output frame of the new score; nil for the next block.
    package func setScore(
        _ score: Score, moving section: Int, to place: Int, pass: Int? = nil, staysWithin: Bool = false,
        at frame: Int64? = nil
    ) throws(ScoreError) {
        let numbers = 1...Int(Int32.max)
        guard numbers.contains(section), numbers.contains(place) else { return try setScore(score, at: frame) }
        let move = SectionMove(
            from: Int32(section - 1), to: Int32(place - 1), pass: pass.map { Int32(clamping: max(1, $0) - 1) } ?? -1,
            staysWithin: staysWithin)
        try setScore(score, moved: move, at: frame)
    }

    /// Plays a score from the first pass of one of its sections, whichever section plays by then.
    ///
    /// - Parameter section: a section of the new score, from 1.
    /// - Throws: `ScoreError` of kind `placeOutsideScore` if there is no such section; then nothing changes.
    package func setScore(_ score: Score, beginning section: Int) throws(ScoreError) {
        _ = try score.range(ofSection: section)
        try setScore(score, moved: SectionMove(to: Int32(section - 1), begins: true), at: nil)
    }
}

extension Score {
    /// Returns the frames of the clip in a section.
    ///
    /// - Parameter section: the section's number, from 1.
    /// - Throws: `ScoreError` of kind `placeOutsideScore` if there is no such section.
    func range(ofSection section: Int) throws(ScoreError) -> Range<Int64> {
        guard section >= 1, section <= sections.count else {
            throw ScoreError(
                .placeOutsideScore, "there is no section \(section)",
                remedy: "Choose a section from 1 to \(sections.count).")
        }
        return sections[section - 1].range
    }
}
