internal import Clips

extension Player {
    /// Fades out and keeps the place.
    ///
    /// - Parameters:
    ///   - reason: reported by the event; `resume(after:)` with the same reason ends the pause. If the player is already paused,
    ///     only `.user` changes the reason: the player then waits for the user.
    ///   - frame: the output frame at which to pause; nil for the next block.
    public func pause(reason: PauseReason = .user, at frame: Int64? = nil) {
        send(PlayerCommand(code: .pause, frame: frame ?? -1, value: Int64(reason.rawValue)))
    }

    /// Continues from the frame at which `pause` was heard.
    ///
    /// - Parameters:
    ///   - reason: the cause that is over; has no effect if the player is paused for another reason by then. Nil is a request
    ///     by the user: it ends any pause.
    ///   - frame: the output frame at which to resume; nil for the next block.
    public func resume(after reason: PauseReason? = nil, at frame: Int64? = nil) {
        let value = reason.map { Int64($0.rawValue) } ?? PlayerCommand.anyReason
        send(PlayerCommand(code: .resume, frame: frame ?? -1, value: value))
    }

    /// Fades out over 5 ms and finishes; `start(at:)` plays again from the first frame.
    ///
    /// - Parameter frame: the output frame at which to stop; nil for the next block.
    public func stop(at frame: Int64? = nil) {
        send(PlayerCommand(code: .stop, frame: frame ?? -1, value: Int64(FinishReason.stopped.rawValue)))
    }

    /// Holds the sound of the place that is heard, at its pitch, until ``unfreeze(at:)``: a chord, to find its notes.
    ///
    /// From 12 ms after the place on the sound does not change any more. Meanwhile a seek, a skip and another score move the place, and
    /// a pause and the end of one keep it. While the player is paused, the sound is frozen when it is resumed. In the gap after a pass the gap is held.
    /// Has no effect before the start, after the end, or if the sound is frozen already.
    ///
    /// - Parameter frame: the output frame at which to freeze; nil for the next block.
    public func freeze(at frame: Int64? = nil) {
        bringVoices()
        clip.request(demand(of: score, first: status.clipFrame), for: reader)
        send(PlayerCommand(code: .freeze, frame: frame ?? -1))
    }

    /// Continues from the place of the frozen sound; has no effect if there is none.
    ///
    /// - Parameter frame: the output frame at which to continue; nil for the next block.
    public func unfreeze(at frame: Int64? = nil) {
        send(PlayerCommand(code: .unfreeze, frame: frame ?? -1))
    }
}
