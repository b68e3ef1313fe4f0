internal import Glibc
internal import Synchronization

/// A thread that passes requests and events between the control side and the render thread, every ten milliseconds. The
/// render thread must not wake another thread, so the pump polls.
///
/// Threads: any. Real-time safe: no.
package final class EventPump: Sendable {
    /// A thread with a flag of its own: a stopping thread must not react to the flag of the next thread.
    private struct Run: Sendable {
        let thread: RealtimeThread
        let isStopping: Flag
    }

    private final class Flag: Sendable {
        let isSet = Atomic<Bool>(false)
    }

    private let run = Mutex<Run?>(nil)

    package init() {}

    /// True if the thread runs.
    package var isRunning: Bool { run.withLock { $0 != nil } }

    /// Begins to call `work` repeatedly. Has no effect if the pump already runs.
    ///
    /// - Returns: true if this call started the pump.
    /// - Throws: `RealtimeThreadError` if the system creates no thread.
    @discardableResult
    package func start(_ work: @escaping @Sendable () -> Void) throws(RealtimeThreadError) -> Bool {
        let result: Result<Bool, RealtimeThreadError> = run.withLock { run in
            guard run == nil else { return .success(false) }
            let isStopping = Flag()
            do throws(RealtimeThreadError) {
                let thread = try RealtimeThread(name: "woodshed-pump", configuration: EventPump.ordinary) {
                    while !isStopping.isSet.load(ordering: .acquiring) {
                        work()
                        usleep(10_000)
                    }
                }
                run = Run(thread: thread, isStopping: isStopping)
                return .success(true)
            } catch {
                return .failure(error)
            }
        }
        return try result.get()
    }

    private static let ordinary = RealtimeThread.Configuration(
        priority: nil, locksMemory: false, stackBytes: 256 * 1024)

    /// Stops the pump; returns when the last call of `work` is over. A second call during a stop returns with the
    /// first.
    ///
    /// A call from `work` itself does not wait, so the last reference to the owner of the pump may be released there.
    /// `work` must not use the pump otherwise: during a stop by another thread, the call would wait for ever.
    package func stop() {
        run.withLock { run in
            guard let ending = run else { return }
            // Release: partner is the acquiring load in the thread's loop.
            ending.isStopping.isSet.store(true, ordering: .releasing)
            ending.thread.join()
            run = nil
        }
    }
}
