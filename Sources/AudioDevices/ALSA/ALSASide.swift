import CALSA
import Files
import Glibc

/// One direction of a device as its loop sees it: the handle, the position, and the last answers.
///
@safe
final class ALSASide: @unchecked Sendable {
    // Unchecked because only the device thread creates and uses the side; the loop's errors refer to it.
    let pcm: OpaquePointer
    let side: StreamIncident.Side
    let settings: HardwareSettings
    let transfer: ALSATransfer
    private let status: OpaquePointer
    /// True if the driver of a card is used directly. The driver's wake-ups are unreliable, and between wake-ups the
    /// driver reports its position only if asked anew.
    let isDriver: Bool

    /// True if the device has started since the last preparation.
    private(set) var isRunning = false
    /// Frames transferred since the device was last prepared; the device's own counters stand still in some plug-ins.
    var moved: Int64 = 0
    /// Frames ready for transfer at the last check.
    private(set) var available = 0
    private(set) var startTime: Int64 = 0
    /// True if the device has reported its position since the start.
    private var hasAnswered = false
    var watch: ProgressWatch
    private(set) var clock: PositionClock
    /// Frames of the device's standstill, and whether the device has continued since.
    private var stalledFrames: Int64 = 0
    private var isMoving = true

    /// Uses the handle, but does not close it. Returns nil if memory runs out.
    init?(_ pcm: OpaquePointer, _ side: StreamIncident.Side, settings: HardwareSettings) {
        var allocated: OpaquePointer?
        unsafe snd_pcm_status_malloc(&allocated)
        guard let status = unsafe allocated else { return nil }
        unsafe self.status = unsafe status
        unsafe self.pcm = unsafe pcm
        isDriver = unsafe snd_pcm_type(pcm) == SND_PCM_TYPE_HW
        self.side = side
        self.settings = settings
        transfer = unsafe ALSATransfer(pcm, settings: settings)
        watch = ProgressWatch(periodNanoseconds: Self.periodNanoseconds(settings))
        clock = PositionClock(sampleRate: settings.sampleRate, periodFrames: settings.devicePeriodFrames)
    }

    deinit { unsafe snd_pcm_status_free(status) }

    var periodNanoseconds: Int64 { Self.periodNanoseconds(settings) }

    private static func periodNanoseconds(_ settings: HardwareSettings) -> Int64 {
        MonotonicTime.nanoseconds(ofFrames: Int64(settings.devicePeriodFrames), sampleRate: settings.sampleRate)
    }

    /// True if the device was prepared, and has moved no frame since: the device was not started, or did not even
    /// report its position.
    var refusesFirstFrame: Bool { moved == 0 && !(isRunning && hasAnswered) }
    /// True if the device is a plug-in, with a program behind it instead of a driver.
    var isPlugIn: Bool { unsafe snd_pcm_type(pcm) == SND_PCM_TYPE_IOPLUG }

    /// Frames that passed through the device since the start, as of the last check.
    var position: Int64 { position(available: available) }

    private func position(available: Int) -> Int64 {
        side == .output ? moved - Int64(settings.bufferFrames - available) : moved + Int64(available)
    }

    /// Returns the position at this moment; nil if the device does not report the position.
    func freshPosition() -> Int64? {
        let available = unsafe snd_pcm_avail(pcm)
        return available >= 0 ? position(available: Int(available)) : nil
    }

    /// Returns the number of frames that can be transferred, or a negative error number.
    func look(_ now: () -> Int64) -> Int {
        let after = now()
        let answer = Int(unsafe isDriver && isRunning ? snd_pcm_avail(pcm) : snd_pcm_avail_update(pcm))
        guard answer >= 0 else { return answer }
        // The state is checked too, because a suspended or unplugged device may continue to return a number.
        if let fault = faultOfState() { return Int(fault) }
        // A device that overtook the program without stopping would play old sound from now on.
        if isRunning, answer > settings.bufferFrames { return Int(-EPIPE) }
        available = answer
        hasAnswered = true
        watch.observe(available: answer)
        if isRunning, let stood = clock.observe(position: position, after: after, before: now()) {
            stalledFrames += stood
            isMoving = stood == 0
        }
        return answer
    }

    /// Returns the nanoseconds, by the clock, until this many frames can be transferred; nil if only the device can
    /// tell. If the frames should be there already, returns an eighth of a period: the position of some cards moves in
    /// steps.
    func nanosecondsUntil(available frames: Int, now: Int64) -> Int64? {
        guard isDriver, isRunning else { return nil }
        let left = clock.time(of: position + Int64(frames - available)) - now
        return max(left, periodNanoseconds / 8, 100_000)
    }

    /// Returns and clears the number of frames of the device's standstill, once the device has continued. A check in
    /// the middle of a standstill returns 0, except with `isOver`.
    func takeStall(isOver: Bool) -> Int64 {
        guard isMoving || isOver else { return 0 }
        defer { stalledFrames = 0 }
        return stalledFrames
    }

    /// Returns the error number for a state in which the device cannot work; nil for a good state.
    func faultOfState() -> Int32? {
        switch unsafe snd_pcm_state(pcm) {
        case SND_PCM_STATE_XRUN: -EPIPE
        case SND_PCM_STATE_SUSPENDED: -ESTRPIPE
        case SND_PCM_STATE_DISCONNECTED: -ENODEV
        case SND_PCM_STATE_OPEN, SND_PCM_STATE_SETUP: -EBADFD
        default: nil
        }
    }

    /// Starts the device, unless a linked device has already started it; returns 0 or a negative error number.
    func start(_ now: () -> Int64) -> Int32 {
        if unsafe snd_pcm_state(pcm) != SND_PCM_STATE_RUNNING {
            let code = unsafe snd_pcm_start(pcm)
            guard code >= 0 else { return code }
        }
        (isRunning, hasAnswered) = (true, false)
        if startTime == 0 { watch.allowSlowStart() } else { watch.reset() }
        startTime = now()
        clock.restart(at: 0, now: startTime)
        return 0
    }

    /// Discards the buffer, so that the device can be filled and started again. Returns 0 or a negative error number.
    func prepare() -> Int32 {
        let code = unsafe snd_pcm_prepare(pcm)
        guard code >= 0 else { return code }
        isRunning = false
        moved = 0
        available = 0
        return 0
    }

    /// Continues after a suspension of the device at the same place.
    func goOn(now: Int64) {
        watch.reset()
        clock.restart(at: freshPosition() ?? clock.position, now: now)
    }

    /// Counts moved frames.
    func didMove(_ count: Int) {
        moved += Int64(count)
        watch.reset()
    }

    /// Returns the time at which the device stopped, as far as known at `now`, shortly after the stop.
    func stopTime(now: Int64, trustsStamps: Bool) -> Int64 {
        guard isRunning else { return now }
        if trustsStamps, let stamp = triggerTime(), stamp > startTime, stamp <= now { return stamp }
        // A suspended device reports its stop; a device in XRUN has either run dry or was stopped just now.
        let isSuspended = unsafe snd_pcm_state(pcm) == SND_PCM_STATE_SUSPENDED
        let last = isSuspended ? freshPosition() ?? moved : moved
        return min(now, max(clock.time, clock.time(of: last)))
    }

    private func triggerTime() -> Int64? {
        guard unsafe snd_pcm_status(pcm, status) >= 0 else { return nil }
        var stamp = snd_htimestamp_t()
        unsafe snd_pcm_status_get_trigger_htstamp(status, &stamp)
        // Zero, or the time of the start, means that the plug-in does not report the stop.
        return Int64(stamp.tv_sec) * MonotonicTime.nanosecondsPerSecond + Int64(stamp.tv_nsec)
    }

    /// Returns the number of frames written but not heard; nil if the device does not report the number.
    func delay() -> Int64? {
        guard unsafe snd_pcm_status(pcm, status) >= 0 else { return nil }
        let frames = unsafe snd_pcm_status_get_delay(status)
        return frames >= 0 ? Int64(frames) : nil
    }
}
