// Recording: the recorder, and the round trip of a set-up. The module does not know scores, players and terminals.
//
// The recorder is a sequence of stages, each a value that can only become a permitted next stage:
//
//     idle → armed → recording ⇄ paused → stopped → saved or discarded
//
// A stage cannot be used after its move to the next stage; the compiler ensures this. All stages share one input and
// its threads.
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
/// A stage released instead of moved on ends, and its take is kept. Any thread may use a stage, one call at a time.
public struct IdleRecorder: ~Copyable, Sendable {
    private let core: RecorderCore

    /// Opens an input. Nothing is captured yet.
    ///
    /// - Parameters:
    ///   - input: the device or the file to record from.
    ///   - request: the requested rate, channels, period and clock; 44.1 kHz and two channels by default.
    ///     `monitor.configuration` has the achieved values.
    /// - Throws: `DeviceError`, with the cause of the failure and its remedy. Real-time safe: no.
    public init(input: InputDevice, request: StreamRequest = StreamRequest()) throws(DeviceError) {
        core = try RecorderCore(input, request)
    }

    /// Uses the input of linked streams, while a player uses their output.
    ///
    /// Recording begins with the common start of both streams. The event `started` has the input frame of the take's
    /// first frame, and `LinkedStreams.roundTripFrames` relates this frame to the output. Real-time safe: no.
    ///
    /// - Parameter linked: the streams, whose output is for an engine.
    public init(linked: LinkedStreams) {
        core = RecorderCore(linked.input)
    }

    init(_ core: RecorderCore) { self.core = core }

    /// Status, events and statistics of the recorder, in this stage and all later stages.
    public var monitor: RecorderMonitor { core.monitor }

    /// Creates a take's file, so that the start of the take cannot fail. Real-time safe: no.
    ///
    /// - Parameter request: the file or stream, its format, and the recorded channels.
    /// - Throws: `AudioFileError` if the file cannot be created; this stage continues.
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
    /// - Parameter draft: a take made by `prepare(_:)`.
    /// - Throws: `DeviceError` if the device does not start.
    public consuming func record(_ draft: TakeDraft) throws(DeviceError) -> RunningTake {
        core.record(draft)
        do throws(DeviceError) {
            try core.start()
        } catch {
            core.discardTake()
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
    package var monitor: RecorderMonitor { core.monitor }

    /// Creates a take's file, so that the start of the take cannot fail. Real-time safe: no.
    ///
    /// - Parameter request: the file or stream, its format, and the recorded channels.
    /// - Throws: `AudioFileError` if the file cannot be created; this stage continues.
    public func prepare(_ request: TakeRequest) throws(AudioFileError) -> TakeDraft {
        try TakeDraft(request, core.configuration)
    }

    /// Begins a take, including the half second before.
    ///
    /// If the input has ended before, the take is empty, its stop reports the end, and saving the take leaves a file
    /// without frames. Real-time safe: no.
    ///
    /// - Parameter draft: a take made by `prepare(_:)`.
    public consuming func record(_ draft: TakeDraft) -> RunningTake {
        core.record(draft)
        return RunningTake(core)
    }

    /// Stops capturing. Real-time safe: no.
    public consuming func stop() { core.shutDown() }
}

/// A running take.
public struct RunningTake: ~Copyable, Sendable {
    private let core: RecorderCore

    init(_ core: RecorderCore) { self.core = core }

    /// Status, events and statistics of the recorder.
    package var monitor: RecorderMonitor { core.monitor }

    /// Sets a mark at the next captured frame. Programs that show marks will show the name.
    ///
    /// Without effect for a name of more than 4096 bytes or with a zero byte, and from frame 2^32 of a WAV file on: the
    /// event `marked` does not follow then, and the take continues. Real-time safe: no.
    public func mark(_ name: String) { core.request(.mark(name)) }

    /// Pauses at the next captured frame; the meter continues. Real-time safe: no.
    public consuming func pause() -> PausedTake {
        core.request(.pause)
        return PausedTake(core)
    }

    /// Ends the take at the next captured frame, unless the take has ended already, and waits until the take is on the
    /// disk.
    ///
    /// The wait has no limit: a call of the system to a disk that does not answer cannot be broken off. Call this
    /// method on a thread that may wait. The take stays valid up to its last checkpoint. Real-time safe: no.
    public consuming func stop() -> StoppedTake { StoppedTake(core, core.stop()) }

    /// Ends the take like `stop()`, but hands the take on before the device is closed, because a device may not answer.
    package consuming func stop(_ deliver: (consuming StoppedTake) -> Void) {
        core.stop { [core] in deliver(StoppedTake(core, $0)) }
    }
}

/// A paused take.
public struct PausedTake: ~Copyable, Sendable {
    private let core: RecorderCore

    init(_ core: RecorderCore) { self.core = core }

    /// Status, events and statistics of the recorder.
    package var monitor: RecorderMonitor { core.monitor }

    /// Sets a mark at the place of the pause. Real-time safe: no.
    public func mark(_ name: String) { core.request(.mark(name)) }

    /// Continues with the next captured frame, directly after the last frame before the pause. Real-time safe: no.
    public consuming func resume() -> RunningTake {
        core.request(.resume)
        return RunningTake(core)
    }

    /// Ends the take, and waits until the take is on the disk, without a limit as in ``RunningTake/stop()``. Real-time
    /// safe: no.
    public consuming func stop() -> StoppedTake { StoppedTake(core, core.stop()) }

    /// Ends the take like `stop()`, but hands the take on before the device is closed, because a device may not answer.
    package consuming func stop(_ deliver: (consuming StoppedTake) -> Void) {
        core.stop { [core] in deliver(StoppedTake(core, $0)) }
    }
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
    /// - Throws: `AudioFileError` if finishing fails; the file is still valid up to the last checkpoint.
    public consuming func save() throws(AudioFileError) { try core.shared.conclude(keeping: true) }

    /// Removes the file. Real-time safe: no.
    ///
    /// - Throws: `AudioFileError` if the file cannot be removed.
    public consuming func discard() throws(AudioFileError) { try core.shared.conclude(keeping: false) }
}

/// Result of a take.
public struct TakeSummary: Sendable, Equatable {
    /// Length in frames, with the silence for lost frames.
    public let frameCount: Int64
    /// Rate in Hz.
    package let sampleRate: Int
    /// Number of lost frames: silence in the take.
    public let lostFrames: Int64
    /// Reason for the end of the take.
    public let reason: RecorderEvent.StopReason
    /// The error of the file, if the file was the reason.
    public let failure: AudioFileError?
    /// Loudness of the whole take; nil for an empty take, and at rates above 384 kHz.
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
