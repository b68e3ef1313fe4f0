// The render side of a player: score → layers → joint → gain → meter. It owns all it touches; the control side reaches it
// through rings and a snapshot only. Its sound at output frame n depends on the clip, the score, the commands' frames and n,
// never on how the frames were cut into blocks: every step below works on single frames or on bounds given in frames.
//
// It allocates when it is made and never afterwards. It does not open devices, decode files or call anyone back.
internal import AudioFiles
internal import Realtime

/// What one player does on the render thread.
///
/// Files: `+Commands` (what the control side asks), `+Score` (moving through spans), `+Layers` (making sound), `+Voices` (which
/// voice plays what), `+Recording` (passes that come again), `+Interruption` (times without a device).
struct PlayerCore: ~Copyable {
    /// Two fades may overlap when a command comes, and a joint may come while they do.
    static let maximumLayers = 4
    /// A pass with so long to go is not left plain when more is known about it.
    static let longPassSeconds = 5
    /// Frames rendered at once: bounds the scratch memory, not the block.
    static let chunkFrames = 1024
    /// Commands waiting for their frame; the last places are kept for those that are to happen at once.
    static let maximumPending = 64
    static let maximumScheduled = 48
    /// Joints crossed at one frame, and times commands and joints take turns there, before sound is made in any case: both far
    /// beyond what a score and a full list of commands can lead to, so that no fault keeps the render thread at one frame.
    static let maximumJoints = 8
    static let maximumTurns = 2 * maximumPending

    // MARK: Fixed

    let clip: ClipReader
    /// What is known of the clip's attacks, read in the same epoch as the clip; nil when nobody listens to it.
    let attacks: AttackReader?
    let clipFrameCount: Int64
    let channelCount: Int
    let sampleRate: Int
    /// 5 ms: joints, seeks, pauses and stops fade so long.
    let crossfadeFrames: Int
    /// 3 ms: the joint `fade`.
    let fadeFrames: Int
    /// 20 ms: a change of gain takes so long.
    let gainFrames: Int
    /// Under the virtual clock the reader waits for its pages, so that no command has to.
    let waitsForPages: Bool
    /// channels × chunkFrames; the player's sound, and the layer being laid over it.
    let mixed: PlanarBuffer
    let incoming: PlanarBuffer

    // MARK: Ends of what leads to other threads

    var urgent: RingConsumer<PlayerCommand>
    var scheduled: RingConsumer<PlayerCommand>
    var spentScores: RingProducer<Int>
    var events: RingProducer<RenderEvent>
    var statusWriter: SnapshotWriter<PlayerStatus>
    var peakWriter: RingProducer<SIMD8<Float>>

    // MARK: State

    var status = PlayerStatus()
    /// The highest absolute samples that have not been handed over yet.
    private var peaks = SIMD8<Float>(repeating: 0)
    var score = RenderScore.none
    var cursor: ScoreCursor
    /// The next output frame of the pass at which a voice and a copy of the clip may have to change places.
    var copyBoundary = CurveKnot.never
    var layers: InlineArray<4, Layer> = InlineArray(repeating: Layer())
    var layerCount = 0
    /// Layers laid so far: what a change of speed was told for is known by it.
    var layersLaid: Int64 = 0
    var voices: VoicePool
    /// What is kept of the passes that come again.
    var recorder: PassRecorder
    /// Scores that are over and whose memory is still heard, at most one a layer.
    var retired: InlineArray<4, RenderScore> = InlineArray(repeating: RenderScore.none)
    var retiredCount = 0
    var pending: InlineArray<64, PlayerCommand> = InlineArray(repeating: PlayerCommand(code: .gain))
    var pendingCount = 0
    /// Where `resume` goes on, and the `PauseReason` by its raw value.
    var pausedAt = Place()
    var pauseReason: Int64 = 0
    /// What the loss of the device means for this player.
    var interruption = PlayerInterruption()
    /// While stopping: the output frame after the last, and why.
    var stopFrame: Int64 = 0
    var finishReason = FinishReason.completed
    /// Requests to start that were taken out of the list: by it the control side knows whether more is to come after an end.
    var startsTaken: Int64 = 0
    /// Whether nothing more is heard unless somebody asks for it, as of the last block.
    private(set) var hasEnded = false
    var gain = GainGlide()
    /// Silence for want of a page: when it began and how long it has been, until it is told.
    var starvedSince: Int64 = 0
    var starvedRun: Int64 = 0

    init(
        _ clip: Clip, reader: ClipReader, attacks: AttackReader?, score: RenderScore, ends: consuming RenderEnds,
        waitsForPages: Bool
    ) {
        self.clip = reader
        self.attacks = attacks
        clipFrameCount = clip.frameCount
        channelCount = clip.channelCount
        sampleRate = clip.sampleRate
        crossfadeFrames = PlayerCore.crossfadeFrames(at: clip.sampleRate)
        fadeFrames = max(1, (clip.sampleRate * 3 + 500) / 1000)
        gainFrames = max(1, (clip.sampleRate * 20 + 500) / 1000)
        self.waitsForPages = waitsForPages
        mixed = PlanarBuffer(channelCount: clip.channelCount, frameCount: PlayerCore.chunkFrames)
        incoming = PlanarBuffer(channelCount: clip.channelCount, frameCount: PlayerCore.chunkFrames)
        urgent = ends.urgent
        scheduled = ends.scheduled
        spentScores = ends.spentScores
        events = ends.events
        statusWriter = ends.status
        peakWriter = ends.peaks
        voices = score.voices
        self.score = score
        recorder = PassRecorder(memory: score.recording)
        cursor = ScoreCursor.start(of: score.part(0), index: 0, at: 0)
    }

    static func crossfadeFrames(at sampleRate: Int) -> Int { max(1, (sampleRate * 5 + 500) / 1000) }

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
        collectUrgentCommands(at: frame)
        var (done, turns) = (0, 0)
        var end = frameCount
        while done < frameCount {
            let now = frame + Int64(done)
            collectScheduledCommands()
            applyCommands(at: now)
            moveThroughScore(to: now)
            dropCoveredLayers(at: now)
            // A command may become possible exactly where a fade has just ended.
            applyCommands(at: now)
            hasEnded = status.state == .finished && !waitsToStart(at: now)
            if hasEnded && done < end { end = done }
            var count = framesUntilBoundary(from: now, limit: min(frameCount - done, PlayerCore.chunkFrames))
            if count <= 0 {
                // A command has led to the very end of a pass: first on to the pass that follows.
                turns += 1
                if turns <= PlayerCore.maximumTurns { continue }
                count = 1
            }
            turns = 0
            produce(count, at: now)
            gain.apply(to: mixed, channelCount: channelCount, frameCount: count, at: now)
            meter(count)
            unsafe ChannelMap.mix(
                mixed, from: channelCount, into: output, to: outputChannels, offset: done, frameCount: count,
                adds: adds)
            done += count
        }
        returnRetiredScores()
        tellStarvation(at: frame + Int64(frameCount))
        publish(at: frame + Int64(frameCount))
        clip.endBlock()
        return end
    }

    /// How many frames can be made in one go: up to the next frame at which something changes.
    private func framesUntilBoundary(from now: Int64, limit: Int) -> Int {
        var next = now + Int64(limit)
        if status.state == .playing { next = min(min(next, cursor.spanEnd), copyBoundary) }
        if status.state == .stopping { next = min(next, stopFrame) }
        for index in 0..<layerCount {
            let entryEnd = layers[index].entryEnd
            if entryEnd > now { next = min(next, entryEnd) }
        }
        for index in 0..<pendingCount {
            let due = pending[index].frame
            if due > now { next = min(next, due) }
        }
        return Int(next - now)
    }

    /// The highest absolute sample of each of the first eight channels.
    private mutating func meter(_ count: Int) {
        for channel in 0..<min(channelCount, SIMD8<Float>.scalarCount) {
            // Sound because every buffer holds chunkFrames samples and count is at most that.
            let samples = unsafe mixed.channel(channel)
            var peak = peaks[channel]
            for index in 0..<count { peak = max(peak, unsafe abs(samples[index])) }
            peaks[channel] = peak
        }
    }

    private mutating func publish(at frame: Int64) {
        status.outputFrame = frame
        let part = score.part(cursor.part)
        if status.state != .idle {
            status.section = part.section + 1
            status.pass = cursor.pass + 1
            status.passes = part.sectionPasses
            status.speed = cursor.speed(at: status.state == .paused ? cursor.course.frame : frame, in: part)
            status.semitones = part.semitones
            status.isResting = cursor.isRest
            status.restFramesLeft = restFramesLeft(at: frame)
            status.clipFrame = status.state == .paused ? pausedAt.clipFrame : place(at: frame).clipFrame
        }
        // Before the status, so that who has seen a frame in it finds its peaks. Where nobody takes them they add up.
        if peakWriter.push(peaks) { peaks = SIMD8(repeating: 0) }
        statusWriter.write(status)
        if status.state == .playing || status.state == .idle {
            clip.publishDemand(current: place(at: frame).clipFrame, next: nextClipStart())
        }
    }

    /// What is left of the silence after a pass; a pause does not use it up.
    private func restFramesLeft(at frame: Int64) -> Int64 {
        guard cursor.isRest else { return 0 }
        guard status.state == .paused else { return max(0, cursor.spanEnd - frame) }
        return max(0, score.part(cursor.part).gapFrames - pausedAt.restElapsed)
    }

    /// Writes an event about the current span; a full ring is counted, never waited for.
    mutating func post(_ code: RenderEvent.Code, at frame: Int64, clipFrame: Int64, detail: Int64 = 0) {
        let part = score.part(cursor.part)
        post(
            code, about: part, pass: cursor.pass, at: frame, speed: cursor.speed(at: frame, in: part),
            clipFrame: clipFrame, detail: detail)
    }

    /// The same about another pass than the cursor's, perhaps of a score that has just been replaced.
    mutating func post(
        _ code: RenderEvent.Code, about part: ScorePart, pass: Int, at frame: Int64, speed: Double, clipFrame: Int64,
        detail: Int64 = 0
    ) {
        let event = RenderEvent(
            code: code, frame: frame, section: part.section, pass: pass, passes: part.sectionPasses,
            speed: speed, semitones: part.semitones, clipFrame: clipFrame, sound: sound(of: part),
            detail: detail)
        if !events.push(event) { status.droppedEvents += 1 }
    }

    /// How passes of a part are made that begin now.
    private func sound(of part: ScorePart) -> PassSound {
        if part.isCopy { return .copy }
        let choice = score.choice(cursor.part)
        if choice.method.isSplices() { return .speech }
        return choice.knowsAttacks ? .music : .plain
    }

    /// One event for each run of missing frames, at the frame where it began.
    private mutating func tellStarvation(at frame: Int64) {
        guard starvedRun > 0, frame > starvedSince + starvedRun || status.state == .finished else { return }
        post(.starved, at: starvedSince, clipFrame: place(at: starvedSince).clipFrame, detail: starvedRun)
        starvedRun = 0
    }
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
