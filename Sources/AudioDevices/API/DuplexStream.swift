/// One output and one input that run together: one callback for both, on the output's device thread, and a known offset
/// between the two.
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
    /// Returns before the first block. ``AudioStream/waitUntilFinished()`` throws later faults, which end the stream.
    /// Throws `invalidRequest` if the stream was started or stopped before. Real-time safe: no.
    func start(_ callbacks: DuplexCallbacks) throws(DeviceError)
}

/// Functions called by a duplex stream on its device thread.
///
/// The thread holds the closures until it ends, so the closures must not own the stream.
public struct DuplexCallbacks: Sendable {
    package let prepare: @Sendable (_ frameCount: Int) -> Void
    package let process: @Sendable (_ block: DuplexBlock) -> Int
    package let xrun: @Sendable (_ atFrame: Int64, _ lostFrames: Int64) -> Void
    package let overrun: @Sendable (_ atFrame: Int64, _ lostFrames: Int64) -> Void

    /// Makes a set of callbacks.
    ///
    /// All but `process` may be left out. Real-time safe: no.
    ///
    /// - Parameters:
    ///   - prepare: Called before each block under the virtual clock only, with the block's length in frames. The
    ///     function may block, allocate and lock: the virtual clock stands still during the call.
    ///   - process: Takes the recorded frames, fills the output, and returns the number of valid output frames. Fewer
    ///     valid frames than the block's end the stream: the valid frames are played, and the stream finishes. Called
    ///     in real time under either clock: no allocation, lock or system call.
    ///   - xrun: Reports that the output was silent for about `lostFrames` frames before `atFrame`. Called in real
    ///     time.
    ///   - overrun: Reports that about `lostFrames` frames of the input from `atFrame` on were not recorded. Called in
    ///     real time. With one clock both sides restart together, so an interruption of either side is reported for
    ///     both. With two clocks, if only the input is interrupted, the input is silent during the interruption and
    ///     its frame numbers continue. The loss is reported when the input continues.
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
    /// The round trip: while frame *n* of the output leaves the device, frame *n* + `roundTripFrames` of the input is
    /// recorded.
    ///
    /// Known from the delays that drivers report, or from the positions of other devices: exactly if the positions move
    /// frame by frame, otherwise within their step. With two clocks, known once the loop has found the difference of
    /// the clocks. The value changes when a device is restarted. It can change once more after enough readings of the
    /// drivers' delays, usually within half a second of the restart: then the round trip is known better, and was the
    /// same from the start. Excludes the latency of converters and air.
    public let roundTripFrames: Int64
    /// First output frame for which the round trip holds.
    package let roundTripStart: Int64

    /// Describes blocks owned by the caller, for offline use and tests. Real-time safe: yes.
    package init(input: CaptureBlock, output: RenderBlock, roundTripFrames: Int64, roundTripStart: Int64? = nil) {
        self.input = input
        self.output = output
        self.roundTripFrames = roundTripFrames
        self.roundTripStart = roundTripStart ?? output.outputFrame
    }
}
