internal import Clips

extension Player {
    /// Fades out and keeps the place.
    ///
    /// - Parameters:
    ///   - reason: the reason in the event; `resume(after:)` with the same reason ends the pause. In a pause, only
    ///     `.user` changes the reason: the player then waits for the user.
    ///   - frame: the output frame of the pause; nil for the next block.
    public func pause(reason: PauseReason = .user, at frame: Int64? = nil) {
        send(PlayerCommand(code: .pause, frame: frame ?? -1, value: Int64(reason.rawValue)))
    }

    /// Continues from the frame at which `pause` took effect.
    ///
    /// - Parameters:
    ///   - reason: the ended cause; has no effect if the player has another reason for its pause by then. Nil is a
    ///     request by the user: nil ends any pause.
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

    /// Freezes the sound of the current place, at its pitch, until ``unfreeze(at:)``: a chord, to find its notes.
    ///
    /// From 12 ms after the place on, the sound does not change any more. Meanwhile a seek, a skip and another score
    /// move the place; a pause and its end keep the place. In a pause, the frozen sound begins when the player resumes.
    /// A freeze in the gap after a pass holds the gap. Has no effect before the start, after the end, or on frozen
    /// sound.
    ///
    /// - Parameter frame: the output frame at which to freeze; nil for the next block.
    public func freeze(at frame: Int64? = nil) {
        bringVoices()
        clip.request(demand(of: score, first: statusAfterMoves.clipFrame), for: reader)
        send(PlayerCommand(code: .freeze, frame: frame ?? -1))
    }

    /// Continues from the place of the frozen sound; has no effect without frozen sound.
    ///
    /// - Parameter frame: the output frame at which to continue; nil for the next block.
    public func unfreeze(at frame: Int64? = nil) {
        send(PlayerCommand(code: .unfreeze, frame: frame ?? -1))
    }
}
