import Synchronization

/// The signals that requested the end since a watch began, and whether a watch is on: one word, so that a signal that
/// arrives while a watch begins or ends comes either before or after.
///
/// Some programs send a signal twice at once: `timeout` signals its process and then its process group, and programs
/// pass on the Ctrl-C that the terminal has sent to all processes. Signals of a tenth of a second are a single request.
///
/// Threads: any. Safe in a signal handler.
struct EndRequests: ~Copyable, Sendable {
    /// The place of a request among the requests since a watch began.
    enum Order {
        case first
        /// The first request once more.
        case echo
        case later
    }

    /// Time from the first request in which further signals are the same request.
    private static let echoMilliseconds: Int64 = 100
    /// The time of the first request in milliseconds, shifted by a bit, and `watched` during a watch. No time, which is
    /// 0, means no request.
    private let word = Atomic<Int64>(0)
    private static let watched: Int64 = 1

    /// Begins a watch, or its next part: the next request is the first.
    borrowing func beginWatch() { word.store(Self.watched, ordering: .sequentiallyConsistent) }

    /// Ends the watch.
    borrowing func endWatch() { word.bitwiseAnd(~Self.watched, ordering: .sequentiallyConsistent) }

    var isWatched: Bool { word.load(ordering: .sequentiallyConsistent) & Self.watched != 0 }

    /// True if there were requests since a watch began.
    var isRequested: Bool { word.load(ordering: .sequentiallyConsistent) & ~Self.watched != 0 }

    /// Adds a request.
    ///
    /// - Parameter time: The time in milliseconds by a clock that is never set back, from 1.
    /// - Returns: The request's order since a watch began, and true during a watch.
    borrowing func add(at time: Int64) -> (order: Order, isWatched: Bool) {
        var before = word.load(ordering: .sequentiallyConsistent)
        while before & ~Self.watched == 0 {
            let (isExchanged, now) = word.compareExchange(
                expected: before, desired: time << 1 | before, ordering: .sequentiallyConsistent)
            if isExchanged { return (.first, before & Self.watched != 0) }
            before = now
        }
        return (time - before >> 1 < Self.echoMilliseconds ? .echo : .later, before & Self.watched != 0)
    }
}
