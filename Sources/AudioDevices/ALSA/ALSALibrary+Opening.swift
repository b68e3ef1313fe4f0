import CALSA

extension ALSALibrary {
    /// `snd_pcm_open` by the configuration and the cards as they are now, without alsa-lib's messages on the terminal.
    ///
    /// `snd_pcm_open` itself goes by what alsa-lib has read once for the process: it lists no card that came later, and two threads
    /// that open at once share its lists. To have it forget what it knows would pull that from under everyone else in the
    /// process; so each opening gets a configuration of its own. May wait for as long as what is behind the device likes.
    static func open(
        _ handle: inout OpaquePointer?, _ name: String, _ side: StreamIncident.Side
    ) -> Int32 {
        let direction = side == .output ? SND_PCM_STREAM_PLAYBACK : SND_PCM_STREAM_CAPTURE
        return quietly {
            unsafe withFreshConfiguration { top in
                // Non-blocking: every wait for sound is a poll with a deadline, a busy device an error at once.
                let code = unsafe snd_pcm_open_lconf(&handle, name, direction, SND_PCM_NONBLOCK, top)
                // Said once more, as plug-ins do not hear it in the opening: their snd_pcm_drain would wait by itself.
                if code >= 0, let pcm = unsafe handle { unsafe snd_pcm_nonblock(pcm, 1) }
                return code
            }
        }
    }

    /// Closes what was opened.
    static func close(_ pcm: OpaquePointer) {
        quietly { _ = unsafe snd_pcm_close(pcm) }
    }

    /// Runs `body` with a configuration read for it alone; returns the negative error number where it cannot be read.
    static func withFreshConfiguration(_ body: (OpaquePointer) -> Int32) -> Int32 {
        var top: OpaquePointer?
        var update: OpaquePointer?
        let code = unsafe snd_config_update_r(&top, &update, nil)
        defer {
            if let top = unsafe top { unsafe snd_config_delete(top) }
            if let update = unsafe update { unsafe snd_config_update_free(update) }
        }
        guard code >= 0, let top = unsafe top else { return min(code, -1) }
        return unsafe body(top)
    }
}
