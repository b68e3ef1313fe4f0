package import Files
internal import Realtime

/// Fetches files, several at a time.
///
///     let queue = TransferQueue(TransferSettings(userAgent: "player/1.0"))
///     let request = TransferRequest(try WebAddress("https://example.org/blue.flac"), to: "/music/blue.flac")
///     let file = try await queue.fetch(request)
///
/// A broken transfer goes on where it stopped, but only if the server still has the same file. The fetched file appears under its name
/// as a whole, and on the disk, before `finished` is told. A kill or a loss of power at any moment leaves a part from which a later
/// transfer goes on, or the whole file.
///
/// All transfers share one thread, which exists while there are any. Releasing the queue cancels its transfers, and keeps their parts.
/// Threads: any. Real-time safe: no.
public final class TransferQueue: Sendable {
    private let core: QueueCore

    /// A queue without transfers.
    public init(_ settings: TransferSettings) { core = QueueCore(settings, TransferHooks()) }

    package init(_ settings: TransferSettings, hooks: TransferHooks) { core = QueueCore(settings, hooks) }

    deinit { core.beginClosing() }

    /// Adds a transfer, which begins when its turn comes.
    ///
    /// - Throws: A `TransferError` if libcurl is missing, the request cannot be one, or the queue is closed. What goes wrong later is
    ///   told by events.
    @discardableResult
    public func add(_ request: TransferRequest) throws(TransferError) -> Transfer { try core.add(request) }

    /// Adds a transfer and waits for its end. If the task is cancelled, so is the transfer; its part is kept.
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

    /// The events of all transfers from now on, in the same order for every reader. Each call makes a stream of its own.
    public var events: AsyncStream<TransferEvent> { core.events.stream }

    /// Calls `observer` with every event from now on, on the thread of the network; it must return at once.
    package func observe(_ observer: @escaping @Sendable (TransferEvent) -> Void) { core.events.observe(observer) }

    /// Pauses all transfers.
    public func pauseAll() { core.post(.pause(nil)) }
    /// Resumes all paused transfers.
    public func resumeAll() { core.post(.resume(nil)) }
    /// Cancels all transfers.
    public func cancelAll(discarding: Bool = false) { core.post(.cancel(nil, discarding: discarding)) }

    /// Cancels all transfers, keeps their parts, and waits until their last events have been told and their parts are closed. Takes no
    /// more transfers.
    public func close() async {
        core.beginClosing()
        await withCheckedContinuation { continuation in core.whenIdle { continuation.resume() } }
    }

    /// The same, for a thread that may wait, which is none of the concurrency pool's.
    package func closeAndWait() {
        core.beginClosing()
        core.waitUntilIdle()
    }
}

/// What tests replace.
package struct TransferHooks: Sendable {
    package var calls: any FileCalls = SystemFileCalls()
    /// The seed of the random part of waits; nil for a new one.
    package var seed: UInt64?
    /// The time between two moments at which received bytes are put on the disk, in seconds.
    package var noteSeconds = 1.0
    /// The longest time for which the network's thread waits, in seconds.
    package var idleSeconds = 60.0

    package init() {}
}
