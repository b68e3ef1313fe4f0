// The render side of a player: commands → transport → layers → gain → meter. The core owns everything used here; the
// control side reaches the core only through rings and a snapshot. The sound at output frame n depends on the clip, the
// score, the commands' frames and n, never on the division into blocks: every step below works on single frames or on
// bounds in frames. Only the initialiser allocates. The core opens no devices, decodes no files and calls nothing back.
internal import AudioDevices
internal import Clips
internal import DSP
internal import Realtime
internal import Samples

/// One player on the render thread: does all that is due at a frame, in a fixed order, then renders up to the next.
struct PlayerCore: ~Copyable {
    /// Maximum number of steps at a frame, far more than a full list of commands and their joints need. Further steps
    /// wait for the next frame. So neither a fault nor a crowd of commands can hold the render thread at a frame.
    private static let maximumSteps = 8 * CommandList.capacity

    private let clip: ClipReader
    /// Under the virtual clock the reader waits for its pages, so commands need not wait.
    private let waitsForPages: Bool
    var commands: CommandList
    var transport: Transport
    private var strip: StripProcessor
    private var gain: GainGlide
    /// Keeps amplified sound below full scale.
    private var overload: OverloadGuard
    /// The effect of a lost device on this player.
    private var interruption = PlayerInterruption()
    /// True if the player is silent until a new request, as of the last block.
    private(set) var hasEnded = false
    /// The frames of the last block in which the player was neither idle nor over.
    private(set) var sounding = 0..<0
    /// Number of rendered frames in the block, and the first frame after the player's end.
    private(set) var (rendered, end) = (0, Int.max)
    /// Handover to the next player, and from the previous player.
    var succession = Succession()

    /// In Hz; the clip's, which is the engine's.
    var sampleRate: Int { transport.sampleRate }
    private var channelCount: Int { transport.stack.value.sound.channelCount }

    /// - Parameter gain: as a factor.
    init(
        _ clip: Clip, reader: ClipReader, attacks: AttackReader?, score: RenderScore, ends: consuming RenderEnds,
        waitsForPages: Bool, gain: Float
    ) {
        self.gain = GainGlide(gain)
        self.clip = reader
        self.waitsForPages = waitsForPages
        commands = CommandList(urgent: ends.urgent, scheduled: ends.scheduled)
        strip = StripProcessor(channelCount: clip.channelCount, sampleRate: clip.sampleRate)
        overload = OverloadGuard(sampleRate: clip.sampleRate)
        let source = ClipSource(clip: reader, attacks: attacks)
        transport = Transport(
            LayerStack(source, sampleRate: clip.sampleRate, score: score), score: score, sampleRate: clip.sampleRate,
            reports: PlayerReports(events: ends.events, status: ends.status, peaks: ends.peaks),
            retired: RetiredScores(ends.spentScores))
    }

    // MARK: Rendering

    /// Renders one block into the device's channels.
    ///
    /// - Parameters:
    ///   - output: device channels × at least `frameCount` frames.
    ///   - adds: false for the first player of a block, whose samples replace the output, bit for bit.
    ///   - frame: the output frame of the block's first sample.
    /// - Returns: the frames up to the player's end, or `frameCount` if the player plays on after the block.
    ///
    /// Real-time safe: yes.
    mutating func render(
        into output: UnsafeMutablePointer<UnsafeMutablePointer<Float>>, outputChannels: Int, frameCount: Int,
        adds: Bool, at frame: Int64
    ) -> Int {
        beginBlock()
        unsafe renderPiece(into: output, outputChannels: outputChannels, upTo: frameCount, adds: adds, at: frame)
        return min(end, frameCount)
    }

    /// Call this before the pieces of another block.
    mutating func beginBlock() {
        transport.beginBlock()
        (sounding, rendered, end) = (0..<0, 0, .max)
    }

    /// Renders the block up to a frame, at least one frame. Stops behind a frame at which commands were passed on to
    /// the next players, so that these carry out the commands there. The sound does not depend on this division.
    mutating func renderPiece(
        into output: UnsafeMutablePointer<UnsafeMutablePointer<Float>>, outputChannels: Int, upTo limit: Int,
        adds: Bool, at frame: Int64
    ) {
        clip.beginBlock()
        goOnAfterInterruption(at: frame + Int64(rendered))
        if rendered == 0 { commands.beginBlock(at: frame) }
        var done = rendered
        while done < limit, done == rendered || succession.passedCount == 0 {
            let now = frame + Int64(done)
            commands.collect()
            takeOver(at: now)
            let isDone = doWhatIsDue(at: now)
            handOver(at: now)
            hasEnded = transport.state == .finished && !commands.waitsToStart(at: now)
            end = hasEnded ? min(end, done) : .max
            let most = isDone && succession.passedCount == 0 ? min(limit - done, LayerStack.chunkFrames) : 1
            let count = framesUntilChange(from: now, limit: most)
            // Now, because under the virtual clock the next line may wait for the recording, without a timeout.
            if transport.hasUntoldEvents() { transport.tell(at: now) }
            transport.produce(count, at: now)
            shape(count, at: now)
            succession.apply(to: transport.stack.value.sound, channelCount: channelCount, frameCount: count, at: now)
            if !hasEnded && transport.state != .idle {
                sounding = (sounding.isEmpty ? done : sounding.lowerBound)..<done + count
            }
            transport.notePeaks(count)
            unsafe ChannelMap.mix(
                transport.stack.value.sound, from: channelCount, into: output, to: outputChannels, offset: done,
                frameCount: count, adds: adds)
            done += count
        }
        rendered = done
        transport.endBlock(at: frame + Int64(done))
        publishDemand(at: frame + Int64(done))
        clip.endBlock()
    }

    /// Applies the strip and the gain to the next frames. With a neutral strip and a gain of 1 or less a copy of the
    /// clip passes unchanged, even above full scale.
    private mutating func shape(_ frameCount: Int, at now: Int64) {
        let channels = unsafe transport.stack.value.sound.channels
        let isShaped = !strip.isNeutral()
        if isShaped { unsafe strip.process(channels, frameCount: frameCount) }
        gain.apply(to: transport.stack.value.sound, channelCount: channelCount, frameCount: frameCount, at: now)
        let watched = 0..<(isShaped ? frameCount : gain.louderFrames(at: now, frameCount))
        guard !watched.isEmpty || overload.isActive() else { return }
        unsafe overload.apply(to: channels, channelCount: channelCount, frameCount: frameCount, watched: watched)
        transport.noteGain(overload.takeLowestGain())
    }

    /// Does everything due at output frame `now`, one step at a time, in this order: changes of speed scheduled in a
    /// voice; commands, in the order of the requests; the end of a stop; joints; changes between voice and copy. After
    /// each of the last three, waiting commands are tried again.
    ///
    /// Each step removes a command from the list, puts it off to a later frame, or moves the transport on: steps end.
    ///
    /// - Returns: true if nothing remains to do at this frame.
    private mutating func doWhatIsDue(at now: Int64) -> Bool {
        var (isBlocked, isDone) = (false, false)
        for _ in 0..<PlayerCore.maximumSteps {
            if let index = commands.firstTold(at: now) {
                takeToldSpeed(index, at: now)
            } else if !isBlocked, let index = commands.firstDue(at: now) {
                isBlocked = !carryOut(index, at: now)
            } else if transport.advance(at: now) {
                isBlocked = false
            } else {
                isDone = true
                break
            }
            commands.collect()
        }
        transport.dropCovered(at: now)
        return isDone
    }

    /// Returns the number of frames that can be made at once: up to the next frame with a change.
    private func framesUntilChange(from now: Int64, limit: Int) -> Int {
        let end = now + Int64(limit)
        let next = min(transport.nextChange(after: now, limit: end), commands.nextFrame(after: now, limit: end))
        return max(1, Int(min(next, nextHandover(after: now, limit: end)) - now))
    }

    private func publishDemand(at frame: Int64) {
        guard transport.state == .playing || transport.state == .idle else { return }
        let playhead = transport.playhead
        clip.publishDemand(
            current: transport.place(at: frame).clipFrame, next: playhead.nextClipStart(),
            movesBack: playhead.part.view.isMirrored)
    }

    // MARK: Commands

    /// Carries out a command that is due, or puts it off to its frame.
    ///
    /// - Returns: false if the command has to wait; then all commands after it wait as well.
    private mutating func carryOut(_ index: Int, at now: Int64) -> Bool {
        if let score = commands.takeSuperseded(index, at: now) {
            transport.giveBack(score)
            return true
        }
        let command = transport.resolved(commands[index])
        if command.code == .changeSpeed {
            switch transport.changeSpeed(to: command.score, over: command.value, at: now) {
            case .done:
                commands.remove(index)
                giveBackOvertaken()
                return true
            case .told(let frame):
                commands.putOff(index, to: frame, toldLayer: transport.stack.value.laid)
                return true
            case .needsLayer:
                break
            }
        }
        if succession.mustWait(command) { return false }
        if command.changesLayers && !transport.canCross(for: command, at: now, waits: !waitsForPages) { return false }
        commands.remove(index)
        apply(command, at: now)
        return true
    }

    private mutating func apply(_ command: PlayerCommand, at now: Int64) {
        if command.code == .start {
            transport.noteStart()
            if !isSounding { succession.begin(at: now, fade: 0) }
        }
        if command.moveNumber > 0 { transport.noteMove(command.moveNumber) }
        succession.note(command, at: now)
        if interruption.isUnderWay && holdBack(command, at: now) { return }
        switch command.code {
        case .gain:
            gain.glide(to: command.gain, over: transport.fades.gain, at: now)
        case .strip:
            strip.change(to: command.strip, glides: transport.state != .idle)
        case .start:
            transport.start(atClipFrame: command.value, section: command.moved.to, at: now)
        case .pause:
            transport.pause(at: now, reason: command.value)
        case .resume:
            if transport.canResume(after: command.value) { transport.resume(at: now) }
        case .freeze:
            transport.setFrozen(true, at: now)
        case .unfreeze:
            transport.setFrozen(false, at: now)
        case .stop:
            transport.stop(at: now, reason: command.value)
        case .seek:
            transport.seek(to: command.value, at: now)
        case .skip:
            transport.skip(to: Int(command.value), at: now)
        case .replaceScore, .changeSpeed:
            giveBackOvertaken()
            transport.replaceScore(by: command, at: now)
        case .adoptScore:
            adopt(command.score, insteadOf: Int(command.value), at: now)
        }
    }

    /// Takes effect at the frame of a change of speed scheduled in a voice: its score becomes the current score.
    private mutating func takeToldSpeed(_ index: Int, at now: Int64) {
        let command = commands[index]
        guard let layer = command.toldLayer, transport.takeToldSpeed(command, layer: layer, at: now) else {
            // Another source plays by now, so the change becomes an ordinary command.
            return commands.forgetTelling(index)
        }
        commands.remove(index)
    }

    /// Returns the scores of scheduled changes that a newer score has overtaken.
    private mutating func giveBackOvertaken() {
        while let score = commands.takeOvertaken() { transport.giveBack(score) }
    }

    /// Uses a score after further analysis: the current score, or a score still among the commands.
    ///
    /// - Parameter known: the address of the same score as passed before.
    private mutating func adopt(_ score: RenderScore, insteadOf known: Int, at now: Int64) {
        if transport.plays(scoreAt: known) { return transport.adopt(score, at: now) }
        transport.giveBack(commands.exchangeScore(at: known, for: score) ?? score)
    }

    // MARK: One player after another

    /// True before the first sound.
    var isIdle: Bool { transport.state == .idle }
    private var isSounding: Bool { transport.state != .idle && transport.state != .finished }

    /// Notes the handover of the previous player, at a frame of the coming block. Real-time safe: yes.
    mutating func take(over frame: Int64, fade: Int64) {
        if isIdle { succession.expectStart(at: frame, fade: fade) }
    }

    /// Carries out a command of the previous player, at its frame. Real-time safe: yes.
    mutating func share(_ command: PlayerCommand) { commands.add(command) }

    /// Starts at the joint, before everything due there but a stop. Nothing fades in but a crossfade.
    private mutating func takeOver(at now: Int64) {
        guard let fade = succession.takeStart(at: now) else { return }
        guard isIdle, !commands.waitsToStop(at: now) else { return }
        succession.begin(at: now, fade: fade)
        // Without a command: a new command would ask another module for its neutral strip, which may wait.
        transport.startInPlace(at: now)
    }

    /// Finds the joint with the next player.
    private mutating func handOver(at now: Int64) {
        succession.follow(isPaused: transport.state == .paused, at: now)
        if succession.isFaded(at: now), transport.state == .playing {
            // The end was moved beyond the crossfade.
            transport.stop(at: now, reason: Int64(FinishReason.completed.rawValue))
            transport.cutStopShort(at: now)
            _ = transport.advance(at: now)
        }
        if let end = knownEnd, let start = succession.fadeStart(before: end), start <= now, end > now {
            succession.beginFade(at: now, before: end)
        }
        // After a stop by the user, no other player takes over.
        if transport.state == .finished, !hasEnded, transport.finishReason != .stopped { succession.end(at: now) }
    }

    /// The output frame after the last frame of the score, if the last pass plays.
    private var knownEnd: Int64? {
        let playhead = transport.playhead
        guard transport.state == .playing, !transport.isFrozen, playhead.isLast, !playhead.cursor.isRest else {
            return nil
        }
        return playhead.cursor.spanEnd
    }

    private func nextHandover(after now: Int64, limit: Int64) -> Int64 {
        var next = succession.nextChange(after: now, limit: limit)
        if let end = knownEnd, let start = succession.fadeStart(before: end), start > now { next = min(next, start) }
        return next
    }

    // MARK: Times without a device

    // The output clock continues, so requests take effect and events are reported as usual. Sound is held back. A
    // player resumes by itself only if it was playing and got no request since.

    /// Notes the loss of the device; `now` is the first frame that the device did not request.
    ///
    /// - Parameter reason: a `PauseReason`, by its raw value.
    ///
    /// Real-time safe: yes.
    mutating func interrupt(at now: Int64, reason: Int64, resumes: Bool) {
        // The device is lost again before its first block: the player would have resumed there.
        let wasResuming = interruption.takeResumption()
        let plays = wasResuming || transport.state == .playing
        interruption = PlayerInterruption(reason: reason, resumes: resumes && plays)
        if wasResuming { transport.changePause(to: reason, at: now) }
        transport.pause(at: now, reason: reason, isHeard: false)
        transport.cutStopShort(at: now)
    }

    /// Notes another cause of the device's absence. A player paused for the old cause reports the new cause.
    ///
    /// Real-time safe: yes.
    mutating func changeInterruption(at now: Int64, reason: Int64) {
        guard let old = interruption.change(to: reason) else { return }
        if transport.pauseReason == old { transport.changePause(to: reason, at: now) }
    }

    /// Resumes at the first frame of a device, if the player should.
    private mutating func goOnAfterInterruption(at now: Int64) {
        if interruption.takeResumption() { transport.resume(at: now) }
    }

    /// Carries out a command as far as possible without a device.
    ///
    /// - Returns: false if the command must be carried out as usual.
    private mutating func holdBack(_ command: PlayerCommand, at now: Int64) -> Bool {
        switch command.code {
        case .resume:
            if transport.canResume(after: command.value) { interruption.wish() }
            return true
        case .start:
            let starts = transport.state == .idle || transport.state == .finished
            transport.start(atClipFrame: command.value, section: command.moved.to, at: now)
            transport.pause(at: now, reason: interruption.reason, isHeard: false)
            if starts { interruption.wish() }
            return true
        case .pause:
            interruption.forgetWish()
            transport.changePause(to: command.value, at: now)
            return true
        case .gain, .strip, .freeze, .unfreeze, .adoptScore:
            return false
        case .stop, .seek, .skip, .replaceScore, .changeSpeed:
            interruption.forgetWish()
            return false
        }
    }
}

extension PlayerCore {
    /// Notes a reduction of the mix with this player, for the report at the end of the pass. Real-time safe: yes.
    mutating func noteGain(_ gain: Float) { transport.noteGain(gain) }

    /// Reports an xrun of the device. Real-time safe: yes.
    mutating func noteXrun(at frame: Int64, lostFrames: Int64) { transport.noteXrun(at: frame, lostFrames: lostFrames) }

    /// Notes the return of a device, for the next block.
    mutating func endInterruption() { interruption.end() }

    /// Returns true if inaudible sound was requested since the last call.
    mutating func takeWish() -> Bool { interruption.takeWish() }

    /// Forgets the wish to resume: the requested device is missing, so nothing must begin by itself at its return.
    mutating func forgetWish() { interruption.forgetWish() }
}
