internal import Realtime

/// Owns the voices of one player. Created and released on the control side only, when a score first needs them.
@safe
final class VoiceStorage: @unchecked Sendable {
    /// One for each layer. A voice of a stereo player at 44.1 kHz takes 2.3 MB, resident from the start: nobody knows beforehand at which
    /// frame a seek or a joint needs the next one.
    static let voiceCount = LayerStack.maximumLayers

    /// `voiceCount` voices, initialised for this object's whole life.
    private let voices: UnsafeMutablePointer<Voice>

    /// The most frames any voice needs before its first audible one. Kept here because the voices are the render side's.
    let leadInFrames: Int

    init(channelCount: Int, sampleRate: Int) {
        unsafe voices = RealtimeMemory.allocate(Voice.self, capacity: VoiceStorage.voiceCount)
        var leadInFrames = 0
        for index in 0..<VoiceStorage.voiceCount {
            let voice = Voice(
                channelCount: channelCount, sampleRate: sampleRate, maximumEmitFrames: LayerStack.chunkFrames)
            leadInFrames = max(leadInFrames, voice.leadInFrames)
            unsafe (voices + index).initialize(to: voice)
        }
        self.leadInFrames = leadInFrames
    }

    deinit {
        unsafe voices.deinitialize(count: VoiceStorage.voiceCount)
        unsafe RealtimeMemory.deallocate(voices, capacity: VoiceStorage.voiceCount)
    }

    /// The voices for the render side, none in use; valid as long as this object.
    var pool: VoicePool { unsafe VoicePool(voices: voices) }
}

/// The voices of one player on the render side, and which of them are free. Trivial. Real-time safe: yes.
@safe
struct VoicePool: @unchecked Sendable, BitwiseCopyable {
    /// Nil until the first score that needs voices.
    private let voices: UnsafeMutablePointer<Voice>?
    private var used: UInt8 = 0

    /// No voices.
    static var none: VoicePool { unsafe VoicePool(voices: nil) }

    fileprivate init(voices: UnsafeMutablePointer<Voice>?) {
        unsafe self.voices = voices
    }

    var isEmpty: Bool { unsafe voices == nil }

    /// The most frames any voice needs before its first audible one; 0 if there are no voices.
    var leadInFrames: Int { unsafe voices?.pointee.leadInFrames ?? 0 }

    /// The most frames that such a voice needs to produce its first frames; 0 if there are no voices.
    func aheadFrames(toEmit frameCount: Int, speed: Double, pitchRatio: Double) -> Int {
        guard let voices = unsafe voices else { return 0 }
        return unsafe voices.pointee.aheadFrames(toEmit: frameCount, speed: speed, pitchRatio: pitchRatio)
    }

    /// A free voice, or nil if all are in use.
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

    /// The voice itself. `index` came from `acquire`, so it is valid.
    func voice(_ index: Int) -> UnsafeMutablePointer<Voice> {
        guard let voices = unsafe voices else { preconditionFailure("a voice was asked for where there are none") }
        return unsafe voices + index
    }
}
