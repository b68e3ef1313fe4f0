// The one wait of a loop that keys, signals and the engine's threads all speak to.
import Glibc

/// What has news for the loop.
struct Readiness {
    var signals = false
    var keys = false
    /// The reader of standard output has gone.
    var outputClosed = false

    /// Waits until something has news, or so long; -1 is for ever.
    ///
    /// - Parameters:
    ///   - inbox: readable when the engine's threads have left word.
    ///   - signals: readable when a signal has arrived.
    ///   - watchesOutput: whether somebody is to read standard output.
    static func wait(inbox: Int32, signals: Int32, watchesOutput: Bool, milliseconds: Int32) -> Readiness {
        var requests = [
            pollfd(fd: inbox, events: Int16(POLLIN), revents: 0),
            pollfd(fd: signals, events: Int16(POLLIN), revents: 0),
            // A negative descriptor is passed over.
            pollfd(fd: RawMode.readsKeys ? STDIN_FILENO : -1, events: Int16(POLLIN), revents: 0),
            pollfd(fd: watchesOutput ? STDOUT_FILENO : -1, events: 0, revents: 0),
        ]
        guard unsafe poll(&requests, nfds_t(requests.count), milliseconds) > 0 else { return Readiness() }
        let closed = Int32(requests[3].revents) & (POLLERR | POLLNVAL) != 0
        return Readiness(signals: requests[1].revents != 0, keys: requests[2].revents != 0, outputClosed: closed)
    }
}
