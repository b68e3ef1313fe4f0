internal import Synchronization

/// Carries events to all who asked for them, each event once and in order.
///
/// Threads: any. Real-time safe: no.
package final class EventBroadcast<Event: Sendable>: Sendable {
    /// Nil once nothing more is told.
    private let readers = Mutex<[AsyncStream<Event>.Continuation]?>([])

    package init() {}

    /// Everything that is told from now on; over at once after the end.
    package var stream: AsyncStream<Event> {
        AsyncStream { continuation in
            let isOver = readers.withLock { readers in
                readers?.append(continuation)
                return readers == nil
            }
            if isOver { continuation.finish() }
        }
    }

    /// Hands an event to everybody who reads.
    package func tell(_ event: Event) {
        for reader in readers.withLock({ $0 }) ?? [] { reader.yield(event) }
    }

    /// Ends all streams; nothing is told any more.
    package func end() {
        let readers = readers.withLock { readers in
            defer { readers = nil }
            return readers
        }
        for reader in readers ?? [] { reader.finish() }
    }
}
