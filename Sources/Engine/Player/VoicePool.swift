internal import DSP

/// The stretchers of one player, allocated before they are needed: as many as layers can sound at once, and one that is
/// prepared for the next pass. Real-time safe: `acquire` and `release` are; making the pool allocates.
@safe
struct VoicePool: ~Copyable {
    /// Layers that can sound at once, and the voice made ready for the next joint.
    static let size = PlayerCore.maximumLayers + 1

    /// `size` stretchers, initialised for the pool's whole life.
    private let voices: UnsafeMutablePointer<Stretcher>
    private var used: UInt8 = 0

    init(channelCount: Int, sampleRate: Int) {
        unsafe voices = .allocate(capacity: VoicePool.size)
        for index in 0..<VoicePool.size {
            let voice = Stretcher(
                channelCount: channelCount, sampleRate: sampleRate, maximumEmitFrames: PlayerCore.chunkFrames)
            unsafe (voices + index).initialize(to: voice)
        }
    }

    deinit {
        unsafe voices.deinitialize(count: VoicePool.size)
        unsafe voices.deallocate()
    }

    /// A free voice, or nil when all sound.
    #if REALTIME_CHECKS
        @_noAllocation @_noLocks
    #endif
    mutating func acquire() -> Int? {
        for index in 0..<VoicePool.size where used & (1 << UInt8(index)) == 0 {
            used |= 1 << UInt8(index)
            return index
        }
        return nil
    }

    #if REALTIME_CHECKS
        @_noAllocation @_noLocks
    #endif
    mutating func release(_ index: Int) {
        used &= ~(1 << UInt8(index))
    }

    /// The voice itself. `index` came from `acquire`, so it is below `size`.
    #if REALTIME_CHECKS
        @_noAllocation @_noLocks
    #endif
    func voice(_ index: Int) -> UnsafeMutablePointer<Stretcher> {
        unsafe voices + index
    }
}
