import Realtime
import Synchronization

/// The data shared by an input's thread and an output's thread: recorded frames, their numbers, and the input's clock.
///
/// Wait-free on both sides; each half belongs to one thread.
struct ClockBridge {
    /// Recorded sound that can wait, in seconds: more than any interruption of the output that is not a loss.
    private static let seconds = 2

    let writer: BridgeWriter
    let reader: BridgeReader

    /// Returns nil if memory runs out.
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

/// The settings of both devices, and the resulting round trip.
struct BridgePlan: Sendable {
    let outputRate: Int
    let inputRate: Int
    /// Channels of the input.
    let channelCount: Int
    /// The output's block: the longest block read at once.
    let blockFrames: Int
    let inputBlockFrames: Int
    /// Source frames per output frame, at nominal rates.
    let step: Double
    /// Frames of the output's clock between the frame that leaves and the frame recorded at that moment, without lost
    /// frames.
    ///
    /// The sum of a full buffer of the output; the blocks of both threads; the look-ahead of the conversion; and a
    /// tolerance for a late input thread, as large as the output buffer's tolerance for its own thread.
    let roundTripFrames: Int64

    /// Computes the plan from the settings of both devices.
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

/// Figures of the bridge, readable by any thread, written by the output's thread.
struct BridgeTotals: ~Copyable, Sendable {
    // All relaxed, in both directions: single figures on which no other memory depends. One writer.
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
    /// Difference, to add to a source frame's number; the sum is approximately the number of the delivered frame.
    var numberOffset: Int64 { offset.load(ordering: .relaxed) }
    /// Speed of the input's clock relative to the output's, in ppm; positive if faster.
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
