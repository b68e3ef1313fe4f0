// Queue: several recordings, one after another, on one engine. The queue decides the order, and opens and decodes the
// next recording before the current recording ends. The module also computes the gain that brings recordings to the
// same loudness.
//
// The engine makes the joints themselves, at exact frames. The module keeps no playlists and draws nothing.
internal import Clips
public import Engine
public import Explanations
internal import Realtime
internal import Synchronization

/// Plays recordings one after another, without a gap.
///
///     let queue = try PlayQueue(on: engine) { item, engine in QueueSound(try engine.load(item.source)) }
///     queue.append(["one.flac", "two.mp3"])
///     try queue.start()
///     try engine.start()
///
/// The queue opens the next item, decodes it and converts it to the engine's rate while the current item plays. The
/// next item begins at the output frame at which the current item ends, or the two are crossfaded. Every method but
/// `start()` returns at once. Make the queue before starting the engine: then a queue under the virtual clock is exact
/// too, because the clock waits for the next item.
///
/// Threads: any but the render thread. Real-time safe: no.
public final class PlayQueue: Sendable {
    let worker: QueueWorker
    private let thread: PlainThread

    /// Creates an empty queue.
    ///
    /// - Parameters:
    ///   - engine: Engine for playback; other players may use the engine as well. The engine's rate is the rate of
    ///     every item.
    ///   - opener: Opens an item, on a thread of the queue, and may take time. Should throw an `ExplainedError`.
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

    /// Events from now on. Every reader gets each event once, in order. The sequence ends with the release of the
    /// queue, and keeps its newest 2^20 unread events.
    public var events: AsyncStream<QueueEvent> { worker.broadcast.stream }

    /// Calls `reader` with every event, and with nil at the end, on the thread that reports the event. `reader` must
    /// return at once.
    package func follow(_ reader: @escaping @Sendable (QueueEvent?) -> Void) { worker.broadcast.follow(reader) }

    /// Ends the events, after reporting everything played so far. Call this method after the end of the engine; the
    /// queue plays nothing more. Returns at once: an item that is still being opened delays the end.
    package func endEvents() { worker.inbox.close() }

    // MARK: The list

    /// Items in the order of the list.
    public var items: [QueueItem] { worker.state.withLock { $0.items } }

    /// Adds items at the end of the list.
    ///
    /// - Returns: The new items.
    @discardableResult
    public func append(_ sources: [String]) -> [QueueItem] { insert(sources, at: .max) }

    /// Inserts items in front of the item at `index` of the list, from 0. An index outside the list means the nearest
    /// end. In a shuffled queue, the new items play at random places among the items to come.
    ///
    /// - Returns: The new items.
    @discardableResult
    public func insert(_ sources: [String], at index: Int) -> [QueueItem] {
        worker.change { state in
            let items = sources.map { state.makeItem($0) }
            state.order.insert(items.map(\.id), at: index)
            state.noteOrder()
            return items
        }
    }

    /// Removes an item. If the item is playing, the next item plays instead.
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

    /// Moves an item to the place `index`, from 0, in the list without this item. An index outside the list means the
    /// nearest end.
    public func move(_ id: QueueItem.ID, to index: Int) {
        worker.change { state in
            state.order.move(id, to: index)
            state.noteOrder()
        }
    }

    /// Repeat mode.
    public var repeats: QueueRepeat {
        get { worker.state.withLock { $0.order.repeats } }
        set {
            worker.change { state in
                state.order.repeats = newValue
                state.noteOrder()
            }
        }
    }

    /// Seed of the shuffle; nil for the order of the list. Setting a seed keeps the current item and shuffles the other
    /// items behind it; each item plays once in a round. Setting nil returns to the order of the list, from the current
    /// item on.
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

    /// Plays from the current item, or from the first item. Blocks until this item is open. Has no effect while the
    /// queue plays.
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

    /// Plays an item from its first frame, even after the end of the queue. A paused queue stays paused.
    public func play(_ id: QueueItem.ID) {
        worker.change { state in
            if state.order.jump(to: id) { state.jump() }
        }
    }

    /// Goes to the next item, even if the current item is repeated.
    ///
    /// - Returns: False if there is no next item; the queue then ends.
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

    /// Goes to the beginning of the current item. In the first three seconds of the item, goes to the item before, if
    /// there is one.
    public func previous() {
        worker.change { state in
            if state.isAtBeginning, state.order.stepBack() != nil { state.jump() } else { state.seekToStart() }
        }
    }

    /// Fades out and keeps the position; see `Player.pause(reason:at:)`.
    public func pause(reason: PauseReason = .user) { worker.change { $0.pause(reason) } }

    /// Continues; see `Player.resume(after:at:)`.
    public func resume(after reason: PauseReason? = nil) { worker.change { $0.resume(after: reason) } }

    /// True if `pause(reason:)` has paused the queue.
    public var isPaused: Bool { worker.state.withLock { $0.pauseReason != nil } }

    /// Moves to a frame of the current item's clip. Has no effect if no item is open.
    ///
    /// - Throws: `ScoreError` of kind `placeOutsideScore` if the queue does not play this part.
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

    /// The current item, its place in the list, and its player once open: for status, position and channel strip.
    public var current: (item: QueueItem, index: Int, player: Player?)? { worker.state.withLock { $0.current } }

    // MARK: For all items

    /// Length of the crossfade between consecutive items, in output frames; 0 for none. Limited to half of either item
    /// at each joint. A change applies to all later joints.
    public var crossfadeFrames: Int64 {
        get { worker.state.withLock { $0.settings.crossfade } }
        set { worker.change { $0.setCrossfade(max(0, newValue)) } }
    }

    /// Sets the speed of all items, 25 % to 400 %; see `Player.setSpeed`. An item that is too short for the speed is
    /// skipped.
    public func setSpeed(_ speed: Speed) { worker.change { $0.setSpeed(speed) } }

    /// Sets the gain of all items in dB, in addition to the items' own gains. NaN counts as 0.
    public func setGain(decibels: Double) { worker.change { $0.setGain(decibels.isNaN ? 0 : decibels) } }
}
