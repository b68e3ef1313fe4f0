internal import AudioDevices

// One player after another. A following player is rendered after its leader, and so learns the frame of the handover in
// the same block, and begins there.

extension Mixer {
    /// Tells a player the actions of its leader in this round: the joint, if it came, and pauses of both.
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

/// The frames of a block in which two or more players sound: exact for two players, an upper bound for more. Trivial.
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
