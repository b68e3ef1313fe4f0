import CALSA

extension ALSALibrary {
    /// `snd_pcm_open` by the configuration and the cards as they are now.
    ///
    /// alsa-lib reads both once for the process, and lists no card that came later. To have it forget what it knows would pull
    /// that from under everyone else in the process; so this one opening gets a configuration of its own.
    static func openByFreshConfiguration(
        _ handle: inout OpaquePointer?, _ name: String, _ direction: snd_pcm_stream_t, _ mode: Int32
    ) -> Int32 {
        var top: OpaquePointer?
        var update: OpaquePointer?
        let code = unsafe snd_config_update_r(&top, &update, nil)
        defer {
            if let top = unsafe top { unsafe snd_config_delete(top) }
            if let update = unsafe update { unsafe snd_config_update_free(update) }
        }
        guard code >= 0, let top = unsafe top else { return min(code, -1) }
        return unsafe snd_pcm_open_lconf(&handle, name, direction, mode, top)
    }
}
