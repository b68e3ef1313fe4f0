/// A time without a device, as one player has it.
struct PlayerInterruption: BitwiseCopyable {
    /// True while nothing can be heard.
    var isUnderWay = false
    /// Whether to play on by itself once there is a device.
    var resumes = false
    /// Whether somebody has asked for sound since the mixer last looked.
    var wishes = false
    /// Whether there is a device again from the next block on.
    var isOver = false
    /// The `PauseReason`, by its raw value.
    var reason: Int64 = 0
}

// Times without a device. The clock of the output goes on, so requests are carried out and events told as ever; what would
// sound is held back, and a player plays on by itself only if it was playing and nobody has asked anything of it since.
extension PlayerCore {
    /// The device is gone; `now` is the first frame it was not asked for.
    ///
    /// Real-time safe: yes.
    mutating func interrupt(at now: Int64, reason: Int64, resumes: Bool) {
        let plays = status.state == .playing
        interruption = PlayerInterruption(isUnderWay: true, resumes: resumes && plays, reason: reason)
        pause(at: now, reason: reason, fadeFrames: 0)
        // The rest of its fade would be heard by nobody.
        if status.state == .stopping { stopFrame = now }
    }

    /// What keeps the device away is another cause by now; told by a player that is paused for the old one.
    ///
    /// Real-time safe: yes.
    mutating func changeInterruption(at now: Int64, reason: Int64) {
        guard interruption.isUnderWay else { return }
        let old = interruption.reason
        interruption.reason = reason
        if pauseReason == old { changePause(to: reason, at: now) }
    }

    /// There is a device again, for the next block.
    mutating func endInterruption() {
        interruption.isUnderWay = false
        interruption.isOver = true
    }

    /// The device that somebody asked for is not there; so nothing is to begin by itself when it comes.
    mutating func forgetWish() {
        interruption.resumes = false
    }

    /// Plays on at the first frame of a device, where that is due.
    mutating func goOnAfterInterruption(at now: Int64) {
        guard interruption.isOver else { return }
        interruption.isOver = false
        if interruption.resumes { resume(at: now) }
        interruption.resumes = false
    }

    /// Carries out a request as far as it can be without a device.
    ///
    /// - Returns: false when it is to be carried out as ever.
    mutating func holdBack(_ command: PlayerCommand, at now: Int64) -> Bool {
        switch command.code {
        case .resume:
            wish(canResume(after: command.value))
            return true
        case .start:
            let starts = status.state == .idle || status.state == .finished
            start(at: now)
            pause(at: now, reason: interruption.reason, fadeFrames: 0)
            wish(starts)
            return true
        case .pause:
            interruption.resumes = false
            changePause(to: command.value, at: now)
            return true
        case .gain, .adoptScore:
            return false
        case .stop, .seek, .skip, .replaceScore, .changeSpeed:
            interruption.resumes = false
            return false
        }
    }

    private mutating func wish(_ canPlay: Bool) {
        guard canPlay else { return }
        interruption.resumes = true
        interruption.wishes = true
    }
}
