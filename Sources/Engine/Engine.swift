// An engine: one device, one mix, and the players in it. It opens the device, owns what the render thread uses, and carries
// requests and events between the two sides. It decodes nothing and draws nothing.
public import AudioDevices
public import AudioFiles
public import Clips
internal import Realtime
internal import Synchronization

/// One output with the players that share it.
///
///     let engine = try Engine(output: .null, request: StreamRequest(sampleRate: 44_100, channelCount: 2))
///     let clip = try engine.load("song.flac")
///     let score = try Score(plan, clipFrameCount: clip.frameCount, sampleRate: clip.sampleRate)
///     let player = try engine.makePlayer(clip, score: score)
///     player.start()
///     try engine.start()
///     try engine.waitUntilFinished()
///
/// The sound is a function of clips, scores and the frames of the requests. It is the same on every device and with every period. An engine that is
/// released stops.
///
/// Threads: any but the render thread. Real-time safe: no.
public final class Engine: Sendable {
    /// The settings that the device accepted, which may differ from the request. Its rate, in Hz, is the rate of all clips and scores of this
    /// engine.
    public let configuration: StreamConfiguration

    private let stream: any OutputStream
    private let broadcast = EventBroadcast<EngineEvent>()
    private let mixer: MixerBox
    private let directory: PlayerDirectory
    /// Whether the engine's clock waits for everything that is not ready.
    package let isVirtual: Bool
    private let pump = EventPump()
    private let starting = Mutex(())
    private let use = Mutex(Use.none)
    private let followers = Mutex<[@Sendable () -> Void]>([])

    /// Whether the device thread uses the mixer.
    private enum Use {
        /// Not before the start, and not after the end.
        case none
        /// From some moment on.
        case begins
        case lasts
        /// It may, and was stopped before its start was over.
        case ends
    }

    /// Opens a device. Nothing is heard before `start()`.
    ///
    /// - Parameters:
    ///   - output: where the sound goes.
    ///   - request: the requested rate, channels, period and clock.
    ///   - onLoss: what to do if a system device is lost while it plays. Files and `null` are never lost.
    ///   - endsWithPlayers: true ends the stream with the last player; false continues in silence until `stop()`, for programs in
    ///     which players come and go.
    /// - Throws: `DeviceError`, which says why the device cannot be opened and what to do.
    public convenience init(
        output: OutputDevice, request: StreamRequest, onLoss: LossPolicy = .wait, endsWithPlayers: Bool = true
    ) throws(DeviceError) {
        try self.init(isVirtual: request.clock == .virtual, endsWithPlayers: endsWithPlayers) {
            (mixer, broadcast) throws(DeviceError) in
            guard case .system = output else { return try openOutput(output, request) }
            return try KeptOutput(
                output, request, policy: onLoss, callbacks: Self.keeperCallbacks(mixer, broadcast))
        }
    }

    /// Plays on the output of linked streams, while a recorder uses their input. `start()` waits until both are started.
    ///
    /// If the device is lost, the engine ends; it does not look for the device again. Real-time safe: no.
    ///
    /// - Parameters:
    ///   - linked: streams whose output nothing plays on yet.
    ///   - clock: the clock they were opened with.
    ///   - endsWithPlayers: true ends both streams with the last player.
    public convenience init(linked: LinkedStreams, clock: StreamClock = .real, endsWithPlayers: Bool = true) {
        self.init(isVirtual: clock == .virtual, endsWithPlayers: endsWithPlayers) { (_, _) in linked.output }
    }

    /// Plays into blocks that the program takes on an audio thread of its own; see `PulledOutput`. `render` is silent before `start()`.
    ///
    /// - Parameters:
    ///   - pulled: an output that no engine uses yet.
    ///   - endsWithPlayers: true ends the sound with the last player; false continues in silence until `stop()`.
    public convenience init(pulled: PulledOutput, endsWithPlayers: Bool = false) {
        self.init(isVirtual: pulled.isVirtual, endsWithPlayers: endsWithPlayers) { (_, _) in pulled }
    }

    /// Plays on any stream. `open` gets what the mix must be told of the device.
    init<Failure: Error>(
        isVirtual: Bool, endsWithPlayers: Bool = true,
        opening stream: (MixerBox, EventBroadcast<EngineEvent>) throws(Failure) -> any OutputStream
    ) throws(Failure) {
        self.isVirtual = isVirtual
        let commands = RingEnds<Mixer.Command>(capacity: 2 * Mixer.capacity)
        let released = RingEnds<Int>(capacity: Mixer.capacity)
        mixer = MixerBox(
            Mixer(commands: commands.consumer, released: released.producer, endsWithPlayers: endsWithPlayers))
        directory = PlayerDirectory(PlayerRegistry(commands: commands.producer, released: released.consumer))
        self.stream = try stream(mixer, broadcast)
        configuration = self.stream.configuration
    }

    deinit {
        stop()
    }

    // MARK: Players

    /// Opens a recording at the engine's rate; a file of another rate is converted while it is decoded.
    ///
    /// Returns when the length of the recording is verified, which may take a moment for long files of formats without an index.
    ///
    /// - Parameter path: a regular file; its content decides the format, not its name.
    /// - Throws: `AudioFileError`, which says why the recording cannot be played and what to do.
    public func load(_ path: String) throws(AudioFileError) -> Clip {
        try Clip(path: path, sampleRate: configuration.sampleRate)
    }

    /// Adds a player to the mix; it is silent until its `start()`. Players can be added before and after the start of the engine.
    ///
    /// - Parameters:
    ///   - clip: a recording at the engine's rate, as `load(_:)` opens it.
    ///   - score: what is played, made for this clip's length and rate.
    /// - Throws: `EngineError.rateMismatch` if the clip has another rate, `.tooManyPlayers` if 128 players are in the mix.
    public func makePlayer(_ clip: Clip, score: Score) throws(EngineError) -> Player {
        try makePlayer(clip, score: score, decibels: 0)
    }

    /// Adds a player that begins at the output frame at which another one ends, whatever pauses, seeks and changes of speed came before.
    ///
    /// It begins after the other one has played to its end, or has failed, but not after it was stopped. Nothing fades out or in, so the joint
    /// between two halves of a recording is inaudible. (The last pass of a section fades out with the joint `crossfade` or `fade`; with `hard` it
    /// does not.) If the other player has already reached its end, this one begins with the next block. It can also be started by itself.
    ///
    /// With a crossfade it begins that many frames before the other one's end, with weights of equal power. If fewer frames are left of the last
    /// pass, because of a seek or a short pass, the crossfade is as short as these. If a change of speed moves the other player's end during the
    /// crossfade, that player ends with the crossfade at the latest. From the joint on, a pause or a resumption of the other player applies to this
    /// one too, at the same frame, and suspends the crossfade.
    ///
    /// - Parameters:
    ///   - clip: a recording at the engine's rate.
    ///   - score: what is played, made for this clip's length and rate.
    ///   - leader: a player of this engine that was not removed; if it was, the new player waits for its own `start()`.
    ///   - crossfade: its length in output frames, 0 or more.
    ///   - decibels: the gain from the first frame on, as in `Player.setGain`.
    /// - Throws: `EngineError.rateMismatch` if the clip has another rate, `.tooManyPlayers` if 128 players are in the mix.
    public func makePlayer(
        _ clip: Clip, score: Score, after leader: Player, crossfade: Int64 = 0, decibels: Double = 0
    ) throws(EngineError) -> Player {
        try makePlayer(clip, score: score, decibels: decibels, leader: leader, fade: crossfade)
    }

    /// Adds a player with a gain from the first frame on, and with an observer that misses no event; see `Player.observe`.
    package func makePlayer(
        _ clip: Clip, score: Score, decibels: Double, leader: Player? = nil, fade: Int64 = 0,
        observer: (@Sendable ([PlayerEvent]) -> Void)? = nil
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

    /// Fades a player out over 5 ms, and removes it from the mix once it is silent. Returns at once.
    ///
    /// Before the start and after the end it is removed at once, and so is a player of a pulled output under the virtual clock that was not started.
    /// While nobody takes the blocks of a pulled output under the real clock, it is removed after a second.
    public func remove(_ player: Player) {
        player.stop()
        directory.removeWhenFinished(player)
        directory.serve()
        use.withLock { if $0 == .none { directory.releaseLeaving(from: mixer) } }
        releaseUnrendered()
    }

    /// Removes players that are leaving and for which no block may come.
    ///
    /// - Parameter all: whether there is no room for another player, so that the sound may differ; see ``PlayerRegistry/releaseUnheard(from:all:)``.
    private func releaseUnrendered(all: Bool = false) {
        if mixer.hasEnded { directory.releaseAfterEnd(from: mixer) }
        guard isVirtual, let pulled = stream as? PulledOutput else { return }
        directory.releaseUnheard(from: mixer, beside: pulled, all: all)
    }

    // MARK: The stream

    /// Starts the device. Blocks until the beginning of every player's score is decoded.
    ///
    /// - Throws: `DeviceError` if the device does not start, or if the engine was started before.
    public func start() throws(DeviceError) {
        // One after the other: the one that comes second must not end what the first one has begun.
        try starting.withLock { (_) throws(DeviceError) in try startFirst() }
    }

    private func startFirst() throws(DeviceError) {
        // Neither thread may hold the engine, because the engine joins both when it is released.
        let (directory, stream, broadcast, mixer) = (self.directory, self.stream, self.broadcast, self.mixer)
        let (followers, pulled) = (followers.withLock { $0 }, stream as? PulledOutput)
        let isBegun: Bool
        do {
            isBegun = try pump.start {
                let isOver = mixer.hasEnded
                directory.serve()
                if let pulled, !pulled.isVirtual { directory.releaseOverdue(from: mixer, beside: pulled) }
                for follower in followers { follower() }
                if isOver {
                    directory.endEvents()
                    directory.releaseAfterEnd(from: mixer)
                }
                for incident in stream.takeIncidents() where incident.kind.endsByItself {
                    broadcast.tell(.disturbed(incident))
                }
            }
        } catch {
            throw DeviceError(kind: .io, message: error.message, remedy: error.remedy)
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
            // Nobody stops an engine that has not started.
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

    /// No other thread uses the mixer any more.
    private func endUse(_ use: inout Use) {
        use = .none
        directory.releaseLeaving(from: mixer)
    }

    /// Whether requests and events are passed on by themselves.
    package var isServing: Bool { pump.isRunning }

    /// Stops the device at once and ends all events. Stop the players first to let them fade out. Has no effect if the engine has ended.
    ///
    /// Under the virtual clock the block that is being rendered is dropped, even if it waits for something. So everything that was passed to the
    /// device is exactly as the scores say.
    public func stop() {
        if isVirtual {
            mixer.cutOff()
            directory.endWaits()
        }
        stream.stop()
        // A start in another thread may not be over yet; it then ends the use itself.
        use.withLock { use in
            if use == .begins { use = .ends }
            if use != .ends { endUse(&use) }
        }
        finishServing()
    }

    /// Blocks until the last player has finished and the device has played everything, or until the engine is stopped. An engine that does not end
    /// with its players must be stopped by another thread.
    ///
    /// - Throws: `EngineError` if the device or a recording failed meanwhile.
    public func waitUntilFinished() throws(EngineError) {
        // A start in another thread comes first: before its end there is nothing to wait for.
        starting.withLock { _ in }
        defer { finishServing() }
        // The device's thread has ended, or there never was one.
        defer { use.withLock { if $0 == .lasts { endUse(&$0) } } }
        do {
            try stream.waitUntilFinished()
        } catch {
            throw .device(error)
        }
        directory.serve()
        if let failure = directory.firstFailure { throw .file(failure) }
    }

    /// Counters since the start, over all devices on which the engine has played. May be read at any time.
    public var statistics: EngineStatistics {
        if let kept = stream as? KeptOutput { return EngineStatistics(kept) }
        return EngineStatistics(stream, isVirtual: isVirtual)
    }

    /// Losses, returns and disturbances of the device from now on, in order. Every reader gets each event once. The sequence ends with the engine;
    /// one that is requested after that ends at once.
    ///
    /// The players report them too, by events with the exact frame; these events concern all players. Get the sequence before `start()`.
    public var events: AsyncStream<EngineEvent> { broadcast.stream }

    /// Calls `observer` with every event of the device from now on, before any reader gets it, on the thread that tells it. It must return at
    /// once.
    package func observe(_ observer: @escaping @Sendable (EngineEvent) -> Void) { broadcast.observe(observer) }

    /// The frames passed to the device, and how many of them have not been heard yet, as of the last block.
    public var position: StreamPosition { stream.position }

    /// Calls `work` after each time that the players' events were delivered: every 10 ms on the pump's thread, and under the virtual clock
    /// before each block. It must return soon and must not hold the engine, which joins that thread. Has no effect after `start()`.
    package func afterServing(_ work: @escaping @Sendable () -> Void) { followers.withLock { $0.append(work) } }

    /// Delivers requests and events now.
    package func serve() { directory.serve() }

    /// Players in the mix, and those that are on their way into it or out of it.
    package var playerCount: Int { directory.count }

    /// Keeps the stream running in silence after the last player, or no longer, whatever the engine was made with: for what is recorded
    /// beside the players and ends later than they do.
    ///
    /// - Returns: A function that does so and does not hold the engine.
    package var holdsOpen: @Sendable (_ isHeld: Bool) -> Void { { [mixer] in mixer.holdOpen($0) } }

    private func finishServing() {
        pump.stop()
        directory.serve()
        directory.endEvents()
        broadcast.end()
    }

    /// How the mix follows the loss and return of the device. Neither side may hold the engine.
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
