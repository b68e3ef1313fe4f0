// Signals to processes that tests and benchmarks have started. It starts no process and waits for none.
//
// `kill` takes a number, and is used nowhere: -1, which a failed start leaves behind, is every process of the machine, and the
// number of a process that has been waited for is given to another one. A descriptor means one process for good.
internal import CLinux
internal import Glibc

/// A process, held by a descriptor: a signal reaches it, or nobody.
public final class ProcessHandle: Sendable {
    /// The process's number, above 0.
    public let number: Int32
    private let descriptor: Int32

    /// Takes hold of a process; nil where there is none of this number, or where the system gives no descriptors of processes.
    ///
    /// The number must still be the process's own: ask before anybody has waited for it.
    public init?(_ number: Int32) {
        // The system refuses these, too.
        guard number > 0 else { return nil }
        descriptor = linux_process_open(number)
        guard descriptor >= 0 else { return nil }
        self.number = number
    }

    deinit { close(descriptor) }

    /// Sends a signal; whether there was still a process to send it to.
    @discardableResult
    public func send(_ signal: Int32) -> Bool { linux_process_signal(descriptor, signal) == 0 }

    /// Waits until a signal would be dealt with by the process itself: it has a handler for it, or takes it from a queue.
    ///
    /// A program that was just started would be ended by it instead.
    ///
    /// - Returns: Whether that came within two minutes, for which no machine is too busy.
    public func waitUntilHandled(_ signal: Int32) -> Bool {
        eventually { self.isIn("SigCgt", signal) || self.isIn("SigBlk", signal) }
    }

    /// Waits until the process has taken a signal that was sent to it: of two that are waiting at a time, one is lost.
    ///
    /// - Returns: Whether that came within two minutes, for which no machine is too busy.
    public func waitUntilTaken(_ signal: Int32) -> Bool {
        eventually { !self.isIn("ShdPnd", signal) && !self.isIn("SigPnd", signal) }
    }

    private func eventually(_ isSo: () -> Bool) -> Bool {
        for _ in 0..<24_000 {
            // The number is the process's own as long as a signal can be sent to it.
            if isSo(), send(0) { return true }
            usleep(5000)
        }
        return false
    }

    /// Whether a signal is in one of the sets that the system tells of a process, as bits in hexadecimal digits.
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
