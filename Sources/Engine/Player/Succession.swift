internal import Samples

/// Handover from a player to the next player, and from the previous player: arithmetic on output frames alone. Trivial.
///
/// The mixer sets the crossfade with the next player (`endFade`). The *joint* is the output frame at which the next
/// player begins: the end of this player, or `endFade` frames before the end. If a seek, or the player's own beginning,
/// leaves fewer frames, the crossfade takes these frames. Once begun, a crossfade keeps its own length: if a change of
/// speed moves the end, the player ends with the crossfade at the latest. A pause holds the crossfade. Real-time safe:
/// yes.
struct Succession: BitwiseCopyable {
    /// Maximum number of pauses and resumptions passed on at one frame; further commands of the frame wait for the next
    /// frame.
    static let passedCapacity = 8

    /// Output frames of the crossfade with a waiting next player; 0 without a next player or without a crossfade.
    var endFade: Int64 = 0
    /// The joint, if it came in the current piece of a block, and the length of its crossfade.
    private(set) var joint: (frame: Int64, fade: Int64)?
    /// True after the joint, until a new start of the player.
    private(set) var isOver = false
    private var fall: CrossfadeEdge?
    private var rise: CrossfadeEdge?
    /// The output frame at which the previous player hands over, and the length of the crossfade there.
    private var start: (frame: Int64, fade: Int64)?
    /// The output frame at which the current pause began.
    private var heldSince: Int64?
    private var passed: InlineArray<8, PlayerCommand> = InlineArray(repeating: PlayerCommand(code: .pause))
    /// Number of commands passed on in the current piece of a block. The piece ends with the frame of the first such
    /// command.
    private(set) var passedCount = 0
    /// Number of commands that the next players can take in the current piece; nil without a next player.
    private var room: Int?

    /// Clears the joint, the passed commands and the next players of the previous piece.
    mutating func beginPiece() { (joint, passedCount, room) = (nil, 0, nil) }

    /// Notes a next player with room for `room` commands.
    mutating func noteFollower(room: Int) { self.room = min(self.room ?? Succession.passedCapacity, room) }

    /// Notes the joint with the previous player, at which this player starts.
    mutating func expectStart(at frame: Int64, fade: Int64) { start = (frame, fade) }

    /// Returns the length of the crossfade with the previous player, once, if their joint has come; otherwise nil.
    mutating func takeStart(at now: Int64) -> Int64? {
        guard let start, start.frame <= now else { return nil }
        self.start = nil
        return start.fade
    }

    /// Starts the player: at the joint with the previous player, with a crossfade of `fade` frames, or independently.
    mutating func begin(at now: Int64, fade: Int64) {
        (joint, fall, heldSince, isOver) = (nil, nil, nil, false)
        rise = fade > 0 ? CrossfadeEdge(start: now, length: fade, rises: true) : nil
    }

    /// Notes the end of the player, which is the joint unless a crossfade has begun before.
    mutating func end(at now: Int64) {
        guard !isOver else { return }
        joint = (now, 0)
        isOver = true
    }

    // MARK: Crossfade

    /// Returns the frame at which the crossfade begins; nil without a crossfade, or once the crossfade has begun.
    ///
    /// - Parameter end: the player's end, as far as known; the player plays its last pass.
    func fadeStart(before end: Int64) -> Int64? { endFade > 0 && !isOver ? end - endFade : nil }

    /// Begins the crossfade, whose last frame is the frame before `end`.
    mutating func beginFade(at now: Int64, before end: Int64) {
        fall = CrossfadeEdge(start: now, length: end - now, rises: false)
        joint = (now, end - now)
        isOver = true
    }

    /// Returns true if the player is silent from now on, because its crossfade is over.
    func isFaded(at now: Int64) -> Bool { fall.map { heldSince == nil && $0.end <= now } ?? false }

    /// Returns the first frame after `now` at which the player starts or a crossfade ends, or `limit`.
    func nextChange(after now: Int64, limit: Int64) -> Int64 {
        var next = limit
        if let start, start.frame > now { next = min(next, start.frame) }
        if let fall, fall.end > now { next = min(next, fall.end) }
        if let rise, rise.end > now { next = min(next, rise.end) }
        return next
    }

    /// Holds the crossfade while the player is paused.
    mutating func follow(isPaused: Bool, at now: Int64) {
        if isPaused {
            if heldSince == nil { heldSince = now }
        } else if let since = heldSince {
            fall?.start += now - since
            rise?.start += now - since
            heldSince = nil
        }
        if heldSince == nil, let rise, rise.end <= now { self.rise = nil }
    }

    /// Applies the crossfades to the first `frameCount` frames of a buffer whose first frame is output frame `now`.
    func apply(to sound: borrowing PlanarBuffer, channelCount: Int, frameCount: Int, at now: Int64) {
        if let rise { rise.apply(to: sound, channelCount: channelCount, frameCount: frameCount, at: now) }
        if let fall { fall.apply(to: sound, channelCount: channelCount, frameCount: frameCount, at: now) }
    }

    // MARK: Commands

    /// Returns true if a command must wait for a later frame, because a next player has no room for it yet.
    func mustWait(_ command: PlayerCommand) -> Bool {
        guard let room, concernsFollowers(command) else { return false }
        return passedCount >= room
    }

    /// Passes a command on, if the command concerns the next players.
    mutating func note(_ command: PlayerCommand, at now: Int64) {
        guard let room, concernsFollowers(command), passedCount < room else { return }
        passed[passedCount] = command
        passed[passedCount].frame = now
        passedCount += 1
    }

    /// From the joint on, two players are one to the user: pauses and resumptions concern both.
    private func concernsFollowers(_ command: PlayerCommand) -> Bool {
        isOver && (command.code == .pause || command.code == .resume)
    }

    /// Returns a command of this piece for the next player to carry out too.
    func passedCommand(_ index: Int) -> PlayerCommand { passed[index] }
}

/// One side of a crossfade of equal power: the squares of both weights add up to 1. Trivial.
struct CrossfadeEdge: BitwiseCopyable {
    /// The output frame at which the edge begins.
    var start: Int64
    /// In output frames, 1 or more.
    let length: Int64
    /// True for a fade-in, false for a fade-out.
    let rises: Bool

    /// The output frame after the edge.
    var end: Int64 { start + length }

    /// Returns the factor of a frame: the sine or cosine of a quarter of a turn at the frame's middle.
    func weight(at frame: Int64) -> Float {
        let index = rises ? frame - start : end - 1 - frame
        if index < 0 { return 0 }
        if index >= length { return 1 }
        let share = (Double(index) + 0.5) / Double(length)
        return Float(share <= 0.5 ? CrossfadeEdge.sine(share) : CrossfadeEdge.cosine(1 - share))
    }

    // Taylor polynomials up to an eighth of a turn; the first neglected terms are below 2e-9 there.
    private static func sine(_ share: Double) -> Double {
        let angle = Double.pi / 2 * share
        let square = angle * angle
        return angle * (1 - square / 6 * (1 - square / 20 * (1 - square / 42 * (1 - square / 72))))
    }

    private static func cosine(_ share: Double) -> Double {
        let angle = Double.pi / 2 * share
        let square = angle * angle
        return 1 - square / 2 * (1 - square / 12 * (1 - square / 30 * (1 - square / 56 * (1 - square / 90))))
    }

    func apply(to sound: borrowing PlanarBuffer, channelCount: Int, frameCount: Int, at now: Int64) {
        if rises && now >= end { return }
        for frame in 0..<frameCount {
            let weight = weight(at: now + Int64(frame))
            for channel in 0..<channelCount { unsafe sound.channel(channel)[frame] *= weight }
        }
    }
}
