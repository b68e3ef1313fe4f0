internal import Realtime
internal import Samples

/// Pending commands of the control side, on the render side: two rings, and a list in the order of the requests.
///
/// The list allocates nothing. Real-time safe: yes.
struct CommandList: ~Copyable {
    /// Maximum number of commands waiting for their frame. The last places are reserved for immediate commands.
    static let capacity = 64
    private static let scheduledCapacity = 48

    private var urgent: RingConsumer<PlayerCommand>
    private var scheduled: RingConsumer<PlayerCommand>
    /// Number of immediate commands of this block still in their ring, and the first frame of the block, at which these
    /// commands are due.
    private var (urgentLeft, blockStart) = (0, Int64(0))
    /// Boxed, because functions that only read an inline list would copy its 13 KB for every block.
    private var list = Boxed(InlineArray<64, PlayerCommand>(repeating: PlayerCommand(code: .gain)))
    private var count = 0

    init(urgent: consuming RingConsumer<PlayerCommand>, scheduled: consuming RingConsumer<PlayerCommand>) {
        self.urgent = urgent
        self.scheduled = scheduled
    }

    /// Begins a block at output frame `frame`: immediate commands sent by now are due there.
    mutating func beginBlock(at frame: Int64) { (urgentLeft, blockStart) = (urgent.readableCount, frame) }

    /// Takes commands from the rings while there is room: the immediate commands of this block, then commands with a
    /// frame, in the order of the frames. Call this whenever there may be room, so that all commands of a frame take
    /// effect at the frame.
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

    /// Takes immediate commands from another ring from now on, and moves the commands of the old ring to the new ring.
    /// Call this between two blocks only; allocates nothing, but frees the old ring.
    mutating func takeUrgent(
        from ring: consuming RingConsumer<PlayerCommand>, writingTo producer: inout RingProducer<PlayerCommand>
    ) {
        while let command = urgent.pop() { _ = producer.push(command) }
        urgent = ring
    }

    /// Does the same for commands with a frame.
    mutating func takeScheduled(
        from ring: consuming RingConsumer<PlayerCommand>, writingTo producer: inout RingProducer<PlayerCommand>
    ) {
        while let command = scheduled.pop() { _ = producer.push(command) }
        scheduled = ring
    }

    /// Number of commands that can be added now.
    var room: Int { CommandList.capacity - count }

    /// Adds a command of the render side itself. Has no effect without ``room``.
    mutating func add(_ command: PlayerCommand) {
        guard count < CommandList.capacity else { return }
        list.value[count] = command
        count += 1
    }

    subscript(index: Int) -> PlayerCommand { list.value[index] }

    /// Returns the first command that is due at an output frame, except for changes already scheduled in a voice.
    func firstDue(at now: Int64) -> Int? {
        for index in 0..<count where list.value[index].frame <= now && list.value[index].toldLayer == nil {
            return index
        }
        return nil
    }

    /// Returns the first change of speed that was scheduled in a voice and has come due.
    func firstTold(at now: Int64) -> Int? {
        for index in 0..<count where list.value[index].frame <= now && list.value[index].toldLayer != nil {
            return index
        }
        return nil
    }

    /// Returns the first frame after `now` at which a command is due, or `limit`.
    func nextFrame(after now: Int64, limit: Int64) -> Int64 {
        var next = limit
        for index in 0..<count where list.value[index].frame > now { next = min(next, list.value[index].frame) }
        return next
    }

    /// Returns true if a start is due but cannot happen yet.
    func waitsToStart(at now: Int64) -> Bool {
        for index in 0..<count where list.value[index].code == .start && list.value[index].frame <= now { return true }
        return false
    }

    /// Returns true if a stop is due.
    func waitsToStop(at now: Int64) -> Bool {
        for index in 0..<count where list.value[index].code == .stop && list.value[index].frame <= now { return true }
        return false
    }

    mutating func remove(_ index: Int) {
        for later in index + 1..<max(index + 1, count) { list.value[later - 1] = list.value[later] }
        count -= 1
    }

    /// Removes a change of the score if a later change for the same frame makes the change inaudible. The decision
    /// depends only on the requests, not on the number of requests that arrived at once.
    ///
    /// - Returns: the score that will not be played; nil if the command must be carried out.
    mutating func takeSuperseded(_ index: Int, at now: Int64) -> RenderScore? {
        let command = list.value[index]
        guard command.replacesScore else { return nil }
        for later in index + 1..<max(index + 1, count) {
            let other = list.value[later]
            // Scheduled changes, future commands and score updates do not come between two changes.
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

    /// Puts a change of speed off to its frame, after scheduling the change in the voice of layer `layer`.
    mutating func putOff(_ index: Int, to frame: Int64, toldLayer layer: Int64) {
        list.value[index].frame = frame
        list.value[index].toldLayer = layer
    }

    /// Makes a scheduled change an ordinary command, due now, because its layer is no longer audible.
    mutating func forgetTelling(_ index: Int) { list.value[index].toldLayer = nil }

    /// Removes a scheduled change after a newer score has overtaken the change.
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

    /// Replaces a score among the commands by the same score after further analysis.
    ///
    /// - Parameter known: the address of the score as passed before.
    /// - Returns: the replaced score; nil if no command carries the score.
    mutating func exchangeScore(at known: Int, for new: RenderScore) -> RenderScore? {
        for index in 0..<count where list.value[index].bringsScore && list.value[index].score.address == known {
            let old = list.value[index].score
            list.value[index].score = new
            return old
        }
        return nil
    }
}
