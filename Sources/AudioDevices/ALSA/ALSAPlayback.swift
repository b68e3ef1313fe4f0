import CALSA
import Glibc

/// The device thread's loop over a card: fill the buffer, start, then a block for each period, until the end or a fault.
///
/// Every wait has a deadline, and a device that takes no frames for a second is given up: no state of any driver makes
/// the loop spin or hang. Used on one thread.
@safe
final class ALSAPlayback {
    let pcm: OpaquePointer
    let settings: HardwareSettings
    let name: String
    let renderer: BlockRenderer
    let wake: WakeSignal
    let transfer: ALSATransfer
    let status: OpaquePointer
    private let poller: ALSAPoller

    /// Whether the device was started since it was last prepared.
    var isRunning = false
    /// Frames handed over since the device was last prepared; its own counters stand still in some plug-ins.
    var queuedFrames = 0
    var framesWritten: Int64 = 0
    var startTime: Int64 = 0
    var lastDelivery: Int64 = 0
    var progress: ProgressWatch
    /// Xruns in a row that came too soon after a start to be true.
    var earlyXruns = 0

    init(
        _ pcm: OpaquePointer, settings: HardwareSettings, configuration: StreamConfiguration, renderer: BlockRenderer,
        wake: WakeSignal
    ) throws(DeviceError) {
        unsafe self.pcm = unsafe pcm
        self.settings = settings
        self.name = configuration.deviceName
        self.renderer = renderer
        self.wake = wake
        transfer = unsafe ALSATransfer(pcm, settings: settings)
        var allocated: OpaquePointer?
        unsafe snd_pcm_status_malloc(&allocated)
        guard let status = unsafe allocated else {
            throw DeviceError.failed(configuration.deviceName, doing: "start", code: -ENOMEM)
        }
        unsafe self.status = unsafe status
        let period = MonotonicTime.nanoseconds(
            ofFrames: Int64(settings.devicePeriodFrames), sampleRate: settings.sampleRate)
        progress = ProgressWatch(periodNanoseconds: period)
        poller = unsafe ALSAPoller(pcm, wake: wake, periodNanoseconds: period)
    }

    deinit { unsafe snd_pcm_status_free(status) }

    /// Plays until the render function ends, a stop, or a fault that is thrown.
    func play() throws(DeviceError) {
        defer { unsafe snd_pcm_drop(pcm) }
        let block = settings.blockFrames
        while !wake.isRaised {
            if !isRunning, queuedFrames + block > settings.bufferFrames { try start() }
            guard try waitForRoom(block) else { continue }
            let valid = renderer.render(block)
            try deliver(valid)
            if valid < block {
                try drain()
                return
            }
        }
    }

    /// Starts the filled device.
    func start() throws(DeviceError) {
        let code = unsafe snd_pcm_start(pcm)
        startTime = MonotonicTime.now()
        progress.reset(now: startTime)
        guard code >= 0 else { return try recover(from: code) }
        isRunning = true
    }

    /// Waits until the device takes `frameCount` frames; false when it was recovered meanwhile, or the stream is to end.
    private func waitForRoom(_ frameCount: Int) throws(DeviceError) -> Bool {
        while !wake.isRaised {
            let available = unsafe snd_pcm_avail_update(pcm)
            // Asked for besides, since a suspended or unplugged device may go on answering with a number.
            if let fault = available < 0 ? Int32(available) : faultOfState() {
                try recover(from: fault)
                return false
            }
            progress.observe(available: available, now: MonotonicTime.now())
            if available >= frameCount { return true }
            if isRunning { try pause() } else { try start() }
        }
        return false
    }

    /// Hands over the first `frameCount` frames of the renderer's block, in as many pieces as the device wants.
    private func deliver(_ frameCount: Int) throws(DeviceError) {
        var done = 0
        while done < frameCount, !wake.isRaised {
            let moved = unsafe transfer.write(renderer.channels, from: done, count: frameCount - done)
            if moved > 0 {
                done += moved
                queuedFrames += moved
                framesWritten += Int64(moved)
                lastDelivery = MonotonicTime.now()
                progress.reset(now: lastDelivery)
            } else if moved == 0 || moved == Int(-EAGAIN) {
                if isRunning || queuedFrames == 0 { try pause() } else { try start() }
            } else {
                try recover(from: Int32(truncatingIfNeeded: moved))
            }
        }
        renderer.publish(framesWritten: framesWritten, delayFrames: delay() ?? 0)
    }

    /// Sleeps until the device has news, and gives up on one that has none for too long.
    private func pause() throws(DeviceError) {
        let now = MonotonicTime.now()
        if progress.isExhausted(now: now) {
            throw DeviceError.lost(name, "has taken no sound for \(progress.limit / 1_000_000) ms")
        }
        // A device that keeps waking without news must not take the processor.
        if progress.isSpinning { wake.sleep(until: now + progress.restNanoseconds) }
        guard poller.wait() else { throw DeviceError.lost(name, "was unplugged") }
        progress.countWake()
    }

    /// Has the device play out what it holds, for no longer than that can take.
    private func drain() throws(DeviceError) {
        if !isRunning { try start() }
        let remaining = delay() ?? Int64(settings.bufferFrames)
        let patience = MonotonicTime.nanoseconds(
            ofFrames: remaining + Int64(2 * settings.devicePeriodFrames), sampleRate: settings.sampleRate)
        let deadline = MonotonicTime.now() + patience
        var isDone = unsafe snd_pcm_drain(pcm) == 0
        while !isDone, !wake.isRaised, MonotonicTime.now() < deadline {
            // Polling is no use here: a draining device has room all the time.
            wake.sleep(until: min(deadline, MonotonicTime.now() + progress.restNanoseconds))
            let state = unsafe snd_pcm_state(pcm)
            isDone = state != SND_PCM_STATE_DRAINING && state != SND_PCM_STATE_RUNNING
        }
        renderer.publish(framesWritten: framesWritten, delayFrames: 0)
    }

    /// Frames handed over but not heard; nil where the device cannot say.
    func delay() -> Int64? {
        guard unsafe snd_pcm_status(pcm, status) >= 0 else { return nil }
        let frames = unsafe snd_pcm_status_get_delay(status)
        return frames >= 0 ? Int64(frames) : nil
    }
}

/// Tells a device that is merely slow from one that is dead.
struct ProgressWatch {
    /// How long a device may take no frames, in nanoseconds: a second, or three periods if those are longer.
    let limit: Int64
    /// How long to rest between fruitless wakes: a quarter period, 1 to 20 ms.
    let restNanoseconds: Int64
    private var lastProgress: Int64 = 0
    private var lastAvailable = 0
    private var fruitlessWakes = 0

    init(periodNanoseconds: Int64) {
        limit = max(MonotonicTime.nanosecondsPerSecond, 3 * periodNanoseconds)
        restNanoseconds = min(max(periodNanoseconds / 4, 1_000_000), 20_000_000)
    }

    /// The device has taken frames or was started.
    mutating func reset(now: Int64) {
        lastProgress = now
        lastAvailable = 0
        fruitlessWakes = 0
    }

    /// The device has so much room; more than before is progress.
    mutating func observe(available: Int, now: Int64) {
        guard available > lastAvailable else { return }
        reset(now: now)
        lastAvailable = available
    }

    mutating func countWake() { fruitlessWakes += 1 }

    /// Whether the device wakes its thread again and again without taking frames.
    var isSpinning: Bool { fruitlessWakes >= 8 }

    func isExhausted(now: Int64) -> Bool { now - lastProgress > limit }
}
