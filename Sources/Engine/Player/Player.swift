public import AudioFiles
public import Clips
internal import Realtime
internal import Synchronization

/// Plays a clip by a score: the control side of the sound that the render thread makes.
///
/// Every method returns at once, unless it says that it blocks. It leaves a request, which is heard from the next block on, or from the exact
/// output frame that it names; a frame that has passed means the next block. Every change of the sound is a crossfade of 5 ms. Make players with
/// `Engine.makePlayer(_:score:)`.
///
/// Threads: any but the render thread. Real-time safe: no.
public final class Player: Sendable {
    /// The clip that is played.
    public let clip: Clip

    let core: MixerSlot
    private let control: Mutex<PlayerControl>
    private let telemetry: Mutex<PlayerTelemetry>
    /// Relaxed: only a counter. The command's way to the render side ensures that a start is counted before it is carried out.
    private let startsAsked = Atomic<Int64>(0)
    private let newestStrip = Mutex(ChannelStrip.neutral)
    private let failureBox = Mutex<AudioFileError?>(nil)
    /// The render side's reader of the clip; it also identifies the player in requests to the clip.
    let reader: ClipReader
    private let memory: Mutex<PlayerMemory>
    private let preparer: ScorePreparer
    private let waitsForPages: Bool

    /// - Parameters:
    ///   - waitsForPages: true under the virtual clock, which waits for pages and for the preparation of a score.
    ///   - recordingLimit: the most bytes for a kept pass.
    ///   - listens: false leaves every voice plain.
    ///   - gain: the first gain, as a factor.
    ///   - frame: the output frame at which it is added to the mix.
    init(
        _ clip: Clip, score: Score, waitsForPages: Bool, recordingLimit: Int = ScoreStorage.recordingLimit,
        listens: Bool = true, gain: Float = 1, at frame: Int64 = 0
    ) {
        self.clip = clip
        self.waitsForPages = waitsForPages
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
        let cell = unsafe RealtimeMemory.allocate(PlayerCore.self, capacity: 1)
        unsafe cell.initialize(
            to: PlayerCore(
                clip, reader: reader, attacks: preparer.reader, score: storage.renderScore, ends: ends,
                waitsForPages: waitsForPages, gain: gain))
        core = unsafe MixerSlot(core: cell)
        control = Mutex(
            PlayerControl(
                urgent: urgent.producer, scheduled: scheduled.producer, spentScores: spent.consumer, storage: storage,
                at: frame))
        telemetry = Mutex(
            PlayerTelemetry(
                events: events.consumer, status: status.reader, peaks: peaks.consumer,
                sampleRate: clip.sampleRate))
        clip.request(demand(of: score, first: score.firstClipFrame(ofSection: 0)), for: reader)
    }

    deinit {
        // Sound because the engine keeps every player until the mixer has let go of its core.
        unsafe core.core.deinitialize(count: 1)
        unsafe RealtimeMemory.deallocate(core.core, capacity: 1)
        clip.release(reader)
    }

    // MARK: Requests

    /// Plays from the first frame of the score. Has no effect while the player plays. If it is stopping, it starts after the fade.
    ///
    /// - Parameter frame: the output frame of the first sound; nil for the next block.
    public func start(at frame: Int64? = nil) {
        start(PlayerCommand(code: .start, frame: frame ?? -1, value: -1))
    }

    /// Plays from the first pass of a section, like `start(at:)`.
    ///
    /// - Parameters:
    ///   - section: the section's number, from 1.
    ///   - clipFrame: where to begin in it, as a frame of the clip; nil for its first frame. Inside the section, the sound fades in over 5 ms.
    ///   - frame: the output frame of the first sound; nil for the next block.
    /// - Throws: `ScoreError` of kind `placeOutsideScore` if there is no such section, or it does not contain that frame.
    public func start(inSection section: Int, clipFrame: Int64? = nil, at frame: Int64? = nil) throws(ScoreError) {
        let score = self.score
        let range = try score.range(ofSection: section)
        if let clipFrame, !range.contains(clipFrame) {
            throw ScoreError(
                .placeOutsideScore, "section \(section) does not hold frame \(clipFrame)",
                remedy: "Start at a frame inside it.")
        }
        var command = PlayerCommand(code: .start, frame: frame ?? -1, value: clipFrame ?? -1)
        command.moved.to = Int32(clamping: section - 1)
        let first = clipFrame ?? score.firstClipFrame(ofSection: section - 1)
        clip.request(demand(of: score, first: first), for: reader)
        start(command)
    }

    func start(_ command: PlayerCommand) {
        startsAsked.add(1, ordering: .relaxed)
        // A new attempt reports a new failure, and its stop must not come before this start.
        failureBox.withLock { box in
            box = nil
            send(command)
        }
    }

    /// Moves to a frame of the clip: in the current pass if its section contains the frame, otherwise in the first
    /// pass of the first section that does. While paused it moves the place at which `resume` continues.
    ///
    /// - Parameters:
    ///   - clipFrame: a frame of the clip, at the engine's rate.
    ///   - frame: the output frame at which to move; nil for the next block.
    /// - Throws: `ScoreError` of kind `placeOutsideScore` if no section contains the frame.
    public func seek(toClipFrame clipFrame: Int64, at frame: Int64? = nil) throws(ScoreError) {
        let score = self.score
        guard score.sections.contains(where: { $0.range.contains(clipFrame) }) else {
            throw ScoreError(
                .placeOutsideScore, "no section holds frame \(clipFrame)", remedy: "Seek to a frame inside a section.")
        }
        clip.request(demand(of: score, first: clipFrame), for: reader)
        send(PlayerCommand(code: .seek, frame: frame ?? -1, value: clipFrame))
    }

    /// Moves to the first pass of a section.
    ///
    /// - Parameters:
    ///   - section: the section's number, from 1.
    ///   - frame: the output frame at which to move; nil for the next block.
    /// - Throws: `ScoreError` of kind `placeOutsideScore` if there is no such section.
    public func skip(toSection section: Int, at frame: Int64? = nil) throws(ScoreError) {
        let score = self.score
        _ = try score.range(ofSection: section)
        clip.request(demand(of: score, first: score.firstClipFrame(ofSection: section - 1)), for: reader)
        send(PlayerCommand(code: .skip, frame: frame ?? -1, value: Int64(section - 1)))
    }

    /// Plays at another speed from here on, in all later passes; this ends a ramp or a curve.
    ///
    /// While a pass plays at a speed other than 100 %, its voice continues and glides. The change is heard some 0.1 s after the request, always the
    /// same number of frames, and without a seam. From 100 % the glide begins at once. If a repeated pass is copied from memory, the new speed is
    /// crossfaded in. The event `speedChanged` has the exact frame. A change that comes too late for a pass is heard from the next one on.
    ///
    /// If several changes of speed, pitch and score are requested for the same frame, directly after one another, then a step, a pitch
    /// or a score replaces all before it, and a glide replaces a glide. A glide after a step begins at the speed of the step.
    ///
    /// - Parameters:
    ///   - speed: the speed to reach.
    ///   - glideFrames: output frames of an even change from the old speed to the new one, from 0 (a step) to a minute; nil for 50 ms.
    ///   - frame: the output frame from which the change is prepared; nil for the next block.
    /// - Throws: `ScoreError` if the score cannot be played at that speed; then nothing changes.
    public func setSpeed(_ speed: Speed, over glideFrames: Int64? = nil, at frame: Int64? = nil) throws(ScoreError) {
        let rate = Int64(clip.sampleRate)
        let storage = storage(for: try score.atSpeed(speed))
        let glide = min(max(0, glideFrames ?? rate / 20), 60 * rate)
        let command = PlayerCommand(code: .changeSpeed, frame: frame ?? -1, value: glide)
        control.withLock { $0.replaceScore(storage, by: command) }
    }

    /// Plays at another pitch from here on; the tempo stays.
    ///
    /// - Parameters:
    ///   - pitch: −24 to 24 semitones.
    ///   - frame: the output frame from which the pitch is heard; nil for the next block.
    /// - Throws: `ScoreError` if the score cannot be played at that pitch, of kind `pitchWithVarispeed` if its pitch follows the speed; then
    ///   nothing changes.
    public func setPitch(_ pitch: Pitch, at frame: Int64? = nil) throws(ScoreError) {
        try setScore(try score.atPitch(pitch), at: frame)
    }

    /// Plays another score. It continues at the same section, pass and clip frame if the score has them, in the section's last pass if it has
    /// fewer; otherwise at the first place where the same clip frame is heard, or at its beginning.
    ///
    /// - Parameters:
    ///   - score: made for this clip's length and rate.
    ///   - frame: the output frame from which the score is heard; nil for the next block.
    /// - Throws: `ScoreError` of kind `sectionOutsideClip` if it was made for a longer clip; then nothing changes.
    public func setScore(_ score: Score, at frame: Int64? = nil) throws(ScoreError) {
        try setScore(score, moved: SectionMove(), at: frame)
    }

    /// - Parameter moved: where the section that plays has gone.
    func setScore(_ score: Score, moved: SectionMove, at frame: Int64?) throws(ScoreError) {
        guard score.clipFrameCount <= clip.frameCount else {
            throw ScoreError(
                .sectionOutsideClip, "the score was made for a longer recording", remedy: "Compile it for this clip.")
        }
        if moved.begins {
            // What will be heard is decoded before the request arrives.
            clip.request(demand(of: score, first: score.firstClipFrame(ofSection: Int(moved.to))), for: reader)
        }
        let storage = storage(for: score)
        control.withLock {
            var command = PlayerCommand(code: .replaceScore, frame: frame ?? -1)
            command.moved = moved
            $0.replaceScore(storage, by: command)
        }
    }

    /// Glides to another gain within 20 ms.
    ///
    /// - Parameters:
    ///   - decibels: 0 leaves the samples unchanged; minus infinity is silence; NaN counts as 0.
    ///   - frame: the output frame at which to begin; nil for the next block.
    public func setGain(decibels: Double, at frame: Int64? = nil) {
        var command = PlayerCommand(code: .gain, frame: frame ?? -1)
        command.gain = Self.gain(decibels: decibels)
        send(command)
    }

    /// The factor of a gain; of one that is no number, 1.
    static func gain(decibels: Double) -> Float {
        decibels.isNaN ? 1 : Float(Decibels.factor(min(decibels, 60)))
    }

    /// Changes the strip within 20 ms, or at once if nothing has been played yet.
    ///
    /// - Parameters:
    ///   - strip: the channels, the centre, the balance and the equaliser.
    ///   - frame: the output frame at which to begin; nil for the next block.
    /// - Throws: `ScoreError` of kind `stripOutOfRange` or `channelOutsideClip`; then nothing changes.
    public func setStrip(_ strip: ChannelStrip, at frame: Int64? = nil) throws(ScoreError) {
        var command = PlayerCommand(code: .strip, frame: frame ?? -1)
        command.strip = try strip.settings(channelCount: clip.channelCount)
        newestStrip.withLock {
            $0 = strip
            send(command)
        }
    }

    /// The strip that was requested last.
    public var strip: ChannelStrip { newestStrip.withLock { $0 } }

    /// Blocks until the newest score, and the recording around its place, are analysed. If it is called before `start()`, a live player sounds like
    /// one under the virtual clock.
    ///
    /// Without this a live player begins at once: passes that begin before the analysis is done are stretched as music and without regard to
    /// attacks.
    public func waitUntilPrepared() {
        let places = score.placesNear(status)
        preparer.want(clipFrames: places)
        preparer.waitUntilKnown(clipFrames: places)
        takeOverPreparation()
    }

    // MARK: Status

    /// The score that was requested last.
    public var score: Score { control.withLock { $0.newest.score } }

    /// The player's state as of the last block. Reading it costs the render thread nothing.
    public var status: PlayerStatus { telemetry.withLock { $0.status.read() } }

    /// The frame of the clip that is heard at an output frame of the last minute; nil before the first sound, and for frames that are not rendered yet.
    /// With many joints, less than a minute is known.
    ///
    /// The player's status is ahead of what is heard by the device's buffer. With the engine's `position.framesHeard` this is the place that a user
    /// means who presses a key.
    ///
    /// - Parameter outputFrame: a frame of the engine's output.
    public func clipFrame(heardAt outputFrame: Int64) -> Int64? {
        guard outputFrame >= 0, outputFrame <= status.outputFrame else { return nil }
        return telemetry.withLock { $0.heard(at: outputFrame, seconds: 0, startsAsked: startsCount) }?.clipFrame
    }

    /// The range of the clip that was heard in up to 60 seconds before an output frame, back to the last jump; empty if nothing was heard.
    package func clipRange(heardInLast seconds: Double, before outputFrame: Int64) -> Range<Int64> {
        telemetry.withLock { $0.heard(at: outputFrame, seconds: seconds, startsAsked: startsCount) }?.range ?? 0..<0
    }

    /// Whether a start was requested.
    var wasStarted: Bool { startsCount() > 0 }

    private func startsCount() -> Int64 { startsAsked.load(ordering: .relaxed) }

    /// The highest absolute sample of each of the first eight channels since the last call, a lane for each; 1 is full scale.
    ///
    /// Every block counts once, however rarely you call this. A call resets the peaks, so share the result among several displays.
    public func takePeaks() -> SIMD8<Float> { telemetry.withLock { $0.takePeaks() } }

    /// Why it finished with `.failed`; nil again after a new start.
    public var failure: AudioFileError? { failureBox.withLock { $0 } }

    /// Events from now on, in order. Every reader gets each event once. Once you have read an event, `status` is not from before it.
    ///
    /// The sequence ends after `.finished`, unless the player was started again before that was reported, and when the player is removed or its
    /// engine ends. A sequence that is requested after that ends at once. Get it before `start()`, or the first events are missed; after the end of
    /// a playing get a new one. A reader that does not read keeps all its events in memory.
    public var events: AsyncStream<PlayerEvent> { AsyncStream { follow($0.take) } }

    /// Calls `reader` with what a reader of `events` gets, and with nil at its end. It has the same duties as an observer.
    package func follow(_ reader: @escaping @Sendable (PlayerEvent?) -> Void) {
        telemetry.withLock { $0.add(reader: reader) }
    }

    /// Calls `observer` with every event from now on, in order, all events of a block in one call and before any reader of `events`; under the
    /// virtual clock before the next block (`materialChosen` when it is known). It must return at once, and use only `failure` of the player.
    package func observe(_ observer: @escaping @Sendable ([PlayerEvent]) -> Void) {
        telemetry.withLock { $0.add(observer: observer) }
    }

    // MARK: For the engine

    /// The parts of the clip to keep decoded in order to play a score from a place on.
    func demand(of score: Score, first clipFrame: Int64) -> ClipDemand {
        score.demand(first: clipFrame, leadInFrames: memory.withLock { $0.leadInFrames })
    }

    /// Waits until a range of the clip is decoded, or cannot be, or `endWaits()` was called.
    func waitUntilLoaded(_ frames: Range<Int64>) { _ = try? clip.waitUntilLoaded([frames], for: reader) }

    /// Ends every wait of the render side, now and later. Its output from then on may be incomplete and must not be played.
    func endWaits() {
        clip.endWaits(of: reader)
        preparer.endWaits()
    }

    /// Requests that have not been sent to the render side yet.
    var requestsWaiting: Int { control.withLock { $0.waitingCount } }

    /// Sends requests, delivers events and results of the analysis, and frees scores that the render side has returned.
    ///
    /// - Parameter isBetweenBlocks: whether the caller is the thread that renders, between two blocks. Under the virtual clock all requests for the
    ///   next block are then sent, however many there are.
    func serve(isBetweenBlocks: Bool = false) {
        takeOverPreparation()
        let status = telemetry.withLock { $0.deliver(startsAsked: startsCount) }
        control.withLock { control in
            // Sound because this thread renders, and not now.
            let frame = status.outputFrame
            if isBetweenBlocks, waitsForPages { unsafe control.makeRoom(at: frame, in: &core.core.pointee) }
            control.serve(at: frame)
        }
        preparer.want(clipFrames: score.placesNear(status))
        guard let failure = clip.failure else { return }
        failureBox.withLock { box in
            guard box == nil else { return }
            box = failure
            send(PlayerCommand(code: .stop, value: Int64(FinishReason.failed.rawValue)))
        }
    }

    /// Ends the events of every reader, for good.
    func endEvents() { telemetry.withLock { $0.end() } }

    /// A score with all the memory it needs and what is known about it.
    private func storage(for score: Score) -> ScoreStorage {
        let known = preparer.begin(score)
        return memory.withLock { $0.storage(for: score, known.preparation, ticket: known.ticket) }
    }

    private func takeOverPreparation() {
        preparer.offer { made in
            // Made outside the lock that requests need; meanwhile the score may have been replaced.
            guard let score = control.withLock({ $0.score(ofTicket: made.ticket) }) else { return false }
            let expected = made.isLast ? nil : made.ticket
            let storage = memory.withLock { $0.storage(for: score, made.preparation, ticket: expected) }
            return control.withLock { $0.adopt(storage, insteadOf: made.ticket) }
        }
        let materials = preparer.takeNews()
        if !materials.isEmpty { telemetry.withLock { $0.tell(materials, of: score) } }
    }

    /// Leaves a request.
    func send(_ command: PlayerCommand) { control.withLock { $0.send(command) } }

    /// Gives the render side the voices that frozen sound needs, if no score has needed any.
    func bringVoices() {
        control.withLock { control in
            let newest = control.newest
            guard !newest.hasVoices else { return }
            control.adopt(
                memory.withLock {
                    $0.storage(for: newest.score, newest.preparation, ticket: newest.ticket, needsVoices: true)
                })
        }
    }
}
