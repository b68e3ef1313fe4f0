import CALSA
internal import DSP
import Glibc

/// The device thread's loop over a card, for playing, recording and both: fill, start, then a block for each period, until
/// the end or a fault.
///
/// Every wait has a deadline, a device that moves no frames for a second is given up, and recoveries are counted: no state
/// of any driver makes the loop spin or hang. Used on one thread.
final class ALSALoop {
    let playback: ALSASide?
    let capture: ALSASide?
    let worker: BlockWorker
    let wake: WakeSignal
    let block: Int
    /// Frames of silence, and of sound that was left over, before which the output of a duplex stream begins.
    let prefillFrames: Int
    /// Monotonic nanoseconds; a virtual card's tests put its clock here.
    let now: () -> Int64
    let trustsStamps: Bool
    private let poller: ALSAPoller
    private let silence: PlanarBuffer

    /// Frames of the worker's output block that are still to be handed over.
    private var pending = 0..<0
    /// Frames of the worker's input block that were fetched.
    var fetched = 0
    private var isEnding = false
    var framesWritten: Int64 = 0
    var budget = RecoveryBudget()
    /// Interruptions in a row that came too soon after a start to be true.
    var earlyFaults = 0
    /// Interruptions in a row before which not a frame was moved.
    var refusals = 0
    /// What is to be told of once the device runs again.
    var interruption: Interruption?
    var alignment = Alignment()

    /// At least one side. `now` is for tests on a virtual clock; nil is the system's.
    init(
        playback: ALSASide?, capture: ALSASide?, block: Int, prefillFrames: Int, worker: BlockWorker,
        wake: WakeSignal, now: (@Sendable () -> Int64)? = nil
    ) {
        self.playback = playback
        self.capture = capture
        self.block = block
        self.prefillFrames = prefillFrames
        self.worker = worker
        self.wake = wake
        self.now = now ?? { MonotonicTime.now() }
        trustsStamps = now == nil
        poller = ALSAPoller(playback, capture, wake: wake)
        silence = PlanarBuffer(channelCount: playback?.settings.channelCount ?? 0, frameCount: block)
    }

    /// What goes wrong in a turn of the loop.
    enum Trouble: Error {
        /// A call or a state said so.
        case code(ALSASide, Int32)
        /// No frame was moved for too long.
        case dead(ALSASide)
        /// A side has fallen behind the other by so many frames.
        case misaligned(ALSASide, Int64)
    }

    private var isStarted: Bool { (playback ?? capture)?.isRunning ?? false }

    /// Runs until the worker ends, a stop, or a fault that is thrown.
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

    /// Works on one block; true when the stream has come to its end.
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

    /// Starts what is filled; together with an input, fills the output first.
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

    /// Silence, then what an interruption has left over, so that the next block always has the same way to go.
    private func prefill() throws(Trouble) {
        guard let playback else { return }
        while !wake.isRaised, Int(playback.moved) < prefillFrames - pending.count {
            let count = min(block, prefillFrames - pending.count - Int(playback.moved))
            let moved = unsafe playback.transfer.write(silence.channels, from: 0, count: count)
            try take(moved, playback)
        }
        try deliver()
    }

    /// Takes the answer of a transfer: counts frames, waits where there were none, and throws errors.
    private func take(_ moved: Int, _ side: ALSASide) throws(Trouble) {
        if moved > 0 {
            side.didMove(moved)
        } else if moved == 0 || moved == Int(-EAGAIN) {
            if capture == nil, !side.isRunning, side.moved > 0 { try begin() } else { try pause(side, nil) }
        } else {
            throw .code(side, Int32(truncatingIfNeeded: moved))
        }
    }

    /// Hands over what is pending of the worker's block, in as many pieces as the device wants.
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

    /// Fetches a block from the input, if there is one; false when the stream is to end.
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

    /// Waits until every side can move a block; false when the stream is to end.
    private func waitForBlock() throws(Trouble) -> Bool {
        while !wake.isRaised {
            let outputIsReady = try isReady(playback)
            let inputIsReady = try isReady(capture)
            if outputIsReady, inputIsReady { return true }
            if isStarted {
                try pause(outputIsReady ? nil : playback, inputIsReady ? nil : capture)
            } else {
                try begin()
            }
        }
        return false
    }

    private func isReady(_ side: ALSASide?) throws(Trouble) -> Bool {
        guard let side else { return true }
        let available = side.look(now)
        guard available >= 0 else { throw .code(side, Int32(truncatingIfNeeded: available)) }
        tellOfStall(side)
        return available >= block
    }

    /// Sleeps until one of the sides has news, and gives up on one that has none for too long.
    private func pause(_ first: ALSASide?, _ second: ALSASide?) throws(Trouble) {
        if let first, first.watch.isExhausted { throw .dead(first) }
        if let second, second.watch.isExhausted { throw .dead(second) }
        let begin = MonotonicTime.now()
        var timeout = poller.timeoutNanoseconds
        // A device that wakes the thread again and again with nothing to do must not take the processor.
        if let side = first ?? second, side.watch.isSpinning {
            wake.sleep(until: begin + side.watch.restNanoseconds)
            timeout += side.watch.restNanoseconds
        }
        if let fault = poller.wait(first, second) { throw .code(fault.side, fault.code) }
        let waited = MonotonicTime.now() - begin
        first?.watch.countWake(after: waited, timeout: timeout)
        second?.watch.countWake(after: waited, timeout: timeout)
    }

    /// Has the device play out what it holds, for no longer than that can take.
    private func drain() throws(Trouble) {
        guard let playback else { return }
        if !playback.isRunning { try start(playback) }
        let remaining = playback.delay() ?? Int64(playback.settings.bufferFrames)
        let patience = MonotonicTime.nanoseconds(
            ofFrames: remaining + Int64(2 * playback.settings.devicePeriodFrames),
            sampleRate: playback.settings.sampleRate)
        let deadline = MonotonicTime.now() + patience
        var isDone = unsafe snd_pcm_drain(playback.pcm) == 0
        while !isDone, !wake.isRaised, MonotonicTime.now() < deadline {
            let before = MonotonicTime.now()
            if poller.wait(playback, nil) != nil { break }
            // Some plug-ins have room all the time while they drain.
            if MonotonicTime.now() - before < playback.watch.restNanoseconds {
                wake.sleep(until: min(deadline, before + playback.watch.restNanoseconds))
            }
            // Asked for its position first, since plug-ins notice the end only then.
            _ = unsafe snd_pcm_avail_update(playback.pcm)
            let state = unsafe snd_pcm_state(playback.pcm)
            isDone = state != SND_PCM_STATE_DRAINING && state != SND_PCM_STATE_RUNNING
        }
        worker.publish(framesWritten: framesWritten, delayFrames: 0)
    }

    private func publish() {
        if let playback { worker.publish(framesWritten: framesWritten, delayFrames: playback.delay() ?? 0) }
        if let capture { worker.publish(waitingFrames: Int64(capture.available - block)) }
    }

    /// Frames of the output that were rendered and not handed over.
    var pendingFrames: Int { pending.count }
}
