// Recognises one thread, so that the thread never waits for itself.
internal import Glibc
internal import Synchronization

/// Mark of one thread, for as long as the thread runs.
///
/// A `pthread_t` alone is not enough: after the join of an ended thread, the system may reuse the `pthread_t` for
/// another thread. So a thread clears its mark when it ends. Threads: one sets and clears, any may ask. Wait-free.
package final class ThreadMark: Sendable {
    private let thread = Atomic<UInt>(0)

    package init() {}

    /// Marks the calling thread.
    package func set() { thread.store(UInt(pthread_self()), ordering: .relaxed) }

    /// Removes the mark: the last action of the marked thread.
    package func clear() { thread.store(0, ordering: .relaxed) }

    /// True if the calling thread is the marked thread.
    ///
    /// Relaxed: the marked thread itself wrote the value. A later thread with the same `pthread_t` began after the join
    /// of the marked thread, which had cleared its mark.
    package var isCurrent: Bool { thread.load(ordering: .relaxed) == UInt(pthread_self()) }
}
