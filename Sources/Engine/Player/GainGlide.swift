internal import Samples

/// A gain that glides linearly from its value to a new one, so that there is no step and no zipper noise.
///
/// Its value is a function of the output frame, so block boundaries are not audible. At exactly 1 the samples are not changed.
struct GainGlide: BitwiseCopyable {
    private var from: Float
    private var to: Float
    private var start: Int64 = 0
    private var length: Int64 = 0

    /// A steady gain, as a factor.
    init(_ gain: Float = 1) { (from, to) = (gain, gain) }

    /// Begins to glide at output frame `frame`, from the value it has there.
    mutating func glide(to gain: Float, over frames: Int, at frame: Int64) {
        from = value(at: frame - 1)
        to = gain
        start = frame
        length = Int64(frames)
    }

    /// The factor of the sample at an output frame.
    func value(at frame: Int64) -> Float {
        let gone = frame - start + 1
        if gone >= length { return to }
        if gone <= 0 { return from }
        return from + (to - from) * (Float(gone) / Float(length))
    }

    /// How many of the next `frameCount` frames are turned up, or may be: those of a glide that begins or ends above 1. They come first.
    func louderFrames(at frame: Int64, _ frameCount: Int) -> Int {
        if to > 1 { return frameCount }
        return from > 1 ? Int(min(Int64(frameCount), max(0, start + length - frame))) : 0
    }

    /// Multiplies the first `frameCount` frames of a buffer whose first frame is output frame `frame`.
    func apply(to buffer: borrowing PlanarBuffer, channelCount: Int, frameCount: Int, at frame: Int64) {
        let isSteady = frame - start + 1 >= length
        if isSteady && to == 1 { return }
        for channel in 0..<channelCount {
            // Sound because the buffer holds at least frameCount frames.
            let samples = unsafe buffer.channel(channel)
            if isSteady {
                for index in 0..<frameCount { unsafe samples[index] *= to }
            } else {
                for index in 0..<frameCount { unsafe samples[index] *= value(at: frame + Int64(index)) }
            }
        }
    }
}
