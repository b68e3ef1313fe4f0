internal import Clips
internal import Engine
internal import Synchronization

extension PracticeSession {
    /// Pauses, and stores the time of the pause. Holds the remaining clicks of a running count-in, and the first pass.
    /// A count-in that begins at a later frame, or after a stop, or before frozen sound, goes on.
    public func pause() {
        pausedAt.withLock { $0 = .now }
        if awaitsClicks { clicks?.pause() }
        player.pause(reason: .user)
    }

    /// Resumes, a little before the place of the pause if the plan says so. A loop set by ear, a gap and frozen sound
    /// resume exactly at the place.
    public func resume() {
        let since = pausedAt.withLock { instant in
            defer { instant = nil }
            return instant
        }
        let status = player.statusAfterMoves
        if let since, status.state == .paused, !status.isFrozen, !status.isResting, !marks.isRunning,
            let section = playingRange
        {
            let pause = (.now - since) / .seconds(1)
            let frames = plan.resumeRewind.seconds(afterPauseOf: pause) * Double(player.clip.sampleRate)
            let back = Int64(frames.rounded())
            let place =
                status.isReversed
                ? min(section.upperBound - 1, status.clipFrame + back)
                : max(section.lowerBound, status.clipFrame - back)
            if back > 0, place != status.clipFrame { try? player.seek(toClipFrame: place) }
        }
        if awaitsClicks { clicks?.resume() }
        player.resume()
    }
}
