import CALSA
import Files
import Glibc

// Faults after which a device can still be used. Any other fault is thrown and ends the stream.
extension ALSALoop {
    /// An interruption, reported once the device runs again.
    struct Interruption {
        let kind: StreamIncident.Kind
        let side: StreamIncident.Side
        /// Time at which the interruption was noticed.
        let time: Int64
        /// Time at which the output became silent.
        let silentSince: Int64
        /// Frames of silence on the output before this time.
        let silentBefore: Int64
        /// The input's position and clock, to compute the number of frames the input would have recorded during the
        /// interruption.
        let inputClock: PositionClock?
        /// Frames delivered by the input since its last start.
        let inputDelivered: Int64
    }

    /// Prepares the device to be filled and started again, or throws the fault that makes this impossible.
    func recover(from trouble: Trouble) throws(StreamFault) {
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
        let time = now()
        tellOfStall(side, isOver: true)
        // An already reported interruption continues, because the device has not moved a frame since.
        let hasSlept = untoldSleep > 0
        let isTold = refusals > 0 && capture == nil && !hasSlept
        if interruption == nil, !isTold {
            let stop = side.side == .output ? side.stopTime(now: time, trustsStamps: trustsStamps) : time
            interruption = Interruption(
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
        let time = now()
        refusals = side.refusesFirstFrame ? refusals + 1 : 0
        // Plug-ins with a dead server do this. PipeWire's plug-in, too, reports only an xrun.
        if refusals > 8 { throw .lost(side.isPlugIn ? .serverGone : .cannotRestart, side.side) }
        let halfBuffer = MonotonicTime.nanoseconds(
            ofFrames: Int64(side.settings.bufferFrames / 2), sampleRate: side.settings.sampleRate)
        // Frames are checked as well as time, because a device that runs faster than real time may take a buffer in no
        // time.
        let first = side.side == .output ? side.settings.bufferFrames : 0
        let isEarly =
            time - side.startTime < halfBuffer && Int(side.moved) < first + side.settings.bufferFrames / 2
        // Refusals are counted separately, and their count must reach its limit first.
        if refusals == 0 { earlyFaults = isEarly ? earlyFaults + 1 : 0 }
        if earlyFaults > 8 || !budget.spend(now: time) { throw .lost(.xrunStorm, side.side) }
    }

    private func resume(_ side: ALSASide) throws(StreamFault) {
        let stop = side.stopTime(now: now(), trustsStamps: trustsStamps)
        for _ in 0..<5 {
            guard unsafe snd_pcm_resume(side.pcm) == -EAGAIN, !wake.isRaised else { break }
            wake.sleep(until: MonotonicTime.now() + 50_000_000)
        }
        // The state decides, not the result of resume: plug-ins report success and stay suspended. Two sides that are
        // no longer aligned are restarted in any case.
        let isRunning = unsafe snd_pcm_state(side.pcm) == SND_PCM_STATE_RUNNING
        guard isRunning, playback == nil || capture == nil else { return try restart(side, .suspended) }
        let time = now()
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
    func tellOfInterruption() {
        guard let interruption else { return }
        self.interruption = nil
        var (silent, missing): (Int64, Int64) = (0, 0)
        if let playback {
            let end = playback.isRunning ? playback.startTime : now()
            let gap = MonotonicTime.frames(
                inNanoseconds: max(0, end - interruption.silentSince), sampleRate: playback.settings.sampleRate)
            silent = gap + interruption.silentBefore
            if capture != nil { silent += Int64(prefillFrames - pendingFrames) }
        }
        if let capture, let clock = interruption.inputClock {
            missing = max(0, clock.expectedPosition(at: capture.startTime) - interruption.inputDelivered)
        }
        let isOutput = interruption.side == .output
        tell(
            interruption.kind, .restarted, interruption.side, frame: isOutput ? framesWritten : worker.inputFrame,
            lost: isOutput ? silent : missing, time: interruption.time)
        if playback != nil { worker.reportXrun(atFrame: framesWritten, lostFrames: silent) }
        if capture != nil { worker.reportOverrun(lostFrames: missing) }
    }

    /// Reports a device that stood still and continued by itself. In a duplex stream the alignment check reports the
    /// standstill.
    func tellOfStall(_ side: ALSASide, isOver: Bool = false) {
        let frames = side.takeStall(isOver: isOver)
        guard frames > 0, playback == nil || capture == nil else { return }
        tell(
            .stalled, .none, side.side, frame: side.side == .output ? framesWritten : worker.inputFrame, lost: frames,
            time: now())
    }

    /// Suspend time of the computer since the last incident that reported such time, in nanoseconds.
    private var untoldSleep: Int64 {
        let rest = asleep() - slept
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
