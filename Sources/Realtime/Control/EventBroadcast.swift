internal import Synchronization

/// Delivers events to all readers, each event once and in order.
///
/// Threads: any. Real-time safe: no.
package final class EventBroadcast<Event: Sendable>: Sendable {
    /// Called with nil at the end; the list is nil after the end.
    private let readers = Mutex<[@Sendable (Event?) -> Void]?>([])

    private let observers = Mutex<[@Sendable (Event) -> Void]>([])

    package init() {}

    /// Calls `observer` with every event from now on, on the thread that calls `tell`, before any reader gets the
    /// event. The observer must return at once.
    package func observe(_ observer: @escaping @Sendable (Event) -> Void) { observers.withLock { $0.append(observer) } }

    /// Stream of all events from now on; a stream requested after the end ends at once.
    package var stream: AsyncStream<Event> {
        AsyncStream { follow($0.take) }
    }

    /// Calls `reader` with every event from now on, and with nil at the end, on the threads that call `tell` and `end`.
    /// The reader must return at once.
    package func follow(_ reader: @escaping @Sendable (Event?) -> Void) {
        let isOver = readers.withLock { readers in
            readers?.append(reader)
            return readers == nil
        }
        if isOver { reader(nil) }
    }

    /// Delivers an event to all readers.
    package func tell(_ event: Event) {
        for observer in observers.withLock({ $0 }) { observer(event) }
        for reader in readers.withLock({ $0 }) ?? [] { reader(event) }
    }

    /// Ends all streams; drops later events.
    package func end() {
        let readers = readers.withLock { readers in
            defer { readers = nil }
            return readers
        }
        for reader in readers ?? [] { reader(nil) }
    }
}

extension AsyncStream.Continuation where Element: Sendable {
    /// Puts an element into the stream, or ends the stream with nil.
    package func take(_ element: Element?) {
        if let element { yield(element) } else { finish() }
    }
}
