public import AudioDevices
internal import Realtime

/// Records takes one after another, or over one another, from an input that keeps running beside a player.
///
///     let linked = LinkedStreams(try openDuplex(output: device, input: input, request))
///     let engine = Engine(linked: linked)
///     let recorder = LoopRecorder(linked: linked)
///     try recorder.start()
///     try engine.start()
///     recorder.begin(1, atInputFrame: first) { _ in TakeRequest(destination: .file(path: "take.wav", container: .wav)) }
///     recorder.end(1, beforeInputFrame: last)
///
/// A take begins and ends exactly at the frames that are named: they may lie ahead, and a beginning also up to three seconds back, so it does
/// not matter how late a request is made. Output frame *n* of the player comes back as input frame
/// *n* + ``/AudioDevices/LinkedStreams/roundTripFrames(ofOutputFrame:)`` + ``RoundTrip/addedFrames``.
///
/// Each take is safe like that of ``IdleRecorder``: valid at every moment, and found again after a crash. Any thread may call any method.
public final class LoopRecorder: Sendable {
    private let core: RecorderCore

    /// Seconds before the frame that is captured now at which a take can still begin.
    package static let preRollSeconds = 3.0

    /// Uses the input of linked streams, while a player uses their output. Nothing is captured before `start()`. Real-time safe: no.
    ///
    /// - Parameters:
    ///   - linked: The streams, whose output is for an engine.
    ///   - clock: The clock they were opened with.
    public init(linked: LinkedStreams, clock: StreamClock = .real) {
        core = RecorderCore(linked.input, isVirtual: clock == .virtual, preRollSeconds: Self.preRollSeconds)
    }

    /// Levels, events and statistics of the input. Its status and its events tell nothing of takes: see `events`.
    public var monitor: RecorderMonitor { core.monitor }

    /// What happens to the takes, each event once, in order, to every reader, until the recorder ends. Ask before `start()`.
    public var events: AsyncStream<TimedTakeEvent> { core.shared.timedEvents.stream }

    /// Calls `observer` with every event from now on, on the writer's thread: it must return at once and must not use the recorder. Unlike a
    /// reader of `events` it needs no thread of the program's to be free.
    package func observe(_ observer: @escaping @Sendable (TimedTakeEvent) -> Void) {
        core.shared.timedEvents.observe(observer)
    }

    /// Starts capturing, once the player's half is started as well. Real-time safe: no.
    ///
    /// - Throws: `DeviceError` if the device does not start, or if the recorder was started or stopped before.
    public func start() throws(DeviceError) { try core.start() }

    /// The next frame of the input: all earlier ones were captured. Real-time safe: yes.
    public var nextInputFrame: Int64 { core.shared.capture.capturedFrame }

    /// Begins a take. If its file cannot be made, that is told as its end.
    ///
    /// - Parameters:
    ///   - id: A number of the caller's that no other take of this recorder has.
    ///   - first: The input frame with which it begins.
    ///   - request: What is recorded, and where to; gets the input frame with which the take really begins, which is later than `first` only if
    ///     that was too long ago. Called on the writer's thread; it must not use the recorder. Only its destination, format, channels,
    ///     limit, registry and attachment count.
    public func begin(
        _ id: Int, atInputFrame first: Int64, _ request: @escaping @Sendable (_ first: Int64) -> TakeRequest
    ) {
        core.request(.openTimed(TimedTakeRequest(id: id, first: first, request: request)))
    }

    /// Ends a take before an input frame, or at once if that was captured already; nothing that was recorded is cut off.
    public func end(_ id: Int, beforeInputFrame end: Int64) { core.request(.closeTimed(id, end: end)) }

    /// Removes a take that has not ended, with its file.
    public func drop(_ id: Int) { core.request(.dropTimed(id)) }

    /// Ends all takes where they are, stops capturing and ends the events. Blocks until the takes are on the disk. Real-time safe: no.
    public func stop() {
        core.request(.stop(.asked))
        core.shutDown()
    }
}
