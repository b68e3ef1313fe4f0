// Parts of a player's render side, besides the parts with files of their own.
internal import Realtime

/// A player's state during a time without a device. Trivial.
struct PlayerInterruption: BitwiseCopyable {
    /// True while nothing is audible.
    var isUnderWay = false
    /// True if the player resumes without a request once there is a device.
    var resumes = false
    /// True if sound was requested since the mixer last asked.
    var wishes = false
    /// True if a device is back, from the next block on.
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

/// A player's render state for the mixer. The control side owns the memory, and frees the memory only after the mixer
/// has returned the address.
@safe
struct MixerSlot: @unchecked Sendable, BitwiseCopyable {
    let core: UnsafeMutablePointer<PlayerCore>

    /// Identifies the player at its return.
    var address: Int { unsafe Int(bitPattern: core) }
}
