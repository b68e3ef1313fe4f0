internal import Realtime

/// A thread that runs jobs one after another: jobs that wait for the disk, which the network thread must never do.
package final class JobThread: @unchecked Sendable {
    private let lock = ConditionLock()
    /// The lock guards both properties.
    private var jobs: [@Sendable () -> Void] = []
    private var isOver = false

    /// Starts the thread; nil if the system makes no thread.
    package init?(name: String) {
        guard let thread = PlainThread(name: name, { [self] in run() }) else { return nil }
        thread.detach()
    }

    /// Adds a job after the queued jobs.
    package func add(_ job: @escaping @Sendable () -> Void) {
        lock.withLock {
            jobs.append(job)
            lock.wakeAll()
        }
    }

    /// Ends the thread after the queued jobs.
    package func end() {
        lock.withLock {
            isOver = true
            lock.wakeAll()
        }
    }

    private func run() {
        while true {
            let job: (@Sendable () -> Void)? = lock.withLock {
                while jobs.isEmpty {
                    if isOver { return nil }
                    lock.wait()
                }
                return jobs.removeFirst()
            }
            guard let job else { return }
            job()
        }
    }
}
