// Recognises one thread, so that it never waits for itself.
internal import Glibc
internal import Synchronization

/// The thread that set the mark, for as long as it runs.
///
/// A `pthread_t` alone is not enough: after a thread has ended and was joined, the system gives its `pthread_t` to another one. So a thread clears
/// its mark when it ends. Threads: one sets and clears, any may ask. Wait-free.
package final class ThreadMark: Sendable {
    private let thread = Atomic<UInt>(0)

    package init() {}

    /// Marks the calling thread.
    package func set() { thread.store(UInt(pthread_self()), ordering: .relaxed) }

    /// Takes the mark off: the last thing its thread does.
    package func clear() { thread.store(0, ordering: .relaxed) }

    /// Whether the calling thread is the marked one.
    ///
    /// Relaxed: the marked thread itself wrote the value; and a thread that makes another one with the same `pthread_t` has
    /// joined the one before, which had cleared its mark.
    package var isCurrent: Bool { thread.load(ordering: .relaxed) == UInt(pthread_self()) }
}
