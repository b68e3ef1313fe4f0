internal import DSP

// A change of speed while a pass plays, and more known about one. A voice is told it for the first frame it can still follow, `leadFrames` ahead; at that
// frame the new score is taken over, and the pass goes on in the same layer. Where there is no such voice, or no more
// such frame in the pass, `PlayerCore+Commands` does it by one more layer, or the pass ends as it began.
extension PlayerCore {
    /// What became of a change of speed that is due.
    enum SpeedChange {
        /// It has happened; the command is not in the list any more.
        case done
        /// It waits in the list for its frame, which is still to come.
        case told
        /// It can only be heard by one more layer.
        case needsLayer
    }

    /// Makes a change of speed within the pass that plays, where that can be.
    ///
    /// - Parameter index: the command among those pending.
    ///
    /// Real-time safe: yes.
    mutating func changeSpeedWithin(_ index: Int, at now: Int64) -> SpeedChange {
        let command = pending[index]
        guard status.state == .playing, !cursor.isRest, layerCount > 0, let part = counterpart(in: command.score)
        else { return .needsLayer }
        switch layers[layerCount - 1].source {
        case .voice(let voice):
            // A plan of splices was made for one speed: the new one begins with a voice of its own.
            if unsafe voices.voice(voice).pointee.isPlanned() { return .needsLayer }
            let frame = now + leadFrames(of: voice)
            guard canChange(at: frame) else { return waitForJoint(index, part: part, at: now) }
            // A change of the curve at that very frame comes first, as it does in the score.
            tellKnots(voice, of: layerCount - 1, before: now + 1)
            let start = layers[layerCount - 1].voiceStart
            guard
                unsafe voices.voice(voice).pointee.changeSpeed(
                    at: frame - start, to: command.score.part(part).speed, over: command.value)
            else { return .needsLayer }
            // What is heard from there on is neither on the curve nor what a later pass will be.
            layers[layerCount - 1].nextKnot = CurveKnot.never
            stopRecording()
            pending[index].frame = frame
            pending[index].toldLayer = layersLaid
            return .told
        case .copy:
            guard canChange(at: now) else { return waitForJoint(index, part: part, at: now) }
            removePending(index)
            forgetToldSpeeds()
            adoptSpeed(command, part: part, at: now)
            let new = score.part(part)
            if !new.isCopy { replaceCopyByVoice(at: now) }
            return .done
        case .silence, .recorded:
            return .needsLayer
        }
    }

    /// Takes over the scores whose speed the voice has reached. Nothing that waits may keep this from its frame.
    mutating func adoptToldSpeeds(at now: Int64) {
        var index = 0
        while index < pendingCount {
            let command = pending[index]
            guard let layer = command.toldLayer, command.frame <= now else {
                index += 1
                continue
            }
            guard layer == layersLaid, status.state == .playing, let part = counterpart(in: command.score) else {
                // Something else has come between: what plays now has not been told.
                pending[index].toldLayer = nil
                index += 1
                continue
            }
            removePending(index)
            adoptSpeed(command, part: part, at: now)
        }
    }

    /// Gives back the scores of changes that were told and are overtaken by a newer score.
    mutating func forgetToldSpeeds() {
        var index = 0
        while index < pendingCount {
            if pending[index].toldLayer != nil {
                retire(pending[index].score)
                removePending(index)
            } else {
                index += 1
            }
        }
    }

    /// From now on the player reads this score; the one before goes back.
    mutating func takeOver(_ new: RenderScore) {
        stopRecording()
        retire(score)
        score = new
        if voices.isEmpty { voices = new.voices }
        recorder = PassRecorder(memory: new.recording)
    }

    /// Goes on with a score of which more is known than when it was handed over. Whatever begins from now on makes use of it;
    /// a pass that has long to go begins anew where it is.
    ///
    /// - Parameter known: the address of the same score as it was handed over.
    mutating func adoptScore(_ new: RenderScore, insteadOf known: Int, at now: Int64) {
        if score.address == known {
            takeOver(new)
            let isLong = cursor.spanEnd - now > Int64(PlayerCore.longPassSeconds * sampleRate)
            guard isLong, status.state == .playing, !cursor.isRest, layerCount == 1, case .voice = layers[0].source
            else { return }
            return enter(place(at: now), at: now)
        }
        for index in 0..<pendingCount where pending[index].bringsScore && pending[index].score.address == known {
            giveBack(pending[index].score)
            pending[index].score = new
            return
        }
        giveBack(new)
    }

    /// The part of another score in which the pass that plays goes on, if it is the same stretch of the clip.
    private func counterpart(in new: RenderScore) -> Int? {
        let here = score.part(cursor.part)
        guard let index = new.partIndex(section: here.section, pass: cursor.pass) else { return nil }
        let part = new.part(index)
        let isSame =
            part.clipStart == here.clipStart && part.clipEnd == here.clipEnd && part.pitchRatio == here.pitchRatio
        return isSame ? index : nil
    }

    /// Whether a pass may change its speed at a frame: its end, with a fade of its own, must still lie ahead.
    private func canChange(at frame: Int64) -> Bool {
        frame + Int64(crossfadeFrames) < cursor.spanEnd
    }

    /// The pass ends as it began; the next one has the new speed. At the joint itself there is nothing to wait for.
    private mutating func waitForJoint(_ index: Int, part: Int, at now: Int64) -> SpeedChange {
        if cursor.spanEnd <= now {
            let command = pending[index]
            removePending(index)
            adoptSpeed(command, part: part, at: now)
            return .done
        }
        pending[index].frame = cursor.spanEnd
        pending[index].toldLayer = layersLaid
        return .told
    }

    private mutating func adoptSpeed(_ command: PlayerCommand, part: Int, at now: Int64) {
        let new = command.score.part(part)
        let clipFrame = place(at: now).clipFrame
        // The old score may be freed as soon as the new one is taken over.
        let old = score.part(cursor.part)
        if now < cursor.spanEnd {
            cursor.changeSpeed(to: new, index: part, from: old, at: now, over: command.value)
        } else {
            cursor.endPass(inPart: part, from: old, at: now)
        }
        takeOver(command.score)
        if now < cursor.spanEnd {
            let top = layerCount - 1
            layers[top].fallEnd = cursor.spanEnd
            layers[top].fallLength = min(layers[top].fallLength, Int(cursor.spanEnd - now))
            // A step to 100 % is copied from this very frame on.
            findCopyBoundary(after: now - 1)
        }
        post(.speedChanged, about: new, pass: cursor.pass, at: now, speed: new.speed, clipFrame: clipFrame)
    }
}
