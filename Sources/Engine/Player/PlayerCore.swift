// The render side of a player: commands → transport → layers → gain → meter. It owns all it touches; the control side reaches it
// through rings and a snapshot only. Its sound at output frame n depends on the clip, the score, the commands' frames and n,
// never on how the frames were cut into blocks: every step below works on single frames or on bounds given in frames.
//
// It allocates when it is made and never afterwards. It does not open devices, decode files or call anyone back.
internal import AudioDevices
internal import Clips
internal import Realtime

/// What one player does on the render thread: at every frame all that is due, in one order; then the sound up to the next frame at
/// which something is.
struct PlayerCore: ~Copyable {
    /// Steps taken at one frame before sound is made in any case: far beyond what a full list of commands and the joints between
    /// them can lead to, so that no fault keeps the render thread at one frame.
    private static let maximumSteps = 8 * CommandList.capacity

    private let clip: ClipReader
    private let channelCount: Int
    private let gainFrames: Int
    /// Under the virtual clock the reader waits for its pages, so that no command has to.
    private let waitsForPages: Bool
    private var commands: CommandList
    private(set) var transport: Transport
    private var gain = GainGlide()
    private var peaks: PlayerPeaks
    /// What the loss of the device means for this player.
    private var interruption = PlayerInterruption()
    /// Whether nothing more is heard unless somebody asks for it, as of the last block.
    private(set) var hasEnded = false

    init(
        _ clip: Clip, reader: ClipReader, attacks: AttackReader?, score: RenderScore, ends: consuming RenderEnds,
        waitsForPages: Bool
    ) {
        self.clip = reader
        channelCount = clip.channelCount
        self.waitsForPages = waitsForPages
        gainFrames = FadeLengths(sampleRate: clip.sampleRate).gain
        commands = CommandList(urgent: ends.urgent, scheduled: ends.scheduled)
        peaks = PlayerPeaks(ends.peaks)
        let source = ClipSource(clip: reader, attacks: attacks)
        transport = Transport(
            LayerStack(source, sampleRate: clip.sampleRate, score: score), score: score, sampleRate: clip.sampleRate,
            reports: PlayerReports(events: ends.events, status: ends.status), retired: RetiredScores(ends.spentScores))
    }

    // MARK: Rendering

    /// Renders one block into the device's channels.
    ///
    /// - Parameters:
    ///   - output: device channels × at least `frameCount` frames.
    ///   - adds: false for the first player of a block, whose samples replace what is there, bit for bit.
    ///   - frame: the output frame of the block's first sample.
    /// - Returns: the frames up to the player's end, or `frameCount` when it has not ended within the block.
    ///
    /// Real-time safe: yes.
    mutating func render(
        into output: UnsafeMutablePointer<UnsafeMutablePointer<Float>>, outputChannels: Int, frameCount: Int,
        adds: Bool, at frame: Int64
    ) -> Int {
        clip.beginBlock()
        goOnAfterInterruption(at: frame)
        commands.collectUrgent(at: frame)
        var done = 0
        var end = frameCount
        while done < frameCount {
            let now = frame + Int64(done)
            commands.collectScheduled()
            doWhatIsDue(at: now)
            hasEnded = transport.state == .finished && !commands.waitsToStart(at: now)
            if hasEnded { end = min(end, done) }
            let count = framesUntilChange(from: now, limit: min(frameCount - done, LayerStack.chunkFrames))
            transport.produce(count, at: now)
            gain.apply(to: transport.stack.sound, channelCount: channelCount, frameCount: count, at: now)
            peaks.take(transport.stack.sound, count)
            unsafe ChannelMap.mix(
                transport.stack.sound, from: channelCount, into: output, to: outputChannels, offset: done,
                frameCount: count, adds: adds)
            done += count
        }
        // Before the status, so that a reader that sees a frame in the status finds its peaks.
        peaks.handOver()
        transport.endBlock(at: frame + Int64(frameCount))
        publishDemand(at: frame + Int64(frameCount))
        clip.endBlock()
        return end
    }

    /// Does all that is due at output frame `now`, a step at a time, in this order: changes of speed that a voice was told
    /// beforehand; commands, in the order they were asked for; the end of a stop; joints; changes between voice and copy. After each of
    /// the last three, what could not be carried out before is tried again.
    ///
    /// Each step takes a command out of the list, puts it off to a later frame, or moves the transport on. So it ends.
    private mutating func doWhatIsDue(at now: Int64) {
        var isBlocked = false
        for _ in 0..<PlayerCore.maximumSteps {
            if let index = commands.firstTold(at: now) {
                takeToldSpeed(index, at: now)
            } else if !isBlocked, let index = commands.firstDue(at: now) {
                isBlocked = !carryOut(index, at: now)
            } else if transport.advance(at: now) {
                isBlocked = false
            } else {
                break
            }
        }
        transport.dropCovered(at: now)
    }

    /// How many frames can be made in one go: up to the next frame at which something changes.
    private func framesUntilChange(from now: Int64, limit: Int) -> Int {
        let end = now + Int64(limit)
        let next = min(transport.nextChange(after: now, limit: end), commands.nextFrame(after: now, limit: end))
        return max(1, Int(next - now))
    }

    private func publishDemand(at frame: Int64) {
        guard transport.state == .playing || transport.state == .idle else { return }
        let playhead = transport.playhead
        clip.publishDemand(current: playhead.place(at: frame).clipFrame, next: playhead.nextClipStart())
    }

    /// Tells that the device ran dry.
    mutating func noteXrun(at frame: Int64, lostFrames: Int64) {
        transport.noteXrun(at: frame, lostFrames: lostFrames)
    }

    // MARK: Commands

    /// Carries out a command that is due, or puts it off to its frame.
    ///
    /// - Returns: false when it has to wait, and those after it with it.
    private mutating func carryOut(_ index: Int, at now: Int64) -> Bool {
        if let score = commands.takeSuperseded(index, at: now) {
            transport.giveBack(score)
            return true
        }
        let command = commands[index]
        if command.code == .changeSpeed {
            switch transport.changeSpeed(to: command.score, over: command.value, at: now) {
            case .done:
                commands.remove(index)
                giveBackOvertaken()
                return true
            case .told(let frame):
                commands.putOff(index, to: frame, toldLayer: transport.stack.laid)
                return true
            case .needsLayer:
                break
            }
        }
        if command.changesLayers && !transport.canCross(for: command, at: now, waits: !waitsForPages) { return false }
        commands.remove(index)
        apply(command, at: now)
        return true
    }

    private mutating func apply(_ command: PlayerCommand, at now: Int64) {
        if command.code == .start { transport.noteStart() }
        if interruption.isUnderWay && holdBack(command, at: now) { return }
        switch command.code {
        case .gain:
            gain.glide(to: command.gain, over: gainFrames, at: now)
        case .start:
            transport.start(at: now)
        case .pause:
            transport.pause(at: now, reason: command.value)
        case .resume:
            if transport.canResume(after: command.value) { transport.resume(at: now) }
        case .stop:
            transport.stop(at: now, reason: command.value)
        case .seek:
            transport.seek(to: command.value, at: now)
        case .skip:
            transport.skip(to: Int(command.value), at: now)
        case .replaceScore, .changeSpeed:
            giveBackOvertaken()
            let code: RenderEvent.Code = command.code == .changeSpeed ? .speedChanged : .moved
            transport.replaceScore(by: command.score, at: now, telling: code)
        case .adoptScore:
            adopt(command.score, insteadOf: Int(command.value), at: now)
        }
    }

    /// A change of speed that a voice was told is heard from this frame on: its score is taken over.
    private mutating func takeToldSpeed(_ index: Int, at now: Int64) {
        let command = commands[index]
        guard let layer = command.toldLayer, transport.takeToldSpeed(command, layer: layer, at: now) else {
            // Something else sounds by now: it is a command like any other.
            return commands.forgetTelling(index)
        }
        commands.remove(index)
    }

    /// Gives back the scores of changes that were told and are overtaken by a newer score.
    private mutating func giveBackOvertaken() {
        while let score = commands.takeOvertaken() { transport.giveBack(score) }
    }

    /// Goes on with a score of which more is known: the one that plays, or one that is still to be taken over.
    ///
    /// - Parameter known: the address of the same score as it was handed over.
    private mutating func adopt(_ score: RenderScore, insteadOf known: Int, at now: Int64) {
        if transport.plays(scoreAt: known) { return transport.adopt(score, at: now) }
        transport.giveBack(commands.exchangeScore(at: known, for: score) ?? score)
    }

    // MARK: Times without a device

    // The clock of the output goes on, so requests are carried out and events told as ever; what would sound is held back, and a
    // player plays on by itself only if it was playing and nobody has asked anything of it since.

    /// The device is gone; `now` is the first frame it was not asked for.
    ///
    /// - Parameter reason: a `PauseReason`, by its raw value.
    ///
    /// Real-time safe: yes.
    mutating func interrupt(at now: Int64, reason: Int64, resumes: Bool) {
        let plays = transport.state == .playing
        interruption = PlayerInterruption(isUnderWay: true, resumes: resumes && plays, reason: reason)
        transport.pause(at: now, reason: reason, isHeard: false)
        transport.cutStopShort(at: now)
    }

    /// What keeps the device away is another cause by now; told by a player that is paused for the old one.
    ///
    /// Real-time safe: yes.
    mutating func changeInterruption(at now: Int64, reason: Int64) {
        guard interruption.isUnderWay else { return }
        let old = interruption.reason
        interruption.reason = reason
        if transport.pauseReason == old { transport.changePause(to: reason, at: now) }
    }

    /// There is a device again, for the next block.
    mutating func endInterruption() {
        interruption.isUnderWay = false
        interruption.isOver = true
    }

    /// Whether somebody has asked for sound that cannot be heard, since this was asked last.
    mutating func takeWish() -> Bool {
        defer { interruption.wishes = false }
        return interruption.wishes
    }

    /// The device that somebody asked for is not there; so nothing is to begin by itself when it comes.
    mutating func forgetWish() { interruption.resumes = false }

    /// Plays on at the first frame of a device, where that is due.
    private mutating func goOnAfterInterruption(at now: Int64) {
        guard interruption.isOver else { return }
        interruption.isOver = false
        if interruption.resumes { transport.resume(at: now) }
        interruption.resumes = false
    }

    /// Carries out a command as far as it can be without a device.
    ///
    /// - Returns: false when it is to be carried out as ever.
    private mutating func holdBack(_ command: PlayerCommand, at now: Int64) -> Bool {
        switch command.code {
        case .resume:
            wish(transport.canResume(after: command.value))
            return true
        case .start:
            let starts = transport.state == .idle || transport.state == .finished
            transport.start(at: now)
            transport.pause(at: now, reason: interruption.reason, isHeard: false)
            wish(starts)
            return true
        case .pause:
            interruption.resumes = false
            transport.changePause(to: command.value, at: now)
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

/// A time without a device, as one player has it. Trivial.
private struct PlayerInterruption: BitwiseCopyable {
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

/// The render side's ends of the ways to other threads.
struct RenderEnds: ~Copyable {
    var urgent: RingConsumer<PlayerCommand>
    var scheduled: RingConsumer<PlayerCommand>
    var spentScores: RingProducer<Int>
    var events: RingProducer<RenderEvent>
    var status: SnapshotWriter<PlayerStatus>
    var peaks: RingProducer<SIMD8<Float>>
}
