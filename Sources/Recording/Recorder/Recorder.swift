// Recording: the recorder, and the round trip of a set-up. The module does not know scores, players and terminals.
//
// The recorder is a sequence of stages, each a value that can only become a permitted next stage:
//
//     idle → armed → recording ⇄ paused → stopped → saved or discarded
//
// A stage that was left cannot be used any more; the compiler ensures this. All stages share one input and its threads.
public import AudioDevices
public import AudioFiles

/// An open input that does not record yet.
///
///     let idle = try IdleRecorder(input: .system("default"), request: request)
///     let draft = try idle.prepare(TakeRequest(destination: .file(path: "take.wav", container: .wav)))
///     let armed = try idle.arm()          // the meter runs
///     let recording = armed.record(draft) // with the half second before
///     let stopped = recording.stop()
///     let take = try stopped.save()
///
/// A stage that is released instead of being moved on ends, and its take is kept. Stages may be used from
/// any thread, one call at a time.
public struct IdleRecorder: ~Copyable, Sendable {
    private let core: RecorderCore

    /// Opens an input. Nothing is captured yet.
    ///
    /// - Parameters:
    ///   - input: the device or the file to record from.
    ///   - request: the requested rate in Hz, channels, period and clock; `monitor.configuration` has the achieved ones.
    /// - Throws: `DeviceError`, which says why the device cannot be opened and what to do. Real-time safe: no.
    public init(input: InputDevice, request: StreamRequest) throws(DeviceError) {
        core = try RecorderCore(input, request)
    }

    /// Uses the input of linked streams, while a player uses their output.
    ///
    /// It records from the frame at which both are started. The event `started` has the input frame of the take's first frame,
    /// and `LinkedStreams.roundTripFrames` relates it to the output. Real-time safe: no.
    ///
    /// - Parameters:
    ///   - linked: the streams, whose output is for an engine.
    ///   - clock: the clock they were opened with.
    public init(linked: LinkedStreams, clock: StreamClock = .real) {
        core = RecorderCore(linked.input, isVirtual: clock == .virtual)
    }

    init(_ core: RecorderCore) { self.core = core }

    /// Status, events and statistics of the recorder, in this stage and all that follow.
    public var monitor: RecorderMonitor { core.monitor }

    /// Creates a take's file, so that the start of the take cannot fail. Real-time safe: no.
    ///
    /// - Parameter request: the file or stream, its format, and which channels are recorded.
    /// - Throws: `AudioFileError` if it cannot be created; this stage continues.
    public func prepare(_ request: TakeRequest) throws(AudioFileError) -> TakeDraft {
        try TakeDraft(request, core.configuration)
    }

    /// Starts capturing: the meter runs, and the last half second is kept. Real-time safe: no.
    ///
    /// - Throws: `DeviceError` if the device does not start.
    public consuming func arm() throws(DeviceError) -> ArmedRecorder {
        try core.start()
        return ArmedRecorder(core)
    }

    /// Starts capturing and recording at once, from the input's first frame on. Real-time safe: no.
    ///
    /// - Parameter draft: a take that `prepare(_:)` made.
    /// - Throws: `DeviceError` if the device does not start.
    public consuming func record(_ draft: TakeDraft) throws(DeviceError) -> RunningTake {
        core.record(draft)
        do throws(DeviceError) {
            try core.start()
        } catch {
            try? draft.discard()
            throw error
        }
        return RunningTake(core)
    }
}

/// A recorder that captures: the meter runs, and nothing is written.
public struct ArmedRecorder: ~Copyable, Sendable {
    private let core: RecorderCore

    init(_ core: RecorderCore) { self.core = core }

    /// Status, events and statistics of the recorder.
    public var monitor: RecorderMonitor { core.monitor }

    /// Creates a take's file, so that the start of the take cannot fail. Real-time safe: no.
    ///
    /// - Parameter request: the file or stream, its format, and which channels are recorded.
    /// - Throws: `AudioFileError` if it cannot be created; this stage continues.
    public func prepare(_ request: TakeRequest) throws(AudioFileError) -> TakeDraft {
        try TakeDraft(request, core.configuration)
    }

    /// Begins a take, including the half second before.
    ///
    /// If the input has ended meanwhile, the take is empty, and reports this when it is stopped. Real-time safe: no.
    ///
    /// - Parameter draft: a take that `prepare(_:)` made.
    public consuming func record(_ draft: TakeDraft) -> RunningTake {
        core.record(draft)
        return RunningTake(core)
    }

    /// Stops capturing. Real-time safe: no.
    public consuming func stop() { core.shutDown() }
}

/// A take that is being recorded.
public struct RunningTake: ~Copyable, Sendable {
    private let core: RecorderCore

    init(_ core: RecorderCore) { self.core = core }

    /// Status, events and statistics of the recorder.
    public var monitor: RecorderMonitor { core.monitor }

    /// Sets a mark at the frame that is captured next. Programs that show marks will show the name. Real-time safe: no.
    public func mark(_ name: String) { core.request(.mark(name)) }

    /// Pauses at the frame that is captured next; the meter continues. Real-time safe: no.
    public consuming func pause() -> PausedTake {
        core.request(.pause)
        return PausedTake(core)
    }

    /// Ends the take at the frame that is captured next, unless it has ended already, and waits until it is on the disk.
    ///
    /// Real-time safe: no.
    public consuming func stop() -> StoppedTake { StoppedTake(core, core.stop()) }
}

/// A paused take.
public struct PausedTake: ~Copyable, Sendable {
    private let core: RecorderCore

    init(_ core: RecorderCore) { self.core = core }

    /// Status, events and statistics of the recorder.
    public var monitor: RecorderMonitor { core.monitor }

    /// Sets a mark at the place of the pause. Real-time safe: no.
    public func mark(_ name: String) { core.request(.mark(name)) }

    /// Continues with the frame that is captured next, directly after the last one before the pause. Real-time safe: no.
    public consuming func resume() -> RunningTake {
        core.request(.resume)
        return RunningTake(core)
    }

    /// Ends the take, and waits until it is on the disk. Real-time safe: no.
    public consuming func stop() -> StoppedTake { StoppedTake(core, core.stop()) }
}

/// A take that has ended and is complete on the disk.
public struct StoppedTake: ~Copyable, Sendable {
    /// The result of the take.
    public let summary: TakeSummary
    private let core: RecorderCore

    init(_ core: RecorderCore, _ end: TakeEnd) {
        self.core = core
        summary = TakeSummary(end, sampleRate: core.configuration.sampleRate)
    }

    /// Finishes the file, with its marks. Real-time safe: no.
    ///
    /// - Throws: `AudioFileError` if that fails; the file is still valid up to the last checkpoint.
    public consuming func save() throws(AudioFileError) { try core.shared.conclude(keeping: true) }

    /// Removes the file. Real-time safe: no.
    ///
    /// - Throws: `AudioFileError` when it cannot be removed.
    public consuming func discard() throws(AudioFileError) { try core.shared.conclude(keeping: false) }
}

/// The result of a take.
public struct TakeSummary: Sendable, Equatable {
    /// Its length in frames, with the silence for lost frames.
    public let frameCount: Int64
    /// Its rate in Hz.
    public let sampleRate: Int
    /// Lost frames, which are silence in the take.
    public let lostFrames: Int64
    /// Why it ended.
    public let reason: RecorderEvent.StopReason
    /// The error of the file, if that was the reason.
    public let failure: AudioFileError?
    /// The loudness of the whole take; nil if nothing was recorded, and at rates above 384 kHz.
    public let loudness: TakeLoudness?

    init(_ end: TakeEnd, sampleRate: Int) {
        frameCount = end.frameCount
        self.sampleRate = sampleRate
        lostFrames = end.lostFrames
        reason = end.reason
        failure = end.failure
        loudness = end.loudness
    }
}
