/// One open input: a device thread that delivers what was recorded, block by block.
///
/// Real-time safe: no, but for what the callbacks say.
public protocol InputStream: AudioStream {
    /// What the device agreed to, read back from it.
    ///
    /// Compare it with the request: rate, channels and period may differ. A file gives its own rate and channels.
    /// Real-time safe: yes.
    var configuration: StreamConfiguration { get }

    /// How far the stream has come, as of the last block.
    ///
    /// Real-time safe: no (takes a lock that the device thread never takes).
    var position: CapturePosition { get }

    /// Starts the device thread, which calls `callbacks` until the stream ends.
    ///
    /// It returns before the first block is delivered. Faults met later end the stream and come out of
    /// ``AudioStream/waitUntilFinished()``. Throws `invalidRequest` when the stream has been started or stopped before.
    /// Real-time safe: no.
    func start(_ callbacks: CaptureCallbacks) throws(DeviceError)
}

/// What an input stream calls on its device thread.
///
/// The thread holds the closures until it ends, so they must not own the stream.
public struct CaptureCallbacks: Sendable {
    /// Called before each block under the virtual clock only, with the block's length in frames.
    ///
    /// It may block, allocate and lock: the virtual clock stands still meanwhile.
    public let prepare: @Sendable (_ frameCount: Int) -> Void

    /// Takes one block and returns whether more is wanted; `false` ends the stream.
    ///
    /// Called in real time under either clock: no allocation, lock or system call.
    public let capture: @Sendable (_ block: CaptureBlock) -> Bool

    /// Told that about `lostFrames` frames from `atFrame` on were not recorded.
    ///
    /// The next block begins at `atFrame + lostFrames`, so putting as much silence in their place keeps time true.
    /// Called in real time, before that block.
    public let overrun: @Sendable (_ atFrame: Int64, _ lostFrames: Int64) -> Void

    /// Gathers the functions of one stream.
    ///
    /// `prepare` and `overrun` may be left out. Real-time safe: no.
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

/// A block that was recorded: planar Float32, valid during the call only.
///
/// (Safe to pass on; following its pointers is not, and wants marking.)
@safe
public struct CaptureBlock {
    /// One buffer of `frameCount` samples for each channel; full scale is −1 … 1.
    public let channels: UnsafePointer<UnsafeMutablePointer<Float>>
    /// How many channels there are, as in the stream's configuration.
    public let channelCount: Int
    /// How many frames there are, at least 1 and at most the configuration's `periodFrames`.
    public let frameCount: Int
    /// The stream's frame at which the block begins: frames since the start, those that were lost included.
    public let inputFrame: Int64

    /// Describes a block of buffers that the caller owns, for offline use and tests.
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

/// How far an input has come.
public struct CapturePosition: Sendable, Hashable, BitwiseCopyable {
    /// The frame that will be delivered next: frames since the start, those that were lost included.
    public let nextFrame: Int64
    /// Frames recorded but not delivered yet, as the device tells it.
    public let waitingFrames: Int64

    /// Describes a position, for streams of one's own. Real-time safe: yes.
    init(nextFrame: Int64, waitingFrames: Int64) {
        self.nextFrame = nextFrame
        self.waitingFrames = waitingFrames
    }
}

/// Opens an input for recording.
///
/// The device is held from here until the stream is stopped, has ended or is released. A device that another program holds
/// is tried for up to a second, then `busy`. A file is opened here, and gives its own rate and channels whatever was asked
/// for; its end ends the stream. Throws what the device refused, with the remedy. Real-time safe: no.
public func openInput(_ device: InputDevice, _ request: StreamRequest) throws(DeviceError) -> any InputStream {
    switch device {
    case .system(let name):
        return try DeviceInput(StreamCore(ALSABackend(input: name, request), request))
    case .null, .file:
        return try DeviceInput(StreamCore(ClockedBackend(input: device, request), request))
    }
}
