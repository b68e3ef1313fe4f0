// The wait of a loop for keys, signals and the engine's threads.
import Glibc

/// The ready sources.
package struct Readiness {
    package var signals = false
    package var keys = false
    /// True if the reader of standard output has closed the pipe.
    package var outputClosed = false

    /// Waits for a ready source or a timeout; a timeout of -1 waits forever.
    ///
    /// - Parameters:
    ///   - inbox: Descriptor, readable when the engine's threads have left a report.
    ///   - signals: Descriptor, readable when a signal has arrived.
    ///   - watchesOutput: True to watch for a closed standard output.
    package static func wait(inbox: Int32, signals: Int32, watchesOutput: Bool, milliseconds: Int32) -> Readiness {
        var requests = [
            pollfd(fd: inbox, events: Int16(POLLIN), revents: 0),
            pollfd(fd: signals, events: Int16(POLLIN), revents: 0),
            // poll() ignores a negative descriptor.
            pollfd(fd: RawMode.readsKeys ? STDIN_FILENO : -1, events: Int16(POLLIN), revents: 0),
            pollfd(fd: watchesOutput ? STDOUT_FILENO : -1, events: 0, revents: 0),
        ]
        guard unsafe poll(&requests, nfds_t(requests.count), milliseconds) > 0 else { return Readiness() }
        let closed = Int32(requests[3].revents) & (POLLERR | POLLNVAL) != 0
        return Readiness(signals: requests[1].revents != 0, keys: requests[2].revents != 0, outputClosed: closed)
    }
}
