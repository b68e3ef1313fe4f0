// An engine: one device, one mix, and the players in it. It opens the device, owns what the render thread uses, and carries
// requests and events between the two sides. It decodes nothing and draws nothing.
public import AudioDevices
public import AudioFiles
internal import Realtime

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
/// The sound is a function of clips, scores and the frames of the requests: the same on every device, with every period.
/// An engine may be used from any thread.
public final class Engine: Sendable {
    /// What the device gave: its rate is the rate of all clips and scores.
    public let configuration: StreamConfiguration

    private let stream: any OutputStream
    private let mixer: MixerBox
    private let directory: PlayerDirectory
    private let isVirtual: Bool
    private let pump = EventPump()

    /// Opens a device; nothing sounds before `start()`.
    ///
    /// - Parameters:
    ///   - output: where the sound goes.
    ///   - request: rate, channels, period and clock asked for.
    ///   - endsWithPlayers: true ends the stream with the last player; false goes on in silence until `stop()`, for programs in
    ///     which players come and go.
    /// - Throws: `DeviceError`, which says why the device cannot be opened so and what to do.
    public init(output: OutputDevice, request: StreamRequest, endsWithPlayers: Bool = true) throws(DeviceError) {
        stream = try openOutput(output, request)
        configuration = stream.configuration
        isVirtual = request.clock == .virtual
        let commands = RingEnds<Mixer.Command>(capacity: 2 * Mixer.capacity)
        let released = RingEnds<Int>(capacity: Mixer.capacity)
        mixer = MixerBox(
            Mixer(commands: commands.consumer, released: released.producer, endsWithPlayers: endsWithPlayers))
        directory = PlayerDirectory(PlayerRegistry(commands: commands.producer, released: released.consumer))
    }

    deinit {
        stop()
    }

    // MARK: Players

    /// Opens a recording at the engine's rate; a file of another rate is converted while it is decoded.
    ///
    /// - Throws: `AudioFileError`, which says why it cannot be played and what to do.
    public func load(_ path: String) throws(AudioFileError) -> Clip {
        try Clip(path: path, sampleRate: configuration.sampleRate)
    }

    /// Adds a player to the mix; it is silent until its `start()`.
    ///
    /// - Throws: `EngineError.rateMismatch` or `.tooManyPlayers`.
    public func makePlayer(_ clip: Clip, score: Score) throws(EngineError) -> Player {
        guard clip.sampleRate == configuration.sampleRate else {
            throw .rateMismatch(clip: clip.sampleRate, engine: configuration.sampleRate)
        }
        directory.serve()
        let player = Player(clip, score: score, waitsForPages: isVirtual)
        guard directory.add(player) else { throw .tooManyPlayers(limit: Mixer.capacity) }
        return player
    }

    /// Stops a player with its fade and takes it out of the mix once it is silent.
    public func remove(_ player: Player) {
        player.stop()
        directory.removeWhenFinished(player)
        directory.serve()
    }

    // MARK: The stream

    /// Starts the device, once the opening of every player's score is decoded.
    ///
    /// - Throws: `DeviceError` when it does not start.
    public func start() throws(DeviceError) {
        // Neither thread may hold the engine: it joins both when it goes.
        let directory = self.directory
        do {
            try pump.start { directory.serve() }
        } catch {
            throw DeviceError(kind: .io, message: error.message, remedy: error.remedy)
        }
        directory.loadOpenings()
        let mixer = self.mixer
        try stream.start(
            StreamCallbacks(
                prepare: { _ in directory.serve() },
                render: { mixer.render($0) },
                xrun: { mixer.noteXrun(at: $0, lostFrames: $1) }))
    }

    /// Stops the device at once and ends all events. Stop the players first to let them fade out.
    public func stop() {
        stream.stop()
        finishServing()
    }

    /// Blocks until the last player has finished and the device has played it out.
    ///
    /// - Throws: `EngineError` when the device or a recording failed on the way.
    public func waitUntilFinished() throws(EngineError) {
        defer { finishServing() }
        do {
            try stream.waitUntilFinished()
        } catch {
            throw .device(error)
        }
        directory.serve()
        if let failure = directory.firstFailure { throw .file(failure) }
    }

    /// Xruns, lost frames and render times since the start.
    public var statistics: StreamStatistics { stream.statistics }

    /// Frames handed to the device and how many of them are not yet heard.
    public var position: StreamPosition { stream.position }

    private func finishServing() {
        pump.stop()
        directory.serve()
        directory.endEvents()
    }
}

/// The mixer at an address of its own: the device's thread uses it while the stream runs, the control side never does.
@safe
final class MixerBox: @unchecked Sendable {
    private let mixer: UnsafeMutablePointer<Mixer>

    init(_ mixer: consuming Mixer) {
        unsafe self.mixer = .allocate(capacity: 1)
        unsafe self.mixer.initialize(to: mixer)
    }

    deinit {
        unsafe mixer.deinitialize(count: 1)
        unsafe mixer.deallocate()
    }

    /// Device thread only.
    #if REALTIME_CHECKS
        @_noAllocation @_noLocks
    #endif
    func render(_ block: RenderBlock) -> Int {
        unsafe mixer.pointee.render(block)
    }

    /// Device thread only.
    #if REALTIME_CHECKS
        @_noAllocation @_noLocks
    #endif
    func noteXrun(at frame: Int64, lostFrames: Int64) {
        unsafe mixer.pointee.noteXrun(at: frame, lostFrames: lostFrames)
    }
}
