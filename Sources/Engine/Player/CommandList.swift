internal import Realtime
internal import Samples

/// Commands of the control side that have not been carried out yet, on the render side: two rings, and a list in the order of the
/// requests.
///
/// It allocates nothing. Real-time safe: yes.
struct CommandList: ~Copyable {
    /// Commands waiting for their frame. The last places are reserved for immediate commands.
    static let capacity = 64
    private static let scheduledCapacity = 48

    private var urgent: RingConsumer<PlayerCommand>
    private var scheduled: RingConsumer<PlayerCommand>
    /// Immediate commands of this block that are still in their ring, and the first frame of the block, at which they are due.
    private var (urgentLeft, blockStart) = (0, Int64(0))
    /// Not a part of this value: functions that only read it would copy its 13 KB for every block.
    private var list = Boxed(InlineArray<64, PlayerCommand>(repeating: PlayerCommand(code: .gain)))
    private var count = 0

    init(urgent: consuming RingConsumer<PlayerCommand>, scheduled: consuming RingConsumer<PlayerCommand>) {
        self.urgent = urgent
        self.scheduled = scheduled
    }

    /// A block begins at output frame `frame`: immediate commands that have been sent by now are due there.
    mutating func beginBlock(at frame: Int64) { (urgentLeft, blockStart) = (urgent.readableCount, frame) }

    /// Takes commands from their rings, as long as there is room: the immediate ones of this block, then those with a frame, which arrive in
    /// the order of their frames. Call it whenever there may be room, so that all commands of a frame are carried out at that frame.
    mutating func collect() {
        while urgentLeft > 0, count < CommandList.capacity, var command = urgent.pop() {
            urgentLeft -= 1
            command.frame = blockStart
            list.value[count] = command
            count += 1
        }
        while count < CommandList.scheduledCapacity, let command = scheduled.pop() {
            list.value[count] = command
            count += 1
        }
    }

    /// Takes immediate commands from another ring from now on, and writes those of the old one to it. Between two blocks; allocates nothing,
    /// but frees the old ring.
    mutating func takeUrgent(
        from ring: consuming RingConsumer<PlayerCommand>, writingTo producer: inout RingProducer<PlayerCommand>
    ) {
        while let command = urgent.pop() { _ = producer.push(command) }
        urgent = ring
    }

    /// The same for commands with a frame.
    mutating func takeScheduled(
        from ring: consuming RingConsumer<PlayerCommand>, writingTo producer: inout RingProducer<PlayerCommand>
    ) {
        while let command = scheduled.pop() { _ = producer.push(command) }
        scheduled = ring
    }

    /// How many commands can be added now.
    var room: Int { CommandList.capacity - count }

    /// Adds a command of the render side itself; without effect if there is no ``room``.
    mutating func add(_ command: PlayerCommand) {
        guard count < CommandList.capacity else { return }
        list.value[count] = command
        count += 1
    }

    subscript(index: Int) -> PlayerCommand { list.value[index] }

    /// The first command that is due at an output frame, except for changes that a voice was told beforehand.
    func firstDue(at now: Int64) -> Int? {
        for index in 0..<count where list.value[index].frame <= now && list.value[index].toldLayer == nil {
            return index
        }
        return nil
    }

    /// The first change of speed that a voice was told beforehand and has now reached.
    func firstTold(at now: Int64) -> Int? {
        for index in 0..<count where list.value[index].frame <= now && list.value[index].toldLayer != nil {
            return index
        }
        return nil
    }

    /// The first frame after `now` at which a command is due, or `limit`.
    func nextFrame(after now: Int64, limit: Int64) -> Int64 {
        var next = limit
        for index in 0..<count where list.value[index].frame > now { next = min(next, list.value[index].frame) }
        return next
    }

    /// Whether a start is due that cannot happen yet.
    func waitsToStart(at now: Int64) -> Bool {
        for index in 0..<count where list.value[index].code == .start && list.value[index].frame <= now { return true }
        return false
    }

    /// Whether a stop is due.
    func waitsToStop(at now: Int64) -> Bool {
        for index in 0..<count where list.value[index].code == .stop && list.value[index].frame <= now { return true }
        return false
    }

    mutating func remove(_ index: Int) {
        for later in index + 1..<max(index + 1, count) { list.value[later - 1] = list.value[later] }
        count -= 1
    }

    /// Takes out a change of the score that would not be heard because a later one for the same frame supersedes it. This depends
    /// only on the requests, so the result is the same however many arrived at once.
    ///
    /// - Returns: the score that will not be played; nil if the command must be carried out.
    mutating func takeSuperseded(_ index: Int, at now: Int64) -> RenderScore? {
        let command = list.value[index]
        guard command.replacesScore else { return nil }
        for later in index + 1..<max(index + 1, count) {
            let other = list.value[later]
            // Told changes, future commands and score updates do not come between two changes.
            if other.toldLayer != nil || other.frame > now || other.code == .adoptScore { continue }
            guard other.replacesScore && other.frame == command.frame else { return nil }
            guard other.supersedes(command) else { continue }
            list.value[later].standIn(for: command)
            remove(index)
            return command.score
        }
        return nil
    }

    // MARK: Changes of speed told beforehand

    /// Puts a change of speed off to its frame; the voice of layer `layer` was told about it.
    mutating func putOff(_ index: Int, to frame: Int64, toldLayer layer: Int64) {
        list.value[index].frame = frame
        list.value[index].toldLayer = layer
    }

    /// The layer that was told a change is no longer heard. The change becomes an ordinary command, and is due.
    mutating func forgetTelling(_ index: Int) { list.value[index].toldLayer = nil }

    /// Takes out a change that was told and has been overtaken by a newer score.
    ///
    /// - Returns: its score; nil if there is none.
    mutating func takeOvertaken() -> RenderScore? {
        for index in 0..<count where list.value[index].toldLayer != nil {
            let score = list.value[index].score
            remove(index)
            return score
        }
        return nil
    }

    /// Replaces a score among the commands by the same score with more known about it.
    ///
    /// - Parameter known: the address of the score as it was passed.
    /// - Returns: the score that was replaced; nil if no command carries it.
    mutating func exchangeScore(at known: Int, for new: RenderScore) -> RenderScore? {
        for index in 0..<count where list.value[index].bringsScore && list.value[index].score.address == known {
            let old = list.value[index].score
            list.value[index].score = new
            return old
        }
        return nil
    }
}
