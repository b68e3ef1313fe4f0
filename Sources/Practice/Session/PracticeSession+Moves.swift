internal import Engine

extension PracticeSession {
    /// Moves by a distance in the recording, within the loop or the section. Every call counts, also before the player
    /// has carried out the call before. In the gap after a pass, there is nothing ahead.
    ///
    /// - Parameter frames: Frames of the clip, whatever the speed; negative moves towards the beginning.
    package func move(byFrames frames: Int64) {
        let status = player.statusAfterMoves
        if status.isResting, isReversed ? frames < 0 : frames > 0 { return }
        guard let range = playingRange else { return }
        // The place of a finished pass is its end. A place outside the loop or the section is older than the last
        // request, which begins at the first frame.
        let isWithin = (range.lowerBound...range.upperBound).contains(status.clipFrame)
        let place = isWithin ? status.clipFrame : player.score.plan.firstFrame(of: range)
        let (target, isBeyond) = place.addingReportingOverflow(frames)
        move(toClipFrame: isBeyond ? (frames < 0 ? .min : .max) : target)
    }

    /// Moves to a frame of the clip, within the loop or the section. A frame after the end finishes the pass, and the
    /// next span begins. A frame before the start restarts the pass.
    package func move(toClipFrame frame: Int64) {
        guard let range = playingRange else { return }
        // Refused only if the score was replaced meanwhile; the move then has no meaning.
        try? player.seek(toClipFrame: min(max(frame, range.lowerBound), range.upperBound - 1))
    }

    /// Jumps to the beginning of the loop's passes, or of the section's passes if no loop plays. Backwards, this is the
    /// end.
    public func jumpToStart() {
        let marks = self.marks
        guard let range = marks.isRunning ? marks.range : playingRange else { return }
        // Refused only if the score was replaced meanwhile; the jump then has no meaning.
        try? player.seek(toClipFrame: player.score.plan.firstFrame(of: range))
    }
}

extension PracticePlan {
    /// Returns the frame of a range with which its passes begin.
    func firstFrame(of range: Range<Int64>) -> Int64 { reversed ? range.upperBound - 1 : range.lowerBound }
}
