internal import Samples

/// A gain that glides linearly from its value to a new value, without a step or zipper noise.
///
/// The value is a function of the output frame, so block boundaries are not audible. At exactly 1 the samples stay
/// unchanged.
struct GainGlide: BitwiseCopyable {
    private var from: Float
    private var to: Float
    private var start: Int64 = 0
    private var length: Int64 = 0

    /// Creates a steady gain, as a factor.
    init(_ gain: Float = 1) { (from, to) = (gain, gain) }

    /// Begins to glide at output frame `frame`, from the value at that frame.
    mutating func glide(to gain: Float, over frames: Int, at frame: Int64) {
        from = value(at: frame - 1)
        to = gain
        start = frame
        length = Int64(frames)
    }

    /// Returns the factor of the sample at an output frame.
    func value(at frame: Int64) -> Float {
        let gone = frame - start + 1
        if gone >= length { return to }
        if gone <= 0 { return from }
        return from + (to - from) * (Float(gone) / Float(length))
    }

    /// Returns the number of leading frames, of the next `frameCount`, whose gain is or may be above 1: frames of a
    /// glide that begins or ends above 1.
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
