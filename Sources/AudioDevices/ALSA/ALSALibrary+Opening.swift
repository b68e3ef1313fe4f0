import CALSA
import Glibc

extension ALSALibrary {
    /// Calls `snd_pcm_open` with the current configuration and cards, and without alsa-lib's messages on the terminal.
    ///
    /// `snd_pcm_open` itself uses the configuration that alsa-lib has read once for the process. This configuration
    /// does not show cards added later, and two threads that open at once share its lists. Freeing the configuration
    /// would take it away from other users in the process, so each opening reads a configuration of its own. May block
    /// as long as the server or driver behind the device does.
    static func open(
        _ handle: inout OpaquePointer?, _ name: String, _ side: StreamIncident.Side
    ) -> Int32 {
        let direction = side == .output ? SND_PCM_STREAM_PLAYBACK : SND_PCM_STREAM_CAPTURE
        return quietly {
            unsafe withFreshConfiguration { top in
                // Non-blocking: every wait for sound is a poll with a deadline, and a busy device is an error at once.
                let code = unsafe snd_pcm_open_lconf(&handle, name, direction, SND_PCM_NONBLOCK, top)
                // Set once more, because plug-ins ignore the mode during opening, and their snd_pcm_drain would then
                // block.
                if code >= 0, let pcm = unsafe handle { unsafe snd_pcm_nonblock(pcm, 1) }
                return code
            }
        }
    }

    /// Returns true if a device can be opened for a direction, or is only busy. Opens the device for a moment.
    static func isThere(_ name: String, for side: StreamIncident.Side) -> Bool {
        var handle: OpaquePointer?
        let code = unsafe open(&handle, name, side)
        if code >= 0, let pcm = unsafe handle { unsafe close(pcm) }
        return code >= 0 || code == -EBUSY
    }

    /// Closes a device.
    static func close(_ pcm: OpaquePointer) {
        quietly { _ = unsafe snd_pcm_close(pcm) }
    }

    /// Runs `body` with a configuration of its own; returns the negative error number if the configuration cannot be
    /// read.
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
