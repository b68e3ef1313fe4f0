package import AudioDevices
internal import Realtime

/// Records takes one after another, or over one another, from an input that keeps running beside a player.
///
///     let linked = LinkedStreams(try openDuplex(output: device, input: input, request))
///     let engine = Engine(linked: linked)
///     let recorder = LoopRecorder(linked: linked)
///     try recorder.start()
///     try engine.start()
///     recorder.begin(1, atInputFrame: first) { _ in
///         TakeRequest(destination: .file(path: "take.wav", container: .wav))
///     }
///     recorder.end(1, beforeInputFrame: last)
///
/// A take begins and ends exactly at the named frames. The frames may lie ahead, and a beginning also up to three
/// seconds back, so a late request does no harm. Output frame *n* of the player comes back as input frame *n* +
/// ``/AudioDevices/LinkedStreams/roundTripFrames(ofOutputFrame:)`` + ``RoundTrip/addedFrames``.
///
/// Each take is as safe as a take of ``IdleRecorder``: valid at every moment, and found again after a crash. Any thread
/// may call any method.
package final class LoopRecorder: Sendable {
    private let core: RecorderCore

    /// Longest time, in seconds, by which a take can begin before the current input frame.
    package static let preRollSeconds = 3.0

    /// Uses the input of linked streams, while a player uses their output. Nothing is captured before `start()`.
    /// Real-time safe: no.
    ///
    /// - Parameter linked: The streams, whose output is for an engine.
    package init(linked: LinkedStreams) {
        core = RecorderCore(linked.input, preRollSeconds: Self.preRollSeconds)
    }

    /// Levels, events and statistics of the input. Status and events of the monitor say nothing of takes: see `events`.
    package var monitor: RecorderMonitor { core.monitor }

    /// Events of the takes, each event once, in order, to every reader, until the recorder ends. Ask before `start()`.
    package var events: AsyncStream<TimedTakeEvent> { core.shared.timedEvents.stream }

    /// Calls `observer` with every event from now on, on the writer's thread. The observer must return at once and must
    /// not use the recorder. Unlike a reader of `events`, an observer needs no free thread of the program.
    package func observe(_ observer: @escaping @Sendable (TimedTakeEvent) -> Void) {
        core.shared.timedEvents.observe(observer)
    }

    /// Starts capturing; call this once the player's half is started as well. Real-time safe: no.
    ///
    /// - Throws: `DeviceError` if the device does not start, or if the recorder was started or stopped before.
    package func start() throws(DeviceError) { try core.start() }

    /// Next frame of the input: all earlier frames were captured. Real-time safe: yes.
    package var nextInputFrame: Int64 { core.shared.capture.capturedFrame }

    /// Begins a take. If its file cannot be made, the event `ended` reports the failure.
    ///
    /// - Parameters:
    ///   - id: A number chosen by the caller, different for each take of this recorder.
    ///   - first: First input frame of the take.
    ///   - request: Returns the take's request, given the first input frame really in the take, which is later than
    ///     `first` only if `first` was too long ago. Called on the writer's thread; the function must not use the
    ///     recorder. Only destination, format, channels, limit, registry and attachment of the request count.
    package func begin(
        _ id: Int, atInputFrame first: Int64, _ request: @escaping @Sendable (_ first: Int64) -> TakeRequest
    ) {
        core.request(.openTimed(TimedTakeRequest(id: id, first: first, request: request)))
    }

    /// Ends a take before an input frame, or at once if this frame was captured already; recorded frames are never cut
    /// off.
    package func end(_ id: Int, beforeInputFrame end: Int64) { core.request(.closeTimed(id, end: end)) }

    /// Removes an unfinished take and its file.
    package func drop(_ id: Int) { core.request(.dropTimed(id)) }

    /// Ends all takes at their current frame, stops capturing and ends the events. Blocks until the takes are on the
    /// disk, without a limit: a disk that does not answer blocks the calling thread. Real-time safe: no.
    package func stop() {
        core.request(.stop(.asked))
        core.shutDown()
    }
}
