internal import Realtime

/// An ordinary thread that runs a function every ten milliseconds, or sooner when it is woken.
final class WriterThread: @unchecked Sendable {
    // Unchecked because of the values that the lock guards.
    private let lock = ConditionLock()
    private var thread: PlainThread?
    private var isOver = false

    /// Starts the thread; false if the system has no thread left.
    func start(_ work: @escaping @Sendable () -> Void) -> Bool {
        let started = PlainThread(name: "woodshed-take") { [self] in
            while lock.withLock({ !isOver }) {
                work()
                lock.withLock { if !isOver { lock.wait(milliseconds: 10) } }
            }
        }
        lock.withLock { thread = started }
        return started != nil
    }

    func wake() { lock.withLock { lock.wakeAll() } }

    /// Returns when the last round is over.
    func stop() {
        let running = lock.withLock {
            defer { thread = nil }
            isOver = true
            lock.wakeAll()
            return thread
        }
        running?.join()
    }
}
