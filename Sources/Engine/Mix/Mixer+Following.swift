internal import AudioDevices

// One player after another. The player that follows is rendered after the one before it, so it learns in the same block at which frame
// that one hands over, and begins there.

extension Mixer {
    /// Tells a player what the one that it follows did in this round: the joint, if it came, and pauses of both.
    static func pass(from leader: UnsafeMutablePointer<PlayerCore>, to core: UnsafeMutablePointer<PlayerCore>) {
        if let joint = unsafe leader.pointee.succession.joint {
            unsafe core.pointee.take(over: joint.frame, fade: joint.fade)
        }
        let count = unsafe leader.pointee.succession.passedCount
        for index in 0..<count {
            unsafe core.pointee.share(leader.pointee.succession.passedCommand(index))
        }
    }
}

/// The frames of a block in which two or more players sound: exact for two, and for more no fewer. Trivial.
struct SoundingCrowd: BitwiseCopyable {
    private var firstStart: Int
    private var secondStart: Int
    private var lastEnd = 0
    private var secondEnd = 0

    init(frameCount: Int) { (firstStart, secondStart) = (frameCount, frameCount) }

    mutating func add(_ frames: Range<Int>) {
        if frames.isEmpty { return }
        secondStart = min(secondStart, max(firstStart, frames.lowerBound))
        firstStart = min(firstStart, frames.lowerBound)
        secondEnd = max(secondEnd, min(lastEnd, frames.upperBound))
        lastEnd = max(lastEnd, frames.upperBound)
    }

    var shared: Range<Int> { secondStart..<max(secondStart, secondEnd) }
}
