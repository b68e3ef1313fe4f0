// Signals to processes started by tests and benchmarks. A handle starts no process and waits for none.
//
// `kill` takes a number, and is used nowhere: -1, the number after a failed start, means every process of the machine,
// and the number of a process that has been waited for may be reused. A descriptor means one process for good.
internal import CLinux
internal import Glibc

/// A process, held by a descriptor: a signal reaches this process, or none.
public final class ProcessHandle: Sendable {
    /// The process's number, above 0.
    public let number: Int32
    private let descriptor: Int32

    /// Opens a handle of a process; nil if there is no process of this number, or if the system gives no descriptors of
    /// processes.
    ///
    /// The number must still be the process's own: open the handle before anything has waited for the process.
    public init?(_ number: Int32) {
        // The system refuses these numbers, too.
        guard number > 0 else { return nil }
        descriptor = linux_process_open(number)
        guard descriptor >= 0 else { return nil }
        self.number = number
    }

    deinit { close(descriptor) }

    /// Sends a signal. Returns whether the process still existed.
    @discardableResult
    public func send(_ signal: Int32) -> Bool { linux_process_signal(descriptor, signal) == 0 }

    /// Waits until the process itself would deal with a signal: by a handler, or by taking the signal from a queue.
    ///
    /// Earlier, the signal would end a program just started.
    ///
    /// - Returns: Whether the process was ready within 400 seconds, long enough for any busy machine.
    public func waitUntilHandled(_ signal: Int32) -> Bool {
        eventually { self.isIn("SigCgt", signal) || self.isIn("SigBlk", signal) }
    }

    /// Waits until the process has taken a sent signal: of two signals pending at a time, one is lost.
    ///
    /// - Returns: Whether the process took the signal within 400 seconds, long enough for any busy machine.
    public func waitUntilTaken(_ signal: Int32) -> Bool {
        eventually { !self.isIn("ShdPnd", signal) && !self.isIn("SigPnd", signal) }
    }

    /// Waits until the process has ended, and leaves its status to the parent.
    ///
    /// - Returns: Whether the process ended within ten minutes, long enough for any busy machine.
    public func waitUntilEnded() -> Bool {
        // A signal ends a call of poll early.
        let limit = ContinuousClock.now + .seconds(600)
        repeat {
            if hasEnded(within: 1000) { return true }
        } while ContinuousClock.now < limit
        return false
    }

    /// Returns whether the process ends within so many milliseconds, at the latest.
    public func hasEnded(within milliseconds: Int32) -> Bool {
        var request = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
        return unsafe poll(&request, 1, milliseconds) > 0
    }

    private func eventually(_ isSo: () -> Bool) -> Bool {
        let limit = ContinuousClock.now + .seconds(400)
        while true {
            // Read before the claim: this thread may stand still beyond the limit.
            let isLate = ContinuousClock.now > limit
            // The number is the process's own as long as the process can get a signal.
            if isSo(), send(0) { return true }
            if isLate { return false }
            usleep(5000)
        }
    }

    /// Whether a signal is in a set that the system reports for a process, as bits in hexadecimal digits.
    private func isIn(_ set: String, _ signal: Int32) -> Bool {
        guard let file = unsafe fopen("/proc/\(number)/status", "re") else { return false }
        defer { unsafe fclose(file) }
        var line = [CChar](repeating: 0, count: 4096)
        while unsafe fgets(&line, Int32(line.count), file) != nil {
            let text = String(decoding: line.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
            guard text.hasPrefix(set + ":") else { continue }
            let digits = text.dropFirst(set.count + 1).filter(\.isHexDigit)
            return (UInt64(digits, radix: 16) ?? 0) >> UInt64(signal - 1) & 1 == 1
        }
        return false
    }
}
