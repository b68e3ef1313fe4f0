internal import Realtime
internal import Transfers

/// The threads of a fetcher, and the number of their unfinished jobs.
final class FetchThreads: @unchecked Sendable {
    /// Adds complete files to the library, in order. Nil if the system cannot create a thread; the calling thread then
    /// does this work.
    private let jobs = JobThread(name: "woodshed-keep")
    private let lock = ConditionLock()
    /// Number of waiting and running jobs. Guarded by the lock.
    private var count = 0

    deinit { jobs?.end() }

    /// Runs a job after the jobs added before.
    func run(_ job: @escaping @Sendable () -> Void) {
        let job = counted(job)
        if let jobs { jobs.add(job) } else { job() }
    }

    /// Runs a job on a separate thread.
    func runAside(name: String, _ job: @escaping @Sendable () -> Void) {
        let job = counted(job)
        guard let thread = PlainThread(name: name, job) else { return job() }
        thread.detach()
    }

    /// Waits until no job is left. Blocks the calling thread; never call from a job.
    func waitUntilIdle() {
        lock.withLock { while count > 0 { lock.wait() } }
    }

    /// Counts a job from now until its end.
    private func counted(_ job: @escaping @Sendable () -> Void) -> @Sendable () -> Void {
        change(1)
        return { [self] in
            job()
            change(-1)
        }
    }

    private func change(_ difference: Int) {
        lock.withLock {
            count += difference
            if count == 0 { lock.wakeAll() }
        }
    }
}
