internal import DSP

/// Scratch memory of the writer: a block as it comes off the tape, and as the file takes it.
@safe
final class TakeBlocks {
    /// Frames that are worked on at once.
    static let frameCapacity = 4096

    /// Channels of the input.
    let channelCount: Int
    /// Room for a block, frame by frame.
    let interleaved: UnsafeMutablePointer<Float>
    private let planes: PlanarBuffer

    init(channelCount: Int) {
        self.channelCount = channelCount
        unsafe interleaved = .allocate(capacity: channelCount * Self.frameCapacity)
        unsafe interleaved.initialize(repeating: 0, count: channelCount * Self.frameCapacity)
        planes = PlanarBuffer(channelCount: channelCount, frameCount: Self.frameCapacity)
    }

    deinit { unsafe interleaved.deallocate() }

    /// A block channel by channel.
    var channels: UnsafePointer<UnsafeMutablePointer<Float>> { unsafe UnsafePointer(planes.channels) }

    /// Silence in all of `channels`.
    func clear() { planes.clear(Self.frameCapacity) }

    /// Puts interleaved frames, at most `frameCapacity`, into `channels`; with `mono` their mean into the first.
    func separate(_ frames: UnsafePointer<Float>, count: Int, mono isMono: Bool) {
        guard isMono else {
            for channel in 0..<channelCount {
                let plane = unsafe planes.channel(channel)
                for frame in 0..<count { unsafe plane[frame] = frames[frame * channelCount + channel] }
            }
            return
        }
        let plane = unsafe planes.channel(0)
        for frame in 0..<count {
            // In double precision: the mean of equal samples is that sample.
            var sum = 0.0
            for channel in 0..<channelCount { unsafe sum += Double(frames[frame * channelCount + channel]) }
            unsafe plane[frame] = Float(sum / Double(channelCount))
        }
    }
}
