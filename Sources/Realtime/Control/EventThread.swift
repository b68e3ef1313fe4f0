/// A thread that takes events one by one, in order. The work on an event then waits for nothing but the thread: a
/// program may keep every thread of Swift's pool busy.
///
/// Threads: any. Real-time safe: no.
package final class EventThread<Event: Sendable>: Sendable {
    private let queue: Queue

    /// The treatment of an event without room.
    package enum Crowding: Sendable {
        /// The event waits all the same.
        case kept
        /// The event takes the place of the last waiting event.
        case replacesLast
        case dropped
    }

    /// Starts the thread; nil if the system has none left.
    ///
    /// - Parameters:
    ///   - name: The thread's name, up to 15 bytes.
    ///   - limit: Number of waiting events from which on `crowding` is asked.
    ///   - crowding: Returns the treatment of an event, given the last waiting event. Must return at once.
    package init?(
        name: String, limit: Int = .max,
        crowding: @escaping @Sendable (_ event: Event, _ last: Event) -> Crowding = { _, _ in .kept }
    ) {
        queue = Queue(limit: limit, crowding: crowding)
        guard let thread = PlainThread(name: name, { [queue] in queue.run() }) else { return nil }
        thread.detach()
    }

    /// Ends the thread after its last event.
    deinit { queue.finish() }

    /// Gives the thread its work; earlier events wait for the work. A second call has no effect.
    ///
    /// - Parameters:
    ///   - take: Takes an event, on the thread.
    ///   - end: Called after the last event, on the thread.
    package func start(_ take: @escaping @Sendable (Event) -> Void, end: @escaping @Sendable () -> Void) {
        queue.start(take, end: end)
    }

    /// Function that puts an event at the end of the queue, or ends the queue with nil; later events are dropped. The
    /// function returns at once, and does not keep the thread alive.
    package var put: @Sendable (Event?) -> Void {
        { [queue] event in if let event { queue.put(event) } else { queue.finish() } }
    }

    /// Returns the number of events without room since the last call, dropped or replaced.
    package func takeLost() -> Int { queue.takeLost() }

    private struct Work {
        let take: @Sendable (Event) -> Void
        let end: @Sendable () -> Void
    }

    private final class Queue: @unchecked Sendable {
        private let limit: Int
        private let crowding: @Sendable (Event, Event) -> Crowding
        private let lock = ConditionLock()
        // Guarded by the lock.
        private var events: [Event] = []
        private var lostCount = 0
        private var work: Work?
        private var isFinished = false

        init(limit: Int, crowding: @escaping @Sendable (Event, Event) -> Crowding) {
            (self.limit, self.crowding) = (limit, crowding)
        }

        func start(_ take: @escaping @Sendable (Event) -> Void, end: @escaping @Sendable () -> Void) {
            lock.withLock {
                guard work == nil else { return }
                work = Work(take: take, end: end)
                lock.wakeAll()
            }
        }

        func put(_ event: Event) {
            lock.withLock {
                guard !isFinished else { return }
                if events.count >= limit, let last = events.last {
                    let crowding = crowding(event, last)
                    if crowding != .kept { lostCount += 1 }
                    if crowding == .dropped { return }
                    if crowding == .replacesLast { events.removeLast() }
                }
                events.append(event)
                lock.wakeAll()
            }
        }

        func takeLost() -> Int {
            lock.withLock {
                defer { lostCount = 0 }
                return lostCount
            }
        }

        func finish() {
            lock.withLock {
                isFinished = true
                lock.wakeAll()
            }
        }

        func run() {
            while true {
                let (given, taken) = lock.withLock { () -> (Work?, [Event]) in
                    while !isFinished, work == nil || events.isEmpty { lock.wait() }
                    defer { events.removeAll(keepingCapacity: true) }
                    return (work, events)
                }
                // The queue was finished before any work was given.
                guard let given else { return }
                guard !taken.isEmpty else { return given.end() }
                for event in taken { given.take(event) }
            }
        }
    }
}
