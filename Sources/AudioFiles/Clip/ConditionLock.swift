// A lock one can wait with: the standard library's Mutex has no condition. For control and decode threads only.
internal import CRealtime
internal import Glibc

/// A mutex and a condition, for the threads around the render thread, never for it.
@safe
final class ConditionLock: @unchecked Sendable {
    private let mutex = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1)
    private let condition = UnsafeMutablePointer<pthread_cond_t>.allocate(capacity: 1)

    init() {
        unsafe mutex.initialize(to: pthread_mutex_t())
        unsafe condition.initialize(to: pthread_cond_t())
        unsafe pthread_mutex_init(mutex, nil)
        var attributes = pthread_condattr_t()
        unsafe pthread_condattr_init(&attributes)
        // The wall clock may be set back while someone waits.
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

    func withLock<Result>(_ body: () -> Result) -> Result {
        unsafe pthread_mutex_lock(mutex)
        defer { unsafe pthread_mutex_unlock(mutex) }
        return body()
    }

    /// Waits, within `withLock`, until someone wakes all, or `milliseconds` are over; may also return without a reason.
    func wait(milliseconds: Int? = nil) {
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

    func wakeAll() { unsafe pthread_cond_broadcast(condition) }
}

/// A plain thread that runs one function and can be waited for.
@safe
final class PlainThread: @unchecked Sendable {
    private var thread = pthread_t()

    /// Starts the thread; nil when the system has none left.
    init?(name: String, _ body: @escaping @Sendable () -> Void) {
        let box = unsafe Unmanaged.passRetained(ThreadBody(name: name, run: body))
        let code = unsafe pthread_create(
            &thread, nil,
            { context in
                guard let context = unsafe context else { return nil }
                let body = unsafe Unmanaged<ThreadBody>.fromOpaque(context).takeRetainedValue()
                _ = unsafe realtime_name_thread(body.name)
                body.run()
                return nil
            }, box.toOpaque())
        if code != 0 {
            unsafe box.release()
            return nil
        }
    }

    /// Waits for the thread's end; once only.
    func join() { _ = pthread_join(thread, nil) }

    private final class ThreadBody: Sendable {
        let name: String
        let run: @Sendable () -> Void

        init(name: String, run: @escaping @Sendable () -> Void) {
            self.name = name
            self.run = run
        }
    }
}
