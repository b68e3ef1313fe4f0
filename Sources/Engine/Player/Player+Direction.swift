internal import Clips

extension Player {
    /// Plays towards the beginning from here on, or towards the end again. The pass turns round at the frame of the clip that is heard, and
    /// ends at the other edge of its section.
    ///
    /// - Throws: `ScoreError` if the score cannot be played in that direction.
    public func setReversed(_ isReversed: Bool, at frame: Int64? = nil) throws(ScoreError) {
        let score = try score.inDirection(reversed: isReversed)
        clip.request(demand(of: score, first: status.clipFrame), for: reader)
        try setScore(score, at: frame)
    }
}
