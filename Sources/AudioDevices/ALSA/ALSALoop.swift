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
    let playback: ALSASide?
    let capture: ALSASide?
    let worker: BlockWorker
    let wake: WakeSignal
    let block: Int
    /// Frames of silence, and of remaining sound, at the beginning of a duplex stream's output.
    let prefillFrames: Int
    /// Monotonic nanoseconds; tests with a virtual card use the card's clock instead.
    let now: () -> Int64
    let trustsStamps: Bool
    /// Suspend time of the computer, in nanoseconds.
    let asleep: () -> Int64
    private let poller: ALSAPoller
    private let silence: PlanarBuffer

    /// Frames of the worker's output block not yet written.
    private var pending = 0..<0
    /// Number of frames already read into the worker's input block.
    var fetched = 0
    private var isEnding = false
    var framesWritten: Int64 = 0
    var budget = RecoveryBudget()
    /// Consecutive interruptions implausibly soon after a start.
    var earlyFaults = 0
    /// Consecutive interruptions before the first frame moved.
    var refusals = 0
    /// The interruption to report once the device runs again.
    var interruption: Interruption?
    var alignment = Alignment()
    /// Result of `asleep` at the beginning of the stream, or at the last incident.
    var slept: Int64

    /// Makes a loop for at least one side. `now` and `asleep` are for tests on a virtual clock; nil uses the system's
    /// clocks.
    init(
        playback: ALSASide?, capture: ALSASide?, block: Int, prefillFrames: Int, worker: BlockWorker,
        wake: WakeSignal, now: (@Sendable () -> Int64)? = nil, asleep: (@Sendable () -> Int64)? = nil
    ) {
        self.playback = playback
        self.capture = capture
        self.block = block
        self.prefillFrames = prefillFrames
        self.worker = worker
        self.wake = wake
        self.now = now ?? { MonotonicTime.now() }
        trustsStamps = now == nil
        self.asleep = asleep ?? { MonotonicTime.asleep() }
        slept = self.asleep()
        poller = ALSAPoller(playback, capture, wake: wake)
        silence = PlanarBuffer(channelCount: playback?.settings.channelCount ?? 0, frameCount: block)
    }

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

    func drop() {
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
        let code = side.start(now)
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
            if moved > 0 {
                pending = pending.lowerBound + moved..<pending.upperBound
                framesWritten += Int64(moved)
            }
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
        let available = side.look(now)
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

    /// Number of rendered but unwritten frames of the output.
    var pendingFrames: Int { pending.count }
}
