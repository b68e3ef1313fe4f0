import Realtime
import Synchronization

/// What the thread of an input and that of an output share: recorded frames, their numbers, and the input's clock.
///
/// Wait-free on both sides; each half belongs to one thread.
struct ClockBridge {
    /// How much recorded sound can wait, in seconds: more than any interruption of the output that is not a loss.
    private static let seconds = 2

    let writer: BridgeWriter
    let reader: BridgeReader

    /// Nil when there is no memory.
    init?(_ plan: BridgePlan) {
        let ends = FrameTapeEnds(
            channelCount: plan.channelCount, frameCapacity: Self.seconds * plan.inputRate,
            blockFrames: plan.inputBlockFrames)
        let clock = SnapshotEnds(initial: SmoothedClock(sampleRate: plan.inputRate))
        guard let reader = BridgeReader(plan, tape: ends.tape, clock: clock.reader) else { return nil }
        self.reader = reader
        writer = BridgeWriter(plan, tape: ends.writer, clock: clock.writer)
    }
}

/// The shape of both devices, and what round trip follows from it.
struct BridgePlan: Sendable {
    let outputRate: Int
    let inputRate: Int
    /// Of the input.
    let channelCount: Int
    /// The output's block, the longest that is read at once.
    let blockFrames: Int
    let inputBlockFrames: Int
    /// Source frames to a frame, at nominal rates.
    let step: Double
    /// Frames of the output's clock from the one that leaves to the one that is recorded meanwhile, while no frame was
    /// lost.
    ///
    /// A full buffer of the output; what both threads take and give at once; what the conversion looks ahead; and as
    /// much patience with the input's thread as the output's buffer has with its own.
    let roundTripFrames: Int64

    /// Of what both devices agreed to.
    init(output: StreamConfiguration, input: StreamConfiguration) {
        outputRate = output.sampleRate
        inputRate = input.sampleRate
        channelCount = input.channelCount
        blockFrames = output.periodFrames
        inputBlockFrames = input.periodFrames
        step = Double(input.sampleRate) / Double(output.sampleRate)
        let reserve = max(0, output.bufferFrames - output.periodFrames)
        let patience = min(max(reserve, output.sampleRate / 1000), output.sampleRate / 10)
        let source = Double(input.periodFrames + RateConverter.lookahead(step: step)) / step
        roundTripFrames = Int64(reserve + output.periodFrames + patience) + Int64(source) + 1
    }
}

/// What anyone may look at: figures of the bridge, left by the output's thread.
struct BridgeTotals: ~Copyable, Sendable {
    // All relaxed, in both directions: figures to look at, on which no other memory depends. One writer.
    private let overrunCount = Atomic<Int64>(0)
    private let lostCount = Atomic<Int64>(0)
    private let deliveredCount = Atomic<Int64>(0)
    private let frame = Atomic<Int64>(0)
    private let waitingCount = Atomic<Int64>(0)
    private let offset = Atomic<Int64>(0)
    private let driftBits = Atomic<UInt64>(0)

    var overruns: Int64 { overrunCount.load(ordering: .relaxed) }
    var lostFrames: Int64 { lostCount.load(ordering: .relaxed) }
    var delivered: Int64 { deliveredCount.load(ordering: .relaxed) }
    var position: CapturePosition {
        CapturePosition(
            nextFrame: frame.load(ordering: .relaxed), waitingFrames: waitingCount.load(ordering: .relaxed))
    }
    /// What a source frame's number is to be raised by to be about that of a delivered one.
    var numberOffset: Int64 { offset.load(ordering: .relaxed) }
    /// By how many millionths the input's clock is faster.
    var ppm: Double { Double(bitPattern: driftBits.load(ordering: .relaxed)) }

    /// The output's thread only. Real-time safe: yes.
    func note(delivered: Int, lost: Int64, nextFrame: Int64, waiting: Int, numberOffset: Int64, ppm: Double) {
        deliveredCount.store(deliveredCount.load(ordering: .relaxed) &+ Int64(delivered), ordering: .relaxed)
        if lost > 0 {
            overrunCount.store(overrunCount.load(ordering: .relaxed) &+ 1, ordering: .relaxed)
            lostCount.store(lostCount.load(ordering: .relaxed) &+ lost, ordering: .relaxed)
        }
        frame.store(nextFrame, ordering: .relaxed)
        waitingCount.store(Int64(waiting), ordering: .relaxed)
        offset.store(numberOffset, ordering: .relaxed)
        driftBits.store(ppm.bitPattern, ordering: .relaxed)
    }
}
