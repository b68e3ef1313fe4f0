public import CWoodshed
internal import Glibc
internal import Realtime
internal import Synchronization

/// A queue of events opened by a C program.
final class ListenerBox: Handled {
    static var kind: HandleKind { .listener }

    let queue: EventQueue
    /// Nil for a listener that receives only answers.
    private let hub: EventHub?
    private let calling = Mutex(Calling())

    private struct Calling {
        var caller: EventCaller?
        /// True once no callback may begin any more.
        var isClosed = false
    }

    private init(_ hub: EventHub?, capacity: Int) {
        (self.hub, queue) = (hub, EventQueue(capacity: capacity))
        hub?.add(queue)
    }

    /// Opens a queue with a handle.
    static func open(on hub: EventHub?, _ capacity: Int32) throws -> OpaquePointer {
        guard capacity == 0 || (16...1 << 20).contains(capacity) else {
            throw ArgumentError("the capacity is \(capacity)", remedy: "Pass 16 to 1048576, or 0.")
        }
        let made = ListenerBox(hub, capacity: capacity == 0 ? 4096 : Int(capacity))
        do { return try unsafe Handles.open(made) } catch {
            made.close()
            throw error
        }
    }

    func call(_ callback: @escaping woodshed_event_callback, _ context: UnsafeMutableRawPointer?) throws(ArgumentError)
    {
        try calling.withLock { (calling) throws(ArgumentError) in
            // Another thread can close the listener after the lookup of its handle.
            guard !calling.isClosed else {
                throw ArgumentError("the listener is closed", remedy: "Open another listener.")
            }
            guard calling.caller == nil else {
                throw ArgumentError("the listener has a callback already", remedy: "Open another listener.")
            }
            calling.caller = try unsafe EventCaller(queue, callback, context)
        }
    }

    var hasCallback: Bool { calling.withLock { $0.caller != nil } }

    func close() {
        hub?.remove(queue)
        queue.requests.close()
        queue.finish(tellsLoss: false)
        let caller = calling.withLock { calling in
            calling.isClosed = true
            return calling.caller
        }
        caller?.end()
    }
}

/// The thread that calls a C program with the events of a queue.
final class EventCaller: Sendable {
    private let state: State
    private let thread: PlainThread
    /// Wait-for graph: for each waiting thread, the callback thread that the waiting thread joins.
    private static let waits = Mutex<[UInt: UInt]>([:])

    private final class State: Sendable {
        // Both atomics are sequentially consistent: either the thread sees the end before its first call, or the ending
        // thread sees the thread.
        let isOver = Atomic(false)
        /// The thread; 0 before the thread runs.
        let thread = Atomic<UInt>(0)
    }

    init(
        _ queue: EventQueue, _ callback: @escaping woodshed_event_callback, _ context: UnsafeMutableRawPointer?
    ) throws(ArgumentError) {
        let state = State()
        let context = UInt(bitPattern: context)
        let started = PlainThread(name: "woodshed-events") {
            state.thread.store(UInt(pthread_self()), ordering: .sequentiallyConsistent)
            var isLast = false
            while !isLast, !state.isOver.load(ordering: .sequentiallyConsistent) {
                let event = unsafe queue.next(seconds: -1)
                let kind = unsafe event.pointee.kind
                isLast = kind == Int32(WOODSHED_EVENT_CLOSED.rawValue)
                // The queue reported its end before the callback existed.
                if kind == Int32(WOODSHED_EVENT_NONE.rawValue) { break }
                if state.isOver.load(ordering: .sequentiallyConsistent) {
                    // The end is not an event of the queue: the handles of the last event belong to the program.
                    if !isLast { queue.discardCurrent() }
                    break
                }
                unsafe callback(UnsafeMutableRawPointer(bitPattern: context), event)
            }
        }
        guard let started else { throw .noThread }
        (self.state, thread) = (state, started)
    }

    /// Stops the calls, and waits for a call in progress. Detaches instead of waiting if the caller is this callback,
    /// or if this callback itself waits for the caller.
    func end() {
        state.isOver.store(true, ordering: .sequentiallyConsistent)
        let (own, other) = (UInt(pthread_self()), state.thread.load(ordering: .sequentiallyConsistent))
        let isCircle = Self.waits.withLock { waits in
            var thread: UInt? = other
            while let next = thread, next != own { thread = waits[next] }
            if thread == nil { waits[own] = other }
            return thread != nil
        }
        if isCircle { return thread.detach() }
        thread.join()
        _ = Self.waits.withLock { $0.removeValue(forKey: own) }
    }
}

/// See woodshed.h.
@c @implementation
public func woodshed_listener_open(
    _ engine: OpaquePointer?, _ capacity: Int32, _ listener: UnsafeMutablePointer<OpaquePointer?>?
) -> woodshed_status {
    answer {
        try unsafe Argument.give(listener, "the place for the listener") {
            try unsafe ListenerBox.open(on: engine == nil ? nil : (Handles.object(engine) as EngineBox).hub, capacity)
        }
    }
}

/// See woodshed.h.
@c @implementation
public func woodshed_listener_open_recorder(
    _ recorder: OpaquePointer?, _ capacity: Int32, _ listener: UnsafeMutablePointer<OpaquePointer?>?
) -> woodshed_status {
    answer {
        try unsafe Argument.give(listener, "the place for the listener") {
            try unsafe ListenerBox.open(on: (Handles.object(recorder) as RecorderBox).hub, capacity)
        }
    }
}

/// See woodshed.h.
@c @implementation
public func woodshed_listener_next(
    _ listener: OpaquePointer?, _ seconds: Double, _ event: UnsafeMutablePointer<UnsafePointer<woodshed_event>?>?
) -> woodshed_status {
    answer {
        guard let event = unsafe event else { throw ArgumentError.missing("the place for the event") }
        unsafe event.pointee = nil
        let box: ListenerBox = try unsafe Handles.object(listener)
        guard !seconds.isNaN else {
            throw ArgumentError("the time is not a number", remedy: "Pass seconds, or a negative number.")
        }
        guard !box.hasCallback else {
            throw ArgumentError("the listener has a callback", remedy: "Open another listener.")
        }
        LastFailure.hold(box.queue.shown)
        unsafe event.pointee = box.queue.next(seconds: seconds)
    }
}

/// See woodshed.h.
@c @implementation
public func woodshed_listener_get_descriptor(
    _ listener: OpaquePointer?, _ descriptor: UnsafeMutablePointer<Int32>?
) -> woodshed_status {
    answer {
        guard let descriptor = unsafe descriptor else { throw ArgumentError.missing("the place for the descriptor") }
        unsafe descriptor.pointee = try (Handles.object(listener) as ListenerBox).queue.descriptor()
    }
}

/// See woodshed.h.
@c @implementation
public func woodshed_listener_set_callback(
    _ listener: OpaquePointer?, _ callback: woodshed_event_callback?, _ context: UnsafeMutableRawPointer?
) -> woodshed_status {
    answer {
        let box: ListenerBox = try unsafe Handles.object(listener)
        guard let callback = unsafe callback else { throw ArgumentError.missing("the callback") }
        try unsafe box.call(callback, context)
    }
}

/// See woodshed.h.
@c @implementation
public func woodshed_listener_close(_ listener: OpaquePointer?) -> woodshed_status {
    answer { try (unsafe Handles.close(listener) as ListenerBox?)?.close() }
}

/// See woodshed.h.
@c @implementation
public func woodshed_request_cancel(_ listener: OpaquePointer?, _ number: Int64) -> woodshed_status {
    answer {
        let box: ListenerBox = try unsafe Handles.object(listener)
        // The answer can come between the lookup and the cancellation.
        guard let request = box.queue.requests[number], request.cancel() else {
            throw ArgumentError(
                "the listener has no unanswered request \(number)", remedy: "Take the answer of the request.",
                status: .notFound)
        }
    }
}
