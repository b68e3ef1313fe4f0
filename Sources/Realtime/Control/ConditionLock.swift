// A lock with a condition to wait for: the standard library's Mutex has no condition. For control and worker threads
// only.
internal import Glibc

/// A mutex and a condition, for the threads around the render thread, never for the render thread.
@safe
package final class ConditionLock: @unchecked Sendable {
    private let mutex = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1)
    private let condition = UnsafeMutablePointer<pthread_cond_t>.allocate(capacity: 1)

    /// Makes an unlocked lock.
    ///
    /// - Parameter inheritsPriority: True if the thread inside has the priority of the most urgent waiting thread.
    package init(inheritsPriority: Bool = false) {
        unsafe mutex.initialize(to: pthread_mutex_t())
        unsafe condition.initialize(to: pthread_cond_t())
        var kind = pthread_mutexattr_t()
        unsafe pthread_mutexattr_init(&kind)
        if inheritsPriority { unsafe pthread_mutexattr_setprotocol(&kind, CInt(PTHREAD_PRIO_INHERIT)) }
        unsafe pthread_mutex_init(mutex, &kind)
        unsafe pthread_mutexattr_destroy(&kind)
        var attributes = pthread_condattr_t()
        unsafe pthread_condattr_init(&attributes)
        // Monotonic, because the wall clock may be set back during a wait.
        unsafe pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC)
        unsafe pthread_cond_init(condition, &attributes)
        unsafe pthread_condattr_destroy(&attributes)
    }

    deinit {
        unsafe pthread_cond_destroy(condition)
        unsafe pthread_mutex_destroy(mutex)
        unsafe condition.deallocate()
        unsafe mutex.deallocate()
    }

    /// Runs `body` while no other thread is inside.
    package func withLock<Result>(_ body: () -> Result) -> Result {
        unsafe pthread_mutex_lock(mutex)
        defer { unsafe pthread_mutex_unlock(mutex) }
        return body()
    }

    /// Waits, inside `withLock`, until `wakeAll()` or for `milliseconds`; spurious wake-ups are possible.
    package func wait(milliseconds: Int? = nil) {
        guard let milliseconds else {
            unsafe pthread_cond_wait(condition, mutex)
            return
        }
        var deadline = timespec()
        unsafe clock_gettime(CLOCK_MONOTONIC, &deadline)
        deadline.tv_nsec += (milliseconds % 1000) * 1_000_000
        deadline.tv_sec += milliseconds / 1000 + deadline.tv_nsec / 1_000_000_000
        deadline.tv_nsec %= 1_000_000_000
        unsafe pthread_cond_timedwait(condition, mutex, &deadline)
    }

    /// Ends every `wait`.
    package func wakeAll() { unsafe pthread_cond_broadcast(condition) }
}
