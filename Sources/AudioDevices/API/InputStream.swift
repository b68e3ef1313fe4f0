/// One open input: a device thread that delivers recorded frames, block by block.
///
/// Real-time safe: no, except where the callbacks say so.
public protocol InputStream: AudioStream {
    /// The settings of the device, as read back.
    ///
    /// Compare them with the request: rate, channels and period may differ. A file has its own rate and channels.
    /// Real-time safe: yes.
    var configuration: StreamConfiguration { get }

    /// The position of the stream, as of the last block.
    ///
    /// Real-time safe: no (takes a lock that the device thread never takes).
    var position: CapturePosition { get }

    /// Starts the device thread, which calls `callbacks` until the stream ends.
    ///
    /// Returns before the first block is delivered. ``AudioStream/waitUntilFinished()`` throws later faults, which end
    /// the stream. Throws `invalidRequest` if the stream was started or stopped before. Real-time safe: no.
    func start(_ callbacks: CaptureCallbacks) throws(DeviceError)
}

/// Functions called by an input stream on its device thread.
///
/// The thread holds the closures until it ends, so the closures must not own the stream.
public struct CaptureCallbacks: Sendable {
    package let prepare: @Sendable (_ frameCount: Int) -> Void
    package let capture: @Sendable (_ block: CaptureBlock) -> Bool
    package let overrun: @Sendable (_ atFrame: Int64, _ lostFrames: Int64) -> Void

    /// Makes a set of callbacks.
    ///
    /// `prepare` and `overrun` may be left out. Real-time safe: no.
    ///
    /// - Parameters:
    ///   - prepare: Called before each block under the virtual clock only, with the block's length in frames. The
    ///     function may block, allocate and lock: the virtual clock stands still during the call.
    ///   - capture: Takes one block and returns true to continue; `false` ends the stream. Called in real time under
    ///     either clock: no allocation, lock or system call.
    ///   - overrun: Reports that about `lostFrames` frames from `atFrame` on were not recorded. The next block begins
    ///     at `atFrame + lostFrames`. To keep the time right, write `lostFrames` frames of silence. Called in real
    ///     time, before the next block.
    public init(
        prepare: @escaping @Sendable (_ frameCount: Int) -> Void = { _ in },
        capture: @escaping @Sendable (_ block: CaptureBlock) -> Bool,
        overrun: @escaping @Sendable (_ atFrame: Int64, _ lostFrames: Int64) -> Void = { _, _ in }
    ) {
        self.prepare = prepare
        self.capture = capture
        self.overrun = overrun
    }
}

/// A recorded block: planar Float32, valid during the call only.
///
/// (The value is safe to pass on; following its pointers is not, and must be marked `unsafe`.)
@safe
public struct CaptureBlock {
    /// One buffer of `frameCount` samples for each channel; full scale is −1 … 1.
    public let channels: UnsafePointer<UnsafeMutablePointer<Float>>
    /// The number of channels, as in the stream's configuration.
    public let channelCount: Int
    /// The number of frames, at least 1 and at most the configuration's `periodFrames`.
    public let frameCount: Int
    /// The stream's frame at which the block begins: frames since the start, including lost frames.
    public let inputFrame: Int64

    /// Describes a block of buffers owned by the caller, for offline use and tests.
    ///
    /// `channels` points to `channelCount` buffers of at least `frameCount` samples. Real-time safe: yes.
    package init(
        channels: UnsafePointer<UnsafeMutablePointer<Float>>, channelCount: Int, frameCount: Int, inputFrame: Int64
    ) {
        unsafe self.channels = unsafe channels
        self.channelCount = channelCount
        self.frameCount = frameCount
        self.inputFrame = inputFrame
    }
}

/// The position of an input.
public struct CapturePosition: Sendable, Hashable, BitwiseCopyable {
    /// The next frame to deliver: frames since the start, including lost frames.
    public let nextFrame: Int64
    /// Frames recorded but not delivered yet, as reported by the device.
    public let waitingFrames: Int64

    /// Makes a position, for custom streams. Real-time safe: yes.
    init(nextFrame: Int64, waitingFrames: Int64) {
        self.nextFrame = nextFrame
        self.waitingFrames = waitingFrames
    }
}
