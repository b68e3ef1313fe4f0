internal import CWoodshed
internal import Realtime
internal import Synchronization

/// What a request made.
enum RequestResult: Sendable {
    case nothing
    /// A new handle, which belongs to who takes the answer.
    case opened(HandleKind, UInt)
    case loudness(woodshed_loudness)
    case roundTrip(woodshed_round_trip)
    case comparison(woodshed_comparison)

    /// Closes what nobody will take.
    func discard() {
        guard case .opened(let kind, let number) = self else { return }
        Handles.close(number: number, kind)
    }
}

/// Work that a C program has requested. It is answered once: by the work, or by who cancels it.
final class Request: Sendable {
    typealias Work = @Sendable (Request) throws -> RequestResult

    private enum Phase { case waiting, working, answered }

    private struct State {
        var phase = Phase.waiting
        var stop: (@Sendable () -> Void)?
    }

    /// Above 0; no two of a process have the same.
    let number: Int64
    private let queue: EventQueue
    private let work: Work
    private let state = Mutex(State())
    private static let newest = Atomic<Int64>(0)

    private init(_ queue: EventQueue, _ work: @escaping Work) {
        number = Self.newest.add(1, ordering: .relaxed).newValue
        (self.queue, self.work) = (queue, work)
    }

    /// Makes a request whose answer goes to a listener, and gives it to the threads.
    ///
    /// - Parameter number: Receives its number, before an answer can come.
    static func make(
        _ listener: OpaquePointer?, _ number: UnsafeMutablePointer<Int64>?, _ work: @escaping Work
    ) throws {
        let queue = try (unsafe Handles.object(listener) as ListenerBox).queue
        let request = Request(queue, work)
        try queue.requests.add(request)
        let before = unsafe number?.pointee
        if let number = unsafe number { unsafe number.pointee = request.number }
        do { try RequestDesk.shared.add(request) } catch {
            queue.requests.remove(request)
            if let number = unsafe number, let before { unsafe number.pointee = before }
            throw error
        }
    }

    var isCancelled: Bool {
        state.withLock { $0.phase == .answered }
    }

    /// Calls `stop` when the request is cancelled; at once if it has been.
    func whenCancelled(_ stop: @escaping @Sendable () -> Void) {
        let isLate = state.withLock { state in
            if state.phase == .answered { return true }
            state.stop = stop
            return false
        }
        if isLate { stop() }
    }

    /// Does the work, unless it was cancelled before.
    ///
    /// - Returns: False if it was cancelled meanwhile.
    func run() -> Bool {
        let isWanted = state.withLock { state in
            guard state.phase == .waiting else { return false }
            state.phase = .working
            return true
        }
        guard isWanted else { return true }
        let answer = Result { try work(self) }
        let wasWanted = state.withLock { state in
            state.stop = nil
            guard state.phase == .working else { return false }
            state.phase = .answered
            give(answer)
            return true
        }
        if !wasWanted { try? answer.get().discard() }
        return wasWanted
    }

    /// Answers that it was cancelled, unless it is answered already.
    ///
    /// - Returns: False if it was answered before.
    @discardableResult
    func cancel() -> Bool {
        let (before, stop) = state.withLock { state in
            defer { (state.phase, state.stop) = (.answered, nil) }
            if state.phase != .answered { give(Self.cancelled) }
            return (state.phase, state.stop)
        }
        guard before != .answered else { return false }
        stop?()
        if before == .working { RequestDesk.shared.replaceWorker() }
        return true
    }

    private static var cancelled: Result<RequestResult, any Error> {
        .failure(ArgumentError("the request was cancelled", remedy: "Make it again.", status: .interrupted))
    }

    /// Puts the answer into the queue. With the state locked: whoever closes the queue cancels its requests first, and waits here, so that no answer
    /// comes after the end and is lost.
    private func give(_ answer: Result<RequestResult, any Error>) {
        queue.requests.remove(self)
        queue.put(QueuedEvent(answer: answer, to: number))
    }
}

/// The requests of a listener that are not answered yet.
final class RequestList: Sendable {
    /// Nil when no further one is taken.
    private let requests = Mutex<[Int64: Request]?>([:])

    func add(_ request: Request) throws(ArgumentError) {
        let isOpen = requests.withLock { requests in
            requests?[request.number] = request
            return requests != nil
        }
        guard isOpen else {
            throw ArgumentError("the engine of the listener is closed", remedy: "Use the listener of an open engine.")
        }
    }

    func remove(_ request: Request) { requests.withLock { $0?[request.number] = nil } }

    subscript(number: Int64) -> Request? { requests.withLock { $0?[number] } }

    /// Cancels all, and takes no further ones.
    func close() {
        let open = requests.withLock { requests in
            defer { requests = nil }
            return requests
        }
        for request in (open ?? [:]).values.sorted(by: { $0.number < $1.number }) { request.cancel() }
    }
}

/// The threads that work on requests: some at once, and the others wait in their order. A thread whose work was cancelled and does not
/// end is replaced, so that a file system that hangs stops nothing else.
final class RequestDesk: Sendable {
    static let shared = RequestDesk()

    /// Requests that may wait.
    private static let mostWaiting = 1024
    /// Threads at most, also of those that were replaced.
    private static let mostThreads = 64

    private struct State {
        var waiting: [Request] = []
        /// Requests of the front of `waiting` that were begun.
        var begun = 0
        /// Threads that take requests.
        var workers = 0
        /// Threads that there are.
        var threads = 0
    }

    private let state = Mutex(State())
    private let mostWorkers = min(8, max(2, SharedWork.processorCount))

    func add(_ request: Request) throws {
        let hasRoom = state.withLock { state in
            guard state.waiting.count - state.begun < Self.mostWaiting else { return false }
            state.waiting.append(request)
            return true
        }
        guard hasRoom else {
            throw ArgumentError(
                "\(Self.mostWaiting) requests wait already", remedy: "Wait for some answers.", status: .tryAgain)
        }
        guard startWorker() else {
            // If there is no thread at all, nobody would ever take it.
            let isLost = state.withLock { state in
                guard state.workers == 0, let last = state.waiting.last, last === request else { return false }
                state.waiting.removeLast()
                return true
            }
            if isLost {
                throw ArgumentError(
                    "the system made no thread", remedy: "End some programs, or raise the limit (ulimit -u).",
                    status: .tryAgain)
            }
            return
        }
    }

    /// The work of a thread was cancelled: another one takes its place.
    func replaceWorker() {
        state.withLock { $0.workers -= 1 }
        _ = startWorker()
    }

    /// Starts a thread if there is work for one.
    ///
    /// - Returns: False if the system made none.
    private func startWorker() -> Bool {
        let isNeeded = state.withLock { state in
            guard state.waiting.count > state.begun, state.workers < mostWorkers, state.threads < Self.mostThreads
            else { return false }
            (state.workers, state.threads) = (state.workers + 1, state.threads + 1)
            return true
        }
        guard isNeeded else { return true }
        guard let thread = PlainThread(name: "woodshed-request", { [self] in work() }) else {
            state.withLock { ($0.workers, $0.threads) = ($0.workers - 1, $0.threads - 1) }
            return false
        }
        thread.detach()
        return true
    }

    private func work() {
        while let request = next() {
            // Another thread has taken this one's place.
            guard request.run() else { break }
        }
        state.withLock { $0.threads -= 1 }
        // With so many threads that hang, none may have taken the place of this one.
        _ = startWorker()
    }

    /// The request that waits longest; nil if none does, and then this thread is no worker any more.
    private func next() -> Request? {
        state.withLock { state in
            guard state.begun < state.waiting.count else {
                state.workers -= 1
                return nil
            }
            let request = state.waiting[state.begun]
            state.begun += 1
            if state.begun >= 64 || state.begun == state.waiting.count {
                state.waiting.removeFirst(state.begun)
                state.begun = 0
            }
            return request
        }
    }
}
