internal import Clips
internal import Engine
internal import Realtime

/// State of a queue, used under the queue's lock. The state opens nothing and waits for nothing.
struct QueueState {
    private enum Course {
        /// The queue has not begun.
        case ready
        /// The queue plays or is paused.
        case underWay
        /// The queue has ended; the end is told as the last event.
        case ended(QueueEnd, isTold: Bool)
    }

    /// Maximum number of players behind the current player, and the output frames that these should last together: two
    /// of the longest blocks.
    static let (mostAhead, framesAhead) = (16, Int64(16_384))
    /// Time from the beginning of an item in which `previous` leaves the item, in seconds.
    private static let beginningSeconds = 3

    private(set) var itemsByID: [QueueItem.ID: QueueItem] = [:]
    private var madeItems: UInt64 = 0
    var order = QueueOrder()
    private var players: QueuePlayers
    private var course = Course.ready
    private(set) var pauseReason: PauseReason?
    private(set) var settings = QueueSettings()
    /// Undelivered events.
    private var untold: [QueueEvent] = []

    init(_ engine: Engine, _ inbox: QueueInbox) { players = QueuePlayers(engine, inbox) }

    /// Player of the current item, and the players that follow at their joints.
    var chain: [QueuePlayers.Entry] { players.chain }

    /// True if the queue plays or is paused.
    var isUnderWay: Bool { if case .underWay = course { true } else { false } }

    /// Error that ended the queue, if no item was playable.
    var failure: (any Error)? { if case .ended(.failed(let error), _) = course { error } else { nil } }

    // MARK: Items and events

    var items: [QueueItem] { order.list.compactMap { itemsByID[$0] } }

    mutating func makeItem(_ source: String) -> QueueItem {
        madeItems += 1
        let item = QueueItem(id: QueueItem.ID(number: madeItems), source: source)
        itemsByID[item.id] = item
        return item
    }

    /// - Returns: False if there is no such item.
    mutating func forget(_ id: QueueItem.ID) -> Bool { itemsByID.removeValue(forKey: id) != nil }

    mutating func tell(_ event: QueueEvent) { untold.append(event) }

    mutating func takeEvents() -> [QueueEvent] {
        defer { untold = [] }
        return untold
    }

    var current: (item: QueueItem, index: Int, player: Player?)? {
        guard let id = order.current, let item = itemsByID[id], let index = order.list.firstIndex(of: id) else {
            return nil
        }
        return (item, index, chain.first { $0.id == id }?.player)
    }

    // MARK: Requests

    /// The items that follow the current item: one more than the players ahead. So the last of many players ahead is
    /// not taken for the last of the queue.
    private var planned: [QueueItem.ID] { order.upcoming(Self.mostAhead + 1) }

    /// Reports a changed order.
    mutating func noteOrder() {
        tell(.orderChanged)
        let planned = planned
        guard isUnderWay, !chain.isEmpty, firstWrong(planned) != nil || planned.count >= chain.count else { return }
        // At once, not on the queue's thread: the current item may end before.
        players.holdOpen(true)
    }

    /// Returns the index of the first player behind the current player that no longer follows.
    private func firstWrong(_ planned: [QueueItem.ID]) -> Int? {
        chain.indices.dropFirst(hasNextBegun ? 2 : 1).first { $0 > planned.count || chain[$0].id != planned[$0 - 1] }
    }

    /// - Returns: False if there is no item.
    mutating func begin() -> Bool {
        var hasSkippedAll = failure != nil
        if !hasSkippedAll, order.current == nil { hasSkippedAll = order.step(wraps: false) == nil }
        if hasSkippedAll, let first = order.list.first {
            // The queue has skipped all items, so all get another chance.
            for id in order.list.reversed() { _ = order.jump(to: id) }
            _ = order.jump(to: first)
        }
        guard order.current != nil else { return false }
        course = .underWay
        return true
    }

    /// Switches to a new current item: at once if the item is open, otherwise after opening.
    mutating func jump() {
        course = .underWay
        // At once, not on the queue's thread: by then, the last item may have faded out, and the stream would end.
        players.holdOpen(true)
        players.dropFading()
        if !chain.isEmpty {
            let follows = chain.count > 1 && chain[1].id == order.current
            players.dropFollowers(from: follows ? 2 : 1)
            players.dropFirst()
            if follows { players.bidFirst(pauseReason == nil) }
        }
        guard let current, pauseReason != nil || chain.isEmpty else { return }
        tell(.itemChosen(current.item, index: current.index))
    }

    var isAtBeginning: Bool {
        guard let entry = chain.first, entry.isBidden else { return true }
        let status = entry.player.statusAfterMoves
        let heard = status.clipFrame - (entry.sound.range?.lowerBound ?? 0)
        return status.state == .idle || heard < Int64(Self.beginningSeconds * entry.sound.clip.sampleRate)
    }

    mutating func seekToStart() { try? seek(to: chain.first?.sound.range?.lowerBound ?? 0) }

    mutating func seek(to frame: Int64) throws(ScoreError) {
        try players.seek(to: frame)
    }

    mutating func pause(_ reason: PauseReason) {
        // Like `Player`: the user's pause replaces any other pause, but no other pause replaces the user's.
        if pauseReason == nil || reason == .user { pauseReason = reason }
        players.leader?.player.pause(reason: reason)
    }

    mutating func resume(after reason: PauseReason?) {
        if reason == nil || reason == pauseReason { pauseReason = nil }
        guard let first = chain.first, !first.isBidden else {
            players.leader?.player.resume(after: reason)
            return
        }
        if pauseReason == nil { players.startFirst() }
    }

    mutating func end(_ reason: QueueEnd) {
        players.dropFollowers(from: 0)
        players.dropFading()
        (course, pauseReason) = (.ended(reason, isTold: false), nil)
        players.holdOpen(false)
        tellEnding()
    }

    private mutating func tellEnding() {
        guard case .ended(let reason, isTold: false) = course, !players.hasLeaving else { return }
        course = .ended(reason, isTold: true)
        tell(.finished(reason))
    }

    mutating func setCrossfade(_ frames: Int64) {
        guard frames != settings.crossfade else { return }
        settings.crossfade = frames
        dropFollowersOfOtherFades()
    }

    mutating func setSpeed(_ speed: Speed) {
        settings.speed = speed
        for entry in players.playing { try? entry.player.setSpeed(speed) }
        dropFollowersOfOtherFades()
    }

    /// Drops followers whose crossfades would now have another length, to open these again.
    private mutating func dropFollowersOfOtherFades() {
        let first = chain.indices.dropFirst(hasNextBegun ? 2 : 1).first { index in
            chain[index].fade != settings.fade(from: chain[index - 1].sound, to: chain[index].sound)
        }
        guard let first else { return }
        // At once: the current item may end before the queue's thread runs.
        players.holdOpen(true)
        players.dropFollowers(from: first)
    }

    mutating func setGain(_ decibels: Double) {
        settings.decibels = decibels
        for entry in players.playing { entry.player.setGain(decibels: settings.decibels(of: entry.sound)) }
    }

    // MARK: The players

    /// True if the joint has passed, even before the report: the next item then stays.
    private var hasNextBegun: Bool {
        chain.count > 1 && chain[1].player.status.state != .idle && itemsByID[chain[1].id] != nil
    }

    /// Returns the next item to open; nil if enough items are open. Removes players that no longer follow.
    mutating func nextToOpen() -> QueueItem? {
        guard isUnderWay, let current = order.current else { return nil }
        if chain.isEmpty {
            players.holdOpen(true)
            return itemsByID[current]
        }
        let planned = planned
        if let wrong = firstWrong(planned) {
            players.holdOpen(true)
            players.dropFollowers(from: wrong)
        }
        // With the last item in the chain, the stream may end at its last frame, but not before the start.
        players.holdOpen(!chain[0].isBidden || planned.count > chain.count - 1)
        guard chain.count <= min(planned.count, Self.mostAhead) else { return nil }
        let ahead = chain.dropFirst().reduce(Int64(0)) { $0 + ($1.player.score.frameCount ?? 0) }
        // A sum of both would overflow for the longest crossfade.
        let isEnough = chain.count > 1 && ahead - settings.crossfade >= Self.framesAhead
        return isEnough ? nil : itemsByID[planned[chain.count - 1]]
    }

    /// Returns the sound of an item that is already open.
    func openSound(of id: QueueItem.ID) -> QueueSound? { chain.first { $0.id == id }?.sound }

    /// Adds a player of an opened item, if the item is still next.
    ///
    /// - Throws: The engine's error.
    mutating func add(_ item: QueueItem, _ sound: QueueSound) throws {
        guard nextToOpen()?.id == item.id else { return }
        let clip = sound.clip
        let plan = PracticePlan(
            sections: [try Section(sound.range ?? 0..<clip.frameCount)], speeds: .constant(settings.speed), joint: .hard
        )
        let score = try Score(plan, for: clip)
        let fade = settings.fade(from: chain.last?.sound, to: sound)
        try players.append(item, sound, score, decibels: settings.decibels(of: sound), fade: fade)
        if chain.count == 1, pauseReason == nil { players.startFirst() }
    }

    /// Skips an unplayable item.
    mutating func pass(over item: QueueItem, because error: any Error) {
        guard itemsByID[item.id] != nil else { return }
        let isCurrent = order.current == item.id && chain.isEmpty
        order.markUnplayable(item.id)
        tell(.skipped(item, error))
        // A queue that was stopped while the item was being opened has ended already.
        guard isCurrent, isUnderWay else { return }
        if order.step(wraps: order.repeats != .off) == nil {
            end(order.list.contains(where: order.isPlayable) ? .completed : .failed(error))
        }
    }

    // MARK: Notes of players

    /// Processes notes of players. Notes of different players may arrive in any order.
    mutating func take(_ notes: [QueueInbox.Note]) {
        for note in players.ordered(notes) {
            if !players.putOff(note) { take(note) }
        }
    }

    private mutating func take(_ note: QueueInbox.Note) {
        switch note.event.kind {
        case .playbackStarted: noteStart(note)
        case .finished(let reason): noteEnd(note, reason)
        default: break
        }
    }

    private mutating func noteStart(_ note: QueueInbox.Note) {
        guard let hasPassedJoint = players.noteStart(note.serial) else { return }
        let item = chain[0].item
        if hasPassedJoint { order.arrive(at: item.id) }
        tell(.itemStarted(item, index: order.list.firstIndex(of: item.id) ?? 0, frame: note.event.frame))
    }

    private mutating func noteEnd(_ note: QueueInbox.Note, _ reason: FinishReason) {
        if let entry = players.takeLeaving(note.serial) {
            leave(entry, note, reason)
            tellEnding()
        } else if let entry = players.takeFaded(note.serial) {
            leave(entry, note, reason)
        } else if let entry = players.takeFirst(note.serial) {
            leave(entry, note, reason)
            // Stopped by another owner of the player.
            if reason == .stopped { return end(.stopped) }
            // The next player has begun, and reports its start next; or the next item is not open yet.
            if let next = chain.first?.id ?? order.upcoming(1).first { order.arrive(at: next) } else { end(.completed) }
        }
    }

    private mutating func leave(_ entry: QueuePlayers.Entry, _ note: QueueInbox.Note, _ reason: FinishReason) {
        if let failure = entry.player.failure { tell(.skipped(entry.item, failure)) }
        tell(.itemEnded(entry.item, frame: note.event.frame, reason: reason))
        players.release(entry)
    }
}
