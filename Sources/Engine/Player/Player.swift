public import AudioFiles
public import Clips
public import Explanations
internal import Realtime
internal import Synchronization

/// Plays a clip by a score: the control side of the sound that the render thread makes.
///
/// Every method returns at once, except where its documentation says "blocks". A method queues a request. The request
/// takes effect in the next block, or at the exact output frame given; a frame in the past means the next block. Every
/// change of the sound is a crossfade of 5 ms. Make players with `Engine.makePlayer(_:plan:)`.
///
/// Threads: any but the render thread. Real-time safe: no.
public final class Player: Sendable {
    /// The clip to play.
    public let clip: Clip

    let core: MixerSlot
    private let control: Mutex<PlayerControl>
    private let telemetry: Mutex<PlayerTelemetry>
    /// Relaxed: only a counter. The command ring ensures that a start is counted before the render side carries it out.
    private let startsAsked = Atomic<Int64>(0)
    private let newestStrip = Mutex(ChannelStrip.neutral)
    private let failureBox = Mutex<AudioFileError?>(nil)
    /// The render side's reader of the clip; also identifies the player in requests to the clip.
    let reader: ClipReader
    private let memory: Mutex<PlayerMemory>
    private let preparer: ScorePreparer

    /// - Parameters:
    ///   - waitsForPages: true under the virtual clock, which waits for pages and for the preparation of a score.
    ///   - recordingLimit: the maximum number of bytes for a kept pass.
    ///   - listens: false leaves every voice plain.
    ///   - gain: the first gain, as a factor.
    ///   - frame: the output frame at which the engine adds the player to the mix.
    init(
        _ clip: Clip, score: Score, waitsForPages: Bool, recordingLimit: Int = ScoreStorage.recordingLimit,
        listens: Bool = true, gain: Float = 1, at frame: Int64 = 0
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
                events: events.consumer, status: status.reader, peaks: peaks.consumer, sampleRate: clip.sampleRate))
        clip.request(demand(of: score, first: score.firstClipFrame(ofSection: 0)), for: reader)
    }

    deinit {
        // Sound because the engine keeps every player until the mixer has released its core.
        unsafe core.core.deinitialize(count: 1)
        unsafe RealtimeMemory.deallocate(core.core, capacity: 1)
        clip.release(reader)
    }

    // MARK: Requests

    /// Plays from the first frame of the score. Has no effect on a playing player. Lets a stopping player fade first.
    ///
    /// - Parameter frame: the output frame of the first sound; nil for the next block.
    public func start(at frame: Int64? = nil) {
        start(PlayerCommand(code: .start, frame: frame ?? -1, value: -1))
    }

    /// Plays from the first pass of a section, like `start(at:)`.
    ///
    /// - Parameters:
    ///   - section: the section's number, from 1.
    ///   - clipFrame: the start within the section, as a frame of the clip; nil for the section's first frame. Inside
    ///     the section, the sound fades in over 5 ms.
    ///   - frame: the output frame of the first sound; nil for the next block.
    /// - Throws: `ScoreError` of kind `placeOutsideScore` for an unknown section or for a frame outside the section.
    public func start(inSection section: Int, clipFrame: Int64? = nil, at frame: Int64? = nil) throws(ScoreError) {
        let score = self.score
        let range = try score.range(ofSection: section)
        if let clipFrame, !range.contains(clipFrame) {
            throw ScoreError(
                .placeOutsideScore, "section \(section) does not hold frame \(clipFrame)",
                remedy: "Start at a frame inside the section.")
        }
        var command = PlayerCommand(code: .start, frame: frame ?? -1, value: clipFrame ?? -1)
        command.moved.to = Int32(clamping: section - 1)
        let first = clipFrame ?? score.firstClipFrame(ofSection: section - 1)
        clip.request(demand(of: score, first: first), for: reader)
        start(command)
    }

    func start(_ command: PlayerCommand) {
        startsAsked.add(1, ordering: .relaxed)
        // A new attempt reports a new failure. The stop for this failure must follow this start.
        failureBox.withLock { box in
            box = nil
            send(command)
        }
    }

    /// Moves to a frame of the clip: in the current pass if its section contains the frame, otherwise in the first pass
    /// of the first section with the frame. In a pause, moves the place at which `resume` continues.
    ///
    /// - Parameters:
    ///   - clipFrame: a frame of the clip, at the engine's rate.
    ///   - frame: the output frame of the move; nil for the next block.
    /// - Throws: `ScoreError` of kind `placeOutsideScore` if no section contains the frame.
    public func seek(toClipFrame clipFrame: Int64, at frame: Int64? = nil) throws(ScoreError) {
        let score = self.score
        guard score.sections.contains(where: { $0.range.contains(clipFrame) }) else {
            throw ScoreError(
                .placeOutsideScore, "no section holds frame \(clipFrame)", remedy: "Seek to a frame inside a section.")
        }
        clip.request(demand(of: score, first: clipFrame), for: reader)
        let command = PlayerCommand(code: .seek, frame: frame ?? -1, value: clipFrame)
        control.withLock { $0.send(command, movingTo: clipFrame) }
    }

    /// Moves to the first pass of a section.
    ///
    /// - Parameters:
    ///   - section: the section's number, from 1.
    ///   - frame: the output frame of the move; nil for the next block.
    /// - Throws: `ScoreError` of kind `placeOutsideScore` if there is no such section.
    public func skip(toSection section: Int, at frame: Int64? = nil) throws(ScoreError) {
        let score = self.score
        _ = try score.range(ofSection: section)
        let first = score.firstClipFrame(ofSection: section - 1)
        clip.request(demand(of: score, first: first), for: reader)
        let command = PlayerCommand(code: .skip, frame: frame ?? -1, value: Int64(section - 1))
        control.withLock { $0.send(command, movingTo: first) }
    }

    /// Plays at another speed from here on, in all later passes; this ends a ramp or a curve.
    ///
    /// While a pass plays at a speed other than 100 %, its voice continues and glides. The change is audible about 0.1
    /// s after the request, always after the same number of frames, and without a seam. From 100 % the glide begins at
    /// once. If a repeated pass plays from memory, the new speed fades in. The event `speedChanged` has the exact
    /// frame. A change too late for a pass begins with the next pass.
    ///
    /// For several changes of speed, pitch and score at the same frame, directly after one another: a step, a pitch or
    /// a score replaces all earlier changes, and a glide replaces a glide. A glide after a step begins at its speed.
    ///
    /// - Parameters:
    ///   - speed: the new speed.
    ///   - glideFrames: output frames of an even change from the old speed to the new speed, from 0 (a step) to a
    ///     minute; nil for 50 ms.
    ///   - frame: the output frame at which preparation of the change begins; nil for the next block.
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
    ///   - frame: the first output frame of the new pitch; nil for the next block.
    /// - Throws: `ScoreError` if the score cannot be played at that pitch, of kind `pitchWithVarispeed` if its pitch
    ///   follows the speed; then nothing changes.
    public func setPitch(_ pitch: Pitch, at frame: Int64? = nil) throws(ScoreError) {
        try setScore(try score.atPitch(pitch), at: frame)
    }

    /// Plays another score. Continues at the same section, pass and clip frame if the new score has these (in the
    /// section's last pass if passes are missing), otherwise at the first place with the same clip frame, or at the
    /// beginning.
    ///
    /// - Parameters:
    ///   - score: a score for this clip's length and rate.
    ///   - frame: the first output frame of the new score; nil for the next block.
    /// - Throws: `ScoreError` of kind `sectionOutsideClip` for a score made for a longer clip; then nothing changes.
    public func setScore(_ score: Score, at frame: Int64? = nil) throws(ScoreError) {
        try setScore(score, moved: SectionMove(), at: frame)
    }

    /// - Parameter moved: the new position of the section that plays.
    func setScore(_ score: Score, moved: SectionMove, at frame: Int64?) throws(ScoreError) {
        guard score.clipFrameCount <= clip.frameCount else {
            let remedy = "Compile the score for this clip."
            throw ScoreError(.sectionOutsideClip, "the score was made for a longer recording", remedy: remedy)
        }
        let first = moved.begins ? score.firstClipFrame(ofSection: Int(moved.to)) : nil
        // Requests decoding of the new section's first frames before the command arrives.
        if let first { clip.request(demand(of: score, first: first), for: reader) }
        let storage = storage(for: score)
        control.withLock {
            var command = PlayerCommand(code: .replaceScore, frame: frame ?? -1)
            command.moved = moved
            $0.replaceScore(storage, by: command, movingTo: first)
        }
    }

    /// Glides to another gain within 20 ms.
    ///
    /// - Parameters:
    ///   - decibels: 0 leaves the samples unchanged; minus infinity is silence; NaN counts as 0.
    ///   - frame: the first output frame of the glide; nil for the next block.
    public func setGain(decibels: Double, at frame: Int64? = nil) {
        var command = PlayerCommand(code: .gain, frame: frame ?? -1)
        command.gain = Self.gain(decibels: decibels)
        send(command)
    }

    /// Returns the factor of a gain; 1 for NaN.
    static func gain(decibels: Double) -> Float {
        decibels.isNaN ? 1 : Float(Decibels.factor(min(decibels, 60)))
    }

    /// Changes the strip within 20 ms, or at once before any sound.
    ///
    /// - Parameters:
    ///   - strip: the channels, the centre, the balance and the equaliser.
    ///   - frame: the first output frame of the change; nil for the next block.
    /// - Throws: `ScoreError` of kind `stripOutOfRange` or `channelOutsideClip`; then nothing changes.
    public func setStrip(_ strip: ChannelStrip, at frame: Int64? = nil) throws(ScoreError) {
        var command = PlayerCommand(code: .strip, frame: frame ?? -1)
        command.strip = try strip.settings(channelCount: clip.channelCount)
        newestStrip.withLock {
            $0 = strip
            send(command)
        }
    }

    /// The most recently requested strip.
    public var strip: ChannelStrip { newestStrip.withLock { $0 } }

    /// Blocks until the newest score, and the recording around its place, are analysed. After this call and before
    /// `start()`, a live player sounds like a player under the virtual clock.
    ///
    /// Without this call a live player begins at once: passes that begin before the end of the analysis are stretched
    /// as music and without regard to attacks.
    public func waitUntilPrepared() {
        let places = score.placesNear(status)
        preparer.want(clipFrames: places)
        preparer.waitUntilKnown(clipFrames: places)
        takeOverPreparation()
    }

    // MARK: Status

    /// The most recently requested score.
    public var score: Score { control.withLock { $0.newest.score } }

    /// The player's state as of the last block. Reading the state costs the render thread nothing.
    public var status: PlayerStatus { telemetry.withLock { $0.latestStatus() } }

    /// The status, with the place of the newest move that the player has not carried out yet. A program that moves by a
    /// distance adds the distance to this place, so that several moves within a block add up.
    ///
    /// Moves are seeks, skips and scores that begin with one of their sections, all without an output frame. The
    /// section and the pass are those of the last block.
    package var statusAfterMoves: PlayerStatus {
        // Read before the status, which then has every older move.
        let move = control.withLock { $0.newestMove }
        var status = status
        guard status.counters.movesTaken < move.number else { return status }
        (status.clipFrame, status.isResting, status.restFramesLeft) = (move.clipFrame, false, 0)
        return status
    }

    /// Returns the frame of the clip heard at an output frame of the last minute; nil before the first sound, and for
    /// frames not rendered yet. Many joints shorten the minute.
    ///
    /// The player's status is ahead of the audible sound by the device's buffer. With the engine's
    /// `position.framesHeard`, this method gives the place that a user means when pressing a key.
    ///
    /// - Parameter outputFrame: a frame of the engine's output.
    public func clipFrame(heardAt outputFrame: Int64) -> Int64? {
        guard outputFrame >= 0, outputFrame <= status.outputFrame else { return nil }
        return telemetry.withLock { $0.heard(at: outputFrame, seconds: 0, startsAsked: startsCount) }?.clipFrame
    }

    /// Returns the range of the clip heard in up to 60 s before an output frame, back to the last jump; empty if none.
    package func clipRange(heardInLast seconds: Double, before outputFrame: Int64) -> Range<Int64> {
        telemetry.withLock { $0.heard(at: outputFrame, seconds: seconds, startsAsked: startsCount) }?.range ?? 0..<0
    }

    /// True after a request to start.
    var wasStarted: Bool { startsCount() > 0 }
    private func startsCount() -> Int64 { startsAsked.load(ordering: .relaxed) }

    /// Returns the highest absolute sample of the first eight channels since the last call, one lane each; 1: full
    /// scale.
    ///
    /// Every block counts once, however rare the calls. A call resets the peaks, so share the result among displays.
    public func takePeaks() -> SIMD8<Float> { telemetry.withLock { $0.takePeaks() } }

    /// Cause of a finish with `.failed`; nil again after a new start.
    public var failure: AudioFileError? { failureBox.withLock { $0 } }

    /// Events from now on, in order. Every reader gets each event once. `status` is at least as new as any event read.
    ///
    /// The sequence ends after `.finished` (unless a new start came before its report), or when the player is removed
    /// or its engine ends; a sequence requested later ends at once. Get the sequence before `start()` to see the first
    /// events, and a new sequence after each end. Of unread events only the newest 2^20 are kept; see `status`, too.
    public var events: AsyncStream<PlayerEvent> { telemetry.withLock { $0.stream() } }

    /// Calls `reader` with every event, as in `events`, and with nil at the end. The duties of an observer apply.
    package func follow(_ reader: @escaping @Sendable (PlayerEvent?) -> Void) {
        telemetry.withLock { $0.add(reader: reader) }
    }

    /// Calls `observer` with every event from now on, in order: all events of a block in a single call, before any
    /// reader of `events`, and under the virtual clock before the next block (`materialChosen` when known). The
    /// observer must return at once, and use only `failure` of the player.
    package func observe(_ observer: @escaping @Sendable ([PlayerEvent]) -> Void) {
        telemetry.withLock { $0.add(observer: observer) }
    }

    // MARK: For the engine

    /// Returns the parts of the clip to keep decoded in order to play a score from a place on.
    func demand(of score: Score, first clipFrame: Int64) -> ClipDemand {
        score.demand(first: clipFrame, leadInFrames: memory.withLock { $0.leadInFrames })
    }

    /// Waits until a range of the clip is decoded, or cannot be decoded, or until `endWaits()`.
    func waitUntilLoaded(_ frames: Range<Int64>) { _ = try? clip.waitUntilLoaded([frames], for: reader) }

    /// Ends every wait of the render side, now and later. Later output may be incomplete and must not be played.
    func endWaits() {
        clip.endWaits(of: reader)
        preparer.endWaits()
    }

    /// Number of requests not sent to the render side yet.
    var requestsWaiting: Int { control.withLock { $0.waitingCount } }
    var hasReaders: Bool { telemetry.withLock { $0.hasReaders } }

    /// Sends requests, delivers events and results of the analysis, and frees scores that the render side has returned.
    ///
    /// - Parameter isBetweenBlocks: true if the caller is the render thread, between two blocks. Under the virtual
    ///   clock the call then sends all requests for the next block, however many.
    func serve(isBetweenBlocks: Bool = false) {
        takeOverPreparation()
        let status = telemetry.withLock { $0.deliver(startsAsked: startsCount) }
        control.withLock { control in
            // Sound because this thread renders, and does not render now.
            let frame = status.outputFrame
            if isBetweenBlocks, reader.waitsForPages { unsafe control.makeRoom(at: frame, in: &core.core.pointee) }
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

    /// Returns a score with all required memory and the results of its analysis so far.
    private func storage(for score: Score) -> ScoreStorage {
        let known = preparer.begin(score)
        return memory.withLock { $0.storage(for: score, known.preparation, ticket: known.ticket) }
    }

    private func takeOverPreparation() {
        preparer.offer { made in
            // Allocates outside the lock that requests need. Another score may meanwhile replace this score.
            guard let score = control.withLock({ $0.score(ofTicket: made.ticket) }) else { return false }
            let expected = made.isLast ? nil : made.ticket
            let storage = memory.withLock { $0.storage(for: score, made.preparation, ticket: expected) }
            return control.withLock { $0.adopt(storage, insteadOf: made.ticket) }
        }
        let materials = preparer.takeNews()
        if !materials.isEmpty { telemetry.withLock { $0.tell(materials, of: score) } }
    }

    /// Queues a request.
    func send(_ command: PlayerCommand) { control.withLock { $0.send(command) } }

    /// Gives the render side the voices for frozen sound, if no score has needed voices so far.
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
