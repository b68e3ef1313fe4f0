internal import Clips
internal import Engine
internal import Realtime
internal import Synchronization

/// The part of a queue that the queue shares with its thread: opens items, and keeps the players in the right order.
final class QueueWorker: Sendable {
    let state: Mutex<QueueState>
    let inbox = QueueInbox()
    let broadcast = EventBroadcast<QueueEvent>()
    private let engine: Engine
    private let opener: @Sendable (QueueItem, Engine) throws -> QueueSound

    init(_ engine: Engine, _ opener: @escaping @Sendable (QueueItem, Engine) throws -> QueueSound) {
        (self.engine, self.opener) = (engine, opener)
        state = Mutex(QueueState(engine, inbox))
        // The virtual clock waits until the queue is ready. The engine keeps this closure, so the closure must not hold
        // the engine.
        let waits = engine.isVirtual
        engine.afterServing { [inbox] in
            inbox.noteServing()
            if waits { inbox.waitUntilAtRest() }
        }
    }

    /// Changes the state, and wakes the thread to act on the change.
    func change<Result: Sendable>(_ body: (inout QueueState) -> Result) -> Result {
        defer { inbox.wake() }
        return state.withLock { body(&$0) }
    }

    /// Ends the thread. Playback fades out.
    func close() {
        inbox.close()
        state.withLock { state in
            if state.isUnderWay { state.end(.stopped) }
        }
    }

    /// Runs the thread's work until the inbox closes.
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

    /// - Returns: False if the mix has no room for another player yet.
    private func open(_ item: QueueItem) -> Bool {
        do {
            let known = state.withLock { $0.openSound(of: item.id) }
            let sound = try known ?? opener(item, engine)
            let clip = sound.clip
            let range = (sound.range ?? 0..<clip.frameCount).clamped(to: 0..<clip.frameCount)
            // Wait for the beginning before adding the player: a late start is better than silence at the beginning.
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
