import CALSA

/// What a device can be set to, in words for whoever asked for something else.
struct HardwareAbilities: CustomStringConvertible {
    /// Such as `S16_LE, S32_LE; 2 to 8 channels; 44100 to 192000 Hz`; empty where the device does not say.
    let description: String

    /// Asks a device that is open.
    init(_ pcm: OpaquePointer) {
        var handle: OpaquePointer?
        guard unsafe snd_pcm_hw_params_malloc(&handle) >= 0, let parameters = unsafe handle else {
            description = ""
            return
        }
        defer { unsafe snd_pcm_hw_params_free(parameters) }
        guard unsafe snd_pcm_hw_params_any(pcm, parameters) >= 0 else {
            description = ""
            return
        }
        unsafe snd_pcm_hw_params_set_rate_resample(pcm, parameters, 0)
        var formats: [String] = []
        for number in 0...SND_PCM_FORMAT_LAST.rawValue {
            let format = snd_pcm_format_t(number)
            guard unsafe snd_pcm_hw_params_test_format(pcm, parameters, format) == 0,
                let name = unsafe snd_pcm_format_name(format)
            else { continue }
            formats.append(unsafe String(cString: name))
        }
        var (channels, rates): ((UInt32, UInt32), (UInt32, UInt32)) = ((0, 0), (0, 0))
        unsafe snd_pcm_hw_params_get_channels_min(parameters, &channels.0)
        unsafe snd_pcm_hw_params_get_channels_max(parameters, &channels.1)
        unsafe snd_pcm_hw_params_get_rate_min(parameters, &rates.0, nil)
        unsafe snd_pcm_hw_params_get_rate_max(parameters, &rates.1, nil)
        let parts = [formats.joined(separator: ", "), Self.range(channels, "channels"), Self.range(rates, "Hz")]
        description = parts.filter { !$0.isEmpty }.joined(separator: "; ")
    }

    private static func range(_ limits: (UInt32, UInt32), _ unit: String) -> String {
        limits.0 == limits.1 ? "\(limits.0) \(unit)" : "\(limits.0) to \(limits.1) \(unit)"
    }
}
