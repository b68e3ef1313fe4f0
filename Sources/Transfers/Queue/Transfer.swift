internal import Realtime
internal import RunLog
internal import Synchronization

/// A transfer in a `TransferQueue`: its state, its progress, and its control.
///
/// Threads: any. Real-time safe: no.
public final class Transfer: Sendable {
    /// Its number in its queue, from 1 on.
    public let id: Int
    /// What is fetched.
    public let request: TransferRequest

    struct Shown {
        var state = TransferState.queued
        var progress = TransferProgress()
        var outcome: Result<FetchedFile, TransferError>?
        var waiting: [CheckedContinuation<Result<FetchedFile, TransferError>, Never>] = []
    }

    private let shown = Mutex(Shown())
    private let broadcast = EventBroadcast<TransferEvent>()
    private let core: QueueCore
    /// Who decides the end: the one that names the file, or the one that gives the transfer up. Only one of them can.
    private let claim = Atomic<Int>(Claim.open)
    private let discards = Atomic<Bool>(false)

    private enum Claim {
        static let (open, named, givenUp) = (0, 1, 2)
    }

    init(id: Int, _ request: TransferRequest, _ core: QueueCore) {
        (self.id, self.request, self.core) = (id, request, core)
    }

    // MARK: What it does

    /// The state of the transfer.
    public var state: TransferState { shown.withLock { $0.state } }
    /// The progress of the transfer.
    public var progress: TransferProgress { shown.withLock { $0.progress } }
    /// Its events from now on; the stream ends with its last event. Each call makes a stream of its own.
    public var events: AsyncStream<TransferEvent> { broadcast.stream }

    /// What it has ended with; nil until then.
    package var result: Result<FetchedFile, TransferError>? { shown.withLock { $0.outcome } }

    /// Waits for the end of the transfer, and returns the file.
    ///
    /// - Throws: Why there is no file; an error of kind `cancelled` after `cancel`.
    public var outcome: FetchedFile {
        get async throws(TransferError) {
            let result = await withCheckedContinuation { continuation in
                let known = shown.withLock { shown in
                    if shown.outcome == nil { shown.waiting.append(continuation) }
                    return shown.outcome
                }
                if let known { continuation.resume(returning: known) }
            }
            return try result.get()
        }
    }

    // MARK: Steering

    /// Pauses the transfer. Has no effect once the file is complete.
    ///
    /// The connection stays for as long as the server keeps it; other transfers may begin meanwhile.
    public func pause() { core.post(.pause(id)) }

    /// Resumes the transfer when its turn comes.
    public func resume() { core.post(.resume(id)) }

    /// Cancels the transfer. The last event follows within 200 ms, whatever the server does. A file that has its name already stays.
    ///
    /// - Parameter discarding: whether the received bytes are removed; if not, another transfer can continue from them.
    public func cancel(discarding: Bool = false) { core.post(.cancel(id, discarding: discarding)) }

    /// Changes its place among those that wait.
    public func setPriority(_ priority: Int) { core.post(.priority(id, priority)) }

    // MARK: For the queue

    /// Lets the file get its name; false if the transfer was given up before.
    func claimName() -> Bool {
        claim.compareExchange(expected: Claim.open, desired: Claim.named, ordering: .acquiringAndReleasing).exchanged
    }

    /// Gives the transfer up; false if the file is getting its name.
    func giveUp(discarding: Bool) -> Bool {
        discards.store(discarding, ordering: .releasing)
        return claim.compareExchange(
            expected: Claim.open, desired: Claim.givenUp, ordering: .acquiringAndReleasing
        ).exchanged
    }

    var isGivenUp: Bool { claim.load(ordering: .acquiring) == Claim.givenUp }
    var isDiscarding: Bool { isGivenUp && discards.load(ordering: .acquiring) }

    func show(_ state: TransferState) { shown.withLock { $0.state = state } }
    func show(_ progress: TransferProgress) { shown.withLock { $0.progress = progress } }

    func tell(_ kind: TransferEvent.Kind) {
        if let level = kind.logLevel { RunLog.note(.net, level, "\(id): \(kind.logText)") }
        let event = TransferEvent(id: id, kind: kind)
        core.events.tell(event)
        broadcast.tell(event)
    }

    /// Tells the last event, and what the transfer ends with.
    func end(_ result: Result<FetchedFile, TransferError>, _ kind: TransferEvent.Kind) {
        let waiting = shown.withLock { shown in
            shown.outcome = result
            defer { shown.waiting = [] }
            return shown.waiting
        }
        tell(kind)
        broadcast.end()
        for continuation in waiting { continuation.resume(returning: result) }
    }
}
