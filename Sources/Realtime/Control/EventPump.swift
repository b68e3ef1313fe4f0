internal import Glibc
internal import Synchronization

/// A thread that passes requests and events between the control side and the render thread, every ten milliseconds. The
/// render thread must not wake another thread, so this one polls.
///
/// Threads: any. Real-time safe: no.
package final class EventPump: Sendable {
    private let thread = Mutex<RealtimeThread?>(nil)
    private let isStopping = Atomic<Bool>(false)

    package init() {}

    /// Begins to call `work` repeatedly. Has no effect if it already does.
    ///
    /// - Throws: `RealtimeThreadError` if the system makes no thread.
    package func start(_ work: @escaping @Sendable () -> Void) throws(RealtimeThreadError) {
        let failure: RealtimeThreadError? = thread.withLock { thread in
            guard thread == nil else { return nil }
            isStopping.store(false, ordering: .relaxed)
            do throws(RealtimeThreadError) {
                thread = try RealtimeThread(name: "woodshed-pump", configuration: EventPump.ordinary) { [self] in
                    while !isStopping.load(ordering: .acquiring) {
                        work()
                        usleep(10_000)
                    }
                }
                return nil
            } catch {
                return error
            }
        }
        if let failure { throw failure }
    }

    private static let ordinary = RealtimeThread.Configuration(
        priority: nil, locksMemory: false, stackBytes: 256 * 1024)

    /// Returns when the last call of `work` is over.
    package func stop() {
        // Release: partner is the acquiring load in the thread's loop.
        isStopping.store(true, ordering: .releasing)
        let running = thread.withLock { thread in
            defer { thread = nil }
            return thread
        }
        running?.join()
    }
}
