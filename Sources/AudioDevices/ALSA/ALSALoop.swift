import CALSA
internal import Files
import Glibc
internal import Samples

/// The device thread's loop over a card, for playing, recording and both: fill, start, then one block per period, until
/// the end or a fault.
///
/// Every wait has a deadline, a device that moves no frames for a second is given up, and recoveries are limited: no
/// state of any driver makes the loop spin or hang. Used on one thread.
final class ALSALoop {
    private let playback: ALSASide?
    private let capture: ALSASide?
    private let worker: BlockWorker
    private let wake: WakeSignal
    /// Frames of silence, and of remaining sound, at the beginning of a duplex stream's output.
    private let prefillFrames: Int
    private let clock: HostClock
    private let poller: ALSAPoller
    private let silence: PlanarBuffer

    /// Frames of the worker's output block not yet written.
    private var pending = 0..<0
    /// Number of frames already read into the worker's input block.
    private var fetched = 0
    private var isEnding = false
    private var budget = RecoveryBudget()
    /// The interruption to report once the device runs again.
    private var interruption: ALSAInterruption?
    private var alignment = Alignment()
    /// The computer's suspend time at the beginning, or as of the last report, in nanoseconds.
    private var slept: Int64

    /// Makes a loop for at least one side, and for the worker's longest block.
    init(
        playback: ALSASide?, capture: ALSASide?, prefillFrames: Int, worker: BlockWorker, wake: WakeSignal,
        clock: HostClock = HostClock()
    ) {
        self.playback = playback
        self.capture = capture
        self.prefillFrames = prefillFrames
        self.worker = worker
        self.wake = wake
        self.clock = clock
        slept = clock.asleep()
        poller = ALSAPoller(playback, capture, wake: wake)
        silence = PlanarBuffer(channelCount: playback?.settings.channelCount ?? 0, frameCount: worker.blockFrames)
    }

    private var block: Int { worker.blockFrames }
    /// Frames of the worker's output given to the device.
    private var framesWritten: Int64 { worker.outputFrame - Int64(pending.count) }

    /// A problem in a turn of the loop.
    enum Trouble: Error {
        /// A call or a state reported an error.
        case code(ALSASide, Int32)
        /// No frame moved for too long.
        case dead(ALSASide)
        /// A side has fallen behind the other by this many frames.
        case misaligned(ALSASide, Int64)
    }

    private var isStarted: Bool { (playback ?? capture)?.isRunning ?? false }

    /// Runs until the worker ends, a stop, or a thrown fault.
    func run() throws(StreamFault) {
        defer { drop() }
        while !wake.isRaised {
            do throws(Trouble) {
                if try turn() { return }
            } catch {
                try recover(from: error)
            }
        }
    }

    private func drop() {
        if let playback { unsafe snd_pcm_drop(playback.pcm) }
        if let capture { unsafe snd_pcm_drop(capture.pcm) }
    }

    /// Processes one block; true if the stream has reached its end.
    private func turn() throws(Trouble) -> Bool {
        if capture != nil, !isStarted { try begin() }
        if !pending.isEmpty { try deliver() }
        if isEnding {
            try drain()
            return true
        }
        if let playback, !isStarted, Int(playback.moved) + block > playback.settings.bufferFrames { try begin() }
        guard try waitForBlock() else { return false }
        try checkAlignment()
        guard try fetch() else { return false }
        tellMoment()
        let valid = worker.run(block)
        fetched = 0
        isEnding = valid < block
        if playback != nil {
            pending = 0..<valid
            try deliver()
        }
        publish()
        return false
    }

    /// Starts the filled sides; in a duplex stream, fills the output first.
    private func begin() throws(Trouble) {
        if let capture {
            if playback != nil { try prefill() }
            try start(capture)
        }
        if let playback { try start(playback) }
        alignment.isMeasured = false
        tellOfInterruption()
    }

    private func start(_ side: ALSASide) throws(Trouble) {
        let code = side.start(clock.now)
        guard code >= 0 else { throw .code(side, code) }
    }

    /// Writes silence, then the remaining sound of an interruption, so that the latency is always the same.
    private func prefill() throws(Trouble) {
        guard let playback else { return }
        while !wake.isRaised, Int(playback.moved) < prefillFrames - pending.count {
            let count = min(block, prefillFrames - pending.count - Int(playback.moved))
            let moved = unsafe playback.transfer.write(silence.channels, from: 0, count: count)
            try take(moved, playback)
        }
        try deliver()
    }

    /// Evaluates the result of a transfer: counts frames, waits if none moved, and throws errors.
    private func take(_ moved: Int, _ side: ALSASide) throws(Trouble) {
        if moved > 0 {
            side.didMove(moved)
        } else if moved == 0 || moved == Int(-EAGAIN) {
            if capture == nil, !side.isRunning, side.moved > 0 { try begin() } else { try pause(side, nil) }
        } else {
            throw .code(side, Int32(truncatingIfNeeded: moved))
        }
    }

    /// Writes the pending frames of the worker's block, in as many pieces as the device requires.
    private func deliver() throws(Trouble) {
        guard let playback else { return }
        while !pending.isEmpty, !wake.isRaised {
            let moved = unsafe playback.transfer.write(
                worker.outputChannels, from: pending.lowerBound, count: pending.count)
            if moved > 0 { pending = pending.lowerBound + moved..<pending.upperBound }
            try take(moved, playback)
        }
    }

    /// Reads a block from the input, if the stream has an input; returns false if the stream must end.
    private func fetch() throws(Trouble) -> Bool {
        guard let capture else { return true }
        while fetched < block {
            guard !wake.isRaised else { return false }
            let moved = unsafe capture.transfer.read(worker.inputChannels, from: fetched, count: block - fetched)
            if moved > 0 { fetched += moved }
            try take(moved, capture)
        }
        return true
    }

    /// Waits until every side can transfer a block; returns false if the stream must end.
    private func waitForBlock() throws(Trouble) -> Bool {
        while !wake.isRaised {
            let outputIsReady = try isReady(playback)
            let inputIsReady = try isReady(capture)
            if outputIsReady, inputIsReady { return true }
            if try bridgeLateInput() { continue }
            if isStarted {
                try pause(outputIsReady ? nil : playback, inputIsReady ? nil : capture)
            } else {
                try begin()
            }
        }
        return false
    }

    /// Writes a block of silence if the output runs dry before the input has delivered its first frame. Some cards
    /// deliver nothing for some tenths of a second after a start, and would do so after each restart. The silence comes
    /// before the first block, so it only lengthens the silence of the start.
    private func bridgeLateInput() throws(Trouble) -> Bool {
        guard let playback, let capture, playback.isDriver, isStarted, capture.moved + Int64(capture.available) == 0,
            playback.settings.bufferFrames - playback.available < block
        else { return false }
        try take(unsafe playback.transfer.write(silence.channels, from: 0, count: block), playback)
        return true
    }

    private func isReady(_ side: ALSASide?) throws(Trouble) -> Bool {
        guard let side else { return true }
        let available = side.look(clock.now)
        guard available >= 0 else { throw .code(side, Int32(truncatingIfNeeded: available)) }
        tellOfStall(side)
        return available >= block
    }

    /// Sleeps until one of the sides is ready, and gives up a side that is not ready for too long.
    private func pause(_ first: ALSASide?, _ second: ALSASide?) throws(Trouble) {
        if let first, first.watch.isExhausted { throw .dead(first) }
        if let second, second.watch.isExhausted { throw .dead(second) }
        let begin = MonotonicTime.now()
        var rest: Int64 = 0
        // A device that wakes the thread repeatedly with nothing to do must not use up the processor.
        if let side = first ?? second, side.watch.isSpinning {
            rest = side.watch.restNanoseconds
            wake.sleep(until: begin + rest)
        }
        // The wait ends at the expected time even without the device's wake-up: a driver may leave out a wake-up, and
        // would have run dry at the next.
        let due = max(
            first?.nanosecondsUntil(available: block, now: begin + rest) ?? 0,
            second?.nanosecondsUntil(available: block, now: begin + rest) ?? 0)
        var limit = due > 0 ? min(due, poller.timeoutNanoseconds) : poller.timeoutNanoseconds
        if alignment.looksLeft > 0 { limit = min(limit, Alignment.interval) }
        if let fault = poller.wait(first, second, nanoseconds: limit) { throw .code(fault.side, fault.code) }
        let (waited, timeout) = (MonotonicTime.now() - begin, rest + limit)
        first?.watch.countWake(after: waited, timeout: timeout)
        second?.watch.countWake(after: waited, timeout: timeout)
        lookAtDelays()
    }

    /// Lets the device play its buffer. Gives up a device that plays nothing for as long as the rest would take.
    private func drain() throws(Trouble) {
        guard let playback else { return }
        if !playback.isRunning {
            // A driver refuses to start without a frame, and then there is nothing to play.
            guard playback.moved > 0 else { return worker.publish(framesWritten: framesWritten, delayFrames: 0) }
            try start(playback)
        }
        let settings = playback.settings
        func time(toPlay frames: Int64) -> Int64 {
            MonotonicTime.nanoseconds(
                ofFrames: frames + Int64(2 * settings.devicePeriodFrames), sampleRate: settings.sampleRate)
        }
        var remaining = playback.delay() ?? Int64(settings.bufferFrames)
        var patience = time(toPlay: remaining)
        let rest = playback.watch.restNanoseconds
        var isDone = unsafe snd_pcm_drain(playback.pcm) == 0
        while !isDone, !wake.isRaised, patience > 0 {
            let before = MonotonicTime.now()
            if poller.wait(playback, nil, nanoseconds: patience) != nil { break }
            // Some plug-ins report room all the time while they drain.
            if MonotonicTime.now() - before < rest { wake.sleep(until: before + min(patience, rest)) }
            // Delays of this thread do not count as waiting for the device.
            patience -= min(MonotonicTime.now() - before, max(rest, poller.timeoutNanoseconds))
            // The position is read first, because plug-ins notice the end only in this call.
            _ = unsafe snd_pcm_avail_update(playback.pcm)
            if let delay = playback.delay(), delay < remaining {
                // Adds twice the played time, so that a device cannot hold the thread by playing a frame now and then.
                let played = MonotonicTime.nanoseconds(ofFrames: remaining - delay, sampleRate: settings.sampleRate)
                (remaining, patience) = (delay, min(patience + 2 * played, time(toPlay: delay)))
            }
            let state = unsafe snd_pcm_state(playback.pcm)
            isDone = state != SND_PCM_STATE_DRAINING && state != SND_PCM_STATE_RUNNING
        }
        worker.publish(framesWritten: framesWritten, delayFrames: 0)
    }

    private func publish() {
        if let playback { worker.publish(framesWritten: framesWritten, delayFrames: playback.delay() ?? 0) }
        if let capture { worker.publish(waitingFrames: Int64(capture.available - block)) }
    }
}

// MARK: - Recovery
//
// Faults after which a device can still be used. Any other fault is thrown and ends the stream.

extension ALSALoop {
    /// Prepares the device to be filled and started again, or throws the fault that makes this impossible.
    private func recover(from trouble: Trouble) throws(StreamFault) {
        switch trouble {
        case .dead(let side):
            throw fault(ofSilent: side)
        case .misaligned(let side, let frames):
            try refuseStorm(side)
            try restart(side, .stalled, silentBefore: side.side == .output ? frames : 0)
        case .code(let side, let code):
            switch -code {
            case EINTR, EAGAIN: try waitOut(side)
            case EPIPE, EBADFD:
                try refuseStorm(side)
                try restart(side, side.side == .output ? .xrun : .overrun)
            case ESTRPIPE:
                try refuseStorm(side)
                try resume(side)
            default: throw fault(side, code, doing: .run)
            }
        }
    }

    /// Lets the thread rest after repeated answers without a result, and gives up a device that answers nothing else.
    private func waitOut(_ side: ALSASide) throws(StreamFault) {
        if side.watch.isExhausted { throw fault(ofSilent: side) }
        let (begin, rest) = (MonotonicTime.now(), side.watch.restNanoseconds)
        // The first answers of this kind cost no time, because the next call may succeed.
        if side.watch.isSpinning { wake.sleep(until: begin + rest) }
        side.watch.countWake(after: MonotonicTime.now() - begin, timeout: rest)
    }

    /// Returns the fault of a device that has moved no frames for too long.
    private func fault(ofSilent side: ALSASide) -> StreamFault {
        .lost(side.side == .output ? .stoppedTaking : .stoppedDelivering, side.side)
    }

    /// Returns the fault for an error number after which a device cannot be used any more.
    private func fault(_ side: ALSASide, _ code: Int32, doing call: StreamFault.DeviceCall) -> StreamFault {
        switch -code {
        case ENODEV, ENXIO, ENOTTY: .lost(.unplugged, side.side)
        // The client library of a dead sound server reports this.
        case EIO: .lost(.serverGone, side.side)
        case ESTRPIPE: .lost(.suspended, side.side)
        case EPIPE, EBADFD: .lost(.cannotRestart, side.side)
        default: .call(call, code: code, side.side)
        }
    }

    /// Sets both sides up again; the next turn starts them once they are filled.
    private func restart(
        _ side: ALSASide, _ kind: StreamIncident.Kind, silentBefore: Int64 = 0
    ) throws(StreamFault) {
        let time = clock.now()
        tellOfStall(side, isOver: true)
        // An already reported interruption continues, because the device has not moved a frame since.
        let hasSlept = untoldSleep > 0
        let isTold = budget.refusals > 0 && capture == nil && !hasSlept
        if interruption == nil, !isTold {
            let stop = side.side == .output ? side.stopTime(now: time, trustsStamps: clock.trustsStamps) : time
            interruption = ALSAInterruption(
                kind: hasSlept ? .suspended : kind, side: side.side, time: time, silentSince: stop,
                silentBefore: silentBefore,
                inputClock: capture?.isRunning == true ? capture?.clock : nil,
                inputDelivered: (capture?.moved ?? 0) - Int64(fetched))
        }
        fetched = 0
        drop()
        try prepare(playback)
        try prepare(capture)
        // An output alone is filled with sound before it starts, and this sound comes after the report.
        if capture == nil { tellOfInterruption() }
    }

    private func prepare(_ side: ALSASide?) throws(StreamFault) {
        guard let side else { return }
        let code = side.prepare()
        guard code >= 0 else { throw fault(side, code, doing: .restart) }
    }

    /// Counts early faults, and throws if there are too many. A buffer that was full at the start cannot run dry at
    /// once: a device that reports this repeatedly is broken and is given up.
    private func refuseStorm(_ side: ALSASide) throws(StreamFault) {
        let time = clock.now()
        let halfBuffer = MonotonicTime.nanoseconds(
            ofFrames: Int64(side.settings.bufferFrames / 2), sampleRate: side.settings.sampleRate)
        // Frames are checked as well as time, because a device that runs faster than real time may take a buffer in no
        // time.
        let first = side.side == .output ? side.settings.bufferFrames : 0
        let isEarly =
            time - side.startTime < halfBuffer && Int(side.moved) < first + side.settings.bufferFrames / 2
        switch budget.spend(side.refusesFirstFrame ? .beforeFirstFrame : isEarly ? .soonAfterStart : .later, now: time)
        {
        case nil: return
        // Plug-ins with a dead server do this. PipeWire's plug-in, too, reports only an xrun.
        case .refusals: throw .lost(side.isPlugIn ? .serverGone : .cannotRestart, side.side)
        case .storm: throw .lost(.xrunStorm, side.side)
        }
    }

    private func resume(_ side: ALSASide) throws(StreamFault) {
        let stop = side.stopTime(now: clock.now(), trustsStamps: clock.trustsStamps)
        for _ in 0..<5 {
            guard unsafe snd_pcm_resume(side.pcm) == -EAGAIN, !wake.isRaised else { break }
            wake.sleep(until: MonotonicTime.now() + 50_000_000)
        }
        // The state decides, not the result of resume: plug-ins report success and stay suspended. Two sides that are
        // no longer aligned are restarted in any case.
        let isRunning = unsafe snd_pcm_state(side.pcm) == SND_PCM_STATE_RUNNING
        guard isRunning, playback == nil || capture == nil else { return try restart(side, .suspended) }
        let time = clock.now()
        let lost = MonotonicTime.frames(inNanoseconds: max(0, time - stop), sampleRate: side.settings.sampleRate)
        side.goOn(now: time)
        if side.side == .output {
            tell(.suspended, .resumed, side.side, frame: framesWritten, lost: lost, time: time)
            worker.reportXrun(atFrame: framesWritten, lostFrames: lost)
        } else {
            let discarded = Int64(fetched)
            fetched = 0
            tell(.suspended, .resumed, side.side, frame: worker.inputFrame, lost: lost + discarded, time: time)
            worker.reportOverrun(lostFrames: lost + discarded)
        }
    }

    /// Reports the interruption that is over, to the callbacks of both sides and as one incident.
    private func tellOfInterruption() {
        guard let interruption else { return }
        self.interruption = nil
        var (silent, missing): (Int64, Int64) = (0, 0)
        if let playback {
            let end = playback.isRunning ? playback.startTime : clock.now()
            silent = interruption.silentFrames(until: end, sampleRate: playback.settings.sampleRate)
            if capture != nil { silent += Int64(prefillFrames - pending.count) }
        }
        if let capture { missing = interruption.missingFrames(until: capture.startTime) }
        let isOutput = interruption.side == .output
        tell(
            interruption.kind, .restarted, interruption.side, frame: isOutput ? framesWritten : worker.inputFrame,
            lost: isOutput ? silent : missing, time: interruption.time)
        if playback != nil { worker.reportXrun(atFrame: framesWritten, lostFrames: silent) }
        if capture != nil { worker.reportOverrun(lostFrames: missing) }
    }

    /// Reports a device that stood still and continued by itself. In a duplex stream the alignment check reports the
    /// standstill.
    private func tellOfStall(_ side: ALSASide, isOver: Bool = false) {
        let frames = side.takeStall(isOver: isOver)
        guard frames > 0, playback == nil || capture == nil else { return }
        tell(
            .stalled, .none, side.side, frame: side.side == .output ? framesWritten : worker.inputFrame, lost: frames,
            time: clock.now())
    }

    /// Suspend time of the computer that no report contains yet, in nanoseconds.
    private var untoldSleep: Int64 {
        let rest = clock.asleep() - slept
        // The two clocks are read one after the other, so their difference moves by microseconds without any sleep.
        return rest > 1_000_000 ? rest : 0
    }

    private func tell(
        _ kind: StreamIncident.Kind, _ recovery: StreamIncident.Recovery, _ side: StreamIncident.Side, frame: Int64,
        lost: Int64, time: Int64
    ) {
        let rest = untoldSleep
        slept += rest
        worker.report(
            StreamIncident(
                kind: kind, recovery: recovery, side: side, frame: frame, lostFrames: lost,
                secondsAsleep: Double(rest) / Double(MonotonicTime.nanosecondsPerSecond), hostTime: time))
    }
}

// MARK: - Alignment
//
// The alignment of the two sides of a duplex stream.

extension ALSALoop {
    /// The known offset between the positions of both sides.
    struct Alignment {
        var isMeasured = false
        /// The input's position minus the output's, at one moment.
        var difference: Int64 = 0
        /// Consecutive blocks with another difference.
        var deviations = 0
        /// Number of looks at the delays of both sides still to come.
        private(set) var looksLeft = 0
        /// The smallest differences between the sounds on both sides so far, from their delays, ascending.
        private var smallest = InlineArray<13, Int64>(repeating: .max)

        private var last: (told: Int64, time: Int64)?

        /// Number of looks: enough for more than ten transfers of a USB card, of six packets at most.
        static let looks = 256
        /// Interval between looks, in nanoseconds: several looks in each packet of a USB card at full speed.
        static let interval: Int64 = 250_000
        /// The longest moment between the ends of two transfers while only one end has been noticed, in nanoseconds.
        private static let between: Int64 = 100_000

        /// - Parameter hasDelays: True if both sides are drivers, whose delays are worth asking for.
        init(isMeasured: Bool = false, difference: Int64 = 0, hasDelays: Bool = false) {
            (self.isMeasured, self.difference) = (isMeasured, difference)
            looksLeft = hasDelays ? Self.looks : 0
        }

        /// Takes in a difference from the delays of both sides. Returns the true difference after enough looks, and nil
        /// before.
        ///
        /// A driver reports too high a delay until the next transfer has ended: in at most five looks of six. A driver
        /// reports too low a delay only between the ends of two transfers, after noticing one of the ends. So a
        /// difference counts only if reported again a little later. The true difference is the smallest except for a
        /// twentieth of the counted differences.
        mutating func take(_ told: Int64, now: Int64) -> Int64? {
            if let last, last.told == told, now - last.time < Self.between { return nil }
            defer { last = (told, now) }
            guard last?.told == told else { return nil }
            guard looksLeft > 0 else { return nil }
            looksLeft -= 1
            var rest = told
            for index in smallest.indices where rest < smallest[index] { swap(&rest, &smallest[index]) }
            return looksLeft == 0 ? smallest[smallest.count - 1] : nil
        }
    }

    /// Measures the offset after a start, and checks it from then on.
    ///
    /// A device can fall behind without any error, if one side stands still or a start goes wrong. Without this check
    /// the device would stay late for good.
    private func checkAlignment() throws(Trouble) {
        guard let playback, let capture else { return }
        guard alignment.isMeasured else {
            guard let difference = measureDifference(playback, capture) else { return }
            alignment = Alignment(
                isMeasured: true, difference: difference, hasDelays: playback.isDriver && capture.isDriver)
            worker.roundTrip(frames(of: difference, playback, capture), isNew: true)
            return lookAtDelays()
        }
        lookAtDelays()
        let tolerance = Int64(
            max(block, playback.settings.devicePeriodFrames, capture.settings.devicePeriodFrames))
        let deviation = capture.position - playback.position - alignment.difference
        alignment.deviations = abs(deviation) > tolerance ? alignment.deviations + 1 : 0
        if alignment.deviations >= 3 { throw .misaligned(deviation > 0 ? playback : capture, abs(deviation)) }
    }

    /// Returns the round trip, in frames of the program, for a difference between the positions of both sides.
    private func frames(of difference: Int64, _ playback: ALSASide, _ capture: ALSASide) -> Int64 {
        (playback.moved - framesWritten) + difference + (worker.inputFrame + Int64(fetched) - capture.moved)
    }

    /// Improves the round trip with the delays reported by both drivers.
    ///
    /// Positions tell where a driver has its buffer. On a USB card the transfers under way lie between the buffer and
    /// the sound, and only the delays count such transfers.
    private func lookAtDelays() {
        guard alignment.looksLeft > 0, let playback, let capture, playback.isRunning, capture.isRunning,
            let output = playback.delay(), let input = capture.delay(),
            // A device that has run dry in between has no delay.
            playback.faultOfState() == nil, capture.faultOfState() == nil
        else { return }
        let told = (capture.moved + input) - (playback.moved - output)
        guard let difference = alignment.take(told, now: MonotonicTime.now()) else { return }
        worker.roundTrip(frames(of: difference, playback, capture), isNew: false)
    }

    /// Reports the device's position with its time, for clock regulation; for streams of one side.
    private func tellMoment() {
        guard worker.wantsMoments, let side = playback ?? capture, side.isRunning else { return }
        let next = side.side == .output ? worker.outputFrame : worker.inputFrame + Int64(block)
        // If the thread was held up in between, the time of the position is unknown, so the position is read again.
        for _ in 0..<4 {
            let before = clock.now()
            guard let position = side.freshPosition() else { return }
            let after = clock.now()
            guard after - before >= Self.momentTolerance else {
                let time = before + (after - before) / 2
                return worker.observe(DeviceMoment(frame: next + position - side.moved, time: time))
            }
        }
    }

    /// Longest permitted reading time of a position, in nanoseconds: a frame, and more than the call takes.
    private static var momentTolerance: Int64 { 20_000 }

    /// Returns the difference of both positions at one moment. Reads the input's position before and after the
    /// output's, until both readings of the input agree.
    private func measureDifference(_ playback: ALSASide, _ capture: ALSASide) -> Int64? {
        var difference: Int64?
        for _ in 0..<64 {
            guard let before = capture.freshPosition(), let output = playback.freshPosition(),
                let after = capture.freshPosition()
            else { return nil }
            difference = (before + after) / 2 - output
            if before == after { break }
        }
        return difference
    }
}
