// Refreshes several feeds at a time, so an unresponsive server delays no other feed.
import Files
import Glibc
import Synchronization
import Terminal
import WoodshedLibrary

/// Fetches feeds again, on its own threads.
final class FeedRefreshing: Sendable {
    private struct State {
        var turns: FeedTurns
        var done: [Result<FeedRefresh, any Error>] = []
        /// Number of feeds without a taken result.
        var left: Int
        /// Number of feeds that are being read.
        var readCount = 0
        /// The first error of the store, or the cancellation.
        var failure: (any Error)?
    }

    private let library: RecordingLibrary
    private let queue: TransferQueue
    private let state: Mutex<State>
    private let isCancelled = Atomic(false)
    /// Time limit for a feed, with its retry, in seconds.
    private let feedSeconds: Double

    /// Largest number of open connections. A silent server holds a connection until its timeout.
    private static let mostAtOnce = 64
    /// Largest number of feeds in memory.
    private static let mostRead = 8
    private static let pauseMicroseconds: UInt32 = 5000

    /// - Parameter answerSeconds: Timeout for a server's answer, and for the following silence or near silence.
    init(
        _ feeds: [Subscription], in library: RecordingLibrary, answerSeconds: Double = FeedRefreshing.answerSeconds
    ) {
        self.library = library
        feedSeconds = answerSeconds * Self.answersPerFeed
        queue = TransferQueue(Self.settings(answerSeconds: answerSeconds))
        state = Mutex(State(turns: FeedTurns(feeds), left: feeds.count))
        for _ in 0..<min(Self.mostAtOnce, feeds.count) { BlockingThread.start { [self] in work() } }
    }

    private static let answerSeconds = 10.0
    /// Time limit for a feed, in timeouts for an answer. The largest feed, of 32 MB, then needs 280 kB/s.
    private static let answersPerFeed = 12.0

    /// Settings for fetching feeds.
    static func settings(answerSeconds: Double = FeedRefreshing.answerSeconds) -> TransferSettings {
        var settings = TransferSettings(userAgent: "woodshed/\(CommandLineTool.version)")
        // A feed comes again tomorrow, so nobody waits a minute for a feed or for the rest of a feed.
        (settings.limit, settings.limitPerHost, settings.retries) = (mostAtOnce, FeedTurns.mostPerServer, 1)
        (settings.answerSeconds, settings.stallSeconds) = (answerSeconds, answerSeconds)
        // A server sending a byte now and then counts as silent.
        (settings.slowSeconds, settings.slowestBytesPerSecond) = (answerSeconds, 1000)
        // A server that demands a longer wait is asked again by the next refresh.
        settings.longestWaitSeconds = answerSeconds
        return settings
    }

    private func work() {
        // Without a next feed, every waiting feed belongs to a busy server, whose thread fetches the feed later.
        while let feed = state.withLock({ $0.turns.next() }) {
            var isRead = false
            let result = Result {
                try library.refresh(feed.number) {
                    let file = try fetch($0, of: feed)
                    beginReading()
                    isRead = true
                    return file
                }
            }
            state.withLock { state in
                state.readCount -= isRead ? 1 : 0
                state.turns.end(feed, error: try? result.get().error)
                state.done.append(result)
            }
        }
    }

    /// Waits until few enough feeds are in memory to read another.
    private func beginReading() {
        while true {
            let begins = state.withLock { state in
                guard state.readCount < Self.mostRead else { return false }
                state.readCount += 1
                return true
            }
            if begins { return }
            usleep(Self.pauseMicroseconds)
        }
    }

    /// Fetches the file of a feed within the time limit, unless the server is silent.
    private func fetch(_ request: TransferRequest, of feed: Subscription) throws -> FetchedFile {
        func timeout(_ cause: String) -> TransferError {
            TransferError(
                .timeout, "\(request.address.shown): \(cause)", remedy: "Try again later, or check the network.")
        }
        if state.withLock({ $0.turns.isSilent(feed) }) {
            throw timeout("the server did not answer for other feeds")
        }
        let end = MonotonicTime.seconds() + feedSeconds
        do throws(TransferError) {
            return try queue.fetchWaiting(request) {
                isCancelled.load(ordering: .relaxed) || MonotonicTime.seconds() > end
            }
        } catch {
            if error.kind == .cancelled, !isCancelled.load(ordering: .relaxed) {
                throw timeout("the server sends too slowly")
            }
            throw error
        }
    }

    /// True if the user or an error cancelled before all feeds were fetched.
    var isCut: Bool { isCancelled.load(ordering: .relaxed) }

    /// Returns the next fetched feed, in the order of the servers' answers; nil after the last feed.
    ///
    /// - Parameter isOver: Returns true once the user has ended the run.
    /// - Throws: The first error of the store, or the cancellation, after all threads are done and have removed their
    ///   partial files.
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

    /// Cancels the remaining feeds, and waits until no thread is at work.
    func end() {
        cancel()
        while (try? next { true }) != nil {}
        // Closing waits until the parts of cancelled transfers are removed.
        queue.closeAndWait()
    }

    private func cancel() {
        state.withLock { state in
            guard state.left > 0 else { return }
            isCancelled.store(true, ordering: .relaxed)
            state.left -= state.turns.count
            state.turns.removeAll()
        }
    }
}
