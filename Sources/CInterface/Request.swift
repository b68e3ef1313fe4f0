internal import CWoodshed
internal import Realtime
internal import Synchronization

/// Result of a request.
enum RequestResult: Sendable {
    case nothing
    /// A new handle, owned by the taker of the answer.
    case opened(HandleKind, UInt)
    case loudness(woodshed_loudness)
    case roundTrip(woodshed_round_trip)
    case comparison(woodshed_comparison)

    /// Closes a handle without a taker.
    func discard() {
        guard case .opened(let kind, let number) = self else { return }
        Handles.close(number: number, kind)
    }
}

/// Work that a C program has requested. Each request gets a single answer, from the work or from the canceller.
final class Request: Sendable {
    typealias Work = @Sendable (Request) throws -> RequestResult

    private enum Phase { case waiting, working, answered }

    private struct State {
        var phase = Phase.waiting
        var stop: (@Sendable () -> Void)?
    }

    /// Number of the request, above 0 and unique within the process.
    let number: Int64
    private let queue: EventQueue
    private let work: Work
    private let state = Mutex(State())
    private static let newest = Atomic<Int64>(0)

    private init(_ queue: EventQueue, _ work: @escaping Work) {
        number = Self.newest.add(1, ordering: .relaxed).newValue
        (self.queue, self.work) = (queue, work)
    }

    /// Makes a request with its answer for a listener, and submits the request to the worker threads.
    ///
    /// - Parameter number: Receives the number of the request, before an answer can come.
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

    /// Calls `stop` at cancellation of the request, or at once if the request is cancelled already.
    func whenCancelled(_ stop: @escaping @Sendable () -> Void) {
        let isLate = state.withLock { state in
            if state.phase == .answered { return true }
            state.stop = stop
            return false
        }
        if isLate { stop() }
    }

    /// Does the work, unless cancellation came before.
    ///
    /// - Returns: False if the request was cancelled during the work.
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

    /// Answers with the error of a cancelled request, unless the request has its answer already.
    ///
    /// - Returns: False if the request had its answer already.
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
        .failure(ArgumentError("the request was cancelled", remedy: "Make the request again.", status: .interrupted))
    }

    /// Puts the answer into the queue. The caller holds the lock of the state. Closing the queue first cancels its
    /// requests and waits for this lock, so no answer arrives after the end and gets lost.
    private func give(_ answer: Result<RequestResult, any Error>) {
        queue.requests.remove(self)
        queue.put(QueuedEvent(answer: answer, to: number))
    }
}

/// The pending requests of a listener.
final class RequestList: Sendable {
    /// Nil once the list accepts no further request.
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

    /// Cancels all requests; later requests are refused.
    func close() {
        let open = requests.withLock { requests in
            defer { requests = nil }
            return requests
        }
        for request in (open ?? [:]).values.sorted(by: { $0.number < $1.number }) { request.cancel() }
    }
}

/// The worker threads for requests: a bounded number runs at once, and further requests wait in first-in, first-out
/// order. If cancelled work does not end, another thread replaces its thread, so a file system that hangs does not
/// block other requests.
final class RequestDesk: Sendable {
    static let shared = RequestDesk()

    /// Maximum number of waiting requests.
    private static let mostWaiting = 1024
    /// Maximum number of threads, including replaced threads.
    private static let mostThreads = 64

    private struct State {
        var waiting: [Request] = []
        /// Number of requests at the front of `waiting` that a thread has begun.
        var begun = 0
        /// Number of threads that take requests.
        var workers = 0
        /// Number of existing threads.
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
            // Without any worker, no thread would ever take the request.
            let isLost = state.withLock { state in
                guard state.workers == 0, let last = state.waiting.last, last === request else { return false }
                state.waiting.removeLast()
                return true
            }
            if isLost { throw ArgumentError.noThread }
            return
        }
    }

    /// Replaces a thread after the cancellation of its work.
    func replaceWorker() {
        state.withLock { $0.workers -= 1 }
        _ = startWorker()
    }

    /// Starts a thread if there is work for a further thread.
    ///
    /// - Returns: False if the system has no thread left.
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
            // Ends this thread, because another thread has replaced it.
            guard request.run() else { break }
        }
        state.withLock { $0.threads -= 1 }
        // With many hung threads, perhaps no thread could replace this thread at the cancellation.
        _ = startWorker()
    }

    /// Returns the request with the longest wait. If no request waits, returns nil, and this thread no longer counts as
    /// a worker.
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
