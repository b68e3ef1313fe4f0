// Several feeds at a time, so that one server that does not answer holds up no other.
import Glibc
import Synchronization
import Terminal
import Woodshed

/// Fetches feeds again, on threads of its own.
final class FeedRefreshing: Sendable {
    private struct State {
        var waiting: ArraySlice<Subscription>
        var done: [Result<FeedRefresh, any Error>] = []
        /// Feeds whose results were not taken yet.
        var left: Int
        /// The first error of the store, or the cancellation.
        var failure: (any Error)?
    }

    private let library: RecordingLibrary
    private let queue: TransferQueue
    private let state: Mutex<State>
    private let isCancelled = Atomic(false)

    private static let mostAtOnce = 8
    private static let pauseMicroseconds: UInt32 = 5000

    /// - Parameter answerSeconds: How long a server may take to answer, and may send nothing or hardly anything after that.
    init(
        _ feeds: [Subscription], in library: RecordingLibrary, answerSeconds: Double = FeedRefreshing.answerSeconds
    ) {
        self.library = library
        queue = TransferQueue(Self.settings(answerSeconds: answerSeconds))
        state = Mutex(State(waiting: feeds[...], left: feeds.count))
        for _ in 0..<min(Self.mostAtOnce, feeds.count) { BlockingThread.start { [self] in work() } }
    }

    private static let answerSeconds = 10.0

    /// How feeds are fetched.
    static func settings(answerSeconds: Double = FeedRefreshing.answerSeconds) -> TransferSettings {
        var settings = TransferSettings(userAgent: "woodshed/\(CommandLineTool.version)")
        // A feed comes again tomorrow; nobody waits for a minute for it, nor for the rest of one that has begun.
        (settings.limit, settings.retries) = (mostAtOnce, 1)
        (settings.answerSeconds, settings.stallSeconds) = (answerSeconds, answerSeconds)
        // A server that sends a byte now and then is as good as silent.
        settings.slowSeconds = answerSeconds
        return settings
    }

    private func work() {
        while let feed = state.withLock({ $0.waiting.popFirst() }) {
            let result = Result {
                try library.refresh(feed.number, with: queue) { isCancelled.load(ordering: .relaxed) }
            }
            state.withLock { $0.done.append(result) }
        }
    }

    /// Whether it was ended before all feeds were fetched.
    var isCut: Bool { isCancelled.load(ordering: .relaxed) }

    /// The next feed that was fetched, in the order in which the servers answer; nil after the last one.
    ///
    /// - Parameter isOver: Whether the user has ended the run.
    /// - Throws: The first error of the store, or the cancellation, when no thread is at work any more: each removes what it has fetched.
    func next(isOver: () -> Bool) throws -> FeedRefresh? {
        while state.withLock({ $0.left > 0 }) {
            let result = state.withLock { state -> Result<FeedRefresh, any Error>? in
                guard !state.done.isEmpty else { return nil }
                state.left -= 1
                return state.done.removeFirst()
            }
            switch result {
            case .success(let refresh): return refresh
            case .failure(let error):
                state.withLock { $0.failure = $0.failure ?? error }
                cancel()
            case nil:
                if isOver() { cancel() }
                usleep(Self.pauseMicroseconds)
            }
        }
        if let failure = state.withLock({ $0.failure }) { throw failure }
        return nil
    }

    /// Gives up what is left, and waits until no thread is at work.
    func end() {
        cancel()
        while (try? next { true }) != nil {}
        // The parts of cancelled transfers are removed by then.
        queue.closeAndWait()
    }

    private func cancel() {
        state.withLock { state in
            guard state.left > 0 else { return }
            isCancelled.store(true, ordering: .relaxed)
            state.left -= state.waiting.count
            state.waiting = []
        }
    }
}
