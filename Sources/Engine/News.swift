internal import Synchronization

/// Carries events to all who asked for them, each event once and in order.
final class News<Event: Sendable>: Sendable {
    private let readers = Mutex<[AsyncStream<Event>.Continuation]>([])

    /// Everything that is told from now on.
    var stream: AsyncStream<Event> {
        AsyncStream { continuation in readers.withLock { $0.append(continuation) } }
    }

    func tell(_ event: Event) {
        for reader in readers.withLock({ $0 }) { reader.yield(event) }
    }

    func end() {
        let readers = readers.withLock { readers in
            defer { readers = [] }
            return readers
        }
        for reader in readers { reader.finish() }
    }
}
