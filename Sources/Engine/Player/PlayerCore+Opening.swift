internal import AudioFiles
internal import DSP

// What must be there before a place is gone to, so that nothing of its beginning is missing.
extension PlayerCore {
    /// The frames of the clip that are needed to fade in the place a command leads to; nil when it names none.
    ///
    /// Real-time safe: yes.
    func opening(of command: PlayerCommand, at now: Int64) -> InputRequest? {
        switch command.code {
        case .start:
            return opening(ofPart: 0, from: score.part(0).clipStart, at: now)
        case .seek:
            let here = score.part(cursor.part)
            if command.value >= here.clipStart && command.value < here.clipEnd {
                return opening(ofPart: cursor.part, from: command.value, at: now)
            }
            guard let index = score.partIndex(holding: command.value) else { return nil }
            return opening(ofPart: index, from: command.value, at: now)
        case .skip:
            guard let index = score.partIndex(section: Int(command.value), pass: 0) else { return nil }
            return opening(ofPart: index, from: score.part(index).clipStart, at: now)
        case .pause, .resume, .stop, .replaceScore, .changeSpeed, .adoptScore, .gain:
            return nil
        }
    }

    /// A copy needs what is heard. A voice needs to know the sound that goes on, from well before it; what it needs from there
    /// on counts up to the half second that is decoded beforehand.
    private func opening(ofPart index: Int, from clipFrame: Int64, at now: Int64) -> InputRequest {
        let part = score.part(index)
        let pass = ScoreCursor.entering(part, index: index, pass: part.firstPass, clipFrame: clipFrame, at: now)
        if part.isCopy(at: pass.course.phase) || voices.isEmpty {
            return InputRequest(first: clipFrame, count: crossfadeFrames)
        }
        let speed = pass.speed(at: now, in: part)
        let before = voices.leadInFrames
        let ahead = voices.aheadFrames(toEmit: crossfadeFrames, speed: speed, pitchRatio: part.pitchRatio)
        return InputRequest(first: clipFrame - Int64(before), count: before + min(ahead, sampleRate / 2))
    }
}
