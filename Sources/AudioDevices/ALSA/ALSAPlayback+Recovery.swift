import CALSA
import Glibc

// What a device can do wrong and still be played on afterwards. Anything else is thrown and ends the stream.
extension ALSAPlayback {
    /// The error number that goes with a state the device should not be in; nil for a good one.
    func faultOfState() -> Int32? {
        switch unsafe snd_pcm_state(pcm) {
        case SND_PCM_STATE_XRUN: -EPIPE
        case SND_PCM_STATE_SUSPENDED: -ESTRPIPE
        case SND_PCM_STATE_DISCONNECTED: -ENODEV
        case SND_PCM_STATE_OPEN, SND_PCM_STATE_SETUP: -EBADFD
        default: nil
        }
    }

    /// Makes the device ready to be filled and started again, or throws what became of it.
    func recover(from code: Int32) throws(DeviceError) {
        switch -code {
        case EINTR, EAGAIN:
            return
        case EPIPE, EBADFD:
            try restart(lostFrames: lostFrames())
        case ESTRPIPE:
            try resume()
        case ENODEV, ENXIO, ENOTTY:
            throw DeviceError.lost(name, "was unplugged")
        case EIO:
            // So says the client of a sound server that has died.
            throw DeviceError.lost(name, "has stopped working")
        default:
            throw DeviceError.failed(name, doing: "play", code: code)
        }
    }

    private func restart(lostFrames: Int64) throws(DeviceError) {
        try refuseStorm()
        let code = unsafe snd_pcm_prepare(pcm)
        guard code >= 0 else {
            if -code == EPIPE || -code == EBADFD { throw DeviceError.lost(name, "cannot be restarted") }
            throw DeviceError.failed(name, doing: "restart", code: code)
        }
        isRunning = false
        queuedFrames = 0
        renderer.reportXrun(atFrame: framesWritten, lostFrames: lostFrames)
    }

    /// A buffer that was full at the start cannot run dry at once: a device that says so again and again is broken.
    private func refuseStorm() throws(DeviceError) {
        let halfBuffer = MonotonicTime.nanoseconds(
            ofFrames: Int64(settings.bufferFrames / 2), sampleRate: settings.sampleRate)
        earlyXruns = MonotonicTime.now() - startTime < halfBuffer ? earlyXruns + 1 : 0
        if earlyXruns > 8 { throw DeviceError.lost(name, "stops as soon as it is started") }
    }

    private func resume() throws(DeviceError) {
        let lost = lostFrames()
        for _ in 0..<5 {
            guard unsafe snd_pcm_resume(pcm) == -EAGAIN, !wake.isRaised else { break }
            wake.sleep(until: MonotonicTime.now() + 50_000_000)
        }
        // By the state, not by what resume returned: plug-ins claim success and stay suspended.
        if unsafe snd_pcm_state(pcm) == SND_PCM_STATE_RUNNING {
            progress.reset(now: MonotonicTime.now())
            renderer.reportXrun(atFrame: framesWritten, lostFrames: lost)
        } else {
            unsafe snd_pcm_drop(pcm)
            try restart(lostFrames: lost)
        }
    }

    /// For how many frames the device has been silent, from the time it stopped by its own account.
    private func lostFrames() -> Int64 {
        let now = MonotonicTime.now()
        // It cannot have stopped before it took its last frames; a queue that was full lasted its time.
        let sinceDelivery = now - lastDelivery
        let queue = MonotonicTime.nanoseconds(ofFrames: Int64(queuedFrames), sampleRate: settings.sampleRate)
        var silence = max(0, min(sinceDelivery, now - startTime - queue))
        if unsafe snd_pcm_status(pcm, status) >= 0 {
            var stamp = snd_htimestamp_t()
            unsafe snd_pcm_status_get_trigger_htstamp(status, &stamp)
            let trigger = Int64(stamp.tv_sec) * MonotonicTime.nanosecondsPerSecond + Int64(stamp.tv_nsec)
            // Zero, or the time of the start, means that the plug-in does not say.
            if trigger > startTime, trigger <= now { silence = min(now - trigger, sinceDelivery) }
        }
        return MonotonicTime.frames(inNanoseconds: silence, sampleRate: settings.sampleRate)
    }
}
