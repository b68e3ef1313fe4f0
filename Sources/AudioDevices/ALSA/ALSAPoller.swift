import CALSA
import CLinux
import Glibc

/// Waits for one or two directions of a device and for the stream's wake signal in one poll.
@safe
final class ALSAPoller {
    private let entries: UnsafeMutablePointer<pollfd>
    private let capacity: Int
    private let wakeDescriptor: Int32
    /// Longest time of a wait in nanoseconds, apart from delays of the thread itself.
    let timeoutNanoseconds: Int64

    init(_ output: ALSASide?, _ input: ALSASide?, wake: WakeSignal) {
        capacity = Self.descriptorCount(output) + Self.descriptorCount(input)
        unsafe entries = .allocate(capacity: capacity + 1)
        unsafe entries.initialize(repeating: pollfd(), count: capacity + 1)
        wakeDescriptor = wake.descriptor
        // Three periods, and at least 100 ms: the first period after a start may well be slow.
        let period = max(output?.periodNanoseconds ?? 0, input?.periodNanoseconds ?? 0)
        timeoutNanoseconds = max(3 * period, 100_000_000)
    }

    deinit { unsafe entries.deallocate() }

    private static func descriptorCount(_ side: ALSASide?) -> Int {
        guard let side else { return 0 }
        return max(0, Int(unsafe snd_pcm_poll_descriptors_count(side.pcm)))
    }

    /// Waits until a side is ready, the signal is raised, or this many nanoseconds are over, at most
    /// `timeoutNanoseconds`. Returns a failing side and its error, or nil.
    func wait(
        _ output: ALSASide?, _ input: ALSASide?, nanoseconds: Int64? = nil
    ) -> (side: ALSASide, code: Int32)? {
        unsafe entries[0] = pollfd(fd: wakeDescriptor, events: Int16(POLLIN), revents: 0)
        let outputCount = arm(output, at: 1)
        let inputCount = arm(input, at: 1 + outputCount)
        let count = UInt(1 + outputCount + inputCount)
        // In nanoseconds, because a period may be shorter than a millisecond, the unit of poll.
        guard unsafe linux_poll(entries, count, Int(min(max(0, nanoseconds ?? .max), timeoutNanoseconds))) > 0 else {
            return nil
        }
        // Both sides are asked, because plug-ins do their work in this call.
        let outputFault = fault(output, at: 1, count: outputCount)
        let inputFault = fault(input, at: 1 + outputCount, count: inputCount)
        return outputFault ?? inputFault
    }

    /// Asks the side for its descriptors anew each time: plug-ins arm their timers in this call.
    private func arm(_ side: ALSASide?, at index: Int) -> Int {
        guard let side else { return 0 }
        let room = UInt32(capacity + 1 - index)
        return min(Int(room), max(0, Int(unsafe snd_pcm_poll_descriptors(side.pcm, entries + index, room))))
    }

    private func fault(_ side: ALSASide?, at index: Int, count: Int) -> (side: ALSASide, code: Int32)? {
        guard let side, count > 0 else { return nil }
        var events: UInt16 = 0
        guard unsafe snd_pcm_poll_descriptors_revents(side.pcm, entries + index, UInt32(count), &events) >= 0 else {
            return nil
        }
        if Int32(events) & (POLLHUP | POLLNVAL) != 0 { return (side, -ENODEV) }
        // An error without a state of its own: the device is asked, to prevent a second of useless wake-ups.
        guard Int32(events) & POLLERR != 0, side.faultOfState() == nil else { return nil }
        var delay: snd_pcm_sframes_t = 0
        let code = unsafe snd_pcm_delay(side.pcm, &delay)
        return code < 0 ? (side, code) : nil
    }
}
