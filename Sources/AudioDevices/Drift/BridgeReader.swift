internal import DSP
import Realtime

/// The output's half of a bridge: brings the recorded frames to the output's clock. On the output's thread.
///
/// What is held constant is the round trip: how many frames lie between the one that leaves the output and the one that
/// is recorded at the same moment, by the positions of both devices. So it does not matter how late either thread was
/// woken.
@safe
final class BridgeReader: @unchecked Sendable {
    // Unchecked because the output's thread alone uses it; what others look at, the totals, is atomic.
    /// A larger error, in seconds, is not made good by reading faster or slower.
    private static let jumpSeconds = 0.01
    /// An input that has told nothing for so long, in nanoseconds, stands still: its clock says nothing.
    private static let patience: Int64 = 200_000_000

    let totals = BridgeTotals()
    private let plan: BridgePlan
    private let channels: PlanarBuffer
    private var tape: FrameTape
    private var converter: RateConverter
    private var inputClock: SnapshotReader<SmoothedClock>
    private var outputClock: SmoothedClock
    private var loop: ClockLoop
    /// The input's last beginning that was reckoned with.
    private var inputBeginnings: Int64 = 0
    /// Where the output stood in this block; nil where it does not run.
    private var moment: DeviceMoment?

    /// The number of the source frame that the converter gets next; its own place is `converter.lag` frames before
    /// that.
    private var nextSource: Int64 = 0
    private var isPlaced = false
    /// A device was started again, and the place is to be set right at once.
    private var mustPlace = true
    /// The number of the frame that is delivered next, in frames of the output's clock.
    private var inputFrame: Int64 = 0
    /// Whether a whole block was there: what is older than the stream is not lost.
    private var hasBegun = false
    /// Frames that were not recorded and are still to be told of, and from which frame on.
    private var lost = (from: Int64(0), frames: Int64(0))

    /// Nil when there is no memory.
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

    /// What a block is answered with, and what is to be told before it.
    struct Delivery {
        let block: CaptureBlock
        let roundTripFrames: Int64
        /// Frames from `lostFrom` on were not recorded; 0 where none is to be told of.
        let lostFrames: Int64
        let lostFrom: Int64
    }

    /// Learns where the output stands. Real-time safe: yes.
    #if REALTIME_CHECKS
        @_noAllocation @_noLocks
    #endif
    func observe(_ moment: DeviceMoment) {
        outputClock.observe(moment)
        self.moment = moment
    }

    /// The output was silent for so many frames and is started again: what was recorded meanwhile is skipped, so that
    /// the frames' numbers stay true to time. Real-time safe: yes.
    #if REALTIME_CHECKS
        @_noAllocation @_noLocks
    #endif
    func noteOutputRestart(silentFrames: Int64) {
        outputClock.restart()
        mustPlace = true
        if isPlaced { skip(Int64(Double(silentFrames) * plan.step)) }
    }

    /// The next `count` frames, at most a block, for the output's block that begins at `outputFrame`. Real-time safe:
    /// yes.
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
            lostFrames: toBeTold, lostFrom: lost.from)
        if toBeTold > 0 { lost.frames = 0 }
        inputFrame += Int64(count)
        totals.note(
            delivered: count, lost: delivery.lostFrames, nextFrame: inputFrame, waiting: tape.waitingFrames,
            numberOffset: inputFrame - nextSource, ppm: loop.drift)
        return delivery
    }

    /// Sets the place right after a start, and has the loop follow the clocks at all other times.
    private func follow(seconds: Double, outputFrame: Int64) {
        let clock = inputClock.read()
        guard let moment, clock.beginnings > 0, moment.time - clock.time < Self.patience else { return }
        self.moment = nil
        if clock.beginnings != inputBeginnings {
            inputBeginnings = clock.beginnings
            mustPlace = true
        }
        let queued = -outputClock.frames(after: outputFrame, at: moment.time)
        let behind = clock.frames(after: nextSource, at: moment.time) + converter.lag
        let step = plan.step * (1 + loop.drift * 1e-6)
        let error = behind + (queued - Double(plan.roundTripFrames)) * step
        let isFar = abs(error) > Self.jumpSeconds * Double(plan.inputRate)
        if mustPlace || isFar {
            let frames = Int64(error + (error < 0 ? -0.5 : 0.5))
            if isPlaced { skip(frames) } else { nextSource += frames }
            isPlaced = true
            mustPlace = false
            loop.restart()
        } else {
            if loop.isYoung, let input = clock.pace, let output = outputClock.pace {
                loop.adopt(drift: input / output - 1)
            }
            loop.correct(error: error, seconds: seconds)
        }
    }

    /// Goes on so many source frames later, or earlier: then what is needed again is silence.
    private func skip(_ frames: Int64) {
        nextSource += frames
        guard frames > 0 else { return }
        let skipped = Int64(Double(frames) / plan.step + 0.5)
        if lost.frames == 0 { lost.from = inputFrame }
        lost.frames += skipped
        inputFrame += skipped
    }

    /// A block of silence before the place is known; what was recorded before the output was started is of no use.
    private func wait(_ count: Int) -> Int {
        tape.letGo()
        fillWithSilence(from: 0, to: count)
        return 0
    }

    /// Makes a block out of what was recorded; returns about how many of its frames were not.
    private func convert(_ count: Int) -> Int {
        let step = plan.step * (1 + loop.correction)
        var (made, missing, rounds) = (0, 0, 0)
        // Once is enough; the bound is for a converter that would want more than it says.
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
