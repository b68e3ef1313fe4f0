import CALSA
import Synchronization

/// Calls into alsa-lib, the way it stands them.
enum ALSALibrary {
    private static let lock = Mutex<Void>(())

    /// Runs `body` alone in this process and without alsa-lib's messages on the terminal.
    ///
    /// Opening, closing and reading the configuration are not re-entrant with some plug-ins.
    static func exclusively<Result: Sendable, Failure: Error>(
        _ body: () throws(Failure) -> Result
    ) throws(Failure) -> Result {
        try lock.withLock { (_) throws(Failure) in try quietly(body) }
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
        var top: OpaquePointer?
        guard unsafe snd_config_update_ref(&top) >= 0, let top = unsafe top else { return false }
        defer { unsafe snd_config_unref(top) }
        let base = name.prefix { $0 != ":" }
        var node: OpaquePointer?
        return unsafe snd_config_search(top, "pcm.\(base)", &node) >= 0
    }

    /// alsa-lib's words for an error number.
    static func describe(_ code: Int32) -> String {
        guard let text = unsafe snd_strerror(code) else { return "error \(code)" }
        return unsafe String(cString: text)
    }
}
