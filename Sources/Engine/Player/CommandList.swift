internal import Realtime

/// What the control side has asked for and is still to be carried out, on the render side: two rings, and a list in the order in
/// which it was asked.
///
/// It allocates nothing. Real-time safe: yes.
struct CommandList: ~Copyable {
    /// Commands waiting for their frame; the last places are kept for those that are to happen at once.
    static let capacity = 64
    private static let scheduledCapacity = 48

    private var urgent: RingConsumer<PlayerCommand>
    private var scheduled: RingConsumer<PlayerCommand>
    private var commands: InlineArray<64, PlayerCommand> = InlineArray(repeating: PlayerCommand(code: .gain))
    private var count = 0

    init(urgent: consuming RingConsumer<PlayerCommand>, scheduled: consuming RingConsumer<PlayerCommand>) {
        self.urgent = urgent
        self.scheduled = scheduled
    }

    /// Takes in what is to happen at once, which is at `frame`, the block's first.
    mutating func collectUrgent(at frame: Int64) {
        while count < CommandList.capacity, var command = urgent.pop() {
            command.frame = frame
            commands[count] = command
            count += 1
        }
    }

    /// Takes in what has a frame of its own, as long as there is room; it comes in the order of the frames.
    mutating func collectScheduled() {
        while count < CommandList.scheduledCapacity, let command = scheduled.pop() {
            commands[count] = command
            count += 1
        }
    }

    subscript(index: Int) -> PlayerCommand { commands[index] }

    /// The first command that is due at an output frame. What a voice was told beforehand is not among them.
    func firstDue(at now: Int64) -> Int? {
        for index in 0..<count where commands[index].frame <= now && commands[index].toldLayer == nil { return index }
        return nil
    }

    /// The first change of speed that a voice was told beforehand and has reached.
    func firstTold(at now: Int64) -> Int? {
        for index in 0..<count where commands[index].frame <= now && commands[index].toldLayer != nil { return index }
        return nil
    }

    /// The first frame after `now` at which a command is due, or `limit`.
    func nextFrame(after now: Int64, limit: Int64) -> Int64 {
        var next = limit
        for index in 0..<count where commands[index].frame > now { next = min(next, commands[index].frame) }
        return next
    }

    /// Whether somebody has asked for a start that is due, and cannot be yet.
    func waitsToStart(at now: Int64) -> Bool {
        for index in 0..<count where commands[index].code == .start && commands[index].frame <= now { return true }
        return false
    }

    mutating func remove(_ index: Int) {
        for later in index + 1..<max(index + 1, count) { commands[later - 1] = commands[later] }
        count -= 1
    }

    /// Takes out a change of the score of which nothing is heard, as a later one for the same frame supersedes it. This depends on
    /// nothing but what was asked, so that the same is heard however many came at once.
    ///
    /// - Returns: the score that will not be played; nil when the command is to be carried out.
    mutating func takeSuperseded(_ index: Int, at now: Int64) -> RenderScore? {
        let command = commands[index]
        guard command.replacesScore else { return nil }
        for later in index + 1..<max(index + 1, count) {
            let other = commands[later]
            // What was told, is to come or only knows more of a score does not come between.
            if other.toldLayer != nil || other.frame > now || other.code == .adoptScore { continue }
            guard other.replacesScore && other.frame == command.frame else { return nil }
            guard other.supersedes(command) else { continue }
            commands[later].standIn(for: command)
            remove(index)
            return command.score
        }
        return nil
    }

    // MARK: Changes of speed told beforehand

    /// A change of speed waits for its frame, which the voice of layer `layer` was told.
    mutating func putOff(_ index: Int, to frame: Int64, toldLayer layer: Int64) {
        commands[index].frame = frame
        commands[index].toldLayer = layer
    }

    /// The layer that was told a change does not sound any more: it is a command like any other, and due.
    mutating func forgetTelling(_ index: Int) { commands[index].toldLayer = nil }

    /// Takes out a change that was told and is overtaken by a newer score.
    ///
    /// - Returns: its score; nil when there is none.
    mutating func takeOvertaken() -> RenderScore? {
        for index in 0..<count where commands[index].toldLayer != nil {
            let score = commands[index].score
            remove(index)
            return score
        }
        return nil
    }

    /// Puts a score of which more is known in the place of the same score among the commands.
    ///
    /// - Parameter known: the address of the score as it was handed over.
    /// - Returns: the score that was replaced; nil when no command brings it.
    mutating func exchangeScore(at known: Int, for new: RenderScore) -> RenderScore? {
        for index in 0..<count where commands[index].bringsScore && commands[index].score.address == known {
            let old = commands[index].score
            commands[index].score = new
            return old
        }
        return nil
    }
}
