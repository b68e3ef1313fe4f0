import CALSA
import Synchronization

/// Calls into alsa-lib, the way it stands them.
///
/// Devices are opened and closed without a lock around it: behind one may be a server that never answers, and it must hold up
/// nobody but who asked for it, least of all the stop of a stream on another device. None is needed either. Each opening goes by a
/// configuration of its own, and what alsa-lib shares all the same, plug-ins that are loaded and definitions while they are
/// expanded, it locks itself (since 1.1.2).
enum ALSALibrary {
    /// Protects the configuration that alsa-lib keeps for the whole process: it walks its lists without a lock, while the first use
    /// of a definition may add to them. Mixers and lists of devices go by it; it is held while they are asked for, and by
    /// nothing that opens or closes a device for sound.
    private static let sharedConfiguration = Mutex<Void>(())

    /// Runs `body`, which uses the configuration of the process, alone and without alsa-lib's messages on the terminal.
    static func exclusively<Result: Sendable, Failure: Error>(
        _ body: () throws(Failure) -> Result
    ) throws(Failure) -> Result {
        try sharedConfiguration.withLock { (_) throws(Failure) in try quietly(body) }
    }

    /// Runs `body` without alsa-lib's messages from this thread on the terminal.
    static func quietly<Result, Failure: Error>(
        _ body: () throws(Failure) -> Result
    ) throws(Failure) -> Result {
        // The thread's own handler, so that a host program keeps the one it may have set for the process.
        let previous = unsafe snd_lib_error_set_local { _, _, _, _, _, _ in }
        defer { _ = unsafe snd_lib_error_set_local(previous) }
        return try body()
    }

    /// Whether the kernel shows any sound card.
    static var hasCard: Bool {
        var card: Int32 = -1
        return unsafe snd_card_next(&card) >= 0 && card >= 0
    }

    /// Whether the configuration has a device of this name, on whatever card.
    static func isConfigured(_ name: String) -> Bool {
        let base = name.prefix { $0 != ":" }
        let code = unsafe withFreshConfiguration { top in
            var node: OpaquePointer?
            return unsafe snd_config_search(top, "pcm.\(base)", &node)
        }
        return code >= 0
    }

    /// alsa-lib's words for an error number.
    static func describe(_ code: Int32) -> String {
        guard let text = unsafe snd_strerror(code) else { return "error \(code)" }
        return unsafe String(cString: text)
    }
}
