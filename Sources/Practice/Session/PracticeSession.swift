internal import AudioDevices
public import Clips
public import Engine
public import Explanations
internal import Realtime
internal import Synchronization

/// Practice of a recording: consecutive sections, and loops set by ear during playback.
///
///     let plan = PracticePlan(sections: [verse, chorus])
///     let session = try PracticeSession(engine: engine, clip: clip, plan: SessionPlan(plan))
///     session.start()
///     try engine.start()
///     // While it plays, when a key is pressed:
///     session.setLoopStart()
///     try session.setLoopEnd()
///
/// Marks refer to the audible moment of the call: the session compensates for the device's buffer. Every change is
/// crossfaded over 5 ms and takes effect in the next block. Threads: any, except the render thread.
public final class PracticeSession: Sendable {
    /// The player that makes the sound. Use its own methods for pauses, gain and seeking; the session's next change
    /// replaces a score set directly.
    public let player: Player
    /// The plan given at creation.
    package let plan: SessionPlan

    private let state: Mutex<SessionState>
    private let broadcast = EventBroadcast<SessionEvent>()
    /// Receives the events of the player.
    private let thread: EventThread<PlayerEvent>
    /// Returns the audible output frame.
    let audibleFrame: @Sendable () -> Int64
    /// Plays the clicks before the first pass; nil without a count-in.
    let clicks: Player?
    /// Time of the user's pause.
    let pausedAt = Mutex<ContinuousClock.Instant?>(nil)

    /// Prepares a session. The sound begins with `start()`.
    ///
    /// - Parameters:
    ///   - engine: The engine, at the clip's rate.
    ///   - clip: The recording.
    ///   - plan: The sections and settings.
    /// - Throws: `SessionError` of kind `noSections`, `ScoreError` for a plan that cannot be played, `EngineError` if
    ///   the engine cannot take another player, or the system has no thread left.
    public convenience init(engine: Engine, clip: Clip, plan: SessionPlan) throws {
        var made: [Player] = []
        do {
            let audibleFrame = { @Sendable in engine.position.framesHeard }
            let limit = engine.isVirtual ? Int.max : Self.mostWaiting
            try self.init(
                clip: clip, plan: plan, mostWaiting: limit, audibleFrame: audibleFrame
            ) { clip, score, clicks in
                let player = try engine.makePlayer(clip, score: score, after: clicks)
                made.append(player)
                return player
            }
        } catch {
            for player in made { engine.remove(player) }
            throw error
        }
    }

    /// Waiting events of the player from which on passes are dropped under the real clock. Under the virtual clock no
    /// event is dropped: the plan limits their number.
    static let mostWaiting = 8192

    /// - Parameters:
    ///   - mostWaiting: Waiting events of the player from which on passes are dropped.
    ///   - audibleFrame: Returns the audible output frame.
    ///   - makePlayer: Makes the player of a score, which follows another player if there is one.
    package init(
        clip: Clip, plan: SessionPlan, mostWaiting: Int = .max, audibleFrame: @escaping @Sendable () -> Int64,
        makePlayer: (Clip, Score, Player?) throws -> Player
    ) throws {
        guard !plan.practice.sections.isEmpty else {
            throw SessionError.noSections
        }
        let thread = EventThread<PlayerEvent>(
            name: "woodshed-follow", limit: mostWaiting, crowding: { $0.crowding(after: $1) })
        guard let thread else { throw Self.noThread }
        self.thread = thread
        let state = SessionState(clip: clip, plan: plan)
        let score = try state.planScore()
        let clicks = try plan.countIn.map { try Self.clicks(of: $0, sampleRate: clip.sampleRate, makePlayer) }
        player = try makePlayer(clip, score, clicks)
        self.clicks = clicks
        self.plan = plan
        self.state = Mutex(state)
        self.audibleFrame = audibleFrame
    }

    private static let noThread = EngineError.device(DeviceError(.threads, "for the session"))

    // MARK: Running

    private static func clicks(
        of countIn: CountIn, sampleRate: Int, _ makePlayer: (Clip, Score, Player?) throws -> Player
    ) throws -> Player {
        let clip = try Clip.inMemory([countIn.samples(sampleRate: sampleRate)], sampleRate: sampleRate)
        let plan = PracticePlan(sections: [try Section(0..<clip.frameCount)], joint: .hard)
        return try makePlayer(clip, try Score(plan, clipFrameCount: clip.frameCount, sampleRate: sampleRate), nil)
    }

    /// Begins with the first section, after the count-in.
    ///
    /// - Parameter frame: The output frame of the first sound; nil for the next block.
    public func start(at frame: Int64? = nil) {
        broadcast.tell(.started(sections: state.withLock { $0.sections.order.count }))
        player.follow(thread.put)
        thread.start({ [weak self] event in self?.take(event) }, end: { [broadcast] in broadcast.end() })
        guard let clicks else { return startPlayer(at: frame) }
        let latest = Int64.max - clicks.clip.frameCount
        if awaitsClicks {
            startPlayer(at: nil, afterClicks: true)
            return clicks.start(at: frame.map { min($0, latest) })
        }
        // On a running engine, the next block is far from frame 0. The lead keeps the distance of clicks and first pass
        // if a block begins meanwhile.
        let next = max(player.status.outputFrame, audibleFrame())
        let first = min(frame ?? (next > 0 ? next + Int64(clicks.clip.sampleRate / 10) : 0), latest)
        clicks.start(at: first)
        startPlayer(at: first + clicks.clip.frameCount)
    }

    /// True before the first pass, if the player begins at the end of the count-in, whenever that is. After a stop, and
    /// with frozen sound, the player begins at a frame instead.
    var awaitsClicks: Bool {
        guard clicks != nil, plan.frozen == nil, player.status.state == .idle else { return false }
        return state.withLock { !$0.isStopped }
    }

    /// - Parameter afterClicks: True if the end of the clicks starts the player.
    private func startPlayer(at frame: Int64?, afterClicks: Bool = false) {
        // Under the lock, so that requests of other threads come before or after all of this.
        state.withLock { state in
            state.isStarted = true
            if let place = plan.frozen { return start(place, at: frame) }
            guard ![.playing, .paused].contains(player.status.state) else { return }
            if !state.marks.isRunning {
                try? player.skip(toSection: state.sections.current)  // Not refused: section and frame are the plan's.
                if let first = state.sections.firstFrame { try? player.seek(toClipFrame: first) }
            }
            if !afterClicks { player.startInPlace(at: frame) }
        }
    }

    /// Ends the session with a fade.
    public func stop() {
        state.withLock { $0.isStopped = true }
        clicks?.stop()
        player.stop()
    }

    /// A stream of each event from now on, in order, until the player's events end. Request it before `start()`. Keeps
    /// its newest 2^20 unread events.
    public var events: AsyncStream<SessionEvent> { broadcast.stream }

    /// Calls `observer` with every event from now on, in order, on the sending thread and before all readers. The
    /// observer must return at once, and must not call the session, whose lock may be held.
    package func observe(_ observer: @escaping @Sendable (SessionEvent) -> Void) { broadcast.observe(observer) }

    /// Calls `reader` with the events of `events`, and with nil at their end. The duties are those of an observer, but
    /// for an event of the player the reader may read the session, whose lock is free.
    package func follow(_ reader: @escaping @Sendable (SessionEvent?) -> Void) { broadcast.follow(reader) }

    /// Returns the number of the player's events since the last call that were dropped, because passes of a few frames
    /// came faster than the session takes events.
    package func takeLostEvents() -> Int { thread.takeLost() }

    /// All players of the session in the engine, to be removed with the session.
    package var players: [Player] { [player] + (clicks.map { [$0] } ?? []) }

    private func take(_ event: PlayerEvent) {
        let news = state.withLock { state in
            let before = state
            let news = state.take(event)
            // Removes a section gone from the plan; never refused, because the score was checked before.
            try? state.send(to: player, since: before)
            return news
        }
        for event in news { broadcast.tell(event) }
    }

    // MARK: The loop

    /// The marks of the loop, in frames of the clip.
    public var marks: LoopMarks { state.withLock { $0.marks } }

    /// Returns the audible frame of the clip.
    ///
    /// - Throws: `SessionError` of kind `nothingHeard` before the first sound.
    public func audibleClipFrame() throws(SessionError) -> Int64 {
        let status = player.statusAfterMoves
        // Paused and frozen sound stays at its place; ignore the buffered rest of the fade.
        if status.state == .paused || status.isFrozen { return status.clipFrame }
        guard let frame = player.clipFrame(heardAt: min(audibleFrame(), status.outputFrame)) else {
            throw .nothingHeard
        }
        return min(max(0, frame), player.clip.frameCount)
    }

    /// Returns the frame of the clip for a mark set now: the audible frame, or a nearby silence or zero crossing if the
    /// plan snaps edges.
    ///
    /// - Throws: `SessionError` of kind `nothingHeard` before the first sound.
    public func markFrame() throws(SessionError) -> Int64 {
        let frame = try audibleClipFrame()
        return plan.snapsEdges ? SnappedEdge.heardFrame(nearest: frame, in: player.clip) : frame
    }

    /// Sets the start of the loop to the audible frame. A playing loop continues with its new start. If the end is not
    /// after the start, the end is cleared and playback continues.
    ///
    /// - Returns: The marks.
    @discardableResult
    public func setLoopStart() throws(SessionError) -> LoopMarks {
        try change { (state, frame) throws(SessionError) in state.marks.setStart(frame) }
    }

    /// Sets the end of the loop to the audible frame, and plays the loop from its start at once. Without a start, the
    /// loop begins with the section.
    ///
    /// - Throws: `SessionError` of kind `endBeforeStart`.
    @discardableResult
    public func setLoopEnd() throws(SessionError) -> LoopMarks {
        let (section, chosen) = (currentSection, playingRange)
        return try change { (state, frame) throws(SessionError) in
            // In a pause, the frame may be in a section chosen since the player's last report.
            let start = chosen.flatMap { $0.contains(frame) ? $0.lowerBound : nil } ?? section.lowerBound
            guard state.marks.setEnd(frame, fallback: start) else {
                throw SessionError(
                    .endBeforeStart, "the end of a loop must come after its start",
                    remedy: "Set the end later in the recording, or set the start earlier.")
            }
        }
    }

    /// Sets both marks, and plays the loop.
    ///
    /// - Parameter range: Frames of the clip, inside the clip; at least one.
    /// - Throws: `SessionError` of kind `noLoop` for a range that is empty or outside of the clip.
    @discardableResult
    public func loop(_ range: Range<Int64>) throws(SessionError) -> LoopMarks {
        try change(listens: false) { (state, _) throws(SessionError) in
            guard !range.isEmpty, range.lowerBound >= 0, range.upperBound <= state.frameCount else {
                throw .noLoop
            }
            (state.marks.start, state.marks.end, state.marks.isRunning) = (range.lowerBound, range.upperBound, true)
        }
    }

    /// Leaves the loop and continues from the same place, or enters the loop again; without a loop, loops the section.
    ///
    /// - Throws: `SessionError` of kind `nothingHeard` if there is neither.
    @discardableResult
    public func toggleLoop() throws(SessionError) -> LoopMarks {
        let section = playingRange
        return try change(listens: false) { (state, _) throws(SessionError) in
            if state.marks.range == nil {
                guard let section else { throw .nothingHeard }
                (state.marks.start, state.marks.end) = (section.lowerBound, section.upperBound)
            }
            state.marks.isRunning.toggle()
        }
    }

    /// Moves an edge of the loop, within the recording and the other edge.
    ///
    /// - Parameters:
    ///   - edge: The start or the end.
    ///   - frames: Frames of the clip; negative moves towards the beginning.
    /// - Throws: `SessionError` of kind `noLoop` if this edge is not set.
    @discardableResult
    public func nudge(_ edge: LoopMarks.Edge, by frames: Int64) throws(SessionError) -> LoopMarks {
        try change(listens: false) { (state, _) throws(SessionError) in
            guard state.marks.nudge(edge, by: frames, within: state.frameCount) else { throw .noLoop }
        }
    }

    /// Moves an edge of the loop by frames of the recording's file, whose rate may differ from the clip's.
    ///
    /// - Throws: `SessionError` of kind `noLoop` if this edge is not set.
    @discardableResult
    package func nudge(_ edge: LoopMarks.Edge, byFileFrames frames: Int64) throws(SessionError) -> LoopMarks {
        guard let mark = edge == .start ? marks.start : marks.end else { throw .noLoop }
        let clip = player.clip
        // Limited to the length of the clip, so that no sum overflows.
        let limit = clip.fileFrame(forFrame: clip.frameCount)
        let moved = clip.fileFrame(forFrame: mark) + min(max(-limit, frames), limit)
        return try nudge(edge, by: clip.frame(forFileFrame: moved) - mark)
    }

    /// Loops the last four seconds of sound. Each immediate repetition of the call doubles the length, up to 32
    /// seconds. The loop never reaches back over a joint, but lasts at least one second, as far as the recording
    /// permits.
    ///
    /// - Throws: `SessionError` of kind `nothingHeard` before the first sound, and just after a jump.
    @discardableResult
    public func loopLastHeard() throws(SessionError) -> LoopMarks {
        let frame = min(audibleFrame(), player.status.outputFrame)
        return try change(listens: false) { (state, _) throws(SessionError) in
            let (seconds, loop) = state.lastHeardSeconds()
            let range = loop ?? player.clipRange(heardInLast: seconds, before: frame)
            guard !range.isEmpty else { throw .nothingHeard }
            state.loopHeard(range, seconds: seconds, least: Int64(player.clip.sampleRate))
        }
    }

    // MARK: Speed and pitch

    /// Plays at another speed from here on, in loops and sections; ends a ramp.
    public func setSpeed(_ speed: Speed) throws(ScoreError) {
        // Under the lock, so that no request of another thread uses the old speed in between.
        try state.withLock { state throws(ScoreError) in
            try player.setSpeed(speed)
            state.speed = speed
        }
    }

    /// Plays at another pitch from here on.
    public func setPitch(_ pitch: Pitch) throws(ScoreError) {
        try state.withLock { state throws(ScoreError) in
            try player.setPitch(pitch)
            state.pitch = pitch
        }
    }

    // MARK: Passes and gaps

    /// Sets the passes of every section from now on, without the plan's steps. The current pass continues.
    ///
    /// - Throws: `SessionError` for a number that cannot be played; nothing changes then.
    public func setPasses(_ passes: PassCount) throws(SessionError) {
        try change(listens: false) { (state, _) throws(SessionError) in
            state.setPasses(passes)
        }
    }

    /// Sets the gap after every pass from now on. The current pass continues.
    ///
    /// - Throws: `SessionError` for a gap that cannot be played, such as a negative gap; nothing changes then.
    public func setGap(_ gap: Gap) throws(SessionError) {
        try change(listens: false) { (state, _) throws(SessionError) in
            state.setGap(gap)
        }
    }

    /// The gap after each pass of a section without a gap of its own.
    public var gap: Gap { state.withLock { $0.practice.gap } }

    /// The passes of each section without a number of its own.
    public var passes: PassCount { state.withLock { $0.practice.passes } }

    /// The speed set during playback; nil while the plan's own speeds apply.
    public var speed: Speed? { state.withLock { $0.speed } }

    /// The pitch of all sound.
    public var pitch: Pitch { state.withLock { $0.pitch } }

    // MARK: Sections

    /// The current sections in playing order, each with its saved section's identity; nil for an unsaved section.
    public var sections: [(section: Section, savedID: Int?)] { state.withLock { $0.sections.list } }

    /// Number of the current section in ``sections``, from 1; in a loop set by ear, of the section left for the loop.
    public var currentNumber: Int { state.withLock { $0.sections.current } }

    /// Place of the current section in the plan's list, from 1; nil before the first.
    package var currentPlace: Int? { state.withLock { $0.sections.currentPlace.map { $0 + 1 } } }

    /// The frames of the clip within which the place moves: the loop set by ear, or the current section; nil before the
    /// start. The player's status may be older than the last request, and its section may have had another number.
    package var playingRange: Range<Int64>? {
        let status = player.statusAfterMoves
        return state.withLock { $0.playingRange(status) }
    }

    /// The identity of the current saved section; nil in a loop set by ear, and for an unsaved section.
    public var currentSavedID: Int? { state.withLock { $0.savedID(ofSection: $0.sections.current) } }

    /// Returns the identity of an event's saved section; nil in a loop set by ear, and for an unsaved section.
    ///
    /// - Parameter number: the event's section, from 1.
    package func savedID(ofSection number: Int) -> Int? { state.withLock { $0.savedID(ofSection: number) } }

    // MARK: Changing

    /// The current section of the player's score, in frames of the clip.
    var currentSection: Range<Int64> {
        let sections = player.score.sections
        let section = player.status.section
        return sections.indices.contains(section - 1) ? sections[section - 1].range : 0..<0
    }

    /// Changes the marks, and plays accordingly.
    ///
    /// - Parameter listens: True if `body` needs the audible frame of the clip.
    @discardableResult
    func change(
        listens: Bool = true, _ body: (inout SessionState, Int64) throws(SessionError) -> Void
    ) throws(SessionError) -> LoopMarks {
        let heard = listens ? try markFrame() : 0
        // Holds the lock until the player has the request, so that two threads cannot send requests in the wrong order.
        return try state.withLock { state throws(SessionError) in
            let before = state
            do throws(SessionError) {
                try body(&state, heard)
                try state.send(to: player, since: before)
            } catch {
                state = before
                throw error
            }
            if state.marks != before.marks { broadcast.tell(.loop(state.marks)) }
            return state.marks
        }
    }
}

extension PlayerEvent {
    /// Returns the treatment of the event if thousands of events wait, as in a loop of a few frames on a busy machine:
    /// passes are dropped, and of several sections in a row the last is kept. All other events come rarely.
    fileprivate func crowding(after last: PlayerEvent) -> EventThread<PlayerEvent>.Crowding {
        switch kind {
        case .passStarted, .passEnded, .sectionEnded, .speedChanged, .limited: .dropped
        case .sectionStarted: last.kind == .sectionStarted ? .replacesLast : .kept
        case .playbackStarted, .moved, .paused, .resumed, .frozen, .unfrozen, .finished, .materialChosen, .xrun,
            .starved:
            .kept
        }
    }
}
