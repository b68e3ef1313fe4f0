// The innermost loops: extremes and energy of 16-bit samples, and conversion of floating-point samples to 16 bits.
internal import CSampleSums

/// The memory layout of a block of samples.
@safe
struct ShortBlock {
    let base: UnsafePointer<Int16>
    /// The distance from one channel to the next; 1 if the channels are interleaved.
    let channelStride: Int
    let channelCount: Int

    /// True if the channels are interleaved, frame by frame.
    var isInterleaved: Bool { channelStride == 1 && channelCount > 1 }

    /// The distance from a frame to the next frame of the same channel.
    var frameStride: Int { isInterleaved ? channelCount : 1 }

    /// Sums up `count` frames from `start` on, channel by channel; interleaved blocks have two channels.
    func forEachSum(from start: Int, count: Int, _ body: (_ channel: Int, _ sum: BinSum) -> Void) {
        let first = unsafe base + start * frameStride
        if isInterleaved {
            var (left, right) = (SampleSum(), SampleSum())
            unsafe sample_sum_stereo(first, count, &left, &right)
            body(0, BinSum(left, frames: count))
            body(1, BinSum(right, frames: count))
        } else {
            for channel in 0..<channelCount {
                body(channel, BinSum(unsafe sample_sum(first + channel * channelStride, count), frames: count))
            }
        }
    }
}

extension BinSum {
    fileprivate init(_ sum: SampleSum, frames: Int) {
        self.init(
            minimum: sum.minimum, maximum: sum.maximum, energy: UInt128(sum.energy), frameCount: Int64(frames))
    }
}
