internal import Realtime

/// An ordinary thread that runs a function again and again, with a pause that `wake()` cuts short.
final class RepeatingThread: @unchecked Sendable {
    // Unchecked because of the values guarded by the lock.
    private let lock = ConditionLock()
    private let name: String
    private let pauseMilliseconds: Int
    /// Waits for the end of the thread; nil without a thread.
    private var join: (@Sendable () -> Void)?
    private var granted = RealtimeReport.Scheduling.ordinary
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
    /// - Parameter priority: The requested SCHED_FIFO priority, 1 to 99, which the thread has on return unless the
    ///   system refuses it; nil for an ordinary thread.
    func start(priority: Int? = nil, _ work: @escaping @Sendable () -> Void) -> Bool {
        let rounds: @Sendable () -> Void = { [self] in
            while lock.withLock({ !isOver }) {
                work()
                lock.withLock { if !isOver { lock.wait(milliseconds: pauseMilliseconds) } }
            }
        }
        var started: (@Sendable () -> Void)?
        var scheduling = RealtimeReport.Scheduling.ordinary
        if let priority {
            let options = RealtimeThread.Configuration(priority: priority, locksMemory: false)
            if let thread = try? RealtimeThread(name: name, configuration: options, body: rounds) {
                (started, scheduling) = ({ thread.join() }, thread.report.scheduling)
            }
        } else if let thread = PlainThread(name: name, rounds) {
            started = { thread.join() }
        }
        lock.withLock { (join, granted) = (started, scheduling) }
        return started != nil
    }

    /// The scheduling of the thread; ordinary before the start.
    var scheduling: RealtimeReport.Scheduling { lock.withLock { granted } }

    /// True if the thread runs.
    var isRunning: Bool { lock.withLock { join != nil } }

    func wake() { lock.withLock { lock.wakeAll() } }

    /// Ends the thread; returns when the last round is over.
    func stop() {
        let running = lock.withLock {
            defer { join = nil }
            isOver = true
            lock.wakeAll()
            return join
        }
        running?()
    }
}
