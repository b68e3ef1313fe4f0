internal import CWoodshed
internal import Explanations
internal import Files
internal import Glibc
internal import Realtime
internal import Synchronization

/// The listeners of an engine.
final class EventHub: Sendable {
    /// Nil once the engine is closed.
    private let queues = Mutex<[EventQueue]?>([])

    /// Adds a queue. If the engine is closed, the queue ends at once.
    func add(_ queue: EventQueue) {
        let isOpen = queues.withLock { queues in
            queues?.append(queue)
            return queues != nil
        }
        if !isOpen { Self.end(queue) }
    }

    /// Ends a queue, and refuses requests that would get no answer any more.
    private static func end(_ queue: EventQueue) {
        queue.requests.close()
        queue.finish()
    }

    /// Removes a queue; after the return, no further event reaches the queue.
    func remove(_ queue: EventQueue) { queues.withLock { $0?.removeAll { $0 === queue } } }

    func tell(_ event: QueuedEvent) {
        queues.withLock { queues in
            for queue in queues ?? [] { queue.put(event) }
        }
    }

    /// Counts events that were lost on the way to the queues. The next event reports the number.
    func noteLost(_ count: Int) {
        guard count > 0 else { return }
        queues.withLock { queues in
            for queue in queues ?? [] { queue.noteLost(count) }
        }
    }

    func close() {
        let queues = queues.withLock { queues in
            defer { queues = nil }
            return queues
        }
        for queue in queues ?? [] { Self.end(queue) }
    }
}

/// Queue of events for a C program, with a single consumer thread.
@safe
final class EventQueue: @unchecked Sendable {
    /// Requests with answers that arrive in this queue.
    let requests = RequestList()
    private let capacity: Int
    private let lock = ConditionLock()
    // Guarded by the lock.
    private var events: [QueuedEvent] = []
    /// Number of events at the front of `events` that the consumer has taken.
    private var taken = 0
    private var lost: Int64 = 0
    private var isFinished = false
    private var isEndTold = false
    /// Readable while the queue has an event to take; created at the first call of `descriptor()`.
    private var pipe: WakePipe?
    /// The most recently taken event. Threads: only the consumer of events.
    let shown = ShownEvent()
    /// Constant events for "no event" and "closed", which stay valid after the end of the queue.
    nonisolated(unsafe) private static let none = unsafe constant(WOODSHED_EVENT_NONE)
    nonisolated(unsafe) private static let closed = unsafe constant(WOODSHED_EVENT_CLOSED)
    /// Kinds that always have room, because a program may wait for these events. Their number has a bound: a single
    /// event for each request, each take and each end of a player or a session. The program has asked for all of these.
    private static let kept = Set(
        [
            WOODSHED_EVENT_ANSWER, WOODSHED_EVENT_FINISHED, WOODSHED_EVENT_TAKE_STOPPED, WOODSHED_EVENT_TAKE_FAILED,
            WOODSHED_EVENT_INPUT_ENDED, WOODSHED_EVENT_SESSION_COMPLETED, WOODSHED_EVENT_SESSION_STOPPED,
            WOODSHED_EVENT_SESSION_TAKE_ENDED, WOODSHED_EVENT_SESSION_TAKE_DROPPED, WOODSHED_EVENT_SESSION_TAKE_FAILED,
            WOODSHED_EVENT_SESSION_TAKE_UNLISTED,
        ].map { Int32($0.rawValue) })

    init(capacity: Int) { self.capacity = capacity }

    deinit {
        for event in events.dropFirst(taken) { event.result.discard() }
        pipe?.closeBoth()
    }

    private static func constant(_ kind: woodshed_event_kind) -> UnsafePointer<woodshed_event> {
        let event = UnsafeMutablePointer<woodshed_event>.allocate(capacity: 1)
        unsafe event.initialize(to: QueuedEvent(kind).event)
        return unsafe UnsafePointer(event)
    }

    /// Appends an event to the queue. If the queue is full, counts the event as lost.
    func put(_ event: QueuedEvent) {
        lock.withLock {
            guard !isFinished else { return event.result.discard() }
            let isKept = unsafe Self.kept.contains(event.event.kind)
            guard isKept || events.count - taken < capacity else { return lost += 1 }
            var event = event
            unsafe event.event.events_lost = lost
            lost = 0
            events.append(event)
            wake()
        }
    }

    /// Counts events as lost, without an event.
    func noteLost(_ count: Int) { lock.withLock { lost += Int64(count) } }

    /// Ends the queue: no further event follows.
    ///
    /// - Parameter tellsLoss: True if the end event reports the number of events lost since the last event. False at
    ///   the close of the listener.
    func finish(tellsLoss: Bool = true) {
        lock.withLock {
            isFinished = true
            if !tellsLoss { lost = 0 }
            wake()
        }
    }

    private func wake() {
        lock.wakeAll()
        pipe?.wake()
    }

    /// Returns a file descriptor that is readable while the queue has events.
    func descriptor() throws(ArgumentError) -> Int32 {
        let made = lock.withLock { () -> Result<WakePipe, WakePipeError> in
            Result { () throws(WakePipeError) in
                if let pipe { return pipe }
                let made = try WakePipe()
                pipe = made
                if events.count > taken || isFinished && !isEndTold { made.wake() }
                return made
            }
        }
        do throws(WakePipeError) {
            return try made.get().readEnd
        } catch {
            throw ArgumentError(error.message, remedy: error.remedy, status: error.exitStatus)
        }
    }

    /// Returns the next event, valid until the next call. The end comes once; every later call returns "no event" at
    /// once.
    ///
    /// - Parameter seconds: Timeout in seconds; below 0 for no timeout.
    func next(seconds: Double) -> UnsafePointer<woodshed_event> {
        let end = Deadline(seconds: seconds)
        var isEnd = false
        let event = lock.withLock { () -> QueuedEvent? in
            while events.count == taken, !isFinished {
                guard let left = end.millisecondsLeft else {
                    lock.wait()
                    continue
                }
                guard left > 0 else { return nil }
                lock.wait(milliseconds: left)
            }
            if events.count == taken {
                isEnd = !isEndTold
                return isEnd ? tellEnd() : nil
            }
            defer { drop() }
            return events[taken]
        }
        guard let event else { return unsafe isEnd ? Self.closed : Self.none }
        shown.show(event)
        return unsafe UnsafePointer(shown.event)
    }

    /// Closes the handles in the most recently taken event, if the event reached no consumer.
    func discardCurrent() { shown.discard() }

    /// Reports the end. The caller holds the lock.
    ///
    /// - Returns: An end event with the number of lost events; nil if no event was lost.
    private func tellEnd() -> QueuedEvent? {
        isEndTold = true
        drain()
        guard lost > 0 else { return nil }
        var event = QueuedEvent(WOODSHED_EVENT_CLOSED)
        unsafe event.event.events_lost = lost
        return event
    }

    private func drain() { while pipe?.drain().isEmpty == false {} }

    /// Removes the event at the front. The caller holds the lock.
    private func drop() {
        taken += 1
        if taken == events.count {
            events.removeAll(keepingCapacity: true)
            taken = 0
            // After `finish()`, the pipe stays readable until the end is reported.
            if !isFinished { drain() }
        } else if taken >= 1024 {
            events.removeFirst(taken)
            taken = 0
        }
    }
}

/// An event in the form of the header, with the memory behind its pointers. The consumer thread retains this object as
/// well as the queue, because another thread may close the listener while the consumer reads the event.
@safe
final class ShownEvent: @unchecked Sendable {
    // Unchecked because of the memory, which only the consumer thread changes.
    let event: UnsafeMutablePointer<woodshed_event>
    private let results: UnsafeMutablePointer<Results>
    /// The owner of the texts in `event`.
    private var texts: StructTexts?
    private var result = RequestResult.nothing

    private struct Results {
        var loudness = woodshed_loudness()
        var roundTrip = woodshed_round_trip()
        var comparison = woodshed_comparison()
    }

    init() {
        unsafe results = .allocate(capacity: 1)
        unsafe results.initialize(to: Results())
        unsafe event = .allocate(capacity: 1)
        unsafe event.initialize(to: woodshed_event())
    }

    deinit {
        unsafe event.deallocate()
        unsafe results.deallocate()
    }

    func show(_ queued: QueuedEvent) {
        unsafe event.pointee = queued.event
        (texts, result) = (queued.texts, queued.result)
        switch result {
        case .nothing: break
        case .opened(.clip, let number): unsafe event.pointee.data.answer.clip = OpaquePointer(bitPattern: number)
        case .opened(_, let number): unsafe event.pointee.data.answer.waveform = OpaquePointer(bitPattern: number)
        case .loudness(let loudness):
            unsafe results.pointee.loudness = loudness
            unsafe event.pointee.data.answer.loudness = unsafe place(of: \.loudness)
        case .roundTrip(let trip):
            unsafe results.pointee.roundTrip = trip
            unsafe event.pointee.data.answer.round_trip = unsafe place(of: \.roundTrip)
        case .comparison(let comparison):
            unsafe results.pointee.comparison = comparison
            unsafe event.pointee.data.answer.comparison = unsafe place(of: \.comparison)
        }
    }

    /// Closes the handle in the event.
    func discard() {
        result.discard()
        result = .nothing
    }

    private func place<Value>(of result: KeyPath<Results, Value>) -> UnsafePointer<Value>? {
        guard let offset = MemoryLayout<Results>.offset(of: result) else { return nil }
        return unsafe UnsafePointer((UnsafeRawPointer(results) + offset).assumingMemoryBound(to: Value.self))
    }
}

/// End of a wait.
private struct Deadline {
    /// Nil for never.
    let instant: ContinuousClock.Instant?

    /// Below 0 for never.
    init(seconds: Double) { instant = seconds >= 0 ? .now + .seconds(min(seconds, 1e9)) : nil }

    /// Remaining milliseconds, rounded up and at most an hour, so that any clock can wait; nil without a deadline.
    var millisecondsLeft: Int? {
        guard let instant else { return nil }
        let left = ContinuousClock.now.duration(to: instant) / .milliseconds(1)
        return Int(min(max(0, left.rounded(.up)), 3_600_000))
    }
}
