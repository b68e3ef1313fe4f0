// CALSA too: alsa-lib's headers include the C library's structs, and the compiler may attribute the structs to CALSA.
import CALSA
import CLinux
import CTimerFD
import Explanations
import Files
import Glibc
import Synchronization

/// Tells a device thread to end, and wakes the thread from its wait: a flag, and an eventfd that stays readable.
final class WakeSignal: Sendable {
    /// Readable once the signal is raised; for use in polls.
    let descriptor: Int32
    private let timer: Int32
    private let raised = Atomic<Bool>(false)

    /// Throws `io` if the process has no descriptors left.
    init() throws(DeviceError) {
        descriptor = eventfd(0, Int32(EFD_CLOEXEC | EFD_NONBLOCK))
        timer = timerfd_create(CLOCK_MONOTONIC, Int32(TFD_CLOEXEC | TFD_NONBLOCK))
        guard descriptor >= 0, timer >= 0 else {
            // All members have values, so `deinit` runs and closes the descriptors.
            throw DeviceError(SystemLimit(errno: errno) ?? .files, "for another stream")
        }
    }

    deinit { for own in [descriptor, timer] where own >= 0 { close(own) } }

    /// True if the stream must end.
    ///
    /// Real-time safe: yes.
    var isRaised: Bool {
        // Relaxed: only the flag is used; the thread that raised the signal learns of the end by joining.
        raised.load(ordering: .relaxed)
    }

    /// Makes every present and later wait return at once. Any thread.
    func raise() {
        raised.store(true, ordering: .relaxed)
        eventfd_write(descriptor, 1)
    }

    /// Sleeps until the monotonic time `deadline`, or until the signal is raised. Device thread.
    func sleep(until deadline: Int64) {
        // A timer descriptor, because poll alone counts in milliseconds.
        while !isRaised, deadline > MonotonicTime.now() {
            var time = itimerspec()
            time.it_value.tv_sec = Int(deadline / MonotonicTime.nanosecondsPerSecond)
            time.it_value.tv_nsec = Int(deadline % MonotonicTime.nanosecondsPerSecond)
            unsafe timerfd_settime(timer, Int32(TFD_TIMER_ABSTIME), &time, nil)
            unsafe withUnsafeTemporaryAllocation(of: pollfd.self, capacity: 2) { entries in
                unsafe entries[0] = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
                unsafe entries[1] = pollfd(fd: timer, events: Int16(POLLIN), revents: 0)
                _ = unsafe poll(entries.baseAddress, 2, -1)
            }
        }
    }
}
