package import Files
internal import Realtime

/// Fetches files, several at a time.
///
///     let queue = TransferQueue(TransferSettings(userAgent: "player/1.0"))
///     let request = TransferRequest(try WebAddress("https://example.org/blue.flac"), to: "/music/blue.flac")
///     let file = try await queue.fetch(request)
///
/// A broken transfer continues at the break, but only if the server still has the same file. The fetched file appears
/// under its name as a whole, and is on the disk before `fetch` returns. A kill or a power loss at any moment
/// leaves either the whole file, or a part from which a later transfer continues.
///
/// All transfers share one network thread, which exists while there are transfers. Releasing the queue cancels its
/// transfers, and keeps their parts. Threads: any. Real-time safe: no.
public final class TransferQueue: Sendable {
    private let core: QueueCore

    /// Creates a queue without transfers.
    public init(_ settings: TransferSettings) { core = QueueCore(settings, TransferHooks()) }

    package init(_ settings: TransferSettings, hooks: TransferHooks) { core = QueueCore(settings, hooks) }

    deinit { core.beginClosing() }

    /// Adds a transfer, which begins at its turn.
    ///
    /// - Throws: A `TransferError` if libcurl is missing, the request is invalid, or the queue is closed. Events report
    ///   later failures.
    @discardableResult
    package func add(_ request: TransferRequest) throws(TransferError) -> Transfer { try core.add(request) }

    /// Adds a transfer and waits for its end. Cancelling the task cancels the transfer, and keeps its part.
    public func fetch(_ request: TransferRequest) async throws(TransferError) -> FetchedFile {
        let transfer = try core.add(request)
        let result = await withTaskCancellationHandler {
            do throws(TransferError) {
                return Result<FetchedFile, TransferError>.success(try await transfer.outcome)
            } catch {
                return .failure(error)
            }
        } onCancel: {
            transfer.cancel()
        }
        return try result.get()
    }

    /// Events of all transfers from now on, in the same order for every reader. Each call creates a separate stream.
    package var events: AsyncStream<TransferEvent> { core.events.stream }

    /// Calls `observer` with every event from now on, on the network thread. The observer must return at once.
    package func observe(_ observer: @escaping @Sendable (TransferEvent) -> Void) { core.events.observe(observer) }

    /// Pauses all transfers.
    package func pauseAll() { core.post(.pause(nil)) }
    /// Resumes all paused transfers.
    package func resumeAll() { core.post(.resume(nil)) }
    /// Cancels all transfers.
    package func cancelAll(discarding: Bool = false) { core.post(.cancel(nil, discarding: discarding)) }

    /// Cancels all transfers and keeps their parts. Waits until the last events are reported and the parts are closed.
    /// The queue accepts no further transfers.
    public func close() async {
        core.beginClosing()
        await withCheckedContinuation { continuation in core.whenIdle { continuation.resume() } }
    }

    /// Closes like `close`, but blocks the calling thread. Never call from the concurrency pool.
    package func closeAndWait() {
        core.beginClosing()
        core.waitUntilIdle()
    }
}

/// Hooks for tests.
package struct TransferHooks: Sendable {
    package var calls: any FileCalls = SystemFileCalls()
    /// Interval between two writes of received bytes to the disk, in seconds.
    package var noteSeconds = 1.0
    /// Longest wait of the network thread, in seconds.
    package var idleSeconds = 60.0

    package init() {}
}
