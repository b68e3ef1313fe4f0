// An engine: one device, one mix, and the players in this mix. The engine opens the device, owns the data of the render
// thread, and carries requests and events between control and render side. The engine decodes nothing and draws
// nothing.
public import AudioDevices
public import AudioFiles
public import Clips
internal import Realtime
internal import Synchronization

/// One output with the players that share it.
///
///     let engine = try Engine(output: .system("default"))
///     let player = try engine.makePlayer(engine.load("song.flac"))
///     player.start()
///     try engine.start()
///     try engine.waitUntilFinished()
///
/// The sound is a function of clips, scores and the frames of the requests, and so is the same on every device and with
/// every period. A released engine stops.
///
/// Threads: any but the render thread. Real-time safe: no.
public final class Engine: Sendable {
    /// The settings accepted by the device, perhaps other than the request. Their rate, in Hz, is the rate of all clips
    /// and scores of this engine.
    public let configuration: StreamConfiguration

    private let stream: any OutputStream
    private let broadcast = EventBroadcast<EngineEvent>()
    private let mixer: MixerBox
    private let directory: PlayerDirectory
    /// True if the engine's clock waits for everything that is not ready.
    package let isVirtual: Bool
    private let pump = EventPump()
    private let starting = Mutex(())
    private let use = Mutex(Use.none)
    private let followers = Mutex<[@Sendable () -> Void]>([])

    /// Use of the mixer by the device thread.
    private enum Use {
        /// No use: before the start and after the end.
        case none
        /// In use from some moment on.
        case begins
        case lasts
        /// Perhaps in use, with a stop before the end of the start.
        case ends
    }

    /// Opens a device. The device is silent before `start()`.
    ///
    /// - Parameters:
    ///   - output: the destination of the sound.
    ///   - request: the requested rate, channels, period and clock; 44.1 kHz and two channels by default.
    ///   - onLoss: the policy for the loss of a system device while playing. Files and `null` are never lost.
    ///   - endsWithPlayers: true ends the stream with the last player; false continues in silence until `stop()`, for
    ///     programs in which players come and go.
    /// - Throws: `DeviceError` with the cause and the remedy if the device cannot be opened.
    public convenience init(
        output: OutputDevice, request: StreamRequest = StreamRequest(), onLoss: LossPolicy = .wait,
        endsWithPlayers: Bool = true
    ) throws(DeviceError) {
        try self.init(endsWithPlayers: endsWithPlayers) {
            (mixer, broadcast) throws(DeviceError) in
            guard case .system = output else { return try openOutput(output, request) }
            return try KeptOutput(
                output, request, policy: onLoss, callbacks: Self.keeperCallbacks(mixer, broadcast))
        }
    }

    /// Plays on the output of linked streams, while a recorder uses their input. `start()` waits until both streams
    /// have started.
    ///
    /// A loss of the device ends the engine; the engine does not look for the device again. Real-time safe: no.
    ///
    /// - Parameters:
    ///   - linked: streams with an unused output.
    ///   - endsWithPlayers: true ends both streams with the last player.
    public convenience init(linked: LinkedStreams, endsWithPlayers: Bool = true) {
        self.init(endsWithPlayers: endsWithPlayers) { (_, _) in linked.output }
    }

    /// Plays into blocks that the program takes on an audio thread of its own; see `PulledOutput`. `render` is silent
    /// before `start()`.
    ///
    /// - Parameters:
    ///   - pulled: an output not yet in use by an engine.
    ///   - endsWithPlayers: true ends the sound with the last player; false continues in silence until `stop()`.
    public convenience init(pulled: PulledOutput, endsWithPlayers: Bool = false) {
        self.init(endsWithPlayers: endsWithPlayers) { (_, _) in pulled }
    }

    /// Plays on any stream. `open` gets the objects to inform about the device.
    init<Failure: Error>(
        endsWithPlayers: Bool = true,
        opening stream: (MixerBox, EventBroadcast<EngineEvent>) throws(Failure) -> any OutputStream
    ) throws(Failure) {
        let commands = RingEnds<Mixer.Command>(capacity: 2 * Mixer.capacity)
        let released = RingEnds<Int>(capacity: Mixer.capacity)
        mixer = MixerBox(
            Mixer(commands: commands.consumer, released: released.producer, endsWithPlayers: endsWithPlayers))
        directory = PlayerDirectory(PlayerRegistry(commands: commands.producer, released: released.consumer))
        self.stream = try stream(mixer, broadcast)
        configuration = self.stream.configuration
        isVirtual = self.stream.clock == .virtual
    }

    deinit {
        stop()
    }

    // MARK: Players

    /// Opens a recording at the engine's rate; a file of another rate is converted during decoding.
    ///
    /// Returns after verifying the length of the recording, which may take a moment for long files of formats without
    /// an index.
    ///
    /// - Parameter path: a regular file; its content decides the format, not its name.
    /// - Throws: `AudioFileError` with the cause and the remedy if the recording cannot be played.
    public func load(_ path: String) throws(AudioFileError) -> Clip {
        try Clip(path: path, sampleRate: configuration.sampleRate)
    }

    /// Adds a player for a plan to the mix. The player is silent until its `start()`.
    ///
    /// - Parameters:
    ///   - clip: a recording at the engine's rate, as `load(_:)` opens it.
    ///   - plan: sections, passes, speeds, pitch, gap and joint; nil plays the whole recording once, as recorded.
    /// - Throws: `ScoreError` if the plan does not fit the clip, or the `EngineError` of
    ///   `makePlayer(_:score:after:crossfade:decibels:)`.
    public func makePlayer(_ clip: Clip, plan: PracticePlan? = nil) throws -> Player {
        let plan = try plan ?? PracticePlan(sections: [Section(0..<clip.frameCount)])
        return try makePlayer(clip, score: Score(plan, for: clip))
    }

    /// Adds a player for a score to the mix. The player is silent until its `start()`, or until its leader ends.
    /// Players can be added before and after the start of the engine.
    ///
    /// With a leader, the new player begins at the output frame at which the leader ends, after any pauses, seeks and
    /// changes of speed: after the leader has played to its end, or has failed, but not after a stop of the leader.
    /// Nothing fades out or in, so the joint between two halves of a recording is inaudible. (The last pass of a
    /// section fades out with the joint `crossfade` or `fade`, but not with `hard`.) If the leader has already reached
    /// its end, the new player begins with the next block. The new player can also start by itself. If a seek or a skip
    /// has chosen a place before, the new player begins there.
    ///
    /// With a crossfade the new player begins that many frames before the leader's end, with weights of equal power. If
    /// fewer frames are left of the last pass, because of a seek or a short pass, the crossfade is as short as these.
    /// If a change of speed moves the leader's end during the crossfade, the leader ends with the crossfade at the
    /// latest. From the joint on, a pause or a resumption of the leader applies to the new player too, at the same
    /// frame, and suspends the crossfade.
    ///
    /// - Parameters:
    ///   - clip: a recording at the engine's rate, as `load(_:)` opens it.
    ///   - score: the score to play, made for this clip's length and rate.
    ///   - leader: a player in this engine, or nil. After a removed leader, the new player waits for its own `start()`.
    ///   - crossfade: its length in output frames, 0 or more; without a leader, it has no effect.
    ///   - decibels: the gain from the first frame on, as in `Player.setGain`.
    /// - Throws: `EngineError.rateMismatch` if the clip has another rate, `.tooManyPlayers` if 128 players are in the
    ///   mix.
    public func makePlayer(
        _ clip: Clip, score: Score, after leader: Player? = nil, crossfade: Int64 = 0, decibels: Double = 0
    ) throws(EngineError) -> Player {
        try makePlayer(clip, score: score, decibels: decibels, leader: leader, fade: crossfade, observer: nil)
    }

    /// Adds a player with a gain from the first frame on, and with an observer that misses no event; see
    /// `Player.observe`.
    package func makePlayer(
        _ clip: Clip, score: Score, decibels: Double, leader: Player?, fade: Int64,
        observer: (@Sendable ([PlayerEvent]) -> Void)?
    ) throws(EngineError) -> Player {
        guard clip.sampleRate == configuration.sampleRate else {
            throw .rateMismatch(clip: clip.sampleRate, engine: configuration.sampleRate)
        }
        directory.serve()
        if directory.count >= Mixer.capacity { releaseUnrendered(all: true) }
        let player = Player(
            clip, score: score, waitsForPages: isVirtual, gain: Player.gain(decibels: decibels),
            at: position.framesWritten)
        if let observer { player.observe(observer) }
        guard directory.add(player, after: leader, fade: fade) else { throw .tooManyPlayers(limit: Mixer.capacity) }
        return player
    }

    /// Fades a player out over 5 ms, and removes the silent player from the mix. Returns at once.
    ///
    /// Removes the player at once before the start of the engine, after its end, and after a failure of its device.
    /// Under the virtual clock, also removes a player of a pulled output at once, if the player was not started. While
    /// the program takes no blocks of a pulled output under the real clock, the removal comes after a second.
    public func remove(_ player: Player) {
        player.stop()
        directory.removeWhenFinished(player)
        directory.serve()
        use.withLock { if $0 == .none { directory.releaseLeaving(from: mixer) } }
        releaseUnrendered()
    }

    /// Removes leaving players that may get no further block.
    ///
    /// - Parameter all: true if there is no room for another player, so that the sound may differ; see
    ///   ``PlayerRegistry/releaseUnheard(from:all:)``.
    private func releaseUnrendered(all: Bool = false) {
        if Self.isOver(mixer, stream) { directory.releaseAfterEnd(from: mixer) }
        guard isVirtual, let pulled = stream as? PulledOutput else { return }
        directory.releaseUnheard(from: mixer, beside: pulled, all: all)
    }

    /// Returns true if no block follows any more: the last player or the device has ended, perhaps by a failure.
    private static func isOver(_ mixer: MixerBox, _ stream: any OutputStream) -> Bool {
        mixer.hasEnded || (stream as? any EndingStream)?.hasEnded == true
    }

    // MARK: The stream

    /// Starts the device. Blocks until the beginning of every player's score is decoded.
    ///
    /// - Throws: `DeviceError` if the device does not start, or at a second start of the engine.
    public func start() throws(DeviceError) {
        // Starts run in sequence: a second start must not end the stream of the first start.
        try starting.withLock { (_) throws(DeviceError) in try startFirst() }
    }

    private func startFirst() throws(DeviceError) {
        // Neither thread may hold the engine, because the engine joins both threads at its release.
        let (directory, stream, broadcast, mixer) = (self.directory, self.stream, self.broadcast, self.mixer)
        let (followers, pulled) = (followers.withLock { $0 }, stream as? PulledOutput)
        let isBegun: Bool
        do {
            isBegun = try pump.start {
                let (isFinished, isOver) = (mixer.hasEnded, Engine.isOver(mixer, stream))
                directory.serve()
                if let pulled, pulled.clock == .real { directory.releaseOverdue(from: mixer, beside: pulled) }
                for follower in followers { follower() }
                if isFinished { directory.endEvents() }
                if isOver { directory.releaseAfterEnd(from: mixer) }
                for incident in stream.takeIncidents() where incident.kind.endsByItself {
                    broadcast.tell(.disturbed(incident))
                }
            }
        } catch {
            throw DeviceError(error)
        }
        directory.loadOpenings()
        // Requests made so far apply to the first block.
        directory.serve()
        // A second start throws, and changes nothing.
        let isFirst = use.withLock { use in
            defer { if use == .none { use = .begins } }
            return use == .none
        }
        do {
            try stream.start(
                StreamCallbacks(
                    prepare: { _ in
                        directory.serve(isBetweenBlocks: true)
                        for follower in followers { follower() }
                    },
                    render: { mixer.render($0) },
                    xrun: { mixer.noteXrun(at: $0, lostFrames: $1) }))
        } catch {
            use.withLock { if isFirst { endUse(&$0) } }
            // No call of `stop()` follows for an engine that has not started.
            if isBegun { pump.stop() }
            throw error
        }
        let isStopped = use.withLock { use in
            defer { if use == .begins { use = .lasts } }
            return use == .ends
        }
        guard isStopped else { return }
        // Waits for the device's thread, if that thread itself has stopped the stream.
        stream.stop()
        use.withLock { endUse(&$0) }
    }

    /// Ends the use of the mixer: no other thread uses the mixer any more.
    private func endUse(_ use: inout Use) {
        use = .none
        directory.releaseLeaving(from: mixer)
    }

    /// True if requests and events are passed on automatically.
    package var isServing: Bool { pump.isRunning }

    /// Stops the device at once and ends all events. Stop the players first to let the players fade out. Has no effect
    /// if the engine has ended.
    ///
    /// Under the virtual clock the current block is dropped, even while waiting. So everything passed to the device is
    /// exactly as the scores say.
    public func stop() {
        if isVirtual {
            mixer.cutOff()
            directory.endWaits()
        }
        stream.stop()
        // A start in another thread may still run; this start then ends the use itself.
        use.withLock { use in
            if use == .begins { use = .ends }
            if use != .ends { endUse(&use) }
        }
        finishServing()
    }

    /// Blocks until the last player has finished and the device has played everything, or until the engine stops. An
    /// engine with `endsWithPlayers` false needs a `stop()` by another thread.
    ///
    /// - Throws: `EngineError` if the device or a recording failed meanwhile.
    public func waitUntilFinished() throws(EngineError) {
        // A start in another thread comes first: before the end of this start there is nothing to wait for.
        starting.withLock { _ in }
        defer { finishServing() }
        // The device's thread has ended, or never existed.
        defer { use.withLock { if $0 == .lasts { endUse(&$0) } } }
        do {
            try stream.waitUntilFinished()
        } catch {
            throw .device(error)
        }
        directory.serve()
        if let failure = directory.firstFailure { throw .file(failure) }
    }

    /// Counters since the start, over all devices of the engine so far. May be read at any time.
    public var statistics: EngineStatistics {
        if let kept = stream as? KeptOutput { return EngineStatistics(kept) }
        return EngineStatistics(stream)
    }

    /// Losses, returns and disturbances of the device from now on, in order. Every reader gets each event once. The
    /// sequence ends with the engine; a sequence requested later ends at once.
    ///
    /// The players also report these events, with the exact frame; the events here concern all players. Get the
    /// sequence before `start()`. A sequence keeps its newest 2^20 unread events.
    public var events: AsyncStream<EngineEvent> { broadcast.stream }

    /// Calls `observer` with every event of the device from now on, before any reader, on the thread that delivers the
    /// event. The observer must return at once.
    package func observe(_ observer: @escaping @Sendable (EngineEvent) -> Void) { broadcast.observe(observer) }

    /// The number of frames passed to the device, and the number of these still unheard, as of the last block.
    public var position: StreamPosition { stream.position }

    /// Calls `work` after each delivery of the players' events: every 10 ms on the pump's thread, and under the virtual
    /// clock before each block. `work` must return soon and must not hold the engine, which joins that thread. Has no
    /// effect after `start()`.
    package func afterServing(_ work: @escaping @Sendable () -> Void) { followers.withLock { $0.append(work) } }

    /// Delivers requests and events now.
    package func serve() { directory.serve() }

    /// Number of players in the mix, including players on their way into the mix or out of it.
    package var playerCount: Int { directory.count }

    /// Keeps the stream running in silence after the last player, or stops doing so, whatever the value of
    /// `endsWithPlayers`. Needed for recordings beside the players that end later than the players.
    ///
    /// - Returns: A function that sets this and does not hold the engine.
    package var holdsOpen: @Sendable (_ isHeld: Bool) -> Void { { [mixer] in mixer.holdOpen($0) } }

    private func finishServing() {
        pump.stop()
        directory.serve()
        directory.endEvents()
        broadcast.end()
    }

    /// Callbacks by which the mix follows the loss and return of the device. Neither side may hold the engine.
    private static func keeperCallbacks(_ mixer: MixerBox, _ broadcast: EventBroadcast<EngineEvent>) -> KeeperCallbacks
    {
        KeeperCallbacks(
            interrupted: { interruption, resumes in
                let reason = Int64(PauseReason(interruption.cause).rawValue)
                mixer.interrupt(Mixer.Loss(reason: reason, resumes: resumes))
                broadcast.tell(.interrupted(interruption))
            },
            returned: { configuration, frame, isOther in
                mixer.endInterruption(at: frame)
                broadcast.tell(
                    isOther ? .fellBack(to: configuration, frame: frame) : .resumed(configuration, frame: frame))
            },
            missing: { error, goesOnLooking, isTaken in
                if !goesOnLooking { mixer.refuseWish() }
                if isTaken { mixer.changeLoss(reason: .deviceTaken) }
                broadcast.tell(.deviceMissing(error))
            },
            takesWish: { mixer.takeWish() })
    }
}
