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
}
