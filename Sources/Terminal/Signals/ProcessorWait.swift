// The system's account of the main thread, for a signal handler.
import Glibc
import Synchronization

/// Tells a main thread that other programs keep from the processor from a main thread that stands still.
///
/// Threads: any. Safe in a signal handler.
enum ProcessorWait {
    private static let mainThread = Atomic<UInt>(0)
    /// Addresses of the paths of the main thread's files, which are C strings; 0 if unknown.
    private static let waitPath = Atomic<UInt>(0)
    private static let statePath = Atomic<UInt>(0)
    /// The main thread's whole wait at the last call of ``hasLasted()``, in ns.
    private static let before = Atomic<Int64>(0)
    private static let shortest: Int64 = 500_000_000

    /// Initialises everything used by a handler. Call on the main thread, once.
    static func prepareForHandlers() {
        mainThread.store(pthread_self(), ordering: .relaxed)
        var name = [CChar](repeating: 0, count: 64)
        let count = unsafe readlink("/proc/thread-self", &name, name.count)
        if count > 0 {
            let folder = "/proc/" + String(decoding: name[..<count].map { UInt8(bitPattern: $0) }, as: UTF8.self)
            waitPath.store(unsafe UInt(bitPattern: strdup(folder + "/schedstat")), ordering: .releasing)
            statePath.store(unsafe UInt(bitPattern: strdup(folder + "/stat")), ordering: .releasing)
        }
        _ = (hasLasted(), state())
    }

    /// True if the main thread has waited for a processor for half a second since the last call.
    ///
    /// False on a system without these figures.
    static func hasLasted() -> Bool {
        let now = waited()
        if now - before.exchange(now, ordering: .relaxed) >= shortest { return true }
        // The system counts a wait at its end. The system gives a signal to another thread only while the main thread
        // has not taken an earlier signal: the main thread waits for a processor, or for a disk, which no signal
        // interrupts.
        return pthread_self() != mainThread.load(ordering: .relaxed) && state() == UInt8(ascii: "R")
    }

    /// The time for which the main thread was ready and another thread had the processor, in ns; 0 if unknown.
    static func waited() -> Int64 {
        read(waitPath.load(ordering: .acquiring)) { bytes in
            // The second number; the first is the time on a processor.
            var (index, time) = (0, Int64(0))
            while index < bytes.count, bytes[index] != UInt8(ascii: " ") { index += 1 }
            index += 1
            while index < bytes.count, (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(bytes[index]) {
                time = time &* 10 &+ Int64(bytes[index] &- UInt8(ascii: "0"))
                index += 1
            }
            return time
        }
    }

    /// The letter of the main thread's state; 0 if unknown.
    static func state() -> UInt8 {
        read(statePath.load(ordering: .acquiring)) { bytes in
            // The state follows the name, which stands in brackets and may contain brackets.
            var index = bytes.count - 1
            while index >= 0, bytes[index] != UInt8(ascii: ")") { index -= 1 }
            return index >= 0 && index + 2 < bytes.count ? bytes[index + 2] : 0
        }
    }

    /// Returns the value of `body` for the first bytes of a file; for no bytes if the file cannot be read.
    private static func read<Result>(_ path: UInt, _ body: (Span<UInt8>) -> Result) -> Result {
        let kept = errno
        defer { errno = kept }
        return unsafe withUnsafeTemporaryAllocation(of: UInt8.self, capacity: 512) { space in
            let file = unsafe UnsafePointer<CChar>(bitPattern: path).map { unsafe open($0, O_RDONLY | O_CLOEXEC) } ?? -1
            let count = file < 0 ? 0 : unsafe Glibc.read(file, space.baseAddress, space.count)
            if file >= 0 { close(file) }
            return body(unsafe Span(_unsafeElements: space[..<max(0, count)]))
        }
    }
}
