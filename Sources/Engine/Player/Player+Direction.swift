internal import Clips
public import Explanations

extension Player {
    /// Plays towards the beginning from here on, or towards the end again. The pass turns round at the current frame of
    /// the clip, and ends at the other edge of its section.
    ///
    /// - Parameters:
    ///   - isReversed: true if passes play from the section's end to its beginning.
    ///   - frame: the output frame at which to turn; nil for the next block.
    /// - Throws: `ScoreError` if the score cannot be played in that direction; then nothing changes.
    public func setReversed(_ isReversed: Bool, at frame: Int64? = nil) throws(ScoreError) {
        let score = try score.inDirection(reversed: isReversed)
        clip.request(demand(of: score, first: statusAfterMoves.clipFrame), for: reader)
        try setScore(score, at: frame)
    }
}
