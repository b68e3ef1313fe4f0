internal import Realtime
internal import RunLog
internal import Synchronization

/// A transfer in a `TransferQueue`: its state, its progress, and its control.
///
/// Threads: any. Real-time safe: no.
package final class Transfer: Sendable {
    /// Number of the transfer in its queue, from 1.
    package let id: Int
    /// The request.
    package let request: TransferRequest

    struct Shown {
        var state = TransferState.queued
        var progress = TransferProgress()
        var outcome: Result<FetchedFile, TransferError>?
        var waiting: [CheckedContinuation<Result<FetchedFile, TransferError>, Never>] = []
        // The end: either the file is named, or the transfer is given up. Only the first claim succeeds.
        var (isNamed, isGivenUp, isDiscarding) = (false, false, false)
    }

    private let shown = Mutex(Shown())
    private let broadcast = EventBroadcast<TransferEvent> { $0.isProgress }
    private let core: QueueCore

    init(id: Int, _ request: TransferRequest, _ core: QueueCore) {
        (self.id, self.request, self.core) = (id, request, core)
    }

    // MARK: What it does

    /// The state of the transfer.
    package var state: TransferState { shown.withLock { $0.state } }
    /// The progress of the transfer.
    package var progress: TransferProgress { shown.withLock { $0.progress } }
    /// Events of the transfer from now on. The stream ends with the last event. Each call creates a separate stream.
    package var events: AsyncStream<TransferEvent> { broadcast.stream }

    /// Result of the transfer; nil until the end.
    package var result: Result<FetchedFile, TransferError>? { shown.withLock { $0.outcome } }

    /// Waits for the end of the transfer, and returns the file.
    ///
    /// - Throws: The cause of the failure; an error of kind `cancelled` after `cancel`.
    package var outcome: FetchedFile {
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
    /// The connection stays open for as long as the server keeps it. Other transfers may begin meanwhile.
    package func pause() { core.post(.pause(id)) }

    /// Resumes the transfer when its turn comes.
    package func resume() { core.post(.resume(id)) }

    /// Cancels the transfer. The last event follows within 200 ms, however slow the server. A file already under its
    /// final name stays.
    ///
    /// - Parameter discarding: True if the received bytes are removed. If false, another transfer can continue from the
    ///   kept bytes.
    package func cancel(discarding: Bool = false) { core.post(.cancel(id, discarding: discarding)) }

    /// Changes the transfer's place among the waiting transfers.
    package func setPriority(_ priority: Int) { core.post(.priority(id, priority)) }

    // MARK: For the queue

    /// Claims the right to name the file; returns false if the transfer was given up before.
    func claimName() -> Bool {
        shown.withLock { shown in
            if shown.isNamed || shown.isGivenUp { return false }
            shown.isNamed = true
            return true
        }
    }

    /// Gives the transfer up; returns false if the file is already being named.
    func giveUp(discarding: Bool) -> Bool {
        shown.withLock { shown in
            if shown.isNamed || shown.isGivenUp { return false }
            (shown.isGivenUp, shown.isDiscarding) = (true, discarding)
            return true
        }
    }

    var isGivenUp: Bool { shown.withLock { $0.isGivenUp } }
    /// True if the transfer was given up, and its bytes are not wanted.
    var isDiscarding: Bool { shown.withLock { $0.isDiscarding } }

    /// Changes the state.
    func enter(_ state: TransferState) {
        shown.withLock { shown in
            assert(shown.state.next.contains(state), "a transfer goes from \(shown.state) to \(state)")
            shown.state = state
        }
    }

    func show(_ progress: TransferProgress) { shown.withLock { $0.progress = progress } }

    func tell(_ kind: TransferEvent.Kind) {
        if let level = kind.logLevel { RunLog.note(.net, level, "\(id): \(kind.logText)") }
        let event = TransferEvent(id: id, kind: kind)
        core.events.tell(event)
        broadcast.tell(event)
    }

    /// Reports the last event, and sets the result of the transfer.
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
