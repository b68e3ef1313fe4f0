/// Owns the voices of one player; made and released on the control side only, when a score first needs them.
@safe
final class VoiceStorage: @unchecked Sendable {
    /// As many as layers can sound at once, and one: a voice starts before the layers its own has covered are dropped.
    static let voiceCount = LayerStack.maximumLayers + 1

    /// `voiceCount` voices, initialised for this object's whole life.
    private let voices: UnsafeMutablePointer<Voice>

    init(channelCount: Int, sampleRate: Int) {
        unsafe voices = .allocate(capacity: VoiceStorage.voiceCount)
        for index in 0..<VoiceStorage.voiceCount {
            let voice = Voice(
                channelCount: channelCount, sampleRate: sampleRate, maximumEmitFrames: LayerStack.chunkFrames)
            unsafe (voices + index).initialize(to: voice)
        }
    }

    deinit {
        unsafe voices.deinitialize(count: VoiceStorage.voiceCount)
        unsafe voices.deallocate()
    }

    /// The voices for the render side, none in use; valid as long as this object.
    var pool: VoicePool { unsafe VoicePool(voices: voices) }
}

/// The voices of one player on the render side: which are free. Trivial. Real-time safe: yes.
@safe
struct VoicePool: @unchecked Sendable, BitwiseCopyable {
    /// Nil until a score came that needs voices.
    private let voices: UnsafeMutablePointer<Voice>?
    private var used: UInt8 = 0

    /// No voices.
    static var none: VoicePool { unsafe VoicePool(voices: nil) }

    fileprivate init(voices: UnsafeMutablePointer<Voice>?) {
        unsafe self.voices = voices
    }

    var isEmpty: Bool { unsafe voices == nil }

    /// What any voice asks for at most before the frame heard first; 0 where there are none.
    var leadInFrames: Int { unsafe voices?.pointee.leadInFrames ?? 0 }

    /// What any voice begun so asks for at most to give its first frames; 0 where there are none.
    func aheadFrames(toEmit frameCount: Int, speed: Double, pitchRatio: Double) -> Int {
        guard let voices = unsafe voices else { return 0 }
        return unsafe voices.pointee.aheadFrames(toEmit: frameCount, speed: speed, pitchRatio: pitchRatio)
    }

    /// A free voice, or nil when all sound.
    mutating func acquire() -> Int? {
        guard !isEmpty else { return nil }
        for index in 0..<VoiceStorage.voiceCount where used & (1 << UInt8(index)) == 0 {
            used |= 1 << UInt8(index)
            return index
        }
        return nil
    }

    mutating func release(_ index: Int) {
        used &= ~(1 << UInt8(index))
    }

    /// The voice itself. `index` came from `acquire`, so there are voices and it is one of theirs.
    func voice(_ index: Int) -> UnsafeMutablePointer<Voice> {
        guard let voices = unsafe voices else { preconditionFailure("a voice was asked for where there are none") }
        return unsafe voices + index
    }
}
