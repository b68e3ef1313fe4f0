internal import Clips
internal import Engine
internal import Realtime

/// What a queue knows. It is used under the queue's lock; it opens nothing and waits for nothing.
struct QueueState {
    /// A player of the queue.
    struct Entry {
        let item: QueueItem
        let serial: Int
        let player: Player
        let sound: QueueSound
        /// The length of the crossfade at its beginning.
        let fade: Int64
        /// Whether it plays, or begins by itself at a joint.
        var isBidden: Bool
        /// Where it begins, if it was moved before.
        var firstFrame: Int64?
        /// Whether its beginning was told.
        var isHeard = false

        var id: QueueItem.ID { item.id }
    }

    /// The most players that wait behind the current one, and the output frames that they should last together: two of the longest blocks.
    static let (mostAhead, framesAhead) = (16, Int64(16_384))
    /// Within so many seconds from its beginning, `previous` leaves an item.
    private static let beginningSeconds = 3

    private let engine: Engine
    private let inbox: QueueInbox
    private(set) var itemsByID: [QueueItem.ID: QueueItem] = [:]
    private var madeItems: UInt64 = 0
    private var madePlayers = 0
    var order = QueueOrder()

    /// The player of the current item, and those that follow it at their joints.
    private(set) var chain: [Entry] = []
    /// Players that are past their joint and fade out.
    private var fading: [Entry] = []
    /// Players that were heard and are stopped; their end is still to be told.
    private var leaving: [Entry] = []
    /// Why the queue is over, until that is told as the last of all.
    private var ending: QueueEnd?
    /// Whether the queue plays or is paused.
    private(set) var isUnderWay = false
    private(set) var pauseReason: PauseReason?
    /// Why the queue ended, if no item could be played.
    private(set) var failure: (any Error)?
    private(set) var crossfade: Int64 = 0
    private(set) var speed = Speed.normal
    private var decibels = 0.0
    /// Notes that wait for that of a player ahead.
    private var early: [QueueInbox.Note] = []
    /// Events that have not been delivered.
    private var untold: [QueueEvent] = []

    init(_ engine: Engine, _ inbox: QueueInbox) { (self.engine, self.inbox) = (engine, inbox) }

    // MARK: Items and events

    var items: [QueueItem] { order.list.compactMap { itemsByID[$0] } }

    mutating func makeItem(_ source: String) -> QueueItem {
        madeItems += 1
        let item = QueueItem(id: QueueItem.ID(number: madeItems), source: source)
        itemsByID[item.id] = item
        return item
    }

    /// - Returns: false if there is no such item.
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

    /// The order of the items has changed.
    mutating func noteOrder() {
        tell(.orderChanged)
        let planned = order.upcoming(Self.mostAhead)
        guard isUnderWay, !chain.isEmpty, firstWrong(planned) != nil || planned.count >= chain.count else { return }
        // Now, and not when the queue's thread comes to it: what plays may end before.
        engine.holdsOpen(true)
    }

    /// The first player behind the current one that does not follow any more.
    private func firstWrong(_ planned: [QueueItem.ID]) -> Int? {
        chain.indices.dropFirst(hasNextBegun ? 2 : 1).first { $0 > planned.count || chain[$0].id != planned[$0 - 1] }
    }

    /// - Returns: false if there is no item.
    mutating func begin() -> Bool {
        if order.current == nil, order.step(wraps: false) == nil, let first = order.list.first {
            // All were passed over; they get another chance.
            for id in order.list.reversed() { _ = order.jump(to: id) }
            _ = order.jump(to: first)
        }
        guard order.current != nil else { return false }
        (isUnderWay, failure, ending) = (true, nil, nil)
        return true
    }

    /// The current item has changed: it begins at once if it is open, and else when it is.
    mutating func jump() {
        (isUnderWay, failure, ending) = (true, nil, nil)
        // Now, and not when the queue's thread comes to it: what played may have faded out by then, and the stream would end with it.
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
        let status = entry.player.status
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
        // As with a player: the user's pause replaces any other, and no other one the user's.
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

    /// The player that passes pauses on to those after it.
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
        (isUnderWay, pauseReason, ending) = (false, nil, reason)
        if case .failed(let error) = reason { failure = error }
        engine.holdsOpen(false)
        tellEnding()
    }

    private mutating func tellEnding() {
        guard let reason = ending, leaving.isEmpty else { return }
        ending = nil
        tell(.finished(reason))
    }

    mutating func setCrossfade(_ frames: Int64) {
        guard frames != crossfade else { return }
        crossfade = frames
        dropFollowersOfOtherFades()
    }

    mutating func setSpeed(_ speed: Speed) {
        self.speed = speed
        for entry in fading + chain { try? entry.player.setSpeed(speed) }
        dropFollowersOfOtherFades()
    }

    /// Lets followers be opened anew whose crossfades would have another length now.
    private mutating func dropFollowersOfOtherFades() {
        let first = chain.indices.dropFirst(hasNextBegun ? 2 : 1).first { index in
            chain[index].fade != fade(from: chain[index - 1].sound, to: chain[index].sound)
        }
        guard let first else { return }
        // Now: what plays may end before the queue's thread comes to it.
        engine.holdsOpen(true)
        dropFollowers(from: first)
    }

    /// At most half of either item, so that no item fades out before it has faded in, and no more than two sound together.
    private func fade(from last: QueueSound?, to sound: QueueSound) -> Int64 {
        [last, sound].compactMap(\.self).reduce(crossfade) { fade, sound in
            let frames = sound.range.map { Int64($0.count) } ?? sound.clip.frameCount
            return min(fade, Int64(Double(frames) / speed.factor / 2))
        }
    }

    mutating func setGain(_ decibels: Double) {
        self.decibels = decibels
        for entry in fading + chain { entry.player.setGain(decibels: decibels + entry.sound.decibels) }
    }

    // MARK: The players

    /// Whether the joint has come, although the queue was not told yet: then the next item is not taken back.
    private var hasNextBegun: Bool {
        chain.count > 1 && chain[1].player.status.state != .idle && itemsByID[chain[1].id] != nil
    }

    /// Removes players of the chain, the last first, so that none begins.
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

    /// The next item to open; nil if enough is open. Players that no longer follow are removed.
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
        // Once the last item is in the chain, the stream may end with it, at its last frame; but not before it was started.
        engine.holdsOpen(!chain[0].isBidden || planned.count > chain.count - 1)
        guard chain.count <= planned.count else { return nil }
        let ahead = chain.dropFirst().reduce(Int64(0)) { $0 + ($1.player.score.frameCount ?? 0) }
        let isEnough = chain.count > 1 && ahead >= Self.framesAhead + crossfade
        return isEnough ? nil : itemsByID[planned[chain.count - 1]]
    }

    /// The sound of an item that is open already.
    func openSound(of id: QueueItem.ID) -> QueueSound? { chain.first { $0.id == id }?.sound }

    /// Adds a player of an opened item, if it is still the next one.
    ///
    /// - Throws: why the engine refuses it.
    mutating func add(_ item: QueueItem, _ sound: QueueSound) throws {
        guard nextToOpen()?.id == item.id else { return }
        let clip = sound.clip
        let plan = PracticePlan(
            sections: [try Section(sound.range ?? 0..<clip.frameCount)], speeds: .constant(speed), joint: .hard)
        let score = try Score(plan, clipFrameCount: clip.frameCount, sampleRate: clip.sampleRate)
        let serial = madePlayers + 1
        let fade = fade(from: chain.last?.sound, to: sound)
        let player = try engine.makePlayer(
            clip, score: score, decibels: decibels + sound.decibels, leader: chain.last?.player, fade: fade
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

    /// An item cannot be opened.
    mutating func pass(over item: QueueItem, because error: any Error) {
        guard itemsByID[item.id] != nil else { return }
        let isCurrent = order.current == item.id && chain.isEmpty
        order.markUnplayable(item.id)
        tell(.skipped(item, error))
        guard isCurrent else { return }
        if order.step(wraps: order.repeats != .off) == nil {
            end(order.list.contains(where: order.isPlayable) ? .completed : .failed(error))
        }
    }

    // MARK: Notes of players

    /// Learns what players did. Notes of different players may come in any order.
    mutating func take(_ notes: [QueueInbox.Note]) {
        let sorted = (early + notes).sorted { $0.place < $1.place }
        early = []
        for note in sorted {
            if isEarly(note) { early.append(note) } else { take(note) }
        }
    }

    /// Whether a player that began before the note's is not known to have begun. The engine serves one player after the other, so that the
    /// queue's thread may see the note of one before that of the player ahead of it.
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
                // By somebody who has the player.
                leave(entry, note, reason)
                chain.removeFirst()
                return end(.stopped)
            }
            if chain.count > 1 {
                // The one that follows has begun, and tells it next.
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
    /// The place among other notes. A crossfade lets the next item begin before the last one ends; otherwise the end comes first.
    fileprivate var place: (Int64, Int, Int) {
        if case .finished = event.kind { return (event.frame, 0, serial) }
        return (event.frame, 1, serial)
    }
}
