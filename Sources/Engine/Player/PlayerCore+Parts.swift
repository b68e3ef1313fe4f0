// What a player's render side is made of, besides the parts that have files of their own.
internal import Realtime

/// A player's state during a time without a device. Trivial.
struct PlayerInterruption: BitwiseCopyable {
    /// True while nothing can be heard.
    var isUnderWay = false
    /// Whether to resume without a request once there is a device.
    var resumes = false
    /// Whether sound was requested since the mixer last asked.
    var wishes = false
    /// Whether a device is back, from the next block on.
    var isOver = false
    /// The `PauseReason`, by its raw value.
    var reason: Int64 = 0
}

/// The render side's ends of the rings to other threads.
struct RenderEnds: ~Copyable {
    var urgent: RingConsumer<PlayerCommand>
    var scheduled: RingConsumer<PlayerCommand>
    var spentScores: RingProducer<Int>
    var events: RingProducer<RenderEvent>
    var status: SnapshotWriter<PlayerStatus>
    var peaks: RingProducer<SIMD8<Float>>
}

/// A player's render state as the mixer sees it. The control side owns the memory and frees it only after the mixer has
/// returned the address.
@safe
struct MixerSlot: @unchecked Sendable, BitwiseCopyable {
    let core: UnsafeMutablePointer<PlayerCore>

    /// Identifies the player when it is returned.
    var address: Int { unsafe Int(bitPattern: core) }
}

extension PlayerCore {
    /// The mix that this player is part of was turned down; it is told with the end of the pass. Real-time safe: yes.
    mutating func noteGain(_ gain: Float) { transport.noteGain(gain) }

    /// Reports an xrun of the device. Real-time safe: yes.
    mutating func noteXrun(at frame: Int64, lostFrames: Int64) { transport.noteXrun(at: frame, lostFrames: lostFrames) }

    /// A device is back, for the next block.
    mutating func endInterruption() {
        interruption.isUnderWay = false
        interruption.isOver = true
    }

    /// Whether sound was requested that cannot be heard, since the last call.
    mutating func takeWish() -> Bool {
        defer { interruption.wishes = false }
        return interruption.wishes
    }

    /// The requested device is not there, so nothing must begin by itself when it returns.
    mutating func forgetWish() { interruption.resumes = false }
}
