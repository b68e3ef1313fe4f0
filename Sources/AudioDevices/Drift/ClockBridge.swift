import Realtime

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
