internal import DSP

// A player's sound at any instant is a small stack of layers. Each layer is one way of hearing the clip, or silence; it
// fades in over what lies below and, once it is in full, what lies below is dropped. Joints, seeks, changes of speed, pauses
// and stops are all the same thing: one more layer.

/// One sound source of a player, and how it came in. Trivial; lives in memory allocated with the player.
struct Layer: BitwiseCopyable {
    enum Source: BitwiseCopyable {
        case silence
        /// The clip as it is.
        case copy
        /// The voice at this index of the voice pool.
        case voice(Int)
        /// A pass that was kept when it was first heard; the layer's first frame is the memory's.
        case recorded(PassMemory)
    }

    var source = Source.silence
    /// Copy: the clip frame heard next. Voice: the clip frame at which it started.
    var clipFrame: Int64 = 0
    /// Voice: the output frame at which it started, and the number of the curve's next knot that it is to be told;
    /// `CurveKnot.never` once it has been told to leave the curve.
    var voiceStart: Int64 = 0
    var nextKnot: Int64 = 0
    /// The output frame at which the layer came in.
    var start: Int64 = 0
    /// Frames over which it fades in over what lies below; 0 replaces it at once.
    var entryLength = 0
    /// Frames from `start` over which it rises from silence on its own account (joint `fade`).
    var riseLength = 0
    /// Output frame at which the layer's own fall to silence ends, and how many frames it takes (0: it does not fall).
    var fallEnd: Int64 = 0
    var fallLength = 0

    /// The score whose memory it plays from, by address; 0 when it needs none.
    var storage = 0
    /// True while what the voice gives is kept for the passes to come.
    var isRecording = false

    /// The output frame from which the layer is heard alone.
    var entryEnd: Int64 { start + Int64(entryLength) }

    /// Shapes the layer's frames from output frame `now` on by its own rise from silence and fall to it.
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
