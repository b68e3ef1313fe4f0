import CALSA
import Glibc
import VirtualCardSupport

/// An error number of alsa-lib, as the positive errno.
struct ALSACode: Error, Equatable {
    let code: Int32
}

/// A direction of a card by plain alsa-lib calls.
@safe
final class Stream: @unchecked Sendable {
    // Unchecked because of the handle: alsa-lib locks everything that two threads may call at once.
    struct Setup {
        var access = SND_PCM_ACCESS_RW_INTERLEAVED
        var format = SND_PCM_FORMAT_S32_LE
        var channelCount: UInt32 = 1
        var rate: UInt32 = 48_000
        var periodFrames: snd_pcm_uframes_t = 256
        var periodCount: snd_pcm_uframes_t = 4
        /// Whether the stream stops when dry or full; otherwise it runs on.
        var stops = true
        var availMin: snd_pcm_uframes_t?
    }

    let pcm: OpaquePointer
    let setup: Setup
    let direction: VirtualDirection
    let bytesPerSample: Int
    /// Frames read since the last prepare.
    var framesRead = 0

    init(
        _ name: String, _ direction: VirtualDirection, _ setup: Setup = Setup(), mode: Int32 = SND_PCM_NONBLOCK
    ) throws {
        var handle: OpaquePointer?
        let stream = direction == .playback ? SND_PCM_STREAM_PLAYBACK : SND_PCM_STREAM_CAPTURE
        let code = unsafe snd_pcm_open(&handle, name, stream, mode)
        guard code == 0, let handle = unsafe handle else { throw ALSACode(code: -code) }
        unsafe pcm = handle
        self.setup = setup
        self.direction = direction
        bytesPerSample = Int(snd_pcm_format_physical_width(setup.format)) / 8
        try setHardware()
        try setSoftware()
    }

    deinit { unsafe snd_pcm_close(pcm) }

    private func check(_ code: Int32) throws {
        if code < 0 { throw ALSACode(code: -code) }
    }

    private func setHardware() throws {
        var allocated: OpaquePointer?
        unsafe snd_pcm_hw_params_malloc(&allocated)
        guard let parameters = unsafe allocated else { throw ALSACode(code: ENOMEM) }
        defer { unsafe snd_pcm_hw_params_free(parameters) }
        try check(unsafe snd_pcm_hw_params_any(pcm, parameters))
        try check(unsafe snd_pcm_hw_params_set_access(pcm, parameters, setup.access))
        try check(unsafe snd_pcm_hw_params_set_format(pcm, parameters, setup.format))
        try check(unsafe snd_pcm_hw_params_set_channels(pcm, parameters, setup.channelCount))
        try check(unsafe snd_pcm_hw_params_set_rate(pcm, parameters, setup.rate, 0))
        try check(unsafe snd_pcm_hw_params_set_period_size(pcm, parameters, setup.periodFrames, 0))
        try check(
            unsafe snd_pcm_hw_params_set_buffer_size(pcm, parameters, setup.periodFrames * setup.periodCount))
        try check(unsafe snd_pcm_hw_params(pcm, parameters))
    }

    private func setSoftware() throws {
        var allocated: OpaquePointer?
        unsafe snd_pcm_sw_params_malloc(&allocated)
        guard let parameters = unsafe allocated else { throw ALSACode(code: ENOMEM) }
        defer { unsafe snd_pcm_sw_params_free(parameters) }
        try check(unsafe snd_pcm_sw_params_current(pcm, parameters))
        var boundary: snd_pcm_uframes_t = 0
        unsafe snd_pcm_sw_params_get_boundary(parameters, &boundary)
        // Started by hand, always.
        unsafe snd_pcm_sw_params_set_start_threshold(pcm, parameters, boundary)
        let buffer = setup.periodFrames * setup.periodCount
        unsafe snd_pcm_sw_params_set_stop_threshold(pcm, parameters, setup.stops ? buffer : boundary)
        unsafe snd_pcm_sw_params_set_avail_min(pcm, parameters, setup.availMin ?? setup.periodFrames)
        try check(unsafe snd_pcm_sw_params(pcm, parameters))
    }

    var bufferFrames: Int { Int(setup.periodFrames * setup.periodCount) }
    var periodFrames: Int { Int(setup.periodFrames) }
    var state: snd_pcm_state_t { unsafe snd_pcm_state(pcm) }
    func start() -> Int32 { unsafe snd_pcm_start(pcm) }
    func prepare() -> Int32 {
        framesRead = 0
        return unsafe snd_pcm_prepare(pcm)
    }
    func resume() -> Int32 { unsafe snd_pcm_resume(pcm) }
    func drop() -> Int32 { unsafe snd_pcm_drop(pcm) }
    func wait(milliseconds: Int32 = 120_000) -> Int32 { unsafe snd_pcm_wait(pcm, milliseconds) }
    func avail() -> Int { Int(unsafe snd_pcm_avail_update(pcm)) }

    /// The result of `snd_pcm_delay`: the delay, or a negative error number.
    func delay() -> Int {
        var frames: snd_pcm_sframes_t = 0
        let code = unsafe snd_pcm_delay(pcm, &frames)
        return code < 0 ? Int(code) : frames
    }
}
