import CALSA
import Glibc

/// Waits for a device and for the stream's wake signal in one poll.
@safe
final class ALSAPoller {
    private let pcm: OpaquePointer
    private let entries: UnsafeMutablePointer<pollfd>
    private let capacity: Int
    private let wakeDescriptor: Int32
    private let timeoutMilliseconds: Int32

    init(_ pcm: OpaquePointer, wake: WakeSignal, periodNanoseconds: Int64) {
        unsafe self.pcm = unsafe pcm
        capacity = max(0, Int(unsafe snd_pcm_poll_descriptors_count(pcm)))
        unsafe entries = .allocate(capacity: capacity + 1)
        unsafe entries.initialize(repeating: pollfd(), count: capacity + 1)
        wakeDescriptor = wake.descriptor
        // Three periods, but no haste: the first one after a start may well be slow.
        timeoutMilliseconds = Int32(clamping: max(3 * periodNanoseconds / 1_000_000, 100))
    }

    deinit { unsafe entries.deallocate() }

    /// Returns when the device has news, the signal is raised or the timeout is over; false when the device has gone.
    func wait() -> Bool {
        unsafe entries[0] = pollfd(fd: wakeDescriptor, events: Int16(POLLIN), revents: 0)
        // Asked for anew each time: plug-ins arm their timers in this call.
        let count = max(0, unsafe snd_pcm_poll_descriptors(pcm, entries + 1, UInt32(capacity)))
        guard unsafe poll(entries, nfds_t(count) + 1, timeoutMilliseconds) > 0 else { return true }
        var events: UInt16 = 0
        guard unsafe snd_pcm_poll_descriptors_revents(pcm, entries + 1, UInt32(count), &events) >= 0 else {
            return true
        }
        return Int32(events) & (POLLHUP | POLLNVAL) == 0
    }
}
