// The system's account of the main thread, for a signal handler.
import Glibc
import Synchronization

/// Tells a main thread that other programs keep from the processor from a main thread that stands still.
///
/// Threads: any. Safe in a signal handler.
enum ProcessorWait {
    private static let mainThread = Atomic<UInt>(0)
    /// The main thread's whole wait at the last call of ``hasLasted()``, in ns.
    private static let before = Atomic<Int64>(0)
    private static let shortest: Int64 = 500_000_000

    /// Initialises everything used by a handler. Call on the main thread.
    static func prepareForHandlers() {
        mainThread.store(pthread_self(), ordering: .relaxed)
        _ = (hasLasted(), state())
    }

    /// True if the main thread has waited for a processor for half a second since the last call.
    ///
    /// False on a system without these figures.
    static func hasLasted() -> Bool {
        guard pthread_self() == mainThread.load(ordering: .relaxed) else {
            // The system gives a signal to another thread only while the main thread has not taken an earlier signal:
            // the main thread waits for a processor, or for a disk, which no signal interrupts.
            return state() == UInt8(ascii: "R")
        }
        let now = waited()
        return now - before.exchange(now, ordering: .relaxed) >= shortest
    }

    /// The time that the calling thread was ready and another thread had the processor, in ns; 0 if unknown.
    static func waited() -> Int64 {
        read("/proc/thread-self/schedstat") { bytes in
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
        read("/proc/self/stat") { bytes in
            // The state follows the name, which stands in brackets and may contain brackets.
            var index = bytes.count - 1
            while index >= 0, bytes[index] != UInt8(ascii: ")") { index -= 1 }
            return index >= 0 && index + 2 < bytes.count ? bytes[index + 2] : 0
        }
    }

    /// Returns the value of `body` for the first bytes of a file; for no bytes if the file cannot be read.
    private static func read<Result>(_ path: StaticString, _ body: (Span<UInt8>) -> Result) -> Result {
        let kept = errno
        defer { errno = kept }
        return unsafe withUnsafeTemporaryAllocation(of: UInt8.self, capacity: 512) { space in
            let name = unsafe UnsafeRawPointer(path.utf8Start).assumingMemoryBound(to: CChar.self)
            let file = unsafe open(name, O_RDONLY | O_CLOEXEC)
            let count = file < 0 ? 0 : unsafe Glibc.read(file, space.baseAddress, space.count)
            if file >= 0 { close(file) }
            return body(unsafe Span(_unsafeElements: space[..<max(0, count)]))
        }
    }
}
