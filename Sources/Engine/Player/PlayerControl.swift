internal import Clips
internal import Realtime

/// The control side of a player: requests not sent yet, and the scores that the render side may still read.
struct PlayerControl: ~Copyable {
    /// Maximum number of scores on the render side at once, unless the rings become longer; further scores wait here.
    static let maximumScores = 64
    /// Requests are sent this long before their frame: two of the longest blocks, and many rounds of the pump.
    private static let horizonFrames: Int64 = 16_384

    private var urgent: RingProducer<PlayerCommand>
    private var scheduled: RingProducer<PlayerCommand>
    private var spentScores: RingConsumer<Int>
    /// Immediate requests that found the ring full, and all later immediate requests.
    private var immediate = WaitingCommands()
    /// Requests for a much later frame, requests that found the ring full, and all later requests with a frame.
    private var timed = TimedCommands()
    /// Every score that the render side has or will get, by its address.
    private var storages: [Int: ScoreStorage]
    private(set) var newest: ScoreStorage
    private var scoresUnderWay = 1
    private var now: Int64 = 0
    /// True if an immediate score was sent since the last round of the pump. The next score then waits for the next
    /// round, or for a later request; scores requested meanwhile replace the waiting score.
    private var hasSentScore = false
    /// The newest move to a known place in the next block: its number, and the frame of the clip.
    private(set) var newestMove: (number: Int64, clipFrame: Int64) = (0, 0)

    /// Number of requests not sent yet.
    var waitingCount: Int { immediate.commands.count + timed.count }

    /// - Parameter frame: the output frame at which the engine adds the player.
    init(
        urgent: consuming RingProducer<PlayerCommand>, scheduled: consuming RingProducer<PlayerCommand>,
        spentScores: consuming RingConsumer<Int>, storage: ScoreStorage, at frame: Int64
    ) {
        self.urgent = urgent
        self.scheduled = scheduled
        self.spentScores = spentScores
        storages = [storage.renderScore.address: storage]
        newest = storage
        now = frame
    }

    /// Adds a request; requests keep their order.
    mutating func send(_ command: PlayerCommand) {
        if command.frame < 0 { immediate.append(command) } else { timed.insert(command) }
        carry(holdingScore: hasSentScore)
    }

    /// Adds a request that moves the player to a frame of the clip.
    mutating func send(_ command: PlayerCommand, movingTo clipFrame: Int64) {
        send(numbered(command, movingTo: clipFrame))
    }

    /// Returns the request with its number as a move, if the move is for the next block.
    private mutating func numbered(_ command: PlayerCommand, movingTo clipFrame: Int64) -> PlayerCommand {
        guard command.frame < 0 else { return command }
        newestMove = (newestMove.number + 1, clipFrame)
        var move = command
        move.moveNumber = newestMove.number
        return move
    }

    /// Adds a request with a new score.
    ///
    /// - Parameters:
    ///   - command: its code and frame; this method fills in the score.
    ///   - clipFrame: the frame of the clip at which the new score begins; nil if the player keeps its place.
    mutating func replaceScore(_ storage: ScoreStorage, by command: PlayerCommand, movingTo clipFrame: Int64? = nil) {
        add(storage)
        var command = clipFrame.map { numbered(command, movingTo: $0) } ?? command
        command.score = storage.renderScore
        while let superseded = takeSuperseded(by: command) {
            storages[superseded.score.address] = nil
            command.standIn(for: superseded)
        }
        send(command)
    }

    private mutating func add(_ storage: ScoreStorage) {
        newest = storage
        storages[storage.renderScore.address] = storage
    }

    /// Removes and returns the last immediate request, if the request still waits here and would be inaudible. The
    /// render side would drop the request too; dropping here makes room for any number of requests before the next
    /// round.
    private mutating func takeSuperseded(by command: PlayerCommand) -> PlayerCommand? {
        guard command.frame < 0, let last = immediate.commands.last, last.replacesScore, command.supersedes(last) else {
            return nil
        }
        return immediate.removeLast()
    }

    /// Returns the newest score, if `ticket` was requested for this score.
    func score(ofTicket ticket: Int) -> Score? { newest.ticket == ticket ? newest.score : nil }

    /// Sends the newest score again after further analysis.
    ///
    /// - Returns: false if `ticket` was not requested for the newest score.
    mutating func adopt(_ storage: ScoreStorage, insteadOf ticket: Int) -> Bool {
        guard newest.ticket == ticket else { return false }
        adopt(storage)
        return true
    }

    /// Sends the newest score again, after further analysis or with more memory.
    mutating func adopt(_ storage: ScoreStorage) {
        let known = newest.renderScore.address
        add(storage)
        if immediate.replace(scoreAt: known, by: storage.renderScore)
            || timed.replace(scoreAt: known, by: storage.renderScore)
        {
            storages[known] = nil
            return
        }
        var command = PlayerCommand(code: .adoptScore, value: Int64(known))
        command.score = storage.renderScore
        send(command)
    }

    /// Sends waiting requests, and frees returned scores.
    ///
    /// - Parameter frame: the player's next output frame. Requests for much later frames stay here, so that the render
    ///   side's list has room for requests due now.
    mutating func serve(at frame: Int64) {
        // A player added later has no frame before its first block.
        now = max(now, frame)
        freeSpentScores()
        carry(holdingScore: false)
        hasSentScore = false
    }

    private mutating func freeSpentScores() {
        while let address = spentScores.pop() {
            storages[address] = nil
            scoresUnderWay -= 1
        }
    }

    /// Makes the rings longer until there is room for everything sent by the next ``serve(at:)``, and for the returned
    /// scores.
    ///
    /// For the virtual clock: the requests carried out in a block then depend on the requests alone, and not on the
    /// times of serving the rings during the block.
    ///
    /// - Parameters:
    ///   - frame: as in ``serve(at:)``.
    ///   - core: the render side. The caller is the render thread, between two blocks.
    mutating func makeRoom(at frame: Int64, in core: inout PlayerCore) {
        let (hasty, due) = (immediate.commands.count, timed.count(upTo: max(now, frame) + PlayerControl.horizonFrames))
        if hasty > urgent.writableCount {
            let ring = RingEnds<PlayerCommand>(capacity: 2 * (urgent.capacity + hasty))
            var producer = ring.producer
            core.commands.takeUrgent(from: ring.consumer, writingTo: &producer)
            urgent = producer
        }
        if due > scheduled.writableCount {
            let ring = RingEnds<PlayerCommand>(capacity: 2 * (scheduled.capacity + due))
            var producer = ring.producer
            core.commands.takeScheduled(from: ring.consumer, writingTo: &producer)
            scheduled = producer
        }
        // Each request may bring a score.
        guard scoresUnderWay + hasty + due > spentScores.capacity else { return }
        freeSpentScores()
        let ring = RingEnds<Int>(capacity: 2 * (scoresUnderWay + hasty + due))
        core.transport.retired.giveBack(through: ring.producer)
        spentScores = ring.consumer
    }

    /// Immediate requests have a ring of their own, so that immediate requests never wait behind later requests.
    /// Requests with a frame go out in the order of the frames; for equal frames, in the order of the requests.
    ///
    /// - Parameter holdingScore: true keeps a score without a later request.
    private mutating func carry(holdingScore: Bool) {
        while let command = immediate.commands.first {
            let isHeld = holdingScore && immediate.commands.count == 1 && command.replacesScore
            if isHeld || !push(command, isUrgent: true) { break }
            if command.replacesScore { hasSentScore = true }
            immediate.removeFirst()
        }
        while let command = timed.first, command.frame <= now + PlayerControl.horizonFrames,
            push(command, isUrgent: false)
        { timed.removeFirst() }
    }

    private mutating func push(_ command: PlayerCommand, isUrgent: Bool) -> Bool {
        /// A score is sent only while the return ring has room, so that the render side never has to keep a score.
        if command.bringsScore && scoresUnderWay >= spentScores.capacity { return false }
        guard isUrgent ? urgent.push(command) : scheduled.push(command) else { return false }
        if command.bringsScore { scoresUnderWay += 1 }
        return true
    }
}

/// Immediate requests, in the order of sending.
private struct WaitingCommands {
    private(set) var commands: ArraySlice<PlayerCommand> = []

    mutating func append(_ command: PlayerCommand) { commands.append(command) }

    mutating func removeFirst() { commands.removeFirst() }

    mutating func removeLast() -> PlayerCommand { commands.removeLast() }

    /// Replaces the score of the first request that brings the score at `address`; returns false if there is no such
    /// request.
    mutating func replace(scoreAt address: Int, by score: RenderScore) -> Bool {
        let place = commands.firstIndex { $0.bringsScore && $0.score.address == address }
        if let place { commands[place].score = score }
        return place != nil
    }
}

/// Requests for frames; requests for the same frame keep the order in which the program made them. A heap: in any order
/// of arrival, adding a request and taking the first cost the logarithm of their number.
private struct TimedCommands {
    private struct Entry {
        var command: PlayerCommand
        let number: UInt64

        func isBefore(_ other: Entry) -> Bool {
            (command.frame, number) < (other.command.frame, other.number)
        }
    }

    /// No entry is before its parent, at (place − 1) / 2.
    private var heap: [Entry] = []
    private var made: UInt64 = 0

    var count: Int { heap.count }
    var first: PlayerCommand? { heap.first?.command }

    /// Returns the number of requests due up to a frame.
    func count(upTo frame: Int64) -> Int { count(upTo: frame, from: 0) }

    /// Entries below a later entry are later too.
    private func count(upTo frame: Int64, from place: Int) -> Int {
        guard place < heap.count, heap[place].command.frame <= frame else { return 0 }
        return 1 + count(upTo: frame, from: 2 * place + 1) + count(upTo: frame, from: 2 * place + 2)
    }

    mutating func insert(_ command: PlayerCommand) {
        heap.append(Entry(command: command, number: made))
        made += 1
        var place = heap.count - 1
        while place > 0, heap[place].isBefore(heap[(place - 1) / 2]) {
            heap.swapAt(place, (place - 1) / 2)
            place = (place - 1) / 2
        }
    }

    mutating func removeFirst() {
        heap.swapAt(0, heap.count - 1)
        heap.removeLast()
        var place = 0
        while 2 * place + 1 < heap.count {
            let (left, right) = (2 * place + 1, 2 * place + 2)
            let child = right < heap.count && heap[right].isBefore(heap[left]) ? right : left
            guard heap[child].isBefore(heap[place]) else { return }
            heap.swapAt(place, child)
            place = child
        }
    }

    /// Replaces the score of the request that brings the score at `address`; returns false if there is no such request.
    mutating func replace(scoreAt address: Int, by score: RenderScore) -> Bool {
        let place = heap.firstIndex { $0.command.bringsScore && $0.command.score.address == address }
        if let place { heap[place].command.score = score }
        return place != nil
    }
}

extension Score {
    /// Returns the parts of the clip to keep decoded, most important first. The next audible place comes first, then
    /// the first half second of every section, so that no joint and no skip finds its section missing. Each part
    /// includes the frames that a voice reads before its start. If the memory budget is too small, the last parts are
    /// left out.
    ///
    /// - Parameter leadInFrames: frames that a voice reads before its start.
    func demand(first clipFrame: Int64, leadInFrames: Int) -> ClipDemand {
        let opening = Int64(max(1, sampleRate / 2))
        let context = Int64(leadInFrames)
        let view = view
        func opened(at start: Int64, before end: Int64) -> Range<Int64> {
            view.range(max(0, start - context)..<min(start + opening, end))
        }
        let openings = sections.prefix(256).map { section in
            let range = view.range(section.range)
            return opened(at: range.lowerBound, before: range.upperBound)
        }
        return ClipDemand([opened(at: view.frame(clipFrame), before: clipFrameCount)] + openings)
    }
}
