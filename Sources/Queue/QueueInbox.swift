internal import Engine
internal import Realtime

/// What a queue's thread has to do: notes of players, which arrive on the engine's threads, and changes by the user.
///
/// It holds neither the queue nor the engine. Threads: any.
final class QueueInbox: @unchecked Sendable {
    /// An event of a player.
    struct Note {
        /// The number of the player in the queue.
        let serial: Int
        let event: PlayerEvent
    }

    private let lock = ConditionLock()

    // Guarded by `lock`.
    private var notes: [Note] = []
    private var hasWork = false
    private var isBusy = false
    private var isStalled = false
    private var isClosed = false

    /// Adds an event of a player; called under that player's lock.
    func add(_ note: Note) {
        lock.withLock {
            notes.append(note)
            hasWork = true
            lock.wakeAll()
        }
    }

    /// Something was changed that the thread must look at.
    func wake() {
        lock.withLock {
            hasWork = true
            lock.wakeAll()
        }
    }

    /// The mix is full of players that are on their way out; the thread tries again after they were served.
    func stall() { lock.withLock { isStalled = true } }

    /// Called after the engine has served its players.
    func noteServing() {
        lock.withLock {
            guard isStalled else { return }
            (isStalled, hasWork) = (false, true)
            lock.wakeAll()
        }
    }

    /// Ends every wait, and the thread once it has taken the notes that are there.
    func close() {
        lock.withLock {
            isClosed = true
            lock.wakeAll()
        }
    }

    /// Whether the queue is being released; whatever takes time should be left.
    var isOver: Bool { lock.withLock { isClosed } }

    /// For the queue's thread: waits for something to do; nil at the end, when all notes were taken.
    func take() -> [Note]? {
        lock.withLock {
            isBusy = false
            lock.wakeAll()
            while !hasWork && !isClosed { lock.wait() }
            if notes.isEmpty && isClosed { return nil }
            (hasWork, isBusy) = (false, true)
            defer { notes = [] }
            return notes
        }
    }

    /// Waits until everything that was to do is done. Never on the queue's own thread.
    func waitUntilAtRest() {
        lock.withLock {
            while (hasWork || isBusy) && !isClosed { lock.wait() }
        }
    }
}
