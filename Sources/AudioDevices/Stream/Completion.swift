import Glibc
import Synchronization

/// How a stream ended, for any number of threads to wait for.
@safe
final class Completion: @unchecked Sendable {
    // Unchecked because of the pointer to a semaphore, which any thread may use while the object lives.
    private let semaphore: UnsafeMutablePointer<sem_t>
    private let failure = Mutex<DeviceError?>(nil)

    init() {
        unsafe semaphore = .allocate(capacity: 1)
        unsafe sem_init(semaphore, 0, 0)
    }

    deinit {
        unsafe sem_destroy(semaphore)
        unsafe semaphore.deallocate()
    }

    /// Lets everyone go on. Once only.
    func finish(_ error: DeviceError?) {
        failure.withLock { $0 = error }
        unsafe sem_post(semaphore)
    }

    /// Waits for the end and returns what it was: nil for a good one.
    func wait() -> DeviceError? {
        while unsafe sem_wait(semaphore) != 0 {}  // a signal handler ran: wait on
        // What one waiter takes it puts back for the next.
        unsafe sem_post(semaphore)
        return failure.withLock { $0 }
    }
}
