internal import Engine
public import Explanations

extension PracticeSession {
    /// Plays every pass backwards from now on, or forwards again. The current pass turns round at its position. The
    /// marks of a loop keep their places in the recording.
    ///
    /// - Throws: `SessionError` for a plan without backward playback; nothing changes then.
    public func setReversed(_ isReversed: Bool) throws(SessionError) {
        try change(listens: false) { (state, _) throws(SessionError) in
            state.setReversed(isReversed)
        }
    }

    /// True if passes play from their end to their beginning.
    public var isReversed: Bool { player.score.plan.reversed }

    /// Jumps to the beginning of the loop's passes, or of the section's passes if no loop plays. Backwards, this is the
    /// end.
    public func jumpToStart() {
        let marks = self.marks
        guard let range = marks.isRunning ? marks.range : currentSection, !range.isEmpty else { return }
        // Refused only if the score was replaced meanwhile; the jump then has no meaning.
        try? player.seek(toClipFrame: isReversed ? range.upperBound - 1 : range.lowerBound)
    }
}
