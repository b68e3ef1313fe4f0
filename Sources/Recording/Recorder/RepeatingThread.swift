internal import Realtime

/// An ordinary thread that runs a function again and again, with a pause that `wake()` cuts short.
final class RepeatingThread: @unchecked Sendable {
    // Unchecked because of the values guarded by the lock.
    private let lock = ConditionLock()
    private let name: String
    private let pauseMilliseconds: Int
    private var thread: PlainThread?
    private var isOver = false

    /// - Parameters:
    ///   - name: At most 15 bytes, for system tools.
    ///   - pauseMilliseconds: The pause after each run of the function.
    init(name: String, pauseMilliseconds: Int) {
        self.name = name
        self.pauseMilliseconds = pauseMilliseconds
    }

    /// Starts the thread; false if the system has no thread left.
    ///
    /// - Parameter priority: As for `PlainThread`.
    func start(priority: Int? = nil, _ work: @escaping @Sendable () -> Void) -> Bool {
        let started = PlainThread(name: name, priority: priority) { [self] in
            while lock.withLock({ !isOver }) {
                work()
                lock.withLock { if !isOver { lock.wait(milliseconds: pauseMilliseconds) } }
            }
        }
        lock.withLock { thread = started }
        return started != nil
    }

    /// True if the thread runs.
    var isRunning: Bool { lock.withLock { thread != nil } }

    func wake() { lock.withLock { lock.wakeAll() } }

    /// Ends the thread; returns when the last round is over.
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
