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

    private let library: RecordingLibrary
    private let fetcher: Fetcher
    private let run: Run<FetchSession>
    /// True if the run also fetches addresses added to the list meanwhile.
    private let followsList: Bool
    private var lines: [Int: FetchLine] = [:]
    private var order: [Int] = []
    private var waiting: Set<Int>
    private var failures: [any ExplainedError] = []
    private var finishedCount = 0
    /// Number of fetches removed from the list by another program.
    private var leftCount = 0
    private var lastLook: Int64 = 0
    private var pausedNumbers: Set<Int> = []

    /// Time limit for the end of cancelled fetches; nil before the cancellation.
    private var deadline: Int64?
    /// Timeout after a cancellation, in ns.
    private static let patience: Int64 = 10_000_000_000

    /// Interval between two looks at the list for requests of other programs, in ns.
    private static let lookInterval: Int64 = 1_000_000_000

    init(
        _ fetches: [PendingFetch], _ library: RecordingLibrary, _ options: FetchOptions, in run: Run<FetchSession>,
        followsList: Bool
    ) throws {
        (self.library, self.run, self.followsList) = (library, run, followsList)
        fetcher = Fetcher(
            library, options.settings, extractor: try options.program(), sizeLimit: options.sizeLimit.bytes ?? .max)
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
    func fetch() throws { try loop.run(self, begin: start, conclude: conclude) }

    /// Starts all fetches. A fetch already removed from the list is abandoned at the first look at the list, and ends
    /// like any other.
    private func start() {
        for number in order { if let fetch = lines[number]?.fetch { fetcher.start(fetch) } }
    }

    private func conclude() throws {
        fetcher.close()
        take(loop.inbox.take())
        _ = try run.conclude(words: closingWords)
        if let ending = loop.ending { throw CommandFailure(ending) }
        if order.count == 1, let failure = failures.first { throw failure }
        if !failures.isEmpty {
            throw CommandFailure(
                finishedCount > 0 ? .someFailed : failures.last?.exitStatus ?? .unavailable,
                "\(failures.count) of \(order.count) could not be fetched",
                remedy: "See the causes with: woodshed get --list")
        }
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
        let left = order.count - finishedCount - failures.count - leftCount
        guard ending != .closedPipe, left > 0 else { return [] }
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
        guard now - lastLook >= Self.lookInterval else { return }
        lastLook = now
        // Another program may have changed the list. An unreadable store changes nothing for the moment.
        guard loop.ending == nil, let fetches = try? library.pendingFetches() else { return }
        let known = Dictionary(uniqueKeysWithValues: fetches.map { ($0.number, $0) })
        for number in waiting {
            // The number may belong to another fetch by now.
            guard let listed = known[number], let own = lines[number]?.fetch, listed.address == own.address,
                listed.addedAt == own.addedAt
            else {
                leave(number)
                continue
            }
            switch listed.state {
            case .paused where lines[number]?.isPausedByList == false:
                lines[number]?.isPausedByList = true
                fetcher.pause(number)
            case .waiting where lines[number]?.isPausedByList == true:
                lines[number]?.isPausedByList = false
                fetcher.resume(number)
            default: break
            }
        }
        for fetch in fetches where followsList && fetch.state == .waiting && lines[fetch.number] == nil {
            begin(fetch)
            fetcher.start(fetch)
        }
    }

    private func leave(_ number: Int) {
        guard let line = lines[number], !line.isOffList else { return }
        lines[number]?.isOffList = true
        fetcher.leave(line.fetch)
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
            let words = lines[event.number]?.take(event, isDrawn: loop.drawsNow) ?? []
            if !loop.messages.json { loop.say(words) }
            guard event.isLast, waiting.remove(event.number) != nil else { continue }
            switch event.kind {
            case .finished: finishedCount += 1
            case .failed(let error, _):
                failures.append(error)
                // The error of a single fetch is reported at the end of the run.
                if order.count > 1, !loop.messages.json {
                    loop.say([error.message] + (error.remedy.isEmpty ? [] : [error.remedy]), evenQuiet: true)
                }
            case .cancelled where lines[event.number]?.isOffList == true:
                leftCount += 1
                // Another fetch may have the same number by now.
                lines[event.number] = nil
            default: break
            }
        }
    }
}
