import Realtime
internal import Samples
import Synchronization

/// The output's half of a bridge: converts the recorded frames to the output's clock. Used on the output's thread.
///
/// The reader keeps the round trip constant: the number of frames between the frame that leaves the output and the
/// frame recorded at the same moment, by the positions of both devices. So a late wake-up of either thread has no
/// effect.
@safe
final class BridgeReader: @unchecked Sendable {
    // Unchecked because only the output's thread uses the reader; the figures read by other threads are atomic.
    /// A jump corrects a larger error, in seconds, instead of reading faster or slower.
    private static let jumpSeconds = 0.01
    /// An input without a report for this long, in nanoseconds, stands still, and its clock is not used.
    private static let patience: Int64 = 200_000_000

    // Both relaxed: single figures on which no other memory depends. One writer.
    private let offset = Atomic<Int64>(0)
    private let driftBits = Atomic<UInt64>(0)
    private let plan: BridgePlan
    private let channels: PlanarBuffer
    private var tape: FrameTape
    private var converter: RateConverter
    private var inputClock: SnapshotReader<SmoothedClock>
    private var outputClock: SmoothedClock
    private var loop: ClockLoop
    /// The beginnings of both clocks for which the position is right; nil before the first position. Another beginning
    /// of a clock moves the position at once.
    private var placed: (input: Int64, output: Int64)?
    /// The position of the output in this block; nil if the output does not run.
    private var moment: DeviceMoment?

    /// The number of the next source frame for the converter; the converter's own position is `converter.lag` frames
    /// earlier.
    private var nextSource: Int64 = 0
    /// The number of the next delivered frame, in frames of the output's clock.
    private var inputFrame: Int64 = 0
    /// True if a whole block was available: frames from before the stream are not lost.
    private var hasBegun = false
    /// Lost frames not yet reported: the first frame and the count.
    private var lost = (from: Int64(0), frames: Int64(0))

    /// Returns nil if memory runs out.
    init?(
        _ plan: BridgePlan, tape: consuming FrameTape, clock: consuming SnapshotReader<SmoothedClock>
    ) {
        guard
            let converter = RateConverter(
                channelCount: plan.channelCount, blockFrames: plan.blockFrames, step: plan.step)
        else { return nil }
        self.plan = plan
        self.converter = converter
        self.tape = tape
        inputClock = clock
        channels = PlanarBuffer(channelCount: plan.channelCount, frameCount: plan.blockFrames)
        outputClock = SmoothedClock(sampleRate: plan.outputRate)
        loop = ClockLoop(sampleRate: plan.inputRate)
    }

    /// The frames for a block, and the loss to report before it.
    struct Delivery {
        let block: CaptureBlock
        let roundTripFrames: Int64
        /// Unrecorded frames from `lostFrom` on; 0 without a loss to report.
        let lostFrames: Int64
        let lostFrom: Int64
        /// Recorded frames that wait for the next blocks.
        let waitingFrames: Int
    }

    private var isPlaced: Bool { placed != nil }
    /// Difference, to add to a source frame's number; the sum is approximately the number of the delivered frame. Any
    /// thread.
    var numberOffset: Int64 { offset.load(ordering: .relaxed) }
    /// Speed of the input's clock relative to the output's, in ppm; positive if faster. Any thread.
    var ppm: Double { Double(bitPattern: driftBits.load(ordering: .relaxed)) }

    /// Takes the output's position. Real-time safe: yes.
    #if REALTIME_CHECKS
        @_noAllocation @_noLocks
    #endif
    func observe(_ moment: DeviceMoment) {
        outputClock.observe(moment)
        self.moment = moment
    }

    /// Notes a restart of the output after this many frames of silence. Skips the frames recorded during the silence,
    /// so that the frame numbers stay right. Real-time safe: yes.
    #if REALTIME_CHECKS
        @_noAllocation @_noLocks
    #endif
    func noteOutputRestart(silentFrames: Int64) {
        outputClock.restart()
        // A position from before the restart is not valid any more.
        moment = nil
        if isPlaced { skip(Int64(Double(silentFrames) * plan.step)) }
    }

    /// Reads the next `count` frames, at most a block, for the output's block that begins at `outputFrame`. Real-time
    /// safe: yes.
    func read(_ count: Int, outputFrame: Int64) -> Delivery {
        follow(seconds: Double(count) / Double(plan.outputRate), outputFrame: outputFrame)
        let missing = isPlaced ? convert(count) : wait(count)
        if isPlaced, missing == 0 { hasBegun = true }
        if hasBegun, missing > 0 {
            if lost.frames == 0 { lost.from = inputFrame }
            lost.frames += Int64(missing)
        }
        let toBeTold = missing == 0 ? lost.frames : 0
        let delivery = unsafe Delivery(
            block: CaptureBlock(
                channels: channels.channels, channelCount: plan.channelCount, frameCount: count,
                inputFrame: inputFrame),
            roundTripFrames: plan.roundTripFrames + inputFrame - outputFrame,
            lostFrames: toBeTold, lostFrom: lost.from, waitingFrames: tape.waitingFrames)
        if toBeTold > 0 { lost.frames = 0 }
        inputFrame += Int64(count)
        offset.store(inputFrame - nextSource, ordering: .relaxed)
        driftBits.store(loop.drift.bitPattern, ordering: .relaxed)
        return delivery
    }

    /// Sets the position after a start; at all other times the loop follows the clocks.
    private func follow(seconds: Double, outputFrame: Int64) {
        let clock = inputClock.read()
        guard let moment, clock.beginnings > 0, moment.time - clock.time < Self.patience else { return }
        self.moment = nil
        let beginnings = (input: clock.beginnings, output: outputClock.beginnings)
        let isRight = if let placed { placed == beginnings } else { false }
        let queued = -outputClock.frames(after: outputFrame, at: moment.time)
        let behind = clock.frames(after: nextSource, at: moment.time) + converter.lag
        let step = plan.step * (1 + loop.drift * 1e-6)
        let error = behind + (queued - Double(plan.roundTripFrames)) * step
        let isFar = abs(error) > Self.jumpSeconds * Double(plan.inputRate)
        if !isRight || isFar {
            let frames = Int64(error + (error < 0 ? -0.5 : 0.5))
            if isPlaced { skip(frames) } else { nextSource += frames }
            placed = beginnings
            loop.restart()
        } else {
            if loop.isYoung, let input = clock.pace, let output = outputClock.pace {
                loop.adopt(drift: input / output - 1)
            }
            loop.correct(error: error, seconds: seconds)
        }
    }

    /// Moves on by a number of source frames, or back: frames needed a second time are then silence.
    private func skip(_ frames: Int64) {
        nextSource += frames
        guard frames > 0 else { return }
        let skipped = Int64(Double(frames) / plan.step + 0.5)
        if lost.frames == 0 { lost.from = inputFrame }
        lost.frames += skipped
        inputFrame += skipped
    }

    /// Fills a block with silence before the position is known; drops frames recorded before the start of the output.
    private func wait(_ count: Int) -> Int {
        tape.letGo()
        fillWithSilence(from: 0, to: count)
        return 0
    }

    /// Makes a block from recorded frames; returns the approximate number of missing frames.
    private func convert(_ count: Int) -> Int {
        let step = plan.step * (1 + loop.correction)
        var (made, missing, rounds) = (0, 0, 0)
        // One round is enough; the limit is for a converter that needs more than it reports.
        while made < count, rounds < 4 {
            let supplied = converter.missingFrames(for: count - made, step: step)
            missing += unsafe tape.read(supplied, from: nextSource, into: converter.supply)
            nextSource += Int64(supplied)
            made += unsafe converter.convert(
                supplied, step: step, to: channels.channels, from: made, count: count - made)
            rounds += 1
        }
        fillWithSilence(from: made, to: count)
        return min(count, Int(Double(missing) / plan.step + 0.5))
    }

    private func fillWithSilence(from first: Int, to end: Int) {
        var channel = 0
        while channel < plan.channelCount {
            let target = unsafe channels.channels[channel]
            var frame = first
            while frame < end {
                unsafe target[frame] = 0
                frame &+= 1
            }
            channel &+= 1
        }
    }
}
