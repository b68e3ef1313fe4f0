import Glibc

/// Wakes a device thread out of its wait: an eventfd that stays readable once it was raised.
final class WakeSignal: Sendable {
    let descriptor: Int32

    /// Throws `io` when the process has no descriptor left.
    init() throws(DeviceError) {
        descriptor = eventfd(0, Int32(EFD_CLOEXEC.rawValue | EFD_NONBLOCK.rawValue))
        guard descriptor >= 0 else {
            throw DeviceError(
                kind: .io, message: "The system has no descriptor left for another stream.",
                remedy: "Close some files, or raise the limit with ulimit -n.")
        }
    }

    deinit { close(descriptor) }

    /// Makes every present and later wait return at once. Any thread.
    func raise() { eventfd_write(descriptor, 1) }

    /// Sleeps until the monotonic time `deadline`, or less when raised. Device thread.
    func sleep(until deadline: Int64) {
        while true {
            let remaining = deadline - MonotonicTime.now()
            guard remaining > 0 else { return }
            var time = timespec(tv_sec: Int(remaining / 1_000_000_000), tv_nsec: Int(remaining % 1_000_000_000))
            var entry = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
            let count = unsafe ppoll(&entry, 1, &time, nil)
            guard count == 0 || (count < 0 && errno == EINTR) else { return }
        }
    }
}

/// The system's monotonic clock.
enum MonotonicTime {
    /// Nanoseconds since some moment before the process began.
    ///
    /// Costs no system call on Linux. Real-time safe: yes.
    static func now() -> Int64 {
        var time = timespec()
        unsafe clock_gettime(CLOCK_MONOTONIC, &time)
        return Int64(time.tv_sec) &* 1_000_000_000 &+ Int64(time.tv_nsec)
    }
}
