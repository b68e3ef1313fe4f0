internal import Samples

/// Plays, pauses and stops. Moves a player between places of a score, and reports the places left and reached.
///
/// Two kinds of change exist. The transport *crosses over*: at an output frame another place, another score or silence
/// fades in over the current sound. Or the transport *advances*: at the end of a span, to the next span of the score.
/// Real-time safe: all but the initialiser.
struct Transport: ~Copyable {
    /// Restart a pass that began without analysis if at least this much of it remains when the analysis arrives.
    private static var longPassSeconds: Int { 5 }

    private(set) var state = PlayerStatus.State.idle
    /// The `PauseReason` of the pause, by its raw value.
    private(set) var pauseReason: Int64 = 0
    var playhead: Playhead
    private(set) var stack: Boxed<LayerStack>
    /// True while the sound of a place is frozen; in a pause, true if resuming plays frozen sound.
    private(set) var isFrozen = false
    /// Place at which the player continues after a pause or frozen sound; before the start, its chosen place.
    var stillAt = Place()
    /// True if a request has chosen the place of the next start; true if the request chose a section without a frame.
    private var (isChosen, beginsSection) = (false, false)
    private var reports: PlayerReports
    var retired: RetiredScores
    /// Start requests taken. The control side compares this count to see whether sound follows an end.
    private var startsTaken: Int64 = 0
    /// While stopping: the output frame after the last frame of sound, and the reason.
    private(set) var (stopFrame, finishReason) = (Int64(0), FinishReason.completed)

    /// In Hz.
    var sampleRate: Int { stack.value.sampleRate }
    var fades: FadeLengths { stack.value.fades }
    private var longPassFrames: Int64 { Int64(Transport.longPassSeconds * sampleRate) }
    private var longestWaitFrames: Int64 { Int64(sampleRate / 2) }

    init(
        _ stack: consuming LayerStack, score: RenderScore, sampleRate: Int, reports: consuming PlayerReports,
        retired: consuming RetiredScores
    ) {
        self.stack = Boxed(stack)
        self.reports = reports
        self.retired = retired
        playhead = Playhead(score, sampleRate: sampleRate)
    }

    // MARK: Requests

    /// Counts a start request, even without an effect.
    mutating func noteStart() { startsTaken += 1 }

    /// Counts a move, even without an effect.
    mutating func noteMove(_ number: Int64) { reports.noteMove(number) }

    mutating func start(atClipFrame wanted: Int64, section: Int32, at now: Int64) {
        guard state == .idle || state == .finished else { return }
        (state, isFrozen, isChosen) = (.playing, false, false)
        playhead.go(to: playhead.place(ofStart: wanted, section: section), at: now)
        let clipFrame = playhead.firstClipFrame
        // No fade-in at the start of a section: the first sample is the recording's own, so no attack is lost.
        let fade = playhead.cursor.clipStart == playhead.part.clipStart ? 0 : fades.crossfade
        if fade > 0 { stack.value.pushSilence(at: now, entryLength: 0) }
        pushPass(entryLength: fade)
        post(.playbackStarted, at: now, clipFrame: clipFrame)
        post(.sectionStarted, at: now, clipFrame: clipFrame)
        post(.passStarted, at: now, clipFrame: clipFrame)
    }

    /// - Parameters:
    ///   - reason: a `PauseReason`, by its raw value.
    ///   - isHeard: false if the fade would be inaudible.
    mutating func pause(at now: Int64, reason: Int64, isHeard: Bool = true) {
        // A pause by the user replaces every other reason; no reason replaces the user's.
        if state != .playing, reason == Int64(PauseReason.user.rawValue) { changePause(to: reason, at: now) }
        guard state == .playing else { return }
        stillAt = place(at: now)
        pauseReason = reason
        state = .paused
        stack.value.pushSilence(at: now, entryLength: isHeard ? fades.crossfade : 0)
        playhead.go(to: stillAt, at: now)
        post(.paused, at: now, clipFrame: stillAt.clipFrame, detail: reason)
    }

    /// Changes the reason of the pause.
    mutating func changePause(to reason: Int64, at now: Int64) {
        guard state == .paused, pauseReason != reason else { return }
        pauseReason = reason
        post(.paused, at: now, clipFrame: stillAt.clipFrame, detail: reason)
    }

    /// Returns true if the end of a cause, given by its `PauseReason`, ends the pause.
    func canResume(after reason: Int64) -> Bool {
        state == .paused && (reason == PlayerCommand.anyReason || reason == pauseReason)
    }

    mutating func resume(at now: Int64) {
        guard state == .paused else { return }
        state = .playing
        enter(stillAt, at: now)
        post(.resumed, at: now, clipFrame: stillAt.clipFrame, detail: pauseReason)
    }

    /// Freezes the sound of the player's place, or continues from there. In a pause the change is audible after
    /// resuming.
    mutating func setFrozen(_ freezes: Bool, at now: Int64) {
        guard isFrozen != freezes, state == .playing || state == .paused else { return }
        stillAt = place(at: now)
        isFrozen = freezes
        if state == .playing { enter(stillAt, at: now) }
        post(freezes ? .frozen : .unfrozen, at: now, clipFrame: stillAt.clipFrame)
    }

    /// - Parameter reason: a `FinishReason`, by its raw value.
    mutating func stop(at now: Int64, reason: Int64) {
        // A failure in the fade of a user's stop must not let the next player begin.
        guard state != .finished, state != .stopping || finishReason != .stopped else { return }
        finishReason = FinishReason(rawValue: UInt8(truncatingIfNeeded: reason)) ?? .stopped
        switch state {
        case .finished, .stopping: return
        case .idle, .paused: finish(at: now)
        case .playing:
            state = .stopping
            stack.value.pushSilence(at: now, entryLength: fades.crossfade)
            stopFrame = now + Int64(fades.crossfade)
        }
    }

    /// Ends a stop at once, if the rest of its fade would be inaudible.
    mutating func cutStopShort(at now: Int64) {
        if state == .stopping { stopFrame = now }
    }

    mutating func seek(to clipFrame: Int64, at now: Int64) {
        guard let place = playhead.place(ofClipFrame: clipFrame, from: place(at: now)) else { return }
        cross(to: place, leaving: playhead.departure(at: now), at: now, telling: .moved)
    }

    mutating func skip(to section: Int, at now: Int64) {
        guard let place = playhead.place(ofSection: section) else { return }
        if state == .idle || state == .finished { return choose(place, beginsSection: true, at: now) }
        cross(to: place, leaving: playhead.departure(at: now), at: now, telling: .moved)
    }

    /// Plays another score, at the place that matches the player's place.
    ///
    /// - Parameter command: the new score, and the new position of the player's section.
    mutating func replaceScore(by command: PlayerCommand, at now: Int64) {
        var (place, left) = (place(at: now), playhead.departure(at: now))
        command.moved.apply(to: &place)
        left.section = command.moved.place(leaving: left.section)
        changeOver(to: command.score)
        if state == .playing || state == .paused {
            let code: RenderEvent.Code = command.code == .changeSpeed ? .speedChanged : .moved
            let fitting = playhead.fitting(place, staysWithin: command.moved.staysWithin)
            cross(to: fitting, leaving: left, at: now, telling: code)
        } else {
            playhead.goToStart(at: now)
            if isChosen || command.moved.begins { chooseAgain(place, begins: command.moved.begins, at: now) }
        }
    }

    /// Continues with the same score after further analysis. Everything that begins from now on uses the new analysis;
    /// a pass with much time left begins anew at its place.
    mutating func adopt(_ score: RenderScore, at now: Int64) {
        let isLong = playhead.cursor.spanEnd - now > longPassFrames && playhead.isNews(score)
        changeOver(to: score)
        guard isLong, isMoving, !playhead.cursor.isRest, stack.value.isOneVoice(at: now) else { return }
        enter(playhead.place(at: now), at: now)
    }

    /// Returns a score that will not be played.
    mutating func giveBack(_ score: RenderScore) { retired.giveBack(score) }

    /// Returns true if the score at this address is the current score.
    func plays(scoreAt address: Int) -> Bool { playhead.score.address == address }

    // MARK: Changes of speed within a pass

    /// Changes the speed within the current pass, if possible: a voice at the first frame that the voice can still
    /// follow, a copy at once. A change too late for the pass applies to the next pass.
    ///
    /// - Parameter glideFrames: output frames until the new speed.
    mutating func changeSpeed(to score: RenderScore, over glideFrames: Int64, at now: Int64) -> SpeedChange {
        guard isMoving, !playhead.cursor.isRest, let part = playhead.counterpart(in: score) else { return .needsLayer }
        switch stack.value.top {
        case .voice(let leadFrames):
            let frame = now + leadFrames
            guard playhead.canChangeSpeed(at: frame) else {
                return changeSpeedAtJoint(to: score, part: part, over: glideFrames, at: now)
            }
            let speed = score.part(part).speed
            guard stack.value.tellTop(of: playhead, at: now, speed: speed, from: frame, over: glideFrames) else {
                return .needsLayer
            }
            return .told(frame: frame)
        case .copy:
            guard playhead.canChangeSpeed(at: now) else {
                return changeSpeedAtJoint(to: score, part: part, over: glideFrames, at: now)
            }
            takeSpeed(of: score, part: part, over: glideFrames, at: now)
            if !score.part(part).isCopy { stack.value.replaceCopyByVoice(of: playhead, at: now) }
            return .done
        case .fixed:
            return .needsLayer
        }
    }

    /// The pass ends unchanged; the next pass has the new speed. At the joint itself the change applies at once.
    private mutating func changeSpeedAtJoint(
        to score: RenderScore, part: Int, over glideFrames: Int64, at now: Int64
    ) -> SpeedChange {
        guard playhead.cursor.spanEnd <= now else { return .told(frame: playhead.cursor.spanEnd) }
        takeSpeed(of: score, part: part, over: glideFrames, at: now)
        return .done
    }

    /// Adopts the score of a scheduled change of speed that the voice of a layer has now reached.
    ///
    /// - Parameter layer: the layer with the scheduled change, as counted by `LayerStack.laid`.
    /// - Returns: false if another source plays by now.
    mutating func takeToldSpeed(_ command: PlayerCommand, layer: Int64, at now: Int64) -> Bool {
        guard layer == stack.value.laid, isMoving, let part = playhead.counterpart(in: command.score) else {
            return false
        }
        takeSpeed(of: command.score, part: part, over: command.value, at: now)
        return true
    }

    private mutating func takeSpeed(of score: RenderScore, part: Int, over glideFrames: Int64, at now: Int64) {
        let old = playhead.score
        let clipFrame = playhead.place(at: now).clipFrame
        playhead.changeSpeed(to: score, part: part, at: now, over: glideFrames)
        stack.value.changeOver(to: score)
        retired.retire(old, heardIn: stack)
        if now < playhead.cursor.spanEnd {
            stack.value.moveEnd(to: playhead.cursor.spanEnd, at: now)
            // After a step to 100 %, the copy of the pass begins at this very frame.
            playhead.findCopyBoundary(after: now - 1)
        }
        let new = score.part(part)
        reports.post(
            .speedChanged, about: new, choice: playhead.choice, pass: playhead.cursor.pass, at: now, speed: new.speed,
            clipFrame: clipFrame)
    }

    // MARK: Crossing over

    /// True if the player stays at ``stillAt``, silent or not.
    var isStill: Bool { state == .paused || isFrozen }
    private var isMoving: Bool { state == .playing && !isFrozen }

    /// Returns the player's place.
    func place(at now: Int64) -> Place { isStill || isChosen ? stillAt : playhead.place(at: now) }

    private mutating func changeOver(to score: RenderScore) {
        let old = playhead.score
        stack.value.changeOver(to: score)
        retired.retire(old, heardIn: stack)
        playhead.changeOver(to: score)
    }

    /// Moves to a place: audible at once while playing, kept for `resume` while paused, and for `startInPlace` before
    /// the start.
    ///
    /// - Parameter left: the place before the move; read it before a change of the score.
    private mutating func cross(
        to place: Place, leaving left: Departure, at now: Int64, telling code: RenderEvent.Code
    ) {
        guard state == .playing || state == .paused else { return choose(place, beginsSection: false, at: now) }
        stillAt = place
        if state == .playing { enter(place, at: now) } else { playhead.go(to: place, at: now) }
        if isStill { post(code, at: now, clipFrame: place.clipFrame) } else { tell(code, leaving: left, at: now) }
    }

    /// Reports the section and pass left, and the section and pass reached.
    private mutating func tell(_ code: RenderEvent.Code, leaving left: Departure, at now: Int64) {
        let (cursor, first) = (playhead.cursor, playhead.firstClipFrame)
        let changesSection = left.section != playhead.part.section
        let changesPass = changesSection || left.pass != cursor.pass
        if changesPass && !left.isRest { reports.post(.passEnded, about: left, at: now) }
        if changesSection { reports.post(.sectionEnded, about: left, at: now) }
        post(code, at: now, clipFrame: first)
        if changesSection { post(.sectionStarted, at: now, clipFrame: first) }
        if (changesPass || left.isRest) && !cursor.isRest { post(.passStarted, at: now, clipFrame: first) }
    }

    /// Crossfades from the current sound to a place of the score.
    private mutating func enter(_ place: Place, at now: Int64) {
        playhead.go(to: place, at: now)
        if !isFrozen { playhead.leaveEmptyRest(at: now) }
        if playhead.cursor.isRest {
            stack.value.pushSilence(at: now, entryLength: fades.crossfade)
        } else if isFrozen {
            stack.value.pushFrozen(of: playhead, at: now, entryLength: fades.crossfade)
        } else {
            pushPass(entryLength: fades.crossfade)
        }
    }

    /// Adds a layer with the pass at the playhead.
    private mutating func pushPass(entryLength: Int) {
        stack.value.pushPass(of: playhead, entryLength: entryLength)
        playhead.findCopyBoundary(after: playhead.cursor.spanStart)
    }

    // MARK: Advancing

    /// Does the next thing due at an output frame by the score or a stop: the end of a stop, a joint, or a change
    /// between voice and copy.
    ///
    /// - Returns: false if nothing is due.
    mutating func advance(at now: Int64) -> Bool {
        switch state {
        case .stopping where now >= stopFrame:
            finish(at: now)
        case .playing where isFrozen:
            return false
        case .playing where now >= playhead.cursor.spanEnd:
            crossJoint()
        case .playing where now >= playhead.copyBoundary:
            if !playhead.cursor.isRest { stack.value.crossCopyBoundary(of: playhead, at: now) }
            playhead.findCopyBoundary(after: now)
        default:
            return false
        }
        return true
    }

    /// Returns the first frame after `now` with an automatic change, or `limit`.
    func nextChange(after now: Int64, limit: Int64) -> Int64 {
        var next = stack.value.nextEntryEnd(after: now, limit: limit)
        if isMoving { next = min(next, min(playhead.cursor.spanEnd, playhead.copyBoundary)) }
        if state == .stopping { next = min(next, stopFrame) }
        return next
    }

    /// Moves from the ending span to the next span, or ends the score.
    private mutating func crossJoint() {
        let part = playhead.part
        let frame = playhead.cursor.spanEnd
        if !playhead.cursor.isRest {
            post(.passEnded, at: frame, clipFrame: part.lastClipFrame)
            let isLastPass = playhead.cursor.pass + 1 == part.sectionPasses
            if isLastPass { post(.sectionEnded, at: frame, clipFrame: part.lastClipFrame) }
        }
        if playhead.isLast {
            finishReason = .completed
            return finish(at: frame)
        }
        playhead.advance()
        stack.value.completeRecording(of: playhead, at: frame)
        let (cursor, entry) = (playhead.cursor, part.joint == .crossfade ? playhead.entryFrames(at: frame) : 0)
        if cursor.isRest { return stack.value.pushSilence(at: frame, entryLength: entry) }
        pushPass(entryLength: entry)
        if cursor.pass == 0 { post(.sectionStarted, at: frame, clipFrame: playhead.firstClipFrame) }
        post(.passStarted, at: frame, clipFrame: playhead.firstClipFrame)
    }

    /// Ends the playback; the player is silent from `frame` on.
    private mutating func finish(at frame: Int64) {
        state = .finished
        stack.value.pushSilence(at: frame, entryLength: 0)
        let clipFrame = finishReason == .completed ? playhead.part.lastClipFrame : place(at: frame).clipFrame
        let detail = RenderEvent.detail(finishReason, startsTaken: startsTaken)
        post(.finished, at: frame, clipFrame: clipFrame, detail: detail)
    }

    // MARK: Sound

    /// Makes `count` frames of sound from output frame `now` on. Nothing changes within these frames.
    mutating func produce(_ count: Int, at now: Int64) { noteGain(stack.value.produce(count, of: playhead, at: now)) }

    /// Drops layers that are no longer audible.
    mutating func dropCovered(at now: Int64) { stack.value.dropCovered(at: now) }

    // MARK: Reports

    /// Reports an event about the current span.
    private mutating func post(_ code: RenderEvent.Code, at frame: Int64, clipFrame: Int64, detail: Int64 = 0) {
        reports.post(code, of: playhead, at: frame, clipFrame: clipFrame, detail: detail)
    }

    /// Notes a reduction of the sound to a factor of `gain`, for the report at the end of the pass.
    mutating func noteGain(_ gain: Float) { reports.noteGain(gain) }
    /// Includes the next frames of the sound in the peaks.
    mutating func notePeaks(_ frameCount: Int) {
        let (channels, channelCount) = unsafe (stack.value.sound.channels, stack.value.sound.channelCount)
        unsafe reports.notePeaks(of: UnsafePointer(channels), channelCount: channelCount, frameCount: frameCount)
    }
    mutating func noteXrun(at now: Int64, lostFrames: Int64) {
        post(.xrun, at: now, clipFrame: place(at: now).clipFrame, detail: lostFrames)
        // Now, because no block follows if the device fails after its last dropout.
        reports.showHeld()
    }

    /// Call this before a block.
    mutating func beginBlock() { reports.beginBlock() }

    /// Call this after each piece of a block, with the output frame of the piece's end. Each run of missing frames has
    /// a single event, at its first frame.
    mutating func endBlock(at now: Int64) {
        retired.giveBackUnheard(in: stack)
        if let run = stack.value.takeStarvedRun(before: now, always: state == .finished) {
            post(.starved, at: run.start, clipFrame: place(at: run.start).clipFrame, detail: run.frames)
        }
        tell(at: now)
        if reports.keepEnd() { tell(at: now) }
    }
    /// Returns true if events wait for `tell(at:)`.
    func hasUntoldEvents() -> Bool { reports.holdsEvents }
    /// Publishes the status before output frame `now`, and the events up to `now`.
    mutating func tell(at now: Int64) { reports.publish(PlayerStatus(self, at: now)) }
}

// MARK: - Requests

extension Transport {
    /// Returns a start at the place chosen by earlier requests, if the command asks for this place; returns any other
    /// command unchanged.
    func resolved(_ command: PlayerCommand) -> PlayerCommand {
        guard command.code == .start, command.moved.to == SectionMove.chosen else { return command }
        var start = command
        (start.value, start.moved.to) = chosenStart
        return start
    }

    /// The clip frame and the section chosen for the next start; -1 for none.
    private var chosenStart: (clipFrame: Int64, section: Int32) {
        guard isChosen else { return (-1, -1) }
        return (beginsSection ? -1 : stillAt.clipFrame, Int32(clamping: stillAt.section))
    }

    /// Starts at the place chosen by earlier requests, or at the beginning.
    mutating func startInPlace(at now: Int64) {
        let (clipFrame, section) = chosenStart
        start(atClipFrame: clipFrame, section: section, at: now)
    }

    /// Keeps a place for the next start. Has no effect in the fade of a stop.
    private mutating func choose(_ place: Place, beginsSection: Bool, at now: Int64) {
        guard state == .idle || state == .finished else { return }
        (stillAt, isChosen, self.beginsSection) = (place, true, beginsSection)
        playhead.go(to: place, at: now)
    }

    /// Keeps the chosen place in another score: the beginning of the section, or the frame if the section has this
    /// frame.
    ///
    /// - Parameter begins: true if the section begins anew, whatever the chosen place.
    private mutating func chooseAgain(_ place: Place, begins: Bool, at now: Int64) {
        let isBeginning = begins || beginsSection
        var place = place
        if isBeginning { (place.clipFrame, place.pass) = (-1, 0) }
        choose(playhead.fitting(place, staysWithin: true), beginsSection: isBeginning, at: now)
    }

    /// Returns true if a command that changes the sound can be carried out. At most one fade may be in progress, so
    /// that at most `LayerStack.maximumLayers` are audible. A fade takes 5 ms at the longest.
    ///
    /// - Parameter waits: true if the command waits for the decoding of its place, half a second at most, while the old
    ///   sound continues.
    func canCross(for command: PlayerCommand, at now: Int64, waits: Bool) -> Bool {
        // A stop followed by a start does both: first the fade, then the beginning.
        if command.code == .start && state == .stopping { return false }
        guard stack.value.soundingCount(at: now) <= 2 else { return false }
        // Without sound, every other command only chooses a place. The end of a previous player may need the place now.
        if command.code != .start, state == .idle || state == .finished { return true }
        guard waits, let (part, clipFrame) = playhead.destination(of: command) else { return true }
        return now - command.frame > longestWaitFrames
            || stack.value.hasOpening(of: playhead.score.part(part), index: part, from: clipFrame, at: now)
    }
}
