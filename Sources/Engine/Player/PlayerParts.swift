// Parts of a player's render side, besides the parts with files of their own.
internal import Realtime

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
