internal import Synchronization

/// Carries events to all who asked for them, each event once and in order.
final class News<Event: Sendable>: Sendable {
    /// Nil once nothing more is told.
    private let readers = Mutex<[AsyncStream<Event>.Continuation]?>([])

    /// Everything that is told from now on; over at once after the end.
    var stream: AsyncStream<Event> {
        AsyncStream { continuation in
            let isOver = readers.withLock { readers in
                readers?.append(continuation)
                return readers == nil
            }
            if isOver { continuation.finish() }
        }
    }

    func tell(_ event: Event) {
        for reader in readers.withLock({ $0 }) ?? [] { reader.yield(event) }
    }

    func end() {
        let readers = readers.withLock { readers in
            defer { readers = nil }
            return readers
        }
        for reader in readers ?? [] { reader.finish() }
    }
}
