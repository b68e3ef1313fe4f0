internal import Realtime

/// Owns the voices of one player. Threads: created and released on the control side only, for the first score with
/// voices.
@safe
final class VoiceStorage: @unchecked Sendable {
    /// One voice for each layer. A voice of a stereo player at 44.1 kHz takes 2.3 MB, resident from the start. The
    /// frame at which a seek or a joint needs the next voice is unknown beforehand.
    static let voiceCount = LayerStack.maximumLayers

    /// `voiceCount` voices, initialised for this object's whole life.
    private let voices: UnsafeMutablePointer<Voice>

    /// Maximum number of frames needed by any voice before its first audible frame. Kept here because the voices belong
    /// to the render side.
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

/// The voices of one player on the render side, with a flag for each voice in use. Trivial. Real-time safe: yes.
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

    /// Maximum number of frames needed by any voice before its first audible frame; 0 without voices.
    var leadInFrames: Int { unsafe voices?.pointee.leadInFrames ?? 0 }

    /// Returns the maximum number of frames needed by such a voice to produce its first frames; 0 without voices.
    func aheadFrames(toEmit frameCount: Int, speed: Double, pitchRatio: Double) -> Int {
        guard let voices = unsafe voices else { return 0 }
        return unsafe voices.pointee.aheadFrames(toEmit: frameCount, speed: speed, pitchRatio: pitchRatio)
    }

    /// Returns a free voice, or nil if all are in use.
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

    /// Returns the voice itself. `index` came from `acquire`, and so is valid.
    func voice(_ index: Int) -> UnsafeMutablePointer<Voice> {
        guard let voices = unsafe voices else { preconditionFailure("a voice was asked for where there are none") }
        return unsafe voices + index
    }
}
