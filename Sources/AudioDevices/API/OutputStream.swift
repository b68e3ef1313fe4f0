// AudioDevices: plays and records blocks of planar Float32 on a sound card (ALSA), with a file, or with nothing, by a
// real or a virtual clock. All devices have one contract; achieved values are read back; faults become incidents and
// typed errors.
//
// The module does not decode, mix or dither, and does not know clips and scores. The module resamples only to convert a
// second card to the clock of the first. The module never prints: on every thread, ALSA's messages to the terminal are
// muted during calls from here.

/// The common part of all open streams, for playing and recording.
///
/// A stream runs once. After ``stop()``, or after its callback has ended the stream, open a new stream. The stream owns
/// its device thread: releasing the last reference stops the thread.
public protocol AudioStream: AnyObject, Sendable {
    /// The clock of the stream, `real` or `virtual`.
    ///
    /// Real-time safe: yes.
    var clock: StreamClock { get }

    /// Counters of the stream.
    ///
    /// Real-time safe: no.
    var statistics: StreamStatistics { get }

    /// Returns and removes the incidents since the last call, in order.
    ///
    /// Each incident is returned once, to the first caller. A stream keeps 256; if nobody takes the incidents, later
    /// incidents are lost. Real-time safe: no.
    func takeIncidents() -> [StreamIncident]

    /// Stops at once, waits for the device thread and closes the device.
    ///
    /// Frames still in the device's buffer are neither played nor delivered; a file keeps all written frames and is
    /// closed in a valid state. May be called at any time, from any thread, any number of times. A call from a callback
    /// only requests the end of the stream after the current block. Returns within one callback and a fraction of a
    /// second. Real-time safe: no.
    func stop()

    /// Waits until the stream has ended or was stopped, and throws the fault that ended the stream, if any.
    ///
    /// Returns at once if the stream was never started. Do not call this from a callback. Real-time safe: no.
    func waitUntilFinished() throws(DeviceError)
}

/// One open output: a device thread that asks for blocks and plays them.
///
/// Real-time safe: no, except where the callbacks say so.
public protocol OutputStream: AudioStream {
    /// The settings of the device, as read back.
    ///
    /// Compare them with the request: rate, channels and period may differ. Real-time safe: yes.
    var configuration: StreamConfiguration { get }

    /// The position of the stream, as of the last block.
    ///
    /// Real-time safe: no (takes a lock that the device thread never takes).
    var position: StreamPosition { get }

    /// Starts the device thread, which calls `callbacks` until the stream ends.
    ///
    /// Returns before the first block is played. ``AudioStream/waitUntilFinished()`` throws later faults, which end the
    /// stream. Throws `invalidRequest` if the stream was started or stopped before. Real-time safe: no.
    func start(_ callbacks: StreamCallbacks) throws(DeviceError)
}

/// A stream that tells, without a wait, whether its device thread has ended.
package protocol EndingStream: AudioStream {
    /// True once the stream has ended, also by a fault: no callback follows. May stay false if the stream never ran.
    var hasEnded: Bool { get }
}

/// A stream that tells, before its start, how its device thread will be scheduled.
package protocol ScheduledStream: AudioStream {
    /// True if the device thread asks for a real-time priority, which the system may refuse.
    var asksForPriority: Bool { get }
}

extension AudioStream {
    /// Default implementation: returns no incidents.
    public func takeIncidents() -> [StreamIncident] { [] }
}

/// Functions called by an output stream on its device thread.
///
/// The thread holds the closures until it ends, so the closures must not own the stream.
public struct StreamCallbacks: Sendable {
    package let prepare: @Sendable (_ frameCount: Int) -> Void
    package let render: @Sendable (_ block: RenderBlock) -> Int
    package let xrun: @Sendable (_ atFrame: Int64, _ lostFrames: Int64) -> Void

    /// Makes a set of callbacks.
    ///
    /// `prepare` and `xrun` may be left out. Real-time safe: no.
    ///
    /// - Parameters:
    ///   - prepare: Called before each block under the virtual clock only, with the block's length in frames. The
    ///     function may block, allocate and lock: the virtual clock stands still during the call.
    ///   - render: Fills one block and returns the number of valid frames. Fewer valid frames than `block.frameCount`
    ///     end the stream: the valid frames are played, and the stream finishes. On entry the buffers contain arbitrary
    ///     old samples. Called in real time under either clock: no allocation, lock or system call.
    ///   - xrun: Reports that the device ran dry before `atFrame` and was silent for about `lostFrames` frames. No
    ///     frame of the sound is skipped: frame `atFrame` follows after the silence. Called in real time.
    public init(
        prepare: @escaping @Sendable (_ frameCount: Int) -> Void = { _ in },
        render: @escaping @Sendable (_ block: RenderBlock) -> Int,
        xrun: @escaping @Sendable (_ atFrame: Int64, _ lostFrames: Int64) -> Void = { _, _ in }
    ) {
        self.prepare = prepare
        self.render = render
        self.xrun = xrun
    }
}

/// A block to fill: planar Float32, valid during the render call only.
///
/// (The value is safe to pass on; following its pointers is not, and must be marked `unsafe`.)
@safe
public struct RenderBlock {
    /// One buffer of `frameCount` samples for each channel; nominal range −1 … 1.
    public let channels: UnsafeMutablePointer<UnsafeMutablePointer<Float>>
    /// The number of channels, as in the stream's configuration.
    public let channelCount: Int
    /// The number of frames to fill, at least 1 and at most the configuration's `periodFrames`.
    public let frameCount: Int
    /// The stream's frame at which the block begins, from 0.
    public let outputFrame: Int64

    /// Describes a block of buffers owned by the caller, for offline rendering and tests.
    ///
    /// `channels` points to `channelCount` buffers of at least `frameCount` samples. Real-time safe: yes.
    package init(
        channels: UnsafeMutablePointer<UnsafeMutablePointer<Float>>, channelCount: Int, frameCount: Int,
        outputFrame: Int64
    ) {
        unsafe self.channels = unsafe channels
        self.channelCount = channelCount
        self.frameCount = frameCount
        self.outputFrame = outputFrame
    }
}
