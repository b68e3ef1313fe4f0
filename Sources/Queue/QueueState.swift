internal import Clips
internal import Engine
internal import Realtime

/// State of a queue, used under the queue's lock. The state opens nothing and waits for nothing.
struct QueueState {
    /// A player of the queue.
    struct Entry {
        let item: QueueItem
        let serial: Int
        let player: Player
        let sound: QueueSound
        /// Length of the crossfade at the beginning.
        let fade: Int64
        /// True if the player is playing, or will begin at a joint.
        var isBidden: Bool
        /// First frame to play, if moved before the start.
        var firstFrame: Int64?
        /// True once the start was reported.
        var isHeard = false

        var id: QueueItem.ID { item.id }
    }

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

    private let engine: Engine
    private let inbox: QueueInbox
    private(set) var itemsByID: [QueueItem.ID: QueueItem] = [:]
    private var madeItems: UInt64 = 0
    private var madePlayers = 0
    var order = QueueOrder()

    /// Player of the current item, and the players that follow at their joints.
    private(set) var chain: [Entry] = []
    /// Players past their joint, fading out.
    private var fading: [Entry] = []
    /// Stopped players that were audible. The queue still has to report the end of each.
    private var leaving: [Entry] = []
    private var course = Course.ready
    private(set) var pauseReason: PauseReason?
    private(set) var settings = QueueSettings()
    /// Notes that wait for the note of an earlier player.
    private var early: [QueueInbox.Note] = []
    /// Undelivered events.
    private var untold: [QueueEvent] = []

    init(_ engine: Engine, _ inbox: QueueInbox) { (self.engine, self.inbox) = (engine, inbox) }

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

    /// Reports a changed order.
    mutating func noteOrder() {
        tell(.orderChanged)
        let planned = order.upcoming(Self.mostAhead)
        guard isUnderWay, !chain.isEmpty, firstWrong(planned) != nil || planned.count >= chain.count else { return }
        // At once, not on the queue's thread: the current item may end before.
        engine.holdsOpen(true)
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
        engine.holdsOpen(true)
        dropFading()
        if let left = chain.first {
            let follows = chain.count > 1 && chain[1].id == order.current
            dropFollowers(from: follows ? 2 : 1)
            drop(left)
            chain.removeFirst()
            if follows {
                chain[0].isBidden = pauseReason == nil
                if chain[0].isBidden { chain[0].player.start() }
            }
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
        guard let entry = chain.first else { return }
        try entry.player.seek(toClipFrame: frame)
        if !entry.isBidden { chain[0].firstFrame = frame }
    }

    mutating func pause(_ reason: PauseReason) {
        // Like `Player`: the user's pause replaces any other pause, but no other pause replaces the user's.
        if pauseReason == nil || reason == .user { pauseReason = reason }
        leader?.player.pause(reason: reason)
    }

    mutating func resume(after reason: PauseReason?) {
        if reason == nil || reason == pauseReason { pauseReason = nil }
        guard let first = chain.first, !first.isBidden else {
            leader?.player.resume(after: reason)
            return
        }
        if pauseReason == nil { startFirst() }
    }

    /// The player that passes pauses on to later players.
    private var leader: Entry? { fading.first ?? chain.first { $0.isBidden } }

    private mutating func startFirst() {
        chain[0].isBidden = true
        if let frame = chain[0].firstFrame, (try? chain[0].player.start(inSection: 1, clipFrame: frame)) != nil {
            return
        }
        chain[0].player.start()
    }

    mutating func end(_ reason: QueueEnd) {
        dropFollowers(from: 0)
        dropFading()
        (course, pauseReason) = (.ended(reason, isTold: false), nil)
        engine.holdsOpen(false)
        tellEnding()
    }

    private mutating func tellEnding() {
        guard case .ended(let reason, isTold: false) = course, leaving.isEmpty else { return }
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
        for entry in fading + chain { try? entry.player.setSpeed(speed) }
        dropFollowersOfOtherFades()
    }

    /// Drops followers whose crossfades would now have another length, to open these again.
    private mutating func dropFollowersOfOtherFades() {
        let first = chain.indices.dropFirst(hasNextBegun ? 2 : 1).first { index in
            chain[index].fade != settings.fade(from: chain[index - 1].sound, to: chain[index].sound)
        }
        guard let first else { return }
        // At once: the current item may end before the queue's thread runs.
        engine.holdsOpen(true)
        dropFollowers(from: first)
    }

    mutating func setGain(_ decibels: Double) {
        settings.decibels = decibels
        for entry in fading + chain { entry.player.setGain(decibels: settings.decibels(of: entry.sound)) }
    }

    // MARK: The players

    /// True if the joint has passed, even before the report: the next item then stays.
    private var hasNextBegun: Bool {
        chain.count > 1 && chain[1].player.status.state != .idle && itemsByID[chain[1].id] != nil
    }

    /// Removes players of the chain, last first, so that none begins.
    private mutating func dropFollowers(from index: Int) {
        for entry in chain.dropFirst(index).reversed() { drop(entry) }
        chain.removeSubrange(min(index, chain.count)...)
    }

    private mutating func dropFading() {
        for entry in fading { drop(entry) }
        fading = []
    }

    private mutating func drop(_ entry: Entry) {
        engine.remove(entry.player)
        if entry.isHeard { leaving.append(entry) }
    }

    /// Returns the next item to open; nil if enough items are open. Removes players that no longer follow.
    mutating func nextToOpen() -> QueueItem? {
        guard isUnderWay, let current = order.current else { return nil }
        if chain.isEmpty {
            engine.holdsOpen(true)
            return itemsByID[current]
        }
        let planned = order.upcoming(Self.mostAhead)
        if let wrong = firstWrong(planned) {
            engine.holdsOpen(true)
            dropFollowers(from: wrong)
        }
        // With the last item in the chain, the stream may end at its last frame, but not before the start.
        engine.holdsOpen(!chain[0].isBidden || planned.count > chain.count - 1)
        guard chain.count <= planned.count else { return nil }
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
        let serial = madePlayers + 1
        let fade = settings.fade(from: chain.last?.sound, to: sound)
        let player = try engine.makePlayer(
            clip, score: score, decibels: settings.decibels(of: sound), leader: chain.last?.player, fade: fade
        ) { [inbox] events in
            for event in events {
                switch event.kind {
                case .playbackStarted, .finished: inbox.add(QueueInbox.Note(serial: serial, event: event))
                default: break
                }
            }
        }
        madePlayers = serial
        chain.append(
            Entry(item: item, serial: serial, player: player, sound: sound, fade: fade, isBidden: chain.count > 0))
        if chain.count == 1, pauseReason == nil { startFirst() }
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
        let sorted = (early + notes).sorted { $0.place < $1.place }
        early = []
        for note in sorted {
            if isEarly(note) { early.append(note) } else { take(note) }
        }
    }

    /// True if an earlier player is not yet known to have begun. The engine serves players one after another, so the
    /// queue's thread may see the note of a later player first.
    private func isEarly(_ note: QueueInbox.Note) -> Bool {
        guard let index = chain.firstIndex(where: { $0.serial == note.serial }) else { return false }
        return chain[..<index].contains { !$0.isHeard }
    }

    private mutating func take(_ note: QueueInbox.Note) {
        switch note.event.kind {
        case .playbackStarted: noteStart(note)
        case .finished(let reason): noteEnd(note, reason)
        default: break
        }
    }

    private mutating func noteStart(_ note: QueueInbox.Note) {
        guard let index = chain.firstIndex(where: { $0.serial == note.serial }) else { return }
        if index > 0 {
            fading += chain[..<index]
            chain.removeFirst(index)
            order.arrive(at: chain[0].id)
        }
        chain[0].isHeard = true
        let item = chain[0].item
        tell(.itemStarted(item, index: order.list.firstIndex(of: item.id) ?? 0, frame: note.event.frame))
    }

    private mutating func noteEnd(_ note: QueueInbox.Note, _ reason: FinishReason) {
        if let index = leaving.firstIndex(where: { $0.serial == note.serial }) {
            leave(leaving.remove(at: index), note, reason)
            tellEnding()
        } else if let index = fading.firstIndex(where: { $0.serial == note.serial }) {
            leave(fading.remove(at: index), note, reason)
        } else if let entry = chain.first, entry.serial == note.serial {
            if reason == .stopped {
                // Stopped by another owner of the player.
                leave(entry, note, reason)
                chain.removeFirst()
                return end(.stopped)
            }
            if chain.count > 1 {
                // The next player has begun, and reports its start next.
                leave(entry, note, reason)
                chain.removeFirst()
                order.arrive(at: chain[0].id)
                return
            }
            leave(entry, note, reason)
            chain = []
            if let next = order.upcoming(1).first { order.arrive(at: next) } else { end(.completed) }
        }
    }

    private mutating func leave(_ entry: Entry, _ note: QueueInbox.Note, _ reason: FinishReason) {
        if let failure = entry.player.failure { tell(.skipped(entry.item, failure)) }
        tell(.itemEnded(entry.item, frame: note.event.frame, reason: reason))
        engine.remove(entry.player)
    }
}

extension QueueInbox.Note {
    /// Sort key of the note. With a crossfade, the next item begins before the last item ends; otherwise the end comes
    /// first.
    fileprivate var place: (Int64, Int, Int) {
        if case .finished = event.kind { return (event.frame, 0, serial) }
        return (event.frame, 1, serial)
    }
}
