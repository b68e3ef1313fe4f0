internal import Samples

/// How a player hands over to the one that follows it, and how it took over itself: arithmetic on output frames alone. Trivial.
///
/// The mixer says whether a player follows (`endFade`). The *joint* is the output frame at which that one begins: the end of this player, or
/// `endFade` frames before it. If a seek, or the player's own beginning, leaves fewer frames, the crossfade takes those.
/// Once begun, a crossfade goes on for its own length: if a change of speed moves the end, the player ends with the crossfade at the latest.
/// A pause holds it. Real-time safe: yes.
struct Succession: BitwiseCopyable {
    /// Pauses and resumptions that are passed on at one frame; further ones of that frame wait for the next one.
    static let passedCapacity = 8

    /// Output frames of the crossfade with a follower that waits; 0 if there is none, or if it has no crossfade.
    var endFade: Int64 = 0
    /// The joint, if it came in the current piece of a block, and the length of its crossfade.
    private(set) var joint: (frame: Int64, fade: Int64)?
    /// Whether the joint has come, and the player was not started again since.
    private(set) var isOver = false
    private var fall: CrossfadeEdge?
    private var rise: CrossfadeEdge?
    /// The output frame since which the player is paused.
    private var heldSince: Int64?
    private var passed: InlineArray<8, PlayerCommand> = InlineArray(repeating: PlayerCommand(code: .pause))
    /// How many were passed on in the current piece of a block. The piece ends with the frame of the first.
    private(set) var passedCount = 0
    /// How many commands the players that follow can take in the current piece; nil if nobody follows.
    private var room: Int?

    /// Forgets what happened in the piece before, and who followed then.
    mutating func beginPiece() { (joint, passedCount, room) = (nil, 0, nil) }

    /// A player follows that has room for so many commands.
    mutating func noteFollower(room: Int) { self.room = min(self.room ?? Succession.passedCapacity, room) }

    /// The player starts: at the joint with one that it follows, with a crossfade of `fade` frames, or else by itself.
    mutating func begin(at now: Int64, fade: Int64) {
        (joint, fall, heldSince, isOver) = (nil, nil, nil, false)
        rise = fade > 0 ? CrossfadeEdge(start: now, length: fade, rises: true) : nil
    }

    /// The player has come to its end, which is the joint unless a crossfade has begun before.
    mutating func end(at now: Int64) {
        guard !isOver else { return }
        joint = (now, 0)
        isOver = true
    }

    // MARK: Crossfade

    /// The frame at which the crossfade begins; nil if there is none, or if it has begun.
    ///
    /// - Parameter end: the player's end, as far as it is known; it plays its last pass.
    func fadeStart(before end: Int64) -> Int64? { endFade > 0 && !isOver ? end - endFade : nil }

    /// Begins the crossfade, whose last frame is the one before `end`.
    mutating func beginFade(at now: Int64, before end: Int64) {
        fall = CrossfadeEdge(start: now, length: end - now, rises: false)
        joint = (now, end - now)
        isOver = true
    }

    /// Whether the player is silent from now on, because its crossfade is over.
    func isFaded(at now: Int64) -> Bool { fall.map { heldSince == nil && $0.end <= now } ?? false }

    /// The first frame after `now` at which a crossfade ends, or `limit`.
    func nextChange(after now: Int64, limit: Int64) -> Int64 {
        var next = limit
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

    /// Whether a command must wait for a later frame, because a player that follows cannot take it yet.
    func mustWait(_ command: PlayerCommand) -> Bool {
        guard let room, concernsFollowers(command) else { return false }
        return passedCount >= room
    }

    /// Passes on what concerns the players that follow.
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

    /// A command of this piece that the follower has to take too.
    func passedCommand(_ index: Int) -> PlayerCommand { passed[index] }
}

/// One side of a crossfade of equal power: the squares of both weights add up to 1. Trivial.
struct CrossfadeEdge: BitwiseCopyable {
    /// The output frame at which it begins.
    var start: Int64
    /// In output frames, 1 or more.
    let length: Int64
    /// Whether the sound begins with it.
    let rises: Bool

    /// The output frame after its last one.
    var end: Int64 { start + length }

    /// The factor of one frame: the sine or cosine of a quarter of a turn at the frame's middle.
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
