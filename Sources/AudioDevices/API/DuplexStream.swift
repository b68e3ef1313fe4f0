/// One output and one input that run together: one callback for both, on the output's device thread, and a known offset
/// between them.
///
/// Real-time safe: no, except where the callbacks say so.
public protocol DuplexStream: AudioStream {
    /// The settings of the output, read back from the device. Real-time safe: yes.
    var outputConfiguration: StreamConfiguration { get }

    /// The settings of the input, read back from the device; rate and period are the output's. Real-time safe: yes.
    var inputConfiguration: StreamConfiguration { get }

    /// The position of the output, as of the last block.
    ///
    /// Real-time safe: no (takes a lock that the device thread never takes).
    var position: StreamPosition { get }

    /// The position of the input, as of the last block.
    ///
    /// Real-time safe: no (takes a lock that the device thread never takes).
    var inputPosition: CapturePosition { get }

    /// Starts the device thread, which calls `callbacks` until the stream ends.
    ///
    /// It returns before the first block. Later faults end the stream and are thrown by
    /// ``AudioStream/waitUntilFinished()``. Throws `invalidRequest` if the stream was started or stopped before.
    /// Real-time safe: no.
    func start(_ callbacks: DuplexCallbacks) throws(DeviceError)
}

/// The functions that a duplex stream calls on its device thread.
///
/// The thread holds the closures until it ends, so they must not own the stream.
public struct DuplexCallbacks: Sendable {
    /// Called before each block under the virtual clock only, with the block's length in frames.
    ///
    /// It may block, allocate and lock: the virtual clock stands still meanwhile.
    public let prepare: @Sendable (_ frameCount: Int) -> Void

    /// Takes the recorded frames, fills the output, and returns how many of the output's frames are valid.
    ///
    /// Fewer than the block's frames end the stream: these frames are played, and the stream finishes.
    /// Called in real time under either clock: no allocation, lock or system call.
    public let process: @Sendable (_ block: DuplexBlock) -> Int

    /// Reports that the output was silent for about `lostFrames` frames before `atFrame`. Called in real time.
    public let xrun: @Sendable (_ atFrame: Int64, _ lostFrames: Int64) -> Void

    /// Reports that about `lostFrames` frames of the input from `atFrame` on were not recorded. Called in real time.
    ///
    /// With one clock both sides are restarted together, so an interruption of either is reported for both. With two
    /// clocks, if only the input is interrupted, it is silent meanwhile and its frame numbers continue; the loss is reported when it
    /// continues.
    public let overrun: @Sendable (_ atFrame: Int64, _ lostFrames: Int64) -> Void

    /// Makes a set of callbacks.
    ///
    /// All but `process` may be left out. Real-time safe: no.
    public init(
        prepare: @escaping @Sendable (_ frameCount: Int) -> Void = { _ in },
        process: @escaping @Sendable (_ block: DuplexBlock) -> Int,
        xrun: @escaping @Sendable (_ atFrame: Int64, _ lostFrames: Int64) -> Void = { _, _ in },
        overrun: @escaping @Sendable (_ atFrame: Int64, _ lostFrames: Int64) -> Void = { _, _ in }
    ) {
        self.prepare = prepare
        self.process = process
        self.xrun = xrun
        self.overrun = overrun
    }
}

/// One period of both sides: recorded frames, and the same number of frames to fill.
public struct DuplexBlock {
    /// The recorded frames.
    public let input: CaptureBlock
    /// The frames to fill.
    public let output: RenderBlock
    /// The round trip: while frame *n* of the output leaves the device, frame *n* + `roundTripFrames` of the input is recorded.
    ///
    /// Known from the delays that drivers report, or from the positions of other devices: exactly if these move frame by frame, otherwise within
    /// their step; with two clocks, once the loop has found their difference. It changes when a device is restarted. A quarter of a second
    /// after that it can change once more: it is then known better, and was the same from the start. The latency of converters and air
    /// is not included.
    public let roundTripFrames: Int64
    /// The output frame from which on it holds.
    package let roundTripStart: Int64

    /// Describes blocks that the caller owns, for offline use and tests. Real-time safe: yes.
    package init(input: CaptureBlock, output: RenderBlock, roundTripFrames: Int64, roundTripStart: Int64? = nil) {
        self.input = input
        self.output = output
        self.roundTripFrames = roundTripFrames
        self.roundTripStart = roundTripStart ?? output.outputFrame
    }
}
