internal import Clips
internal import Engine

/// The players of a queue, in the order in which they sound. Used under the queue's lock.
struct QueuePlayers {
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

    private let engine: Engine
    private let inbox: QueueInbox
    private var made = 0
    /// Player of the current item, and the players that follow at their joints.
    private(set) var chain: [Entry] = []
    /// Players past their joint, fading out.
    private var fading: [Entry] = []
    /// Stopped players that were audible. The queue still has to report the end of each.
    private var leaving: [Entry] = []
    /// Notes that wait for the note of an earlier player.
    private var early: [QueueInbox.Note] = []

    init(_ engine: Engine, _ inbox: QueueInbox) { (self.engine, self.inbox) = (engine, inbox) }

    /// Keeps the stream running after the end of the last player, or no longer.
    func holdOpen(_ holds: Bool) { engine.holdsOpen(holds) }

    /// Players that sound, or will sound.
    var playing: [Entry] { fading + chain }

    /// True if the end of a stopped player is still to come.
    var hasLeaving: Bool { !leaving.isEmpty }

    /// The player that passes pauses on to later players.
    var leader: Entry? { fading.first ?? chain.first { $0.isBidden } }

    // MARK: Adding and starting

    /// Adds a player at the end of the chain.
    ///
    /// - Throws: The engine's error; then nothing changes.
    mutating func append(
        _ item: QueueItem, _ sound: QueueSound, _ score: Score, decibels: Double, fade: Int64
    ) throws {
        let serial = made + 1
        let player = try engine.makePlayer(
            sound.clip, score: score, decibels: decibels, leader: chain.last?.player, fade: fade
        ) { [inbox] events in
            for event in events {
                switch event.kind {
                case .playbackStarted, .finished: inbox.add(QueueInbox.Note(serial: serial, event: event))
                default: break
                }
            }
        }
        made = serial
        chain.append(
            Entry(item: item, serial: serial, player: player, sound: sound, fade: fade, isBidden: chain.count > 0))
    }

    /// Starts the first player of the chain, at the frame of an earlier move.
    mutating func startFirst() {
        chain[0].isBidden = true
        if let frame = chain[0].firstFrame, (try? chain[0].player.start(inSection: 1, clipFrame: frame)) != nil {
            return
        }
        chain[0].player.start()
    }

    /// Lets the first player of the chain, which followed another player, begin at once or wait for the end of a pause.
    mutating func bidFirst(_ plays: Bool) {
        chain[0].isBidden = plays
        if plays { chain[0].player.start() }
    }

    /// Moves the first player of the chain, if there is one.
    mutating func seek(to frame: Int64) throws(ScoreError) {
        guard let entry = chain.first else { return }
        try entry.player.seek(toClipFrame: frame)
        if !entry.isBidden { chain[0].firstFrame = frame }
    }

    // MARK: Removing

    /// Removes players of the chain, last first, so that none begins.
    mutating func dropFollowers(from index: Int) {
        for entry in chain.dropFirst(index).reversed() { drop(entry) }
        chain.removeSubrange(min(index, chain.count)...)
    }

    /// Removes the first player of the chain.
    mutating func dropFirst() { drop(chain.removeFirst()) }

    mutating func dropFading() {
        for entry in fading { drop(entry) }
        fading = []
    }

    private mutating func drop(_ entry: Entry) {
        engine.remove(entry.player)
        if entry.isHeard { leaving.append(entry) }
    }

    // MARK: Notes

    /// Returns the notes to process now, with the notes that were early so far, in the order of the sound.
    mutating func ordered(_ notes: [QueueInbox.Note]) -> [QueueInbox.Note] {
        defer { early = [] }
        return (early + notes).sorted { $0.place < $1.place }
    }

    /// Keeps a note for the next round if an earlier player is not yet known to have begun; returns false otherwise.
    /// The engine serves players one after another, so the queue's thread may see the note of a later player first.
    mutating func putOff(_ note: QueueInbox.Note) -> Bool {
        guard let index = chain.firstIndex(where: { $0.serial == note.serial }),
            chain[..<index].contains(where: { !$0.isHeard })
        else { return false }
        early.append(note)
        return true
    }

    /// Makes the player of a note the first of the chain, because the player has begun.
    ///
    /// - Returns: True if the players before have passed their joint; nil if the player is not in the chain.
    mutating func noteStart(_ serial: Int) -> Bool? {
        guard let index = chain.firstIndex(where: { $0.serial == serial }) else { return nil }
        fading += chain[..<index]
        chain.removeFirst(index)
        chain[0].isHeard = true
        return index > 0
    }

    /// Takes out a stopped player whose end is reported now.
    mutating func takeLeaving(_ serial: Int) -> Entry? {
        leaving.firstIndex { $0.serial == serial }.map { leaving.remove(at: $0) }
    }

    /// Takes out a faded player whose end is reported now.
    mutating func takeFaded(_ serial: Int) -> Entry? {
        fading.firstIndex { $0.serial == serial }.map { fading.remove(at: $0) }
    }

    /// Takes out the first player of the chain, whose end is reported now.
    mutating func takeFirst(_ serial: Int) -> Entry? {
        chain.first?.serial == serial ? chain.removeFirst() : nil
    }

    /// Gives a player whose end was reported back to the engine.
    func release(_ entry: Entry) { engine.remove(entry.player) }
}

extension QueueInbox.Note {
    /// Sort key of the note. With a crossfade, the next item begins before the last item ends; otherwise the end comes
    /// first.
    fileprivate var place: (Int64, Int, Int) {
        if case .finished = event.kind { return (event.frame, 0, serial) }
        return (event.frame, 1, serial)
    }
}
