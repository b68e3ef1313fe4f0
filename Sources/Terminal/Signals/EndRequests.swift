import Synchronization

/// The signals that requested the end since a watch began, and whether a watch is on: one word, so that a signal that
/// arrives while a watch begins or ends comes either before or after.
///
/// Threads: any. Safe in a signal handler.
struct EndRequests: ~Copyable, Sendable {
    /// The number of requests, and `watched` during a watch.
    private let word = Atomic<Int>(0)
    private static let watched = 1 << 32

    /// Begins a watch, or its next part: the next request is the first.
    borrowing func beginWatch() { word.store(Self.watched, ordering: .sequentiallyConsistent) }

    /// Ends the watch.
    borrowing func endWatch() { word.bitwiseAnd(~Self.watched, ordering: .sequentiallyConsistent) }

    var isWatched: Bool { word.load(ordering: .sequentiallyConsistent) & Self.watched != 0 }

    /// True if there were requests since a watch began.
    var isRequested: Bool { word.load(ordering: .sequentiallyConsistent) & ~Self.watched != 0 }

    /// Adds a request.
    ///
    /// - Returns: True for the first request since a watch began, and true during a watch.
    borrowing func add() -> (isFirst: Bool, isWatched: Bool) {
        let before = word.add(1, ordering: .sequentiallyConsistent).oldValue
        return (before & ~Self.watched == 0, before & Self.watched != 0)
    }
}
