/// One output and one input that run together: one callback for both, on the output's device thread, and a known offset
/// between them.
///
/// Real-time safe: no, but for what the callbacks say.
public protocol DuplexStream: AudioStream {
    /// What the output agreed to, read back from it. Real-time safe: yes.
    var outputConfiguration: StreamConfiguration { get }

    /// What the input agreed to, read back from it; rate and period are the output's. Real-time safe: yes.
    var inputConfiguration: StreamConfiguration { get }

    /// How far the output has come, as of the last block.
    ///
    /// Real-time safe: no (takes a lock that the device thread never takes).
    var position: StreamPosition { get }

    /// How far the input has come, as of the last block.
    ///
    /// Real-time safe: no (takes a lock that the device thread never takes).
    var inputPosition: CapturePosition { get }

    /// Starts the device thread, which calls `callbacks` until the stream ends.
    ///
    /// It returns before the first block. Faults met later end the stream and come out of
    /// ``AudioStream/waitUntilFinished()``. Throws `invalidRequest` when the stream has been started or stopped before.
    /// Real-time safe: no.
    func start(_ callbacks: DuplexCallbacks) throws(DeviceError)
}

/// What a duplex stream calls on its device thread.
///
/// The thread holds the closures until it ends, so they must not own the stream.
public struct DuplexCallbacks: Sendable {
    /// Called before each block under the virtual clock only, with the block's length in frames.
    ///
    /// It may block, allocate and lock: the virtual clock stands still meanwhile.
    public let prepare: @Sendable (_ frameCount: Int) -> Void

    /// Takes what was recorded, fills the output, and returns how many of the output's frames are valid.
    ///
    /// Fewer than the block's frames end the stream after them: they are played out, then the stream is finished.
    /// Called in real time under either clock: no allocation, lock or system call.
    public let process: @Sendable (_ block: DuplexBlock) -> Int

    /// Told that the output was silent for about `lostFrames` frames before `atFrame`. Called in real time.
    public let xrun: @Sendable (_ atFrame: Int64, _ lostFrames: Int64) -> Void

    /// Told that about `lostFrames` frames of the input from `atFrame` on were not recorded. Called in real time.
    ///
    /// With one clock both sides are started again together, so an interruption of either is told for both. With two
    /// clocks an input that is interrupted alone is silence meanwhile, whose frames count; they are told when it goes
    /// on.
    public let overrun: @Sendable (_ atFrame: Int64, _ lostFrames: Int64) -> Void

    /// Gathers the functions of one stream.
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

/// A period of both sides: what was recorded, and what is to be filled in answer; of the same length.
public struct DuplexBlock {
    /// What was recorded.
    public let input: CaptureBlock
    /// What is to be filled.
    public let output: RenderBlock
    /// The output's frame *n* leaves the device while it records the input's frame *n* + this.
    ///
    /// Known from the device's positions: to the frame where they move frame by frame, else within their step; with two
    /// clocks once the loop has found their difference. It holds from this block on and changes only when a device was
    /// started again. What converters and air add is not in it.
    public let roundTripFrames: Int64

    /// Describes blocks that the caller owns, for offline use and tests. Real-time safe: yes.
    package init(input: CaptureBlock, output: RenderBlock, roundTripFrames: Int64) {
        self.input = input
        self.output = output
        self.roundTripFrames = roundTripFrames
    }
}

/// Opens an output and an input that run together.
///
/// Both must be devices of the system, or both files or `null`. Two devices of the system without a common clock, as
/// `clocks` has it, run on a thread each, and the input is brought to the output's rate and clock, within ± 1000 ppm of
/// its nominal rate; ``StreamStatistics/inputClockPPM`` tells what was found. With one clock, rates that cannot be made
/// equal are `formatRefused`. An input file is converted to the output's rate, and is silence after its end.
/// `channelCount` of the request is the output's; `inputChannelCount` the input's, by default the same. Throws what a
/// device refused, with the remedy. Real-time safe: no.
public func openDuplex(
    output: OutputDevice, input: InputDevice, inputChannelCount: Int? = nil, clocks: DuplexClocks = .automatic,
    _ request: StreamRequest
) throws(DeviceError) -> any DuplexStream {
    let inputRequest = try inputChannelCount.map { (count) throws(DeviceError) in try request.with(channelCount: count)
    }
    switch (output, input) {
    case (.system(let outputName), .system(let inputName)):
        return try ALSABackend.duplex(
            output: outputName, input: inputName, request, inputRequest: inputRequest ?? request, clocks: clocks)
    case (.system, _), (_, .system):
        throw DeviceError(
            kind: .invalidRequest, message: "\(output) and \(input) have no clock in common",
            remedy: "Play and record on one card, or use files and null for both.")
    default:
        let backend = try ClockedBackend(output: output, input: input, request, inputRequest: inputRequest ?? request)
        return try DeviceDuplex(StreamCore(backend, request))
    }
}
