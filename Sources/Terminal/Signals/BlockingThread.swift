// An ordinary thread for a blocking call: the thread pool for tasks is too small to be blocked.
import Glibc

package enum BlockingThread {
    private final class Work {
        let body: @Sendable () -> Void
        init(_ body: @escaping @Sendable () -> Void) { self.body = body }
    }

    /// Runs `body` at low priority on a thread that is never joined: on a busy machine, decoding the sound comes first.
    /// Threads and programs started by `body` inherit the low priority.
    package static func startInBackground(_ body: @escaping @Sendable () -> Void) {
        start {
            // On Linux, the priority applies only to the calling thread.
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
            // Without a thread, the caller runs `body` itself and is blocked meanwhile.
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
