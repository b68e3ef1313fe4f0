internal import CWoodshed
internal import Clips
internal import Engine
internal import Glibc
internal import Practice
internal import Realtime
internal import Store
internal import Synchronization

/// A session opened by a C program.
final class SessionBox: Handled {
    static var kind: HandleKind { .session }

    let session: PracticeSession
    /// The handle of the session's player.
    let player: UInt
    private let engine: EngineBox

    private struct State {
        var hasStarted = false
        var log: PracticeLog?
        var recorder: PracticeRecorder?
    }

    private let state = Mutex(State())

    /// Signal for the report of the session's end.
    private final class End: Sendable {
        private let lock = ConditionLock()
        private let wasTold = Atomic(false)

        func tell() {
            lock.withLock {
                wasTold.store(true, ordering: .releasing)
                lock.wakeAll()
            }
        }

        func wait(milliseconds: Int) {
            let limit = ContinuousClock.now + .milliseconds(milliseconds)
            lock.withLock {
                while !wasTold.load(ordering: .acquiring) {
                    let left = limit - .now
                    if left <= .zero { return }
                    lock.wait(milliseconds: Int((left / .milliseconds(1)).rounded(.up)))
                }
            }
        }
    }

    private let end = End()

    private init(_ session: PracticeSession, player: UInt, in engine: EngineBox) {
        (self.session, self.player, self.engine) = (session, player, engine)
        session.observe { [hub = engine.hub, end, weak session, weak voice = session.player] event in
            hub.noteLost(session?.takeLostEvents() ?? 0)
            hub.tell(QueuedEvent(event, of: player, failure: voice?.failure))
            if event == .completed || event == .stopped { end.tell() }
        }
    }

    /// Opens a session with a handle.
    static func open(_ clip: Clip, _ plan: SessionPlan, in engine: EngineBox) throws -> OpaquePointer {
        let session = try PracticeSession(engine: engine.engine, clip: clip, plan: plan)
        do {
            let player = try unsafe Handles.open(PlayerBox(session.player, in: engine, isOfSession: true))
            let number = UInt(bitPattern: player)
            let box = SessionBox(session, player: number, in: engine)
            let handle: OpaquePointer
            do { unsafe handle = try Handles.open(box) } catch {
                _ = try? unsafe Handles.close(player) as PlayerBox?
                throw error
            }
            engine.note(number)
            engine.note(box, UInt(bitPattern: handle))
            return unsafe handle
        } catch {
            for player in session.players { engine.engine.remove(player) }
            throw error
        }
    }

    /// Logs the practice of this session in a store.
    func keepLog(_ store: PracticeStore, _ recording: PracticeRecording) throws {
        try state.withLock { state in
            guard !state.hasStarted else {
                throw ArgumentError(
                    "the session has started",
                    remedy: "Call woodshed_session_keep_log() before woodshed_session_start().")
            }
            guard state.log == nil else {
                throw ArgumentError(
                    "the session has a log already", remedy: "Call woodshed_session_keep_log() once for a session.")
            }
            state.log = PracticeLog(of: session, recording, in: store) { [hub = engine.hub, player] failure in
                hub.tell(QueuedEvent(logFailure: failure, of: player))
            }
        }
    }

    /// Refuses a session if its engine cannot record.
    func checkRecordable() throws(ArgumentError) {
        guard engine.linked != nil else {
            throw ArgumentError("the engine has no input", remedy: "Open it with woodshed_engine_open_duplex().")
        }
    }

    /// Records takes over the session.
    func record(_ settings: PracticeRecorder.Settings) throws {
        try state.withLock { state in
            guard !state.hasStarted else {
                throw ArgumentError(
                    "the session has started", remedy: "Call woodshed_session_record() before woodshed_session_start()."
                )
            }
            let recorder = try engine.makeRecorder(over: session, settings)
            recorder.observe { [hub = engine.hub, player] in hub.tell(QueuedEvent($0, of: player)) }
            state.recorder = recorder
        }
    }

    /// Begins or ends a take.
    ///
    /// - Returns: True if recording of takes is now on.
    func toggleTake() throws -> Bool {
        guard let recorder = state.withLock({ $0.recorder }) else {
            throw ArgumentError(
                "the session is not recorded", remedy: "Call woodshed_session_record() before it starts.")
        }
        return recorder.press()
    }

    func start(at frame: Int64?) throws {
        try state.withLock { state in
            guard !state.hasStarted else {
                throw ArgumentError("the session has started already", remedy: "Open another session.")
            }
            state.hasStarted = true
        }
        session.start(at: frame)
    }

    /// Waits for the report of the end, which another thread delivers, if the session has finished. Gives up after 10
    /// seconds.
    func waitUntilTold() {
        guard state.withLock({ $0.hasStarted }), session.player.status.state == .finished else { return }
        end.wait(milliseconds: 10_000)
    }

    /// Waits until the log is on the disk, for at most 30 seconds; only a slow disk makes the wait long. Reports a log
    /// that is not written by then.
    func finishLog() {
        guard let log = state.withLock({ $0.hasStarted ? $0.log : nil }) else { return }
        if log.finish(seconds: 30) || !log.hasUnwritten { return }
        engine.hub.tell(QueuedEvent(logFailure: .lateLog, of: player))
    }

    func close(_ handle: UInt) {
        engine.forget(session: handle)
        session.stop()
        for player in session.players { engine.engine.remove(player) }
        engine.forget(player)
        _ = try? unsafe Handles.close(OpaquePointer(bitPattern: player)) as PlayerBox?
        finishLog()
    }
}

extension SessionPlan {
    /// Creates a plan from the plan and the options of a C program.
    init(
        _ plan: UnsafePointer<woodshed_plan>?, _ options: UnsafePointer<woodshed_session_options>?, for clip: Clip
    ) throws {
        let given = try unsafe PracticePlan.given(plan, for: clip)
        let options = try unsafe Struct.read(options, default: woodshed_session_options(), "the options")
        let count = given.plan.sections.count
        guard (0...Int32(clamping: count)).contains(options.first_section) else {
            throw ArgumentError("there is no section \(options.first_section)", remedy: "Pass 1 to \(count), or 0.")
        }
        guard options.first_frame >= 0 else {
            throw ArgumentError("the first frame is \(options.first_frame)", remedy: "Pass 0 or more.")
        }
        self.init(
            given.plan, savedIDs: given.ids,
            order: options.is_shuffled == 0 ? .listed : .shuffled(seed: UInt64(bitPattern: options.seed)),
            firstSection: max(1, Int(options.first_section)), countIn: try Self.countIn(options),
            resumeRewind: try Self.rewind(options.rewind_seconds))
        firstFrame = options.first_frame == 0 ? nil : options.first_frame
        snapsEdges = options.snaps_edges != 0
    }

    private static func countIn(_ options: woodshed_session_options) throws -> CountIn? {
        guard options.count_in_clicks != 0 else { return nil }
        let tempo = options.count_in_tempo == 0 ? 100 : options.count_in_tempo
        guard let countIn = CountIn(clicks: Int(options.count_in_clicks), tempo: tempo) else {
            throw ArgumentError(
                "the count-in has \(options.count_in_clicks) clicks, \(tempo) a minute",
                remedy: "Pass 1 to 32 clicks, and 20 to 400 a minute.")
        }
        return countIn
    }

    private static func rewind(_ seconds: Double) throws -> ResumeRewind {
        if seconds == Double(WOODSHED_REWIND_AUTOMATIC) { return .automatic }
        guard (0...60).contains(seconds) else {
            throw ArgumentError(
                "\(seconds) s are repeated after a pause", remedy: "Pass 0 to 60, or WOODSHED_REWIND_AUTOMATIC.")
        }
        return seconds == 0 ? .off : .seconds(seconds)
    }
}
