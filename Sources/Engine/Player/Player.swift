public import AudioFiles
public import Clips
internal import Realtime
internal import Synchronization

/// Plays a clip by a score: the control side of what sounds on the render thread.
///
/// Every method may be called from any thread but the render thread, at any time, and returns at once: it leaves a request,
/// which is heard from the next block on, or from the exact output frame it names. Whatever the request, the old sound fades
/// into the new over 5 ms. Make players with `Engine.makePlayer(_:score:)`.
public final class Player: Sendable {
    /// What is played.
    public let clip: Clip

    let core: MixerSlot
    private let control: Mutex<PlayerControl>
    private let telemetry: Mutex<PlayerTelemetry>
    /// Relaxed: a count alone. That a start counts before it is carried out, its way to the render side sees to.
    private let startsAsked = Atomic<Int64>(0)
    private let failureBox = Mutex<AudioFileError?>(nil)
    /// What the render side reads the clip by; names the player in what it asks of the clip.
    private let reader: ClipReader
    private let memory: Mutex<PlayerMemory>
    private let preparer: ScorePreparer

    /// - Parameters:
    ///   - waitsForPages: true under the virtual clock, which waits for pages and for what is to be known of a score.
    ///   - recordingLimit: bytes a pass that comes again may take to be kept.
    ///   - listens: false leaves every voice plain.
    init(
        _ clip: Clip, score: Score, waitsForPages: Bool, recordingLimit: Int = ScoreStorage.recordingLimit,
        listens: Bool = true
    ) {
        self.clip = clip
        let epoch = ReadEpoch()
        preparer = ScorePreparer(
            clip, quality: score.plan.quality, waits: waitsForPages, listens: listens, epoch: epoch)
        let urgent = RingEnds<PlayerCommand>(capacity: 64)
        let scheduled = RingEnds<PlayerCommand>(capacity: 64)
        let spent = RingEnds<Int>(capacity: PlayerControl.maximumScores)
        let events = RingEnds<RenderEvent>(capacity: 4096)
        let status = SnapshotEnds<PlayerStatus>(initial: PlayerStatus())
        let peaks = RingEnds<SIMD8<Float>>(capacity: 256)
        var shared = PlayerMemory(
            channelCount: clip.channelCount, sampleRate: clip.sampleRate, recordingLimit: recordingLimit)
        let known = preparer.begin(score)
        let storage = shared.storage(for: score, known.preparation, ticket: known.ticket)
        memory = Mutex(shared)
        reader = clip.makeReader(waitsForPages: waitsForPages, epoch: epoch)
        let ends = RenderEnds(
            urgent: urgent.consumer, scheduled: scheduled.consumer, spentScores: spent.producer,
            events: events.producer, status: status.writer, peaks: peaks.producer)
        let cell = UnsafeMutablePointer<PlayerCore>.allocate(capacity: 1)
        unsafe cell.initialize(
            to: PlayerCore(
                clip, reader: reader, attacks: preparer.reader, score: storage.renderScore, ends: ends,
                waitsForPages: waitsForPages))
        core = unsafe MixerSlot(core: cell)
        control = Mutex(
            PlayerControl(
                urgent: urgent.producer, scheduled: scheduled.producer, spentScores: spent.consumer, storage: storage))
        telemetry = Mutex(PlayerTelemetry(events: events.consumer, status: status.reader, peaks: peaks.consumer))
        clip.request(demand(of: score, first: score.sections[0].range.lowerBound), for: reader)
    }

    deinit {
        // Sound because the engine keeps every player until the mixer has let go of its core.
        unsafe core.core.deinitialize(count: 1)
        unsafe core.core.deallocate()
        clip.release(reader)
    }

    // MARK: Requests

    /// Plays from the first frame of the score. Without effect while it plays; while it stops, it begins when the fade is over.
    ///
    /// - Parameter frame: the output frame of the first sound; nil: the next block.
    public func start(at frame: Int64? = nil) {
        startsAsked.add(1, ordering: .relaxed)
        // A new attempt reports a new failure.
        failureBox.withLock { $0 = nil }
        send(PlayerCommand(code: .start, frame: frame ?? -1))
    }

    /// Fades out and keeps the place.
    ///
    /// - Parameters:
    ///   - reason: told by the event; `resume(after:)` with the same one ends the pause. Of a player that is paused already
    ///     only the user changes the reason: what was paused for another cause then waits for the user.
    ///   - frame: the output frame at which to do so; nil: the next block.
    public func pause(reason: PauseReason = .user, at frame: Int64? = nil) {
        send(PlayerCommand(code: .pause, frame: frame ?? -1, value: Int64(reason.rawValue)))
    }

    /// Goes on from the frame at which `pause` was heard.
    ///
    /// - Parameters:
    ///   - reason: whose end this is: without effect when the player is paused for another reason by then. Nil, the user's own
    ///     word: goes on whatever it was paused for.
    ///   - frame: the output frame at which to do so; nil: the next block.
    public func resume(after reason: PauseReason? = nil, at frame: Int64? = nil) {
        let value = reason.map { Int64($0.rawValue) } ?? PlayerCommand.anyReason
        send(PlayerCommand(code: .resume, frame: frame ?? -1, value: value))
    }

    /// Fades out and finishes.
    public func stop(at frame: Int64? = nil) {
        send(PlayerCommand(code: .stop, frame: frame ?? -1, value: Int64(FinishReason.stopped.rawValue)))
    }

    /// Is heard from a frame of the clip on: in the pass that plays when its section holds the frame, otherwise in the first
    /// pass of the first section that does. While paused it moves the place from which `resume` goes on.
    ///
    /// - Parameters:
    ///   - clipFrame: a frame of the clip, at the engine's rate.
    ///   - frame: the output frame at which to move; nil: the next block.
    /// - Throws: `ScoreError` of kind `placeOutsideScore` when no section holds the frame.
    public func seek(toClipFrame clipFrame: Int64, at frame: Int64? = nil) throws(ScoreError) {
        let score = self.score
        guard score.sections.contains(where: { $0.range.contains(clipFrame) }) else {
            throw ScoreError(
                .placeOutsideScore, "no section holds frame \(clipFrame)", remedy: "Seek to a frame inside a section.")
        }
        clip.request(demand(of: score, first: clipFrame), for: reader)
        send(PlayerCommand(code: .seek, frame: frame ?? -1, value: clipFrame))
    }

    /// Is heard from the first pass of a section on.
    ///
    /// - Parameters:
    ///   - section: the section's number, from 1.
    ///   - frame: the output frame at which to do so; nil: the next block.
    /// - Throws: `ScoreError` of kind `placeOutsideScore` when there is no such section.
    public func skip(toSection section: Int, at frame: Int64? = nil) throws(ScoreError) {
        let score = self.score
        let sections = score.sections
        guard sections.indices.contains(section - 1) else {
            throw ScoreError(
                .placeOutsideScore, "there is no section \(section)",
                remedy: "Choose a section from 1 to \(sections.count).")
        }
        clip.request(demand(of: score, first: sections[section - 1].range.lowerBound), for: reader)
        send(PlayerCommand(code: .skip, frame: frame ?? -1, value: Int64(section - 1)))
    }

    /// Plays at another speed from here on, in all passes to come; a ramp or a curve ends with it.
    ///
    /// While a pass sounds at another speed than 100 %, its voice goes on and glides: the change is heard some 0.1 s after
    /// it was asked for, always the same number of frames, and without a seam. From 100 % the glide begins at once.
    /// Where a pass comes from memory because it came before, the new speed is crossfaded in. The event
    /// `speedChanged` tells the exact frame. What comes too late for a pass is heard from the next one on.
    ///
    /// Of several changes of speed, pitch and score that are asked for the same frame, one right after the other, a step, a pitch
    /// and a score take the place of all before them, and a glide that of a glide. A glide after a step begins where that led.
    /// - Parameters:
    ///   - speed: the speed to reach.
    ///   - glideFrames: output frames of an even change from the old speed to the new, from 0, a step, to a minute; nil:
    ///     50 ms.
    ///   - frame: the output frame from which the change is prepared; nil: the next block.
    /// - Throws: `ScoreError` when the score cannot be played at that speed.
    public func setSpeed(_ speed: Speed, over glideFrames: Int64? = nil, at frame: Int64? = nil) throws(ScoreError) {
        let rate = Int64(clip.sampleRate)
        let storage = storage(for: try score.atSpeed(speed))
        let glide = min(max(0, glideFrames ?? rate / 20), 60 * rate)
        let command = PlayerCommand(code: .changeSpeed, frame: frame ?? -1, value: glide)
        control.withLock { $0.replaceScore(storage, by: command) }
    }

    /// Plays in another pitch from here on; the tempo stays.
    ///
    /// - Throws: `ScoreError` when the score cannot be played so.
    public func setPitch(_ pitch: Pitch, at frame: Int64? = nil) throws(ScoreError) {
        try setScore(try score.atPitch(pitch), at: frame)
    }

    /// Takes over another score, going on at the same section, pass and clip frame where it has them; otherwise at the first
    /// place where the same clip frame is heard, or at its beginning.
    ///
    /// - Throws: `ScoreError` of kind `sectionOutsideClip` when it was made for a longer clip.
    public func setScore(_ score: Score, at frame: Int64? = nil) throws(ScoreError) {
        guard score.clipFrameCount <= clip.frameCount else {
            throw ScoreError(
                .sectionOutsideClip, "the score was made for a longer recording", remedy: "Compile it for this clip.")
        }
        let storage = storage(for: score)
        control.withLock {
            $0.replaceScore(storage, by: PlayerCommand(code: .replaceScore, frame: frame ?? -1))
        }
    }

    /// Glides to another gain within 20 ms.
    ///
    /// - Parameters:
    ///   - decibels: 0 leaves the samples as they are; minus infinity is silence; NaN is taken as 0.
    ///   - frame: the output frame at which to do so; nil: the next block.
    public func setGain(decibels: Double, at frame: Int64? = nil) {
        let factor = decibels.isNaN ? 1 : Float(Decibels.factor(min(decibels, 60)))
        var command = PlayerCommand(code: .gain, frame: frame ?? -1)
        command.gain = factor
        send(command)
    }

    /// Returns when everything is known of the newest score, and of its surroundings, that is to be known now; called before
    /// `start()`, a live player sounds as one under the virtual clock.
    ///
    /// Without this a live player begins at once: passes that begin before the recording was listened to are stretched
    /// without regard to attacks, and as music whatever they are.
    public func waitUntilPrepared() {
        let places = score.placesNear(status)
        preparer.want(clipFrames: places)
        preparer.waitUntilKnown(clipFrames: places)
        takeOverPreparation()
    }

    // MARK: What it tells

    /// The score that was asked for last.
    public var score: Score { control.withLock { $0.newest.score } }

    /// What it does now, as of the last block.
    public var status: PlayerStatus { telemetry.withLock { $0.status.read() } }

    /// The highest absolute sample since this was asked last, a lane for each of the first eight channels; 1 is full scale.
    ///
    /// Every block counts once, however seldom you call this. A call takes all there is, so share the result among several displays.
    public func takePeaks() -> SIMD8<Float> { telemetry.withLock { $0.takePeaks() } }

    /// Why it finished with `.failed`; nil again once it was asked to start anew.
    public var failure: AudioFileError? { failureBox.withLock { $0 } }

    /// What happens from now on, each event once, in order, to every reader.
    ///
    /// It ends after `.finished`, unless the player was asked to start again before that was told; and when the player is
    /// removed or its engine ends. What is asked for after either of those is over at once.
    /// Ask for it before `start()`, or the first events are over; for another playing after an end, ask again. A reader that
    /// does not read holds all its events in memory.
    public var events: AsyncStream<PlayerEvent> {
        AsyncStream { continuation in telemetry.withLock { $0.add(continuation) } }
    }

    // MARK: For the engine

    /// What is to be kept loaded of the clip to play a score from a place on.
    func demand(of score: Score, first clipFrame: Int64) -> ClipDemand {
        score.demand(first: clipFrame, leadInFrames: memory.withLock { $0.leadInFrames })
    }

    /// Returns when a range of the clip is decoded, or cannot be, or `endWaits()` was called.
    func waitUntilLoaded(_ frames: Range<Int64>) { _ = try? clip.waitUntilLoaded([frames], for: reader) }

    /// Ends every wait of the render side, now and later. What it makes from then on may lack anything, and is not to be heard.
    func endWaits() {
        clip.endWaits(of: reader)
        preparer.endWaits()
    }

    /// Requests that are still on this side.
    var requestsWaiting: Int { control.withLock { $0.waitingCount } }

    /// Carries requests, events and what was found out, and frees scores the render side has handed back.
    func serve() {
        takeOverPreparation()
        let status = telemetry.withLock { telemetry in
            telemetry.deliver { startsAsked.load(ordering: .relaxed) }
            return telemetry.status.read()
        }
        control.withLock { $0.serve(at: status.outputFrame) }
        preparer.want(clipFrames: score.placesNear(status))
        guard let failure = clip.failure else { return }
        let isNew = failureBox.withLock { box in
            defer { box = box ?? failure }
            return box == nil
        }
        if isNew { send(PlayerCommand(code: .stop, value: Int64(FinishReason.failed.rawValue))) }
    }

    /// Ends every reader's events, for good.
    func endEvents() {
        telemetry.withLock { $0.end() }
    }

    /// A score with all the memory it needs, and what is known of it.
    private func storage(for score: Score) -> ScoreStorage {
        let known = preparer.begin(score)
        return memory.withLock { $0.storage(for: score, known.preparation, ticket: known.ticket) }
    }

    private func takeOverPreparation() {
        preparer.offer { made in
            // Made outside the lock that requests need; by then the score may have been replaced.
            guard let score = control.withLock({ $0.score(ofTicket: made.ticket) }) else { return false }
            let storage = memory.withLock { $0.storage(for: score, made.preparation, ticket: nil) }
            return control.withLock { $0.adopt(storage, insteadOf: made.ticket) }
        }
        let materials = preparer.takeNews()
        if !materials.isEmpty { telemetry.withLock { $0.tell(materials, of: score) } }
    }

    private func send(_ command: PlayerCommand) {
        control.withLock { $0.send(command) }
    }
}
