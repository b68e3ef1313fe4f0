internal import AudioFiles
internal import DSP
internal import Realtime

// What the control side asks. A command that changes what is heard waits until at most one fade is under way, so that no more
// than `maximumLayers` ever sound; that is 5 ms at the longest.
extension PlayerCore {
    /// Takes in what is to happen at once, which is at `frame`, the block's first.
    ///
    /// Real-time safe: yes.
    mutating func collectUrgentCommands(at frame: Int64) {
        while pendingCount < PlayerCore.maximumPending, var command = urgent.pop() {
            command.frame = frame
            pending[pendingCount] = command
            pendingCount += 1
        }
    }

    /// Takes in what has a frame of its own, as long as there is room; it comes in the order of the frames.
    mutating func collectScheduledCommands() {
        while pendingCount < PlayerCore.maximumScheduled, let command = scheduled.pop() {
            pending[pendingCount] = command
            pendingCount += 1
        }
    }

    /// Applies what is due at output frame `now`, in the order it was asked for.
    ///
    /// It ends, whatever is asked: each round goes on to the next command, or takes one out of the list for good.
    mutating func applyCommands(at now: Int64) {
        adoptToldSpeeds(at: now)
        var index = 0
        while index < pendingCount {
            let command = pending[index]
            // What was told already is adopted at its frame, and at no other time.
            if command.frame > now || command.toldLayer != nil {
                index += 1
                continue
            }
            if command.replacesScore && leaveOut(index, at: now) { continue }
            if command.code == .changeSpeed {
                switch changeSpeedWithin(index, at: now) {
                case .done:
                    index = 0
                    continue
                case .told:
                    index += 1
                    continue
                case .needsLayer:
                    break
                }
            }
            if command.changesLayers && !canChangeLayers(for: command, at: now) { return }
            removePending(index)
            apply(command, at: now)
            // A command may have taken others out of the list.
            index = 0
        }
    }

    /// Takes out a change of the score of which nothing is heard, as a later one for the same frame supersedes it. This depends on
    /// nothing but what was asked, so that the same is heard however many came at once.
    ///
    /// - Returns: false when it is to be made.
    private mutating func leaveOut(_ index: Int, at now: Int64) -> Bool {
        let command = pending[index]
        for later in index + 1..<max(index + 1, pendingCount) {
            let other = pending[later]
            // What is told, is to come or only knows more of a score does not come between.
            if other.toldLayer != nil || other.frame > now || other.code == .adoptScore { continue }
            guard other.replacesScore && other.frame == command.frame else { return false }
            guard other.supersedes(command) else { continue }
            pending[later].standIn(for: command)
            removePending(index)
            giveBack(command.score)
            return true
        }
        return false
    }

    mutating func removePending(_ index: Int) {
        for later in index + 1..<max(index + 1, pendingCount) { pending[later - 1] = pending[later] }
        pendingCount -= 1
    }

    private func canChangeLayers(for command: PlayerCommand, at now: Int64) -> Bool {
        // Who stops and starts wants both: the fade first, then the beginning.
        if command.code == .start && status.state == .stopping { return false }
        var sounding = layerCount
        for index in 1..<max(1, layerCount) where layers[index].entryEnd <= now { sounding = layerCount - index }
        guard sounding <= 2 else { return false }
        // Live, a seek goes on with the old sound until the new place is decoded, half a second at most.
        guard !waitsForPages, let opening = opening(of: command, at: now) else { return true }
        let hasWaited = now - command.frame > Int64(sampleRate / 2)
        return hasWaited || clip.isLoaded(from: opening.first, count: opening.count)
    }

    /// Whether somebody has asked for a start that is due, and cannot be yet.
    func waitsToStart(at now: Int64) -> Bool {
        for index in 0..<pendingCount where pending[index].code == .start && pending[index].frame <= now { return true }
        return false
    }

    private mutating func apply(_ command: PlayerCommand, at now: Int64) {
        if command.code == .start { startsTaken += 1 }
        if interruption.isUnderWay && holdBack(command, at: now) { return }
        switch command.code {
        case .gain:
            gain.glide(to: command.gain, over: gainFrames, at: now)
        case .start:
            start(at: now)
        case .pause:
            pause(at: now, reason: command.value)
        case .resume:
            if canResume(after: command.value) { resume(at: now) }
        case .stop:
            stop(at: now, reason: command.value)
        case .seek:
            seek(to: command.value, at: now)
        case .skip:
            skip(to: Int(command.value), at: now)
        case .replaceScore, .changeSpeed:
            replaceScore(by: command, at: now)
        case .adoptScore:
            adoptScore(command.score, insteadOf: Int(command.value), at: now)
        }
    }

    mutating func start(at now: Int64) {
        guard status.state == .idle || status.state == .finished else { return }
        status.state = .playing
        copyBoundary = CurveKnot.never
        cursor = ScoreCursor.start(of: score.part(0), index: 0, at: now)
        // Nothing is faded in: the first sample heard is the recording's own, so no attack is lost.
        pushPass(entryLength: 0)
        post(.playbackStarted, at: now, clipFrame: cursor.clipStart)
        post(.sectionStarted, at: now, clipFrame: cursor.clipStart)
        post(.passStarted, at: now, clipFrame: cursor.clipStart)
    }

    private mutating func pause(at now: Int64, reason: Int64) {
        pause(at: now, reason: reason, fadeFrames: crossfadeFrames)
    }

    /// - Parameter fadeFrames: 0 where nobody hears how it ends.
    mutating func pause(at now: Int64, reason: Int64, fadeFrames: Int) {
        guard status.state == .playing else {
            // The user's word outranks every other cause; none outranks the user's.
            if reason == Int64(PauseReason.user.rawValue) { changePause(to: reason, at: now) }
            return
        }
        pausedAt = place(at: now)
        pauseReason = reason
        status.state = .paused
        push(Layer(source: .silence, start: now, entryLength: fadeFrames))
        setCursor(to: pausedAt, at: now)
        post(.paused, at: now, clipFrame: pausedAt.clipFrame, detail: reason)
    }

    /// The player stays paused, for another reason from now on.
    mutating func changePause(to reason: Int64, at now: Int64) {
        guard status.state == .paused, pauseReason != reason else { return }
        pauseReason = reason
        post(.paused, at: now, clipFrame: pausedAt.clipFrame, detail: reason)
    }

    /// Whether the end of a cause, by its `PauseReason`, ends the pause.
    func canResume(after reason: Int64) -> Bool {
        status.state == .paused && (reason == PlayerCommand.anyReason || reason == pauseReason)
    }

    mutating func resume(at now: Int64) {
        guard status.state == .paused else { return }
        status.state = .playing
        enter(pausedAt, at: now)
        post(.resumed, at: now, clipFrame: pausedAt.clipFrame, detail: pauseReason)
    }

    private mutating func stop(at now: Int64, reason: Int64) {
        finishReason = FinishReason(rawValue: UInt8(truncatingIfNeeded: reason)) ?? .stopped
        switch status.state {
        case .finished, .stopping:
            return
        case .idle, .paused:
            finish(at: now)
        case .playing:
            status.state = .stopping
            push(Layer(source: .silence, start: now, entryLength: crossfadeFrames))
            stopFrame = now + Int64(crossfadeFrames)
        }
    }

    /// In this pass when its section holds the frame, otherwise in the first pass of the first section that does.
    private mutating func seek(to clipFrame: Int64, at now: Int64) {
        let here = score.part(cursor.part)
        var place = status.state == .paused ? pausedAt : self.place(at: now)
        if clipFrame < here.clipStart || clipFrame >= here.clipEnd {
            guard let index = score.partIndex(holding: clipFrame) else { return }
            place = Place(section: score.part(index).section)
        }
        place.isRest = false
        place.clipFrame = clipFrame
        move(to: place, from: here, leaving: departure(at: now), at: now)
    }

    private mutating func skip(to section: Int, at now: Int64) {
        guard let index = score.partIndex(section: section, pass: 0) else { return }
        let here = score.part(cursor.part)
        let place = Place(section: section, clipFrame: score.part(index).clipStart)
        move(to: place, from: here, leaving: departure(at: now), at: now)
    }

    private mutating func replaceScore(by command: PlayerCommand, at now: Int64) {
        let place = status.state == .paused ? pausedAt : self.place(at: now)
        let old = score.part(cursor.part)
        let left = departure(at: now)
        let isHeard = status.state == .playing || status.state == .paused
        forgetToldSpeeds()
        takeOver(command.score)
        if isHeard {
            let code: RenderEvent.Code = command.code == .changeSpeed ? .speedChanged : .moved
            move(to: fitting(place), from: old, leaving: left, at: now, telling: code)
        } else {
            cursor = ScoreCursor.start(of: score.part(0), index: 0, at: now)
        }
    }

    /// The place itself where the score has it; otherwise where the same clip frame is heard first, or the beginning.
    private func fitting(_ place: Place) -> Place {
        if let index = score.partIndex(section: place.section, pass: place.pass) {
            let part = score.part(index)
            if place.isRest || place.clipFrame >= part.clipStart && place.clipFrame < part.clipEnd { return place }
        }
        if let index = score.partIndex(holding: place.clipFrame) {
            return Place(section: score.part(index).section, clipFrame: place.clipFrame)
        }
        return Place(clipFrame: score.part(0).clipStart)
    }

    /// What is to be told of the pass that is left, read before its score may go.
    private func departure(at now: Int64) -> Departure {
        Departure(clipFrame: place(at: now).clipFrame, speed: cursor.speed(at: now, in: score.part(cursor.part)))
    }

    /// Goes to a place: heard at once while playing, kept for `resume` while paused.
    ///
    /// - Parameters:
    ///   - old: the part that is left; its curve may be gone, as the score may have changed since.
    ///   - left: where it is left, and how fast it was.
    private mutating func move(
        to place: Place, from old: ScorePart, leaving left: Departure, at now: Int64,
        telling code: RenderEvent.Code = .moved
    ) {
        switch status.state {
        case .paused:
            pausedAt = place
            setCursor(to: place, at: now)
            post(code, at: now, clipFrame: place.clipFrame)
        case .playing:
            let before = cursor
            enter(place, at: now)
            tellMove(code, from: before, in: old, leaving: left, at: now)
        case .idle, .stopping, .finished:
            return
        }
    }

    /// What a move left and what it reached.
    private mutating func tellMove(
        _ code: RenderEvent.Code, from before: ScoreCursor, in old: ScorePart, leaving left: Departure, at now: Int64
    ) {
        let section = score.part(cursor.part).section
        let changesSection = old.section != section
        let changesPass = changesSection || before.pass != cursor.pass
        if changesPass && !before.isRest {
            post(.passEnded, about: old, pass: before.pass, at: now, speed: left.speed, clipFrame: left.clipFrame)
        }
        if changesSection {
            post(.sectionEnded, about: old, pass: before.pass, at: now, speed: left.speed, clipFrame: left.clipFrame)
        }
        post(code, at: now, clipFrame: cursor.clipStart)
        if changesSection { post(.sectionStarted, at: now, clipFrame: cursor.clipStart) }
        if (changesPass || before.isRest) && !cursor.isRest {
            post(.passStarted, at: now, clipFrame: cursor.clipStart)
        }
    }

    /// Crossfades from whatever sounds to a place of the score.
    mutating func enter(_ place: Place, at now: Int64) {
        setCursor(to: place, at: now)
        let part = score.part(cursor.part)
        if cursor.isRest && cursor.spanEnd <= now && !cursor.isLast(of: part, partCount: score.partCount) {
            // Nothing of the rest is left: straight on to the next pass.
            cursor.advance(in: part, next: score.part(cursor.part + 1))
        }
        if cursor.isRest {
            push(Layer(source: .silence, start: now, entryLength: crossfadeFrames))
        } else {
            pushPass(entryLength: crossfadeFrames)
        }
    }

    private mutating func setCursor(to place: Place, at now: Int64) {
        copyBoundary = CurveKnot.never
        let index = score.partIndex(section: place.section, pass: place.pass) ?? 0
        let part = score.part(index)
        if place.isRest {
            cursor = .resting(after: part, index: index, pass: place.pass, elapsed: place.restElapsed, at: now)
        } else {
            let clipFrame = max(part.clipStart, min(place.clipFrame, part.clipEnd - 1))
            cursor = .entering(part, index: index, pass: place.pass, clipFrame: clipFrame, at: now)
        }
    }
}
