// Knows one thread from all others, so that it never waits for itself.
internal import Glibc
internal import Synchronization

/// The thread that set the mark, for as long as it runs.
///
/// A `pthread_t` alone does not tell: the system gives that of a thread that has ended and was joined to the next one. So a thread clears
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
    /// Relaxed: the marked thread itself wrote what it looks for; and whoever makes a thread with the same `pthread_t` has
    /// joined the one before, which had cleared its mark.
    package var isCurrent: Bool { thread.load(ordering: .relaxed) == UInt(pthread_self()) }
}
