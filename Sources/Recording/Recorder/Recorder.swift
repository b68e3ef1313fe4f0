// Recording: the recorder, and the round trip of a set-up. The module knows nothing of scores, players and terminals.
//
// A recorder in stages, each a value that can only become what may follow it:
//
//     idle → armed → recording ⇄ paused → stopped → saved or discarded
//
// A stage that was left cannot be used any more; the compiler sees to it. All stages share one input and its threads.
public import AudioDevices
public import AudioFiles

/// An input that is open, and not heard yet.
///
///     let idle = try IdleRecorder(input: .system("default"), request: request)
///     let draft = try idle.prepare(TakeRequest(destination: .file(path: "take.wav", container: .wav)))
///     let armed = try idle.arm()          // the meter runs
///     let recording = armed.record(draft) // with the half second before
///     let stopped = recording.stop()
///     let take = try stopped.save()
///
/// A stage that is let go instead of being taken further ends what it stands for: a take is then kept. Stages may be used from
/// any thread, one call at a time.
public struct IdleRecorder: ~Copyable, Sendable {
    private let core: RecorderCore

    /// Opens an input.
    ///
    /// - Throws: `DeviceError`, which says why the device cannot be opened so and what to do. Real-time safe: no.
    public init(input: InputDevice, request: StreamRequest) throws(DeviceError) {
        core = try RecorderCore(input, request)
    }

    /// Takes the input of linked streams, beside whoever plays on their output.
    ///
    /// It hears from the frame on at which both were started. The event `started` names the input's frame of the take's first,
    /// and `LinkedStreams.roundTripFrames` what was played then. Real-time safe: no.
    ///
    /// - Parameters:
    ///   - linked: the streams, whose output is for an engine.
    ///   - clock: the clock they were opened with.
    public init(linked: LinkedStreams, clock: StreamClock = .real) {
        core = RecorderCore(linked.input, isVirtual: clock == .virtual)
    }

    init(_ core: RecorderCore) { self.core = core }

    /// What can be seen and heard of the recorder, in this stage and all that follow.
    public var monitor: RecorderMonitor { core.monitor }

    /// Makes a take's file ready, so that nothing can go wrong when it is begun. Real-time safe: no.
    ///
    /// - Throws: `AudioFileError` when it cannot be created; this stage goes on.
    public func prepare(_ request: TakeRequest) throws(AudioFileError) -> TakeDraft {
        try TakeDraft(request, core.configuration)
    }

    /// Begins to listen: the meter runs, and the last half second is kept. Real-time safe: no.
    public consuming func arm() throws(DeviceError) -> ArmedRecorder {
        try core.start()
        return ArmedRecorder(core)
    }

    /// Begins to listen and to record at once, from the input's first frame on. Real-time safe: no.
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

/// A recorder that listens: the meter runs, and nothing is written.
public struct ArmedRecorder: ~Copyable, Sendable {
    private let core: RecorderCore

    init(_ core: RecorderCore) { self.core = core }

    /// What can be seen and heard of the recorder.
    public var monitor: RecorderMonitor { core.monitor }

    /// Makes a take's file ready, so that nothing can go wrong when it is begun. Real-time safe: no.
    ///
    /// - Throws: `AudioFileError` when it cannot be created; this stage goes on.
    public func prepare(_ request: TakeRequest) throws(AudioFileError) -> TakeDraft {
        try TakeDraft(request, core.configuration)
    }

    /// Begins a take, with the half second that was heard last.
    ///
    /// An input that has ended meanwhile gives an empty take, which says so when it is stopped. Real-time safe: no.
    public consuming func record(_ draft: TakeDraft) -> RunningTake {
        core.record(draft)
        return RunningTake(core)
    }

    /// Ends the listening. Real-time safe: no.
    public consuming func stop() { core.shutDown() }
}

/// A take that is being recorded.
public struct RunningTake: ~Copyable, Sendable {
    private let core: RecorderCore

    init(_ core: RecorderCore) { self.core = core }

    /// What can be seen and heard of the recorder.
    public var monitor: RecorderMonitor { core.monitor }

    /// Marks the frame that is captured next, by a name that programs which show marks will show. Real-time safe: no.
    public func mark(_ name: String) { core.request(.mark(name)) }

    /// Leaves out what comes, from the frame on that is captured next; the meter runs on. Real-time safe: no.
    public consuming func pause() -> PausedTake {
        core.request(.pause)
        return PausedTake(core)
    }

    /// Ends the take at the frame that is captured next, unless it has ended already, and waits until it is on the disk.
    ///
    /// Real-time safe: no.
    public consuming func stop() -> StoppedTake { StoppedTake(core, core.stop()) }
}

/// A take that waits.
public struct PausedTake: ~Copyable, Sendable {
    private let core: RecorderCore

    init(_ core: RecorderCore) { self.core = core }

    /// What can be seen and heard of the recorder.
    public var monitor: RecorderMonitor { core.monitor }

    /// Marks the place of the pause. Real-time safe: no.
    public func mark(_ name: String) { core.request(.mark(name)) }

    /// Goes on with the frame that is captured next, right after the one before the pause. Real-time safe: no.
    public consuming func resume() -> RunningTake {
        core.request(.resume)
        return RunningTake(core)
    }

    /// Ends the take, and waits until it is on the disk. Real-time safe: no.
    public consuming func stop() -> StoppedTake { StoppedTake(core, core.stop()) }
}

/// A take that is over, and already whole on the disk.
public struct StoppedTake: ~Copyable, Sendable {
    /// How it has ended.
    public let summary: TakeSummary
    private let core: RecorderCore

    init(_ core: RecorderCore, _ end: TakeEnd) {
        self.core = core
        summary = TakeSummary(end, sampleRate: core.configuration.sampleRate)
    }

    /// Finishes the file, with its marks. Real-time safe: no.
    ///
    /// - Throws: `AudioFileError` when that fails; the file is valid all the same, as far as it goes.
    public consuming func save() throws(AudioFileError) { try core.shared.conclude(keeping: true) }

    /// Takes the file away. Real-time safe: no.
    ///
    /// - Throws: `AudioFileError` when it cannot be removed.
    public consuming func discard() throws(AudioFileError) { try core.shared.conclude(keeping: false) }
}

/// How a take has ended.
public struct TakeSummary: Sendable, Equatable {
    /// Its length.
    public let frameCount: Int64
    /// Frames a second.
    public let sampleRate: Int
    /// Frames of it that are silence, as they were lost.
    public let lostFrames: Int64
    /// Why it has ended.
    public let reason: RecorderEvent.StopReason
    /// What the file has failed at, when that was the reason.
    public let failure: AudioFileError?
    /// How loud it is as a whole; nil when nothing was recorded, and at rates above 384 kHz.
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
