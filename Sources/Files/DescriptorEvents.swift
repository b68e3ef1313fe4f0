internal import Glibc

/// A wait for one descriptor, in spite of signals. `poll` reports a signal like a failure, and a caller could take the
/// failure for an event or for a timeout.
package enum DescriptorEvents {
    /// Returns the events of a descriptor; 0 after the timeout, or if the system refuses to wait. A signal does not
    /// shorten the wait. If signals interrupt each of many attempts without a wait, there are no events. Safe in a
    /// signal handler.
    ///
    /// - Parameters:
    ///   - wanted: The events to wait for, such as `POLLIN`. Errors are returned in any case.
    ///   - milliseconds: Timeout; 0 only asks, and -1 waits without a limit.
    package static func wait(for wanted: Int32, of descriptor: Int32, milliseconds: Int32 = 0) -> Int32 {
        let limit = MonotonicTime.now() + Int64(milliseconds) * 1_000_000
        var request = pollfd(fd: descriptor, events: Int16(wanted), revents: 0)
        var (left, attempts) = (milliseconds, 0)
        while unsafe poll(&request, 1, left) < 0 {
            attempts += 1
            guard errno == EINTR, left != 0 || attempts < FileBytes.patience else { return 0 }
            // Rounded up, so that the time is over at 0.
            if milliseconds > 0 { left = Int32(clamping: max(0, (limit - MonotonicTime.now() + 999_999) / 1_000_000)) }
        }
        return Int32(request.revents)
    }
}
