internal import Synchronization

/// Delivers events to all readers, each event once and in order.
///
/// Threads: any. Real-time safe: no.
package final class EventBroadcast<Event: Sendable>: Sendable {
    /// Nil after the end.
    private let readers = Mutex<[AsyncStream<Event>.Continuation]?>([])

    private let observers = Mutex<[@Sendable (Event) -> Void]>([])

    package init() {}

    /// Calls `observer` with every event from now on, on the thread that tells it and before any reader gets it. It must return at once.
    package func observe(_ observer: @escaping @Sendable (Event) -> Void) { observers.withLock { $0.append(observer) } }

    /// Events from now on; a stream requested after the end ends at once.
    package var stream: AsyncStream<Event> {
        AsyncStream { continuation in
            let isOver = readers.withLock { readers in
                readers?.append(continuation)
                return readers == nil
            }
            if isOver { continuation.finish() }
        }
    }

    /// Delivers an event to all readers.
    package func tell(_ event: Event) {
        for observer in observers.withLock({ $0 }) { observer(event) }
        for reader in readers.withLock({ $0 }) ?? [] { reader.yield(event) }
    }

    /// Ends all streams; later events are dropped.
    package func end() {
        let readers = readers.withLock { readers in
            defer { readers = nil }
            return readers
        }
        for reader in readers ?? [] { reader.finish() }
    }
}
