internal import Engine
internal import Realtime

/// Work for a queue's thread: notes of players, which arrive on the engine's threads, and changes by the user.
///
/// The inbox holds neither the queue nor the engine. Threads: any.
final class QueueInbox: @unchecked Sendable {
    /// An event of a player.
    struct Note {
        /// Number of the player in the queue.
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

    /// Adds an event of a player. Called under the lock of the player.
    func add(_ note: Note) {
        lock.withLock {
            notes.append(note)
            hasWork = true
            lock.wakeAll()
        }
    }

    /// Wakes the thread after a change.
    func wake() {
        lock.withLock {
            hasWork = true
            lock.wakeAll()
        }
    }

    /// Notes that the mix is full of players that are fading out. The thread tries again after the engine has served
    /// its players.
    func stall() { lock.withLock { isStalled = true } }

    /// Retries after a stall. Called after the engine has served its players.
    func noteServing() {
        lock.withLock {
            guard isStalled else { return }
            (isStalled, hasWork) = (false, true)
            lock.wakeAll()
        }
    }

    /// Ends every wait, and ends the thread after its last notes.
    func close() {
        lock.withLock {
            isClosed = true
            lock.wakeAll()
        }
    }

    /// True during the release of the queue. Skip slow work then.
    var isOver: Bool { lock.withLock { isClosed } }

    /// Waits for work, on the queue's thread. Returns nil at the end, after the last notes.
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

    /// Waits until all work is done. Never call this method on the queue's own thread.
    func waitUntilAtRest() {
        lock.withLock {
            while (hasWork || isBusy) && !isClosed { lock.wait() }
        }
    }
}
