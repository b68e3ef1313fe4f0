internal import Glibc

/// The system's monotonic clock: the clock of timeouts, rates and devices. No user can set it, and it stands still
/// during a suspend.
package enum MonotonicTime {
    package static let nanosecondsPerSecond: Int64 = 1_000_000_000

    /// Nanoseconds since some moment before the process began.
    ///
    /// Costs no system call on Linux. Real-time safe: yes.
    package static func now() -> Int64 {
        var time = timespec()
        unsafe clock_gettime(CLOCK_MONOTONIC, &time)
        return Int64(time.tv_sec) &* nanosecondsPerSecond &+ Int64(time.tv_nsec)
    }

    /// Seconds since the same moment.
    package static func seconds() -> Double { Double(now()) / Double(nanosecondsPerSecond) }
}
