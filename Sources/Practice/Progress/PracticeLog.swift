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
    ///   - failed: Called once if the store cannot be written, on the log's thread, and once more at the end if entries
    ///     were lost; or before this initialiser returns if the system has no thread left for the log.
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
        session.follow { [self, weak session] event in
            switch event {
            // Counted here, because events that wait for a slow disk would need memory without a limit.
            case .player(let event): if let session { take(event, of: session, at: now()) }
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

    /// Writes entries in time, until the session ends.
    private func run(of session: () -> PracticeSession?, milliseconds: Int, now: () -> Int64) {
        var next = ContinuousClock.now + .milliseconds(milliseconds)
        while true {
            let isEnd = wait(until: next)
            let session = session()
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
                let lostCount = state.withLock { $0.log.lostCount }
                if lostCount > 0 { failed(.lostPractice(entries: lostCount)) }
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
    package var hasUnwritten: Bool { state.withLock { !$0.isWritten && !$0.log.isIdle } }

    /// Waits until everything is written, once the session has ended.
    ///
    /// - Parameter seconds: The longest time to wait.
    /// - Returns: False after the longest time.
    @discardableResult
    public func finish(seconds: Double = 3) -> Bool {
        let limit = ContinuousClock.now + .seconds(seconds)
        while !state.withLock({ $0.isWritten || $0.hasFinished && $0.log.isIdle }) {
            guard ContinuousClock.now < limit else { return false }
            lock.withLock { lock.wait(milliseconds: 20) }
        }
        return true
    }

    /// Ends the events: the entries so far are written.
    package func end() {
        lock.withLock {
            state.withLock { $0.isOver = true }
            lock.wakeAll()
        }
    }

    /// Waits until an entry should be written, or until a time.
    ///
    /// - Returns: True if no more events will come.
    private func wait(until limit: ContinuousClock.Instant) -> Bool {
        lock.withLock {
            while !state.withLock({ $0.isUrgent || $0.isOver }) {
                let left = limit - .now
                guard left > .zero else { break }
                lock.wait(milliseconds: Int((left / .milliseconds(1)).rounded(.up)))
            }
        }
        return state.withLock { $0.isOver }
    }

    /// Counts an event, on the session's thread.
    private func take(_ event: PlayerEvent, of session: PracticeSession, at now: Int64) {
        let place = session.practised(section: event.section)
        let isUrgent = state.withLock { state in
            // Nothing writes entries any more.
            guard !state.isWritten else { return false }
            state.log.take(event, in: place, at: now)
            if case .finished = event.kind { state.hasFinished = true }
            if case .playbackStarted = event.kind { state.hasFinished = false }
            return state.isUrgent
        }
        if isUrgent { lock.withLock { lock.wakeAll() } }
    }

    private func write() {
        for written in state.withLock({ $0.log.beginWriting() }) {
            do throws(StoreError) {
                let number = try store.log(written.entry, replacing: written.number, of: recording)
                state.withLock { state in
                    state.log.note(written: written, number: number)
                    state.hasFailed = false
                }
            } catch {
                let isFirst = state.withLock { state in
                    state.log.noteFailure()
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
