internal import AudioFiles
internal import Clips
internal import Engine
internal import Glibc
internal import Realtime
internal import Synchronization

/// Logs what is practised in a session: at the end of each section, and every ten seconds. If the program is killed, only the last seconds are
/// lost.
///
///     let log = PracticeLog(of: session, recording, in: store)
///     session.start()
///
/// It writes on a thread of its own, so playing is never disturbed. If the store cannot be written, it tries again, and reports the first failure.
/// Nothing leaves the computer.
///
/// Threads: any. Real-time safe: no.
public final class PracticeLog: Sendable {
    private struct State {
        var log: PracticeLogState
        /// Whether the player has finished, and nothing plays since.
        var hasFinished = false
        /// Whether there will be no more events.
        var isOver = false
        var isWritten = false
        /// Whether the last attempt failed.
        var hasFailed = false
        var wasTold = false
    }

    private let state: Mutex<State>
    private let lock = ConditionLock()
    private let store: PracticeStore
    private let recording: PracticeRecording
    private let failed: @Sendable (StoreError) -> Void

    private static let milliseconds = 10_000

    /// Follows a session until its events end. Make it before `start()`.
    ///
    /// - Parameters:
    ///   - session: The session.
    ///   - recording: The recording that it plays.
    ///   - store: Where the log is kept.
    ///   - calendar: Whose days count; an entry ends with its day.
    ///   - failed: Called once if the store cannot be written, on the log's thread.
    public convenience init(
        of session: PracticeSession, _ recording: PracticeRecording, in store: PracticeStore,
        calendar: PracticeCalendar = .local, failed: @escaping @Sendable (StoreError) -> Void = { _ in }
    ) {
        self.init(
            of: session, recording, in: store, calendar: calendar, milliseconds: Self.milliseconds,
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
        let events = session.events
        Task { [weak session, self] in
            for await event in events {
                guard let session, case .player(let event) = event else { continue }
                take(event, of: session, at: now())
            }
            end()
        }
        let thread = PlainThread(name: "practice-log") { [weak session, self] in
            while true {
                let isOver = wait(milliseconds: milliseconds) || session == nil
                if let status = session?.player.status, status.state == .playing, !isOver {
                    state.withLock { $0.log.count(to: status.outputFrame, at: now()) }
                }
                write()
                guard !isOver else { break }
            }
            state.withLock { $0.isWritten = true }
            lock.withLock { lock.wakeAll() }
        }
        thread?.detach()
    }

    /// The speeds of the whole passes of the section that plays; nil before the first.
    public var speeds: PracticeEntry.Speeds? { state.withLock { $0.log.speeds } }

    /// Waits until everything is written, once the session has ended.
    ///
    /// - Parameter seconds: The longest time to wait.
    /// - Returns: False if it took longer.
    @discardableResult
    public func finish(seconds: Double = 3) -> Bool {
        let limit = ContinuousClock.now + .seconds(seconds)
        while !state.withLock({ $0.isWritten || $0.hasFinished && $0.log.isIdle }) {
            guard ContinuousClock.now < limit else { return false }
            lock.withLock { lock.wait(milliseconds: 20) }
        }
        return true
    }

    private func take(_ event: PlayerEvent, of session: PracticeSession, at now: Int64) {
        let place = session.practised(section: event.section)
        let isUrgent = state.withLock { state in
            state.log.take(event, in: place, at: now)
            if case .finished = event.kind { state.hasFinished = true }
            if case .playbackStarted = event.kind { state.hasFinished = false }
            return state.log.isUrgent
        }
        if isUrgent { lock.withLock { lock.wakeAll() } }
    }

    private func end() {
        state.withLock { state in
            state.log.end()
            state.isOver = true
        }
        lock.withLock { lock.wakeAll() }
    }

    /// Waits until something has to be written.
    ///
    /// - Returns: Whether the session is over.
    private func wait(milliseconds: Int) -> Bool {
        lock.withLock {
            let (isOver, isUrgent) = state.withLock { ($0.isOver, $0.log.isUrgent && !$0.hasFailed) }
            if !isOver, !isUrgent { lock.wait(milliseconds: milliseconds) }
        }
        return state.withLock { $0.isOver }
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
    /// What an event's section is: a loop that is set by ear, or a section of the plan; nil if it is neither any more.
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
