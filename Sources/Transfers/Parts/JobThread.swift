internal import Realtime

/// A thread that carries out jobs one after another: those that wait for the disk, which the network's thread must not.
package final class JobThread: @unchecked Sendable {
    private let lock = ConditionLock()
    /// Both only under the lock.
    private var jobs: [@Sendable () -> Void] = []
    private var isOver = false

    /// nil if the system makes no thread.
    package init?(name: String) {
        guard let thread = PlainThread(name: name, { [self] in run() }) else { return nil }
        thread.detach()
    }

    /// Adds a job after those that are there.
    package func add(_ job: @escaping @Sendable () -> Void) {
        lock.withLock {
            jobs.append(job)
            lock.wakeAll()
        }
    }

    /// Ends the thread after the jobs that are there.
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
