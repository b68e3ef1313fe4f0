// Queue: several recordings, one after another, on one engine: their order, what follows what, and that the next one is opened and decoded
// before the one that plays is over. It also says by how much a recording is to be turned up or down to be as loud as the others.
//
// The joints themselves are made by the engine, at exact frames. It keeps no playlists and draws nothing.
internal import Clips
public import Engine
internal import Realtime
internal import Synchronization

/// Recordings that play one after another, without a gap.
///
///     let queue = try PlayQueue(on: engine) { item, engine in QueueSound(try engine.load(item.source)) }
///     queue.append(["one.flac", "two.mp3"])
///     try queue.start()
///     try engine.start()
///
/// The next item is opened, decoded and converted to the engine's rate while the current one plays. It begins at the output frame at which that one
/// ends, or is crossfaded with it. Every method but `start()` returns at once. Make the queue before the engine is started; then a queue under the
/// virtual clock is exact too, because the clock waits for the next item.
///
/// Threads: any but the render thread. Real-time safe: no.
public final class PlayQueue: Sendable {
    let worker: QueueWorker
    private let thread: PlainThread

    /// Makes an empty queue.
    ///
    /// - Parameters:
    ///   - engine: plays it; other players may play as well. Its rate is the rate of every item.
    ///   - opener: opens an item, on a thread of the queue's own, and may take its time. It should throw an `ExplainedError`.
    /// - Throws: `QueueError` of kind `noThread`.
    public init(
        on engine: Engine, opener: @escaping @Sendable (QueueItem, Engine) throws -> QueueSound
    ) throws(QueueError) {
        let worker = QueueWorker(engine, opener)
        guard let thread = PlainThread(name: "woodshed-queue", { worker.run() }) else { throw .noThread }
        (self.worker, self.thread) = (worker, thread)
    }

    deinit {
        worker.close()
        thread.join()
    }

    /// Events from now on. Every reader gets each event once, in order. The sequence ends when the queue is released.
    public var events: AsyncStream<QueueEvent> { worker.broadcast.stream }

    /// Calls `reader` with what a reader of `events` gets, and with nil at its end, on the thread that tells it. It must return at once.
    package func follow(_ reader: @escaping @Sendable (QueueEvent?) -> Void) { worker.broadcast.follow(reader) }

    /// Ends the events after those of all that the players have played so far. Call it when the engine has ended; the queue plays nothing more.
    /// Returns at once: an item that is being opened delays the end.
    package func endEvents() { worker.inbox.close() }

    // MARK: The list

    /// The items in the order of the list.
    public var items: [QueueItem] { worker.state.withLock { $0.items } }

    /// Adds items behind the others.
    ///
    /// - Returns: the new items.
    @discardableResult
    public func append(_ sources: [String]) -> [QueueItem] { insert(sources, at: .max) }

    /// Adds items in front of the one at `index` of the list, from 0; a number outside it means the nearest end. In a shuffled queue they play at
    /// random places among those that follow.
    ///
    /// - Returns: the new items.
    @discardableResult
    public func insert(_ sources: [String], at index: Int) -> [QueueItem] {
        worker.change { state in
            let items = sources.map { state.makeItem($0) }
            state.order.insert(items.map(\.id), at: index)
            state.noteOrder()
            return items
        }
    }

    /// Removes an item. If it plays, the next one plays instead.
    public func remove(_ id: QueueItem.ID) {
        worker.change { state in
            guard state.forget(id) else { return }
            let wasCurrent = state.order.current == id
            state.order.remove(id)
            state.noteOrder()
            guard wasCurrent, state.isUnderWay else { return }
            if state.order.current != nil { state.jump() } else { state.end(.completed) }
        }
    }

    /// Moves an item to the place `index` of the list without it, from 0; a number outside it means the nearest end.
    public func move(_ id: QueueItem.ID, to index: Int) {
        worker.change { state in
            state.order.move(id, to: index)
            state.noteOrder()
        }
    }

    /// What is repeated.
    public var repeats: QueueRepeat {
        get { worker.state.withLock { $0.order.repeats } }
        set {
            worker.change { state in
                state.order.repeats = newValue
                state.noteOrder()
            }
        }
    }

    /// The seed by which the queue is shuffled; nil for the order of the list. Setting one keeps the current item and shuffles the others
    /// behind it; each plays once in a round. Setting nil returns to the order of the list, from the current item on.
    public var shuffleSeed: UInt64? {
        get { worker.state.withLock { $0.order.seed } }
        set {
            worker.change { state in
                state.order.shuffle(seed: newValue)
                state.noteOrder()
            }
        }
    }

    // MARK: Playing

    /// Plays from the current item, or from the first one. Blocks until that item is opened. Has no effect while the queue plays.
    ///
    /// - Throws: `QueueError` of kind `empty` or `nothingPlayable`.
    public func start() throws(QueueError) {
        let isEmpty = worker.change { state in
            guard !state.isUnderWay else { return false }
            return !state.begin()
        }
        if isEmpty { throw .empty }
        worker.inbox.waitUntilAtRest()
        if let failure = worker.state.withLock({ $0.failure }) { throw .nothingPlayable(failure) }
    }

    /// Plays an item; it begins with its first frame, also when the queue was over. A paused queue stays paused.
    public func play(_ id: QueueItem.ID) {
        worker.change { state in
            if state.order.jump(to: id) { state.jump() }
        }
    }

    /// Goes to the next item, also if the current one is repeated.
    ///
    /// - Returns: false if there is none; then the queue ends.
    @discardableResult
    public func next() -> Bool {
        worker.change { state in
            guard state.order.step(wraps: state.order.repeats != .off) != nil else {
                if state.isUnderWay { state.end(.stopped) }
                return false
            }
            state.jump()
            return true
        }
    }

    /// Goes to the beginning of the current item; in its first three seconds, to the item before it, if there is one.
    public func previous() {
        worker.change { state in
            if state.isAtBeginning, state.order.stepBack() != nil { state.jump() } else { state.seekToStart() }
        }
    }

    /// Fades out and keeps the place; see `Player.pause(reason:at:)`.
    public func pause(reason: PauseReason = .user) { worker.change { $0.pause(reason) } }

    /// Continues; see `Player.resume(after:at:)`.
    public func resume(after reason: PauseReason? = nil) { worker.change { $0.resume(after: reason) } }

    /// Whether the queue is paused by `pause(reason:)`.
    public var isPaused: Bool { worker.state.withLock { $0.pauseReason != nil } }

    /// Moves to a frame of the current item's clip. Has no effect if no item is open.
    ///
    /// - Throws: `ScoreError` of kind `placeOutsideScore` if that part is not played.
    public func seek(toClipFrame frame: Int64) throws(ScoreError) {
        let failure: ScoreError? = worker.change { state in
            do throws(ScoreError) {
                try state.seek(to: frame)
                return nil
            } catch {
                return error
            }
        }
        if let failure { throw failure }
    }

    /// Fades out and ends. `start()` plays again, from the current item.
    public func stop() {
        worker.change { state in
            if state.isUnderWay { state.end(.stopped) }
        }
    }

    /// The current item, its place in the list, and its player once it is open: for its status, its place and its strip.
    public var current: (item: QueueItem, index: Int, player: Player?)? { worker.state.withLock { $0.current } }

    // MARK: For all items

    /// The length of the crossfade between items that follow by themselves, in output frames; 0 for none. A joint takes at most half of either item. It applies to the joints that are still
    /// to come.
    public var crossfadeFrames: Int64 {
        get { worker.state.withLock { $0.crossfade } }
        set { worker.change { $0.setCrossfade(max(0, newValue)) } }
    }

    /// The speed of all items, 25 % to 400 %; see `Player.setSpeed`. An item that is too short for it is passed over.
    public func setSpeed(_ speed: Speed) { worker.change { $0.setSpeed(speed) } }

    /// The gain of all items in dB, besides their own. NaN counts as 0.
    public func setGain(decibels: Double) { worker.change { $0.setGain(decibels.isNaN ? 0 : decibels) } }
}
