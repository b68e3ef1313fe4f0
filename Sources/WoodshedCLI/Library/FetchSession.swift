// A run of `woodshed get`, on the main thread: starts fetches, shows their progress and reports their results.
import Explanations
import Files
import JSON
import Library
import Terminal
import WoodshedLibrary

/// Fetches until all fetches are done, or the user or the system ends the run.
final class FetchSession: TerminalLoopDelegate {
    typealias Report = FetchEvent

    /// The end of a fetch, other than a cancellation by the user.
    private enum Outcome {
        case finished
        case failed(any ExplainedError)
        /// Removed from the list by another program.
        case left
    }

    private let fetcher: Fetcher
    private let list: FetchListWatch
    private let run: Run<FetchSession>
    private var lines: [Int: FetchLine] = [:]
    private var order: [Int] = []
    private var waiting: Set<Int>
    private var outcomes: [Outcome] = []
    private var pausedNumbers: Set<Int> = []

    /// Time limit for the end of cancelled fetches; nil before the cancellation.
    private var deadline: Int64?
    /// Timeout after a cancellation, in ns.
    private static let patience: Int64 = 10_000_000_000

    init(
        _ fetches: [PendingFetch], _ library: RecordingLibrary, _ options: FetchOptions, in run: Run<FetchSession>,
        followsList: Bool
    ) throws {
        self.run = run
        fetcher = Fetcher(
            library, options.settings, extractor: try options.program(), sizeLimit: options.sizeLimit.bytes ?? .max)
        list = FetchListWatch(library, fetcher, followsList: followsList)
        waiting = Set(fetches.map(\.number))
        let inbox = run.loop.inbox
        fetcher.observe { inbox.put($0) }
        for fetch in fetches { begin(fetch) }
    }

    private var loop: TerminalLoop<FetchSession> { run.loop }

    private func begin(_ fetch: PendingFetch) {
        waiting.insert(fetch.number)
        order.append(fetch.number)
        lines[fetch.number] = FetchLine(fetch)
    }

    /// Fetches to the end.
    ///
    /// - Throws: The error of a single fetch. For several fetches, a failure with its own status if some were not done.
    func fetch() throws {
        try loop.run(self, begin: start, conclude: conclude)
        // A signal may have come after `conclude`.
        if let ending = loop.ending { throw CommandFailure(ending) }
    }

    /// Starts all fetches. A fetch already removed from the list is abandoned at the first look at the list, and ends
    /// like any other.
    private func start() {
        for number in order { if let fetch = lines[number]?.fetch { fetcher.start(fetch) } }
    }

    private var failures: [any ExplainedError] {
        outcomes.compactMap { if case .failed(let error) = $0 { error } else { nil } }
    }

    private var finishedCount: Int { outcomes.count { if case .finished = $0 { true } else { false } } }

    private func conclude() throws {
        fetcher.close()
        take(loop.inbox.take())
        try run.conclude(words: closingWords)
        if let ending = loop.ending { throw CommandFailure(ending) }
        let failures = failures
        if order.count == 1, let failure = failures.first { throw failure }
        if !failures.isEmpty {
            throw CommandFailure(
                finishedCount > 0 ? .someFailed : failures.last?.exitStatus ?? .unavailable,
                "\(failures.count) of \(order.count) could not be fetched",
                remedy: "See the causes with: woodshed get --list")
        }
        let leftCount = outcomes.count - finishedCount
        if leftCount > 0 {
            throw CommandFailure(
                finishedCount > 0 ? .someFailed : .tryAgain,
                "another program has taken \(leftCount) of \(order.count) off the list",
                remedy: "See the list with: woodshed get --list")
        }
    }

    private func closingWords() -> [String] {
        guard let ending = loop.ending else {
            return finishedCount > 0 && !loop.messages.json ? ["next: woodshed practice @1"] : []
        }
        guard ending != .closedPipe, order.count > outcomes.count else { return [] }
        return ["stopped; the received parts are kept. Continue with: woodshed get"]
    }

    // MARK: The loop

    var isOver: Bool { waiting.isEmpty }
    var needsLooks: Bool { true }

    func answer(_ key: KeyBytes.Key) {
        switch KeyName(key)?.description {
        case "space", "p": pausedNumbers.isEmpty ? pauseAll() : resumeAll()
        case "q": loop.end(.success)
        default: break
        }
    }

    private func pauseAll() {
        pausedNumbers = waiting
        for number in waiting { fetcher.pause(number) }
    }

    private func resumeAll() {
        for number in pausedNumbers { fetcher.resume(number) }
        pausedNumbers = []
    }

    func look(now: Int64) {
        if let deadline, now > deadline { loop.abandon(["a fetch does not end; the received part is kept"]) }
        guard loop.ending == nil else { return }
        let listed = list.look(now: now) { waiting.compactMap { lines[$0]?.fetch } }
        for fetch in listed where lines[fetch.number] == nil {
            begin(fetch)
            fetcher.start(fetch)
        }
    }

    func beginEnding() {
        deadline = MonotonicTime.now() + Self.patience
        fetcher.cancelAll()
    }

    func lines(_ size: TerminalSize) -> [String] {
        order.filter(waiting.contains).compactMap { lines[$0] }.filter(\.hasBegun).prefix(max(1, size.rows - 2)).map {
            $0.line(columns: size.columns, glyphs: loop.traits.glyphs)
        }
    }

    // MARK: Events

    func take(_ reports: [FetchEvent]) {
        for event in reports {
            if loop.messages.json { loop.write(event.json.text + "\n") }
            let isRemoved = list.hasRemoved(event.number)
            let words = lines[event.number]?.take(event, isDrawn: loop.drawsNow, isRemoved: isRemoved) ?? []
            if !loop.messages.json { loop.say(words) }
            guard event.isLast, waiting.remove(event.number) != nil else { continue }
            switch event.kind {
            case .finished: outcomes.append(.finished)
            case .failed(let error as TransferError, _) where list.followsList && error.kind == .heldByOther:
                // The user asked for the rest of the list, and another program brings this recording.
                if let fetch = lines[event.number]?.fetch, !loop.messages.json {
                    loop.say(["another program is fetching it: \(fetch.shownName)"])
                }
            case .failed(let error, _):
                outcomes.append(.failed(error))
                // The error of a single fetch is reported at the end of the run.
                if order.count > 1, !loop.messages.json {
                    loop.say([error.message] + (error.remedy.isEmpty ? [] : [error.remedy]), evenQuiet: true)
                }
            case .cancelled where isRemoved:
                outcomes.append(.left)
                // Another fetch may have the same number by now.
                lines[event.number] = nil
                list.forget(event.number)
            default: break
            }
        }
    }
}
