internal import Files
import Realtime
internal import Samples

/// Processes blocks on the device thread: calls the callbacks in their order, and counts.
@safe
final class BlockWorker: @unchecked Sendable {
    // Unchecked because the worker is passed once to the device thread, and only this thread uses it afterwards.
    private let work: StreamWork
    private let ledger: StreamLedger
    private let output: PlanarBuffer
    /// The chosen channels of `output`, for rendered blocks. The other channels stay silent, as allocated.
    private let rendered: UnsafeMutablePointer<UnsafeMutablePointer<Float>>
    private let renderedCount: Int
    private let input: PlanarBuffer
    private let callsPrepare: Bool
    /// The next frame of the output to render.
    private(set) var outputFrame: Int64 = 0
    /// The next frame of the input to deliver, including lost frames.
    private(set) var inputFrame: Int64 = 0
    /// See ``DuplexBlock/roundTripFrames``.
    private var roundTripFrames: Int64 = 0
    /// See ``DuplexBlock/roundTripStart``.
    private var roundTripStart: Int64 = 0

    /// - Parameters:
    ///   - outputCount: The channels of the output; 0 without an output.
    ///   - inputCount: The channels of the input; 0 without an input.
    ///   - blockFrames: The longest block.
    ///   - outputChannels: The output's channels on which blocks are played, each within `outputCount`; nil for all.
    init(
        _ work: StreamWork, outputCount: Int, inputCount: Int, blockFrames: Int, clock: StreamClock,
        outputChannels: [Int]? = nil, ledger: StreamLedger
    ) {
        self.work = work
        self.ledger = ledger
        output = PlanarBuffer(channelCount: outputCount, frameCount: blockFrames)
        input = PlanarBuffer(channelCount: inputCount, frameCount: blockFrames)
        callsPrepare = clock == .virtual
        let chosen = outputChannels ?? Array(0..<output.channelCount)
        unsafe rendered = .allocate(capacity: chosen.count)
        for (index, channel) in chosen.enumerated() {
            unsafe (rendered + index).initialize(to: output.channel(channel))
        }
        renderedCount = chosen.count
    }

    deinit { unsafe rendered.deallocate() }

    /// The frames to play, of every channel of the device, after `run`.
    var outputChannels: UnsafeMutablePointer<UnsafeMutablePointer<Float>> { unsafe output.channels }
    /// Memory for frames recorded by the device, to fill before `run`.
    var inputChannels: UnsafeMutablePointer<UnsafeMutablePointer<Float>> { unsafe input.channels }

    /// Frames of the longest block.
    var blockFrames: Int { output.frameCount }

    /// True if the device's position is needed.
    var wantsMoments: Bool { work.moment != nil }

    /// Passes on the device's position, before the block processed at this position.
    func observe(_ moment: DeviceMoment) {
        RealtimeScope.enter()
        work.moment?(moment)
        RealtimeScope.leave()
    }

    /// Processes one block and returns the number of valid frames; fewer than `frameCount` is the end.
    func run(_ frameCount: Int) -> Int {
        if callsPrepare { work.prepare(frameCount) }
        let block = unsafe DuplexBlock(
            input: CaptureBlock(
                channels: input.channels, channelCount: input.channelCount, frameCount: frameCount,
                inputFrame: inputFrame),
            output: RenderBlock(
                channels: rendered, channelCount: renderedCount, frameCount: frameCount,
                outputFrame: outputFrame),
            roundTripFrames: roundTripFrames, roundTripStart: roundTripStart)
        let begin = MonotonicTime.now()
        RealtimeScope.enter()
        let answer = work.process(block)
        RealtimeScope.leave()
        let valid = min(max(0, answer), frameCount)
        let rendered = output.channelCount > 0 ? valid : 0
        let captured = input.channelCount > 0 ? frameCount : 0
        outputFrame += Int64(rendered)
        inputFrame += Int64(captured)
        ledger.countBlock(rendered: rendered, captured: captured, nanoseconds: MonotonicTime.now() - begin)
        return valid
    }

    /// Sets the round trip from the next block on.
    ///
    /// - Parameter isNew: True after a start of the device. If false, the round trip was the same since the start, and
    ///   is known better now.
    func roundTrip(_ frames: Int64, isNew: Bool) {
        roundTripFrames = frames
        if isNew { roundTripStart = outputFrame }
    }

    /// Publishes the position of the output.
    func publish(framesWritten: Int64, delayFrames: Int64) {
        ledger.publish(StreamPosition(framesWritten: framesWritten, delayFrames: max(0, delayFrames)))
    }

    /// Publishes the position of the input.
    func publish(waitingFrames: Int64) {
        ledger.publish(CapturePosition(nextFrame: inputFrame, waitingFrames: max(0, waitingFrames)))
    }

    /// Counts and reports silence of the output before `frame`.
    func reportXrun(atFrame frame: Int64, lostFrames: Int64) {
        ledger.countXrun(lostFrames: lostFrames)
        RealtimeScope.enter()
        work.xrun(frame, lostFrames)
        RealtimeScope.leave()
    }

    /// Counts and reports frames of the input that were not recorded; the next block begins after these frames.
    func reportOverrun(lostFrames: Int64) {
        ledger.countOverrun(lostFrames: lostFrames)
        RealtimeScope.enter()
        work.overrun(inputFrame, lostFrames)
        RealtimeScope.leave()
        inputFrame += lostFrames
    }

    /// Stores an incident for the next reader.
    func report(_ incident: StreamIncident) { ledger.report(incident) }

    /// Reports the end of the stream by a loss.
    func reportLoss(_ cause: LossCause, _ side: StreamIncident.Side) {
        report(
            StreamIncident(
                kind: .lost, recovery: .none, side: side, cause: cause,
                frame: side == .output ? outputFrame : inputFrame, lostFrames: 0, hostTime: MonotonicTime.now()))
    }
}
