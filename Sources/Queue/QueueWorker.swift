internal import Clips
internal import Engine
internal import Realtime
internal import Synchronization

/// The part of a queue that its thread shares with it: opens items, and keeps the players as the order wants them.
final class QueueWorker: Sendable {
    let state: Mutex<QueueState>
    let inbox = QueueInbox()
    let broadcast = EventBroadcast<QueueEvent>()
    private let engine: Engine
    private let opener: @Sendable (QueueItem, Engine) throws -> QueueSound

    init(_ engine: Engine, _ opener: @escaping @Sendable (QueueItem, Engine) throws -> QueueSound) {
        (self.engine, self.opener) = (engine, opener)
        state = Mutex(QueueState(engine, inbox))
        // The virtual clock waits for what is not ready. The engine keeps this, so it must not hold the engine.
        let waits = engine.isVirtual
        engine.afterServing { [inbox] in
            inbox.noteServing()
            if waits { inbox.waitUntilAtRest() }
        }
    }

    /// Changes the state, and lets the thread do what follows from it.
    func change<Result: Sendable>(_ body: (inout QueueState) -> Result) -> Result {
        defer { inbox.wake() }
        return state.withLock { body(&$0) }
    }

    /// Ends the thread. What plays fades out.
    func close() {
        inbox.close()
        state.withLock { state in
            if state.isUnderWay { state.end(.stopped) }
        }
    }

    /// The thread's work until the inbox is closed.
    func run() {
        while let notes = inbox.take() {
            state.withLock { $0.take(notes) }
            tell()
            var hasRoom = true
            while hasRoom, !inbox.isOver, let item = state.withLock({ $0.nextToOpen() }) {
                hasRoom = open(item)
                tell()
            }
            if !hasRoom { inbox.stall() }
        }
        tell()
        broadcast.end()
    }

    private func tell() {
        for event in state.withLock({ $0.takeEvents() }) { broadcast.tell(event) }
    }

    /// - Returns: false if the mix has no room for another player yet.
    private func open(_ item: QueueItem) -> Bool {
        do {
            let known = state.withLock { $0.openSound(of: item.id) }
            let sound = try known ?? opener(item, engine)
            let clip = sound.clip
            let range = (sound.range ?? 0..<clip.frameCount).clamped(to: 0..<clip.frameCount)
            // The beginning, before anything depends on it: an item that begins late is better than one that begins with silence.
            let opening = Int64(max(1, clip.sampleRate / 2))
            try clip.waitUntilLoaded([range.lowerBound..<min(range.upperBound, range.lowerBound + opening)])
            try state.withLock { try $0.add(item, sound) }
        } catch EngineError.tooManyPlayers {
            return false
        } catch {
            state.withLock { $0.pass(over: item, because: error) }
        }
        return true
    }
}
