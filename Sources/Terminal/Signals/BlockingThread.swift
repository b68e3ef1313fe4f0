// An ordinary thread for a call that blocks; the thread pool for tasks is too small to be blocked.
import Glibc

package enum BlockingThread {
    private final class Work {
        let body: @Sendable () -> Void
        init(_ body: @escaping @Sendable () -> Void) { self.body = body }
    }

    /// Runs `body` on a thread that is never joined, after everything else that wants a processor: on a busy machine the sound is
    /// decoded first. Threads and programs that it starts wait as well.
    package static func startInBackground(_ body: @escaping @Sendable () -> Void) {
        start {
            // On Linux this concerns the calling thread alone.
            _ = setpriority(__priority_which_t(PRIO_PROCESS.rawValue), 0, 10)
            body()
        }
    }

    /// Runs `body` on a thread that is never joined.
    package static func start(_ body: @escaping @Sendable () -> Void) {
        var thread = pthread_t()
        let work = unsafe Unmanaged.passRetained(Work(body)).toOpaque()
        let result = unsafe pthread_create(&thread, nil, entry, work)
        guard result == 0 else {
            // Without a thread the call is made here: the loop gets its answer at once, but late.
            unsafe Unmanaged<Work>.fromOpaque(work).takeRetainedValue().body()
            return
        }
        pthread_detach(thread)
    }

    private static let entry: @convention(c) (UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? = { argument in
        if let argument = unsafe argument { unsafe Unmanaged<Work>.fromOpaque(argument).takeRetainedValue().body() }
        return nil
    }
}
