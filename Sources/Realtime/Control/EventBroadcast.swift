internal import Synchronization

/// Delivers events to all readers, each event once and in order.
///
/// Threads: any. Real-time safe: no.
package final class EventBroadcast<Event: Sendable>: Sendable {
    private typealias Reader = @Sendable (Event?) -> Void

    private struct Readers {
        /// Called with nil at the end; the list is nil after the end.
        var list: [(number: Int, take: Reader)]? = []
        var lastNumber = 0
    }

    private let readers = Mutex(Readers())

    /// Maximum number of unread events of a stream.
    package static var streamCapacity: Int { 1 << 20 }
    /// Maximum number of unread periodic events of a stream; the rest of a stream's room is for the other events.
    package static var periodicCapacity: Int { streamCapacity / 2 }
    private let lost = Atomic<Int64>(0)
    /// Nil if no event is periodic.
    private let isPeriodic: (@Sendable (Event) -> Bool)?

    private let observers = Mutex<[@Sendable (Event) -> Void]>([])

    /// - Parameter isPeriodic: Returns true for an event that comes many times a second, such as levels, and is out of
    ///   date with the next; nil if there are none.
    package init(isPeriodic: (@Sendable (Event) -> Bool)? = nil) { self.isPeriodic = isPeriodic }

    /// Calls `observer` with every event from now on, on the thread that calls `tell`, before any reader gets the
    /// event. The observer must return at once.
    package func observe(_ observer: @escaping @Sendable (Event) -> Void) { observers.withLock { $0.append(observer) } }

    /// Stream of all events from now on; a stream requested after the end ends at once.
    ///
    /// A program may hold a stream without reading it. A full stream drops its oldest event for each further event, so
    /// its memory is bounded, and the last events before the end are always there. A stream with many unread periodic
    /// events takes no further periodic event until some are read, so that the other events stay.
    package var stream: AsyncStream<Event> {
        guard let isPeriodic else { return makeStream { $0.take($1) } }
        let unread = Unread()
        let all = makeStream { continuation, event in
            let isOneMore = event.map(isPeriodic) ?? false
            if isOneMore, unread.count.load(ordering: .relaxed) >= Self.periodicCapacity, let event {
                return .dropped(event)
            }
            // Relaxed: only a counter. Before the event, so that no reader counts the event down first.
            if isOneMore { unread.count.add(1, ordering: .relaxed) }
            let result = continuation.take(event)
            if case .dropped(let event)? = result, isPeriodic(event) { unread.count.subtract(1, ordering: .relaxed) }
            return result
        }
        return AsyncStream(unfolding: {
            var iterator = all.makeAsyncIterator()
            let event = await iterator.next()
            if let event, isPeriodic(event) { unread.count.subtract(1, ordering: .relaxed) }
            return event
        })
    }

    /// The periodic events that wait in a stream.
    private final class Unread: Sendable {
        let count = Atomic(0)
    }

    /// Returns a stream that gets its events from `put`, which returns the fate of an event.
    private func makeStream(
        _ put:
            @escaping @Sendable (AsyncStream<Event>.Continuation, Event?) -> AsyncStream<Event>.Continuation
            .YieldResult?
    ) -> AsyncStream<Event> {
        AsyncStream(bufferingPolicy: .bufferingNewest(Self.streamCapacity)) { continuation in
            let number = add { [weak self] event in
                if case .dropped? = put(continuation, event) { self?.lost.add(1, ordering: .relaxed) }
            }
            // Without this, a stream that nobody reads any more would be kept, with its events.
            continuation.onTermination = { [weak self] _ in self?.remove(number) }
        }
    }

    /// Number of events dropped so far by full streams, over all streams.
    package var lostEvents: Int64 { lost.load(ordering: .relaxed) }

    /// Calls `reader` with every event from now on, and with nil at the end, on the threads that call `tell` and `end`.
    /// The reader must return at once.
    package func follow(_ reader: @escaping @Sendable (Event?) -> Void) { _ = add(reader) }

    /// Adds a reader, and returns the reader's number.
    private func add(_ reader: @escaping Reader) -> Int {
        let (number, isOver) = readers.withLock { readers in
            let number = readers.lastNumber + 1
            readers.lastNumber = number
            readers.list?.append((number: number, take: reader))
            return (number, readers.list == nil)
        }
        if isOver { reader(nil) }
        return number
    }

    private func remove(_ number: Int) {
        // Released outside the lock: releasing a reader may run code of its owner.
        _ = readers.withLock { readers -> Reader? in
            guard let index = readers.list?.firstIndex(where: { $0.number == number }) else { return nil }
            return readers.list?.remove(at: index).take
        }
    }

    /// True if a reader will get the next event.
    package var hasReaders: Bool { readers.withLock { $0.list?.isEmpty == false } }

    /// Delivers an event to all readers.
    package func tell(_ event: Event) {
        for observer in observers.withLock({ $0 }) { observer(event) }
        for reader in readers.withLock({ $0.list }) ?? [] { reader.take(event) }
    }

    /// Ends all streams; drops later events.
    package func end() {
        let list = readers.withLock { readers in
            defer { readers.list = nil }
            return readers.list
        }
        for reader in list ?? [] { reader.take(nil) }
    }
}

extension AsyncStream.Continuation where Element: Sendable {
    /// Puts an element into the stream, or ends the stream with nil. Returns the result of the element.
    @discardableResult
    package func take(_ element: Element?) -> YieldResult? {
        guard let element else {
            finish()
            return nil
        }
        return yield(element)
    }
}
