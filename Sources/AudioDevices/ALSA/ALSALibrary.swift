import CALSA
import Synchronization

/// Calls into alsa-lib, with the required locks.
///
/// Devices are opened and closed without a lock, because a device may depend on a server that never answers. Such a
/// server must block only the calling thread, and never the stop of a stream on another device. No lock is needed
/// either: each opening uses a configuration of its own, and alsa-lib itself locks the data still shared, loaded
/// plug-ins and definitions during expansion (since 1.1.2).
enum ALSALibrary {
    /// Protects the configuration that alsa-lib keeps for the whole process: alsa-lib walks the configuration's lists
    /// without a lock, while the first use of a definition may add to the lists. Queries of mixers and device lists
    /// hold this lock; opening and closing a device for sound does not.
    private static let sharedConfiguration = Mutex<Void>(())

    /// Runs `body`, which uses the configuration of the process, under the lock and without alsa-lib's messages on the
    /// terminal.
    static func exclusively<Result: Sendable, Failure: Error>(
        _ body: () throws(Failure) -> Result
    ) throws(Failure) -> Result {
        try sharedConfiguration.withLock { (_) throws(Failure) in try quietly(body) }
    }

    /// Runs `body` without alsa-lib's messages from this thread on the terminal.
    static func quietly<Result, Failure: Error>(
        _ body: () throws(Failure) -> Result
    ) throws(Failure) -> Result {
        // The thread's own handler, so that a handler set by the host program for the process stays.
        let previous = unsafe snd_lib_error_set_local { _, _, _, _, _, _ in }
        defer { _ = unsafe snd_lib_error_set_local(previous) }
        return try body()
    }

    /// True if the kernel shows any sound card.
    static var hasCard: Bool {
        var card: Int32 = -1
        return unsafe snd_card_next(&card) >= 0 && card >= 0
    }

    /// Returns true if the configuration has a device of this name, on any card.
    static func isConfigured(_ name: String) -> Bool {
        let base = name.prefix { $0 != ":" }
        let code = unsafe withFreshConfiguration { top in
            var node: OpaquePointer?
            return unsafe snd_config_search(top, "pcm.\(base)", &node)
        }
        return code >= 0
    }

    /// Returns alsa-lib's text for an error number.
    static func describe(_ code: Int32) -> String {
        guard let text = unsafe snd_strerror(code) else { return "error \(code)" }
        return unsafe String(cString: text)
    }
}
