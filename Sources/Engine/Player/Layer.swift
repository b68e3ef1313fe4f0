internal import Samples

// A player's sound is a small stack of layers. Each layer is one source: the clip, a voice, a kept pass, or silence. A
// layer fades in over the layers below, and then replaces the lower layers. Joints, seeks, changes of speed, pauses and
// stops are all the same thing: one more layer.

/// One source of a player's sound, with its fade-in. Trivial; stored in memory allocated with the player.
struct Layer: BitwiseCopyable {
    enum Source: BitwiseCopyable {
        case silence
        /// A copy of the clip.
        case copy
        /// The voice at this index of the voice pool.
        case voice(Int)
        /// A pass kept from its first playing. The layer's first frame is the first frame in memory.
        case recorded(PassMemory)
    }

    var source = Source.silence
    /// Copy and voice: the view for reading the clip.
    var view = ClipView.forward
    /// Copy: the next frame of the view. Voice: its first frame.
    var clipFrame: Int64 = 0
    /// Voice: its first output frame, and the number of the next knot of the curve to schedule; `CurveKnot.never` once
    /// the voice has left the curve.
    var voiceStart: Int64 = 0
    var nextKnot: Int64 = 0
    /// Frozen content of its voice; nil for a moving voice.
    var frozen: FrozenSound?
    /// The output frame at which the stack got the layer.
    var start: Int64 = 0
    /// Frames of the fade-in over the layers below; 0 replaces the lower layers at once.
    var entryLength = 0
    /// Frames from `start` of the layer's own rise from silence (joint `fade`).
    var riseLength = 0
    /// Output frame at which the layer's own fade to silence ends, and the length of that fade (0: no fade).
    var fallEnd: Int64 = 0
    var fallLength = 0

    /// Address of the score whose memory the layer plays; 0 without such memory.
    var storage = 0
    /// True while the output of the voice is kept for later passes.
    var isRecording = false

    /// The output frame from which only this layer is audible.
    var entryEnd: Int64 { start + Int64(entryLength) }

    /// Applies the layer's own rise from silence and fade to silence to its frames from output frame `now` on.
    ///
    /// - Parameter samples: channels × at least `count` frames.
    func shape(
        _ samples: UnsafeMutablePointer<UnsafeMutablePointer<Float>>, channelCount: Int, _ count: Int, at now: Int64
    ) {
        guard riseLength > 0 || fallLength > 0 else { return }
        let fallStart = fallEnd - Int64(fallLength)
        for frame in 0..<count {
            let moment = now + Int64(frame)
            var weight: Float = 1
            let risen = Int(moment - start)
            if risen < riseLength { weight = Fade.weight(at: risen, of: riseLength) }
            if fallLength > 0 && moment >= fallStart {
                let left = Int(fallEnd - 1 - moment)
                weight *= Fade.weight(at: left, of: fallLength)
            }
            if weight < 1 {
                for channel in 0..<channelCount { unsafe samples[channel][frame] *= weight }
            }
        }
    }
}
