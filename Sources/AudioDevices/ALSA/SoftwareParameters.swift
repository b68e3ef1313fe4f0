import CALSA
import Glibc

/// Sets when a device starts, stops and wakes its thread.
enum SoftwareParameters {
    /// Sets an explicit start, a stop on xrun, a wake-up for each block, and silence instead of old sound if a block is
    /// late.
    static func set(
        _ pcm: OpaquePointer, name: String, bufferFrames: Int, wakeFrames: Int
    ) throws(DeviceError) {
        var allocated: OpaquePointer?
        unsafe snd_pcm_sw_params_malloc(&allocated)
        guard let parameters = unsafe allocated else {
            throw DeviceError.failed(name, doing: "be set up", code: -ENOMEM)
        }
        defer { unsafe snd_pcm_sw_params_free(parameters) }
        // The second attempt leaves out settings that some plug-ins refuse.
        for isPlain in [false, true] {
            unsafe snd_pcm_sw_params_current(pcm, parameters)
            var boundary: snd_pcm_uframes_t = 0
            unsafe snd_pcm_sw_params_get_boundary(parameters, &boundary)
            unsafe snd_pcm_sw_params_set_start_threshold(pcm, parameters, boundary)
            unsafe snd_pcm_sw_params_set_stop_threshold(pcm, parameters, snd_pcm_uframes_t(bufferFrames))
            unsafe snd_pcm_sw_params_set_avail_min(pcm, parameters, snd_pcm_uframes_t(wakeFrames))
            if !isPlain {
                unsafe snd_pcm_sw_params_set_silence_threshold(pcm, parameters, 0)
                unsafe snd_pcm_sw_params_set_silence_size(pcm, parameters, boundary)
                unsafe snd_pcm_sw_params_set_tstamp_mode(pcm, parameters, SND_PCM_TSTAMP_ENABLE)
                unsafe snd_pcm_sw_params_set_tstamp_type(pcm, parameters, SND_PCM_TSTAMP_TYPE_MONOTONIC)
            }
            let code = unsafe snd_pcm_sw_params(pcm, parameters)
            if code >= 0 { return }
            if isPlain { throw DeviceError.failed(name, doing: "be set up", code: code) }
        }
    }
}
