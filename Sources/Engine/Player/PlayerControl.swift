internal import Clips
internal import Realtime

/// The control side of a player: requests that are not sent yet, and the scores that the render side may still read.
struct PlayerControl: ~Copyable {
    /// The most scores that can be on the render side at once, unless the rings are made longer; further ones wait here.
    static let maximumScores = 64
    /// Requests are sent this long before they are due: two of the longest blocks, and many rounds of the pump.
    private static let horizonFrames: Int64 = 16_384

    private var urgent: RingProducer<PlayerCommand>
    private var scheduled: RingProducer<PlayerCommand>
    private var spentScores: RingConsumer<Int>
    /// Immediate requests that found their ring full, or follow one that did.
    private var immediate = WaitingCommands()
    /// Requests for a frame that are due much later, that found their ring full, or that follow one that did.
    private var timed = TimedCommands()
    /// Every score that the render side has or will get, by its address.
    private var storages: [Int: ScoreStorage]
    private(set) var newest: ScoreStorage
    private var scoresUnderWay = 1
    private var now: Int64 = 0
    /// Whether an immediate score was sent since the last round of the pump. If so, the next one waits for the next round, or for
    /// a request after it; scores requested meanwhile replace it.
    private var hasSentScore = false

    /// Requests that have not been sent.
    var waitingCount: Int { immediate.commands.count + timed.count }

    /// - Parameter frame: the output frame at which the player is added.
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

    /// Adds a request; the order of requests is kept.
    mutating func send(_ command: PlayerCommand) {
        if command.frame < 0 { immediate.append(command) } else { timed.insert(command) }
        carry(holdingScore: hasSentScore)
    }

    /// Adds a request with a new score.
    ///
    /// - Parameter command: its code and frame; the score is filled in here.
    mutating func replaceScore(_ storage: ScoreStorage, by command: PlayerCommand) {
        add(storage)
        var command = command
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

    /// The last immediate request, if it still waits here and would not be heard. The render side would drop it too; dropping it
    /// here makes room, however many arrive before the next round.
    private mutating func takeSuperseded(by command: PlayerCommand) -> PlayerCommand? {
        guard command.frame < 0, let last = immediate.commands.last, last.replacesScore, command.supersedes(last) else {
            return nil
        }
        return immediate.removeLast()
    }

    /// The newest score, if `ticket` was requested for it.
    func score(ofTicket ticket: Int) -> Score? { newest.ticket == ticket ? newest.score : nil }

    /// Sends the newest score again with more known about it.
    ///
    /// - Returns: false if `ticket` was not requested for the newest score.
    mutating func adopt(_ storage: ScoreStorage, insteadOf ticket: Int) -> Bool {
        guard newest.ticket == ticket else { return false }
        adopt(storage)
        return true
    }

    /// Sends the newest score again, with more known about it or more memory.
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
    /// - Parameter frame: the player's next output frame. Requests that are due long after it stay here; otherwise they would fill the
    ///   render side's list and block requests that are due now.
    mutating func serve(at frame: Int64) {
        // A player that was added later has no frame before its first block.
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

    /// Makes the rings longer until they hold all that the next ``serve(at:)`` sends, and the scores that come back.
    ///
    /// For the virtual clock: what is carried out in a block then depends on the requests alone, and not on when the rings are served during the block.
    ///
    /// - Parameters:
    ///   - frame: as in ``serve(at:)``.
    ///   - core: the render side. The caller is the thread that renders, between two blocks.
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
        // Each of them may bring a score.
        guard scoresUnderWay + hasty + due > spentScores.capacity else { return }
        freeSpentScores()
        let ring = RingEnds<Int>(capacity: 2 * (scoresUnderWay + hasty + due))
        core.transport.retired.giveBack(through: ring.producer)
        spentScores = ring.consumer
    }

    /// Immediate requests have a ring of their own, so that they never wait behind later ones. The others
    /// are sent in the order of their frames; for equal frames, in the order of the requests.
    ///
    /// - Parameter holdingScore: true keeps a score that no request follows.
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
        /// A score is sent only while its return ring has room, so that the render side never has to keep one.
        if command.bringsScore && scoresUnderWay >= spentScores.capacity { return false }
        guard isUrgent ? urgent.push(command) : scheduled.push(command) else { return false }
        if command.bringsScore { scoresUnderWay += 1 }
        return true
    }
}

/// Immediate requests, in the order in which they are sent.
private struct WaitingCommands {
    private(set) var commands: ArraySlice<PlayerCommand> = []

    mutating func append(_ command: PlayerCommand) { commands.append(command) }

    mutating func removeFirst() { commands.removeFirst() }

    mutating func removeLast() -> PlayerCommand { commands.removeLast() }

    /// Gives the first request that brings a score another one in its place; false if there is none.
    mutating func replace(scoreAt address: Int, by score: RenderScore) -> Bool {
        let place = commands.firstIndex { $0.bringsScore && $0.score.address == address }
        if let place { commands[place].score = score }
        return place != nil
    }
}

/// Requests for frames; those of one frame follow one another in the order in which they were made. A heap: whatever the order in which requests
/// come, adding one and taking the first one cost the logarithm of their number.
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

    /// How many are due up to a frame.
    func count(upTo frame: Int64) -> Int { count(upTo: frame, from: 0) }

    /// Entries below one that is due later are due later too.
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

    /// Gives the request that brings a score another one in its place; false if there is none.
    mutating func replace(scoreAt address: Int, by score: RenderScore) -> Bool {
        let place = heap.firstIndex { $0.command.bringsScore && $0.command.score.address == address }
        if let place { heap[place].command.score = score }
        return place != nil
    }
}

extension Score {
    /// The parts of the clip to keep decoded: the place that is heard next; then the first half second of every section, so that no joint
    /// and no skip finds its section missing; and the frames that a voice reads before it begins.
    /// If the memory budget is too small, parts at the end are left out.
    ///
    /// - Parameter leadInFrames: frames that a voice reads before it begins.
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
