internal import Engine

extension PracticeSession {
    /// Plays every pass backwards from now on, or forwards again. The pass that plays turns round where it is. The marks of a loop stay where they
    /// are in the recording.
    ///
    /// - Throws: `SessionError` for a plan that cannot be played backwards; then nothing changes.
    public func setReversed(_ isReversed: Bool) throws(SessionError) {
        try change(listens: false) { (state, _) throws(SessionError) in
            state.setReversed(isReversed)
        }
    }

    /// Whether passes are played from their end to their beginning.
    public var isReversed: Bool { player.score.plan.reversed }

    /// Jumps to where passes of the loop begin, or of the section if no loop runs: to the end, if it is played backwards.
    public func jumpToStart() {
        let marks = self.marks
        guard let range = marks.isRunning ? marks.range : currentSection, !range.isEmpty else { return }
        // Only a score that was replaced meanwhile could refuse, and then the jump has no meaning any more.
        try? player.seek(toClipFrame: isReversed ? range.upperBound - 1 : range.lowerBound)
    }
}
