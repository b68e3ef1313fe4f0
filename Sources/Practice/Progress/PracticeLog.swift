internal import AudioFiles
internal import Clips
internal import Engine
public import Explanations
internal import Glibc
internal import Realtime
public import Store
internal import Synchronization

/// Logs the practice of a session: at the end of each section, and every ten seconds. If the program is killed, only
/// the last seconds are lost. The command's `stats` shows the log.
///
///     let log = PracticeLog(of: session, recording, in: store)
///     session.start()
///
/// Writes on a separate thread, so playback is never disturbed. If the store cannot be written, tries again, and
/// reports the first failure. Nothing leaves the computer.
///
/// Threads: any. Real-time safe: no.
public final class PracticeLog: Sendable {
    private struct State {
        var log: PracticeLogState
        /// Events with their times, still to be counted.
        var news: [(event: PlayerEvent, time: Int64)] = []
        /// True if the player has finished and has not restarted.
        var hasFinished = false
        /// True if no more events will come.
        var isOver = false
        var isWritten = false
        /// True if the last attempt failed.
        var hasFailed = false
        var wasTold = false

        /// True if an entry should be written at once.
        var isUrgent: Bool { log.isUrgent && !hasFailed }
    }

    private let state: Mutex<State>
    private let lock = ConditionLock()
    private let store: PracticeStore
    private let recording: PracticeRecording
    private let failed: @Sendable (StoreError) -> Void

    private static let milliseconds = 10_000

    /// Follows a session until its events end. Create the log before `start()`.
    ///
    /// - Parameters:
    ///   - session: The session.
    ///   - recording: The session's recording.
    ///   - store: The store of the log.
    ///   - failed: Called once if the store cannot be written, on the log's thread; or before this initialiser returns
    ///     if the system has no thread left for the log.
    public convenience init(
        of session: PracticeSession, _ recording: PracticeRecording, in store: PracticeStore,
        failed: @escaping @Sendable (StoreError) -> Void = { _ in }
    ) {
        self.init(
            of: session, recording, in: store, calendar: .local, milliseconds: Self.milliseconds,
            now: { Int64(time(nil)) }, failed: failed)
    }

    init(
        of session: PracticeSession, _ recording: PracticeRecording, in store: PracticeStore,
        calendar: PracticeCalendar, milliseconds: Int, now: @escaping @Sendable () -> Int64,
        failed: @escaping @Sendable (StoreError) -> Void
    ) {
        (self.recording, self.store, self.failed) = (recording, store, failed)
        state = Mutex(
            State(
                log: PracticeLogState(
                    key: recording.key, sampleRate: session.player.clip.sampleRate, calendar: calendar)))
        session.follow { [self] event in
            switch event {
            case .player(let event): note(event, at: now())
            case nil: end()
            default: break
            }
        }
        let thread = PlainThread(name: "practice-log") { [weak session, self] in
            run(of: { session }, milliseconds: milliseconds, now: now)
            state.withLock { $0.isWritten = true }
            lock.withLock { lock.wakeAll() }
        }
        guard let thread else {
            // Nothing will be written, so nothing is waited for.
            state.withLock { $0.isWritten = true }
            failed(.noLogThread)
            return
        }
        thread.detach()
    }

    /// Counts events, and writes entries in time, until the session ends.
    private func run(of session: () -> PracticeSession?, milliseconds: Int, now: () -> Int64) {
        var next = ContinuousClock.now + .milliseconds(milliseconds)
        while true {
            let (news, isEnd) = wait(until: next)
            let session = session()
            if let session { for (event, time) in news { take(event, of: session, at: time) } }
            let isOver = isEnd || session == nil
            let isDue = isOver || ContinuousClock.now >= next
            if isDue, let status = session?.player.status, status.state == .playing {
                state.withLock { $0.log.count(to: status.outputFrame, at: now()) }
            }
            if isOver {
                state.withLock { $0.log.end() }
                write()
                // Another program may hold the store for longer than one attempt waits.
                if state.withLock({ $0.hasFailed }) { write() }
                return
            }
            guard isDue || state.withLock({ $0.isUrgent }) else { continue }
            write()
            next = ContinuousClock.now + .milliseconds(milliseconds)
        }
    }

    /// The speeds of the complete passes of the current section; nil before the first.
    package var speeds: PracticeEntry.Speeds? { state.withLock { $0.log.speeds } }

    /// True if practice is known that is not in the store yet.
    package var hasUnwritten: Bool { state.withLock { !$0.isWritten && !($0.news.isEmpty && $0.log.isIdle) } }

    /// Waits until everything is written, once the session has ended.
    ///
    /// - Parameter seconds: The longest time to wait.
    /// - Returns: False after the longest time.
    @discardableResult
    public func finish(seconds: Double = 3) -> Bool {
        let limit = ContinuousClock.now + .seconds(seconds)
        while !state.withLock({ $0.isWritten || $0.news.isEmpty && $0.hasFinished && $0.log.isIdle }) {
            guard ContinuousClock.now < limit else { return false }
            lock.withLock { lock.wait(milliseconds: 20) }
        }
        return true
    }

    /// Hands an event to the thread.
    private func note(_ event: PlayerEvent, at time: Int64) {
        lock.withLock {
            state.withLock { state in
                // Nobody reads the events any more.
                guard !state.isWritten else { return }
                state.news.append((event, time))
            }
            lock.wakeAll()
        }
    }

    /// Ends the events: the entries so far are written.
    package func end() {
        lock.withLock {
            state.withLock { $0.isOver = true }
            lock.wakeAll()
        }
    }

    /// Waits for an event, or until a time.
    ///
    /// - Returns: The events, and whether no more will come.
    private func wait(until limit: ContinuousClock.Instant) -> (news: [(event: PlayerEvent, time: Int64)], isOver: Bool)
    {
        lock.withLock {
            while state.withLock({ $0.news.isEmpty && !$0.isOver }) {
                let left = limit - .now
                guard left > .zero else { break }
                lock.wait(milliseconds: Int((left / .milliseconds(1)).rounded(.up)))
            }
        }
        return state.withLock { state in
            defer { state.news = [] }
            return (state.news, state.isOver)
        }
    }

    private func take(_ event: PlayerEvent, of session: PracticeSession, at now: Int64) {
        let place = session.practised(section: event.section)
        state.withLock { state in
            state.log.take(event, in: place, at: now)
            if case .finished = event.kind { state.hasFinished = true }
            if case .playbackStarted = event.kind { state.hasFinished = false }
        }
    }

    private func write() {
        for written in state.withLock({ $0.log.unwritten }) {
            do throws(StoreError) {
                let number = try store.log(written.entry, replacing: written.number, of: recording)
                state.withLock { state in
                    state.log.note(written: written, number: number)
                    state.hasFailed = false
                }
            } catch {
                let isFirst = state.withLock { state in
                    defer { (state.hasFailed, state.wasTold) = (true, true) }
                    return !state.wasTold
                }
                if isFirst { failed(error) }
                return
            }
        }
    }
}

extension PracticeSession {
    /// Returns the place of an event's section: a loop set by ear, or a section of the plan; nil if the section no
    /// longer exists.
    func practised(section number: Int) -> PracticeLogState.Place? {
        let (marks, sections, clip) = (self.marks, self.sections, player.clip)
        func frames(_ range: Range<Int64>) -> Range<Int64> {
            let start = clip.fileFrame(forFrame: range.lowerBound)
            return start..<max(start, min(clip.fileFrame(forFrame: range.upperBound), clip.info.frameCount))
        }
        if marks.isRunning, let range = marks.range {
            return PracticeLogState.Place(name: "", frames: frames(range), clipFrames: range)
        }
        guard sections.indices.contains(number - 1) else { return nil }
        let (section, id) = sections[number - 1]
        return PracticeLogState.Place(
            sectionID: id, name: section.name ?? "", frames: frames(section.range), clipFrames: section.range)
    }
}
