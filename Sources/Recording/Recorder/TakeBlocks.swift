internal import Samples

/// Scratch memory of the writer: a block in the layout of the tape, and in the layout of the file.
@safe
final class TakeBlocks {
    /// Most frames processed at once.
    static let frameCapacity = 4096

    /// Channels of the input.
    let channelCount: Int
    /// Memory for a block, interleaved.
    let interleaved: UnsafeMutablePointer<Float>
    private let planes: PlanarBuffer

    init(channelCount: Int) {
        self.channelCount = channelCount
        unsafe interleaved = .allocate(capacity: channelCount * Self.frameCapacity)
        unsafe interleaved.initialize(repeating: 0, count: channelCount * Self.frameCapacity)
        planes = PlanarBuffer(channelCount: channelCount, frameCount: Self.frameCapacity)
    }

    deinit { unsafe interleaved.deallocate() }

    /// A block, channel by channel.
    var channels: UnsafePointer<UnsafeMutablePointer<Float>> { unsafe UnsafePointer(planes.channels) }

    /// Sets all of `channels` to silence.
    func clear() { planes.clear(Self.frameCapacity) }

    /// Copies the chosen channels of interleaved frames, at most `frameCapacity`, to `channels`.
    func separate(_ frames: UnsafePointer<Float>, count: Int, _ choice: InputChannels) {
        switch choice {
        case .all: for channel in 0..<channelCount { unsafe copy(channel, of: frames, count: count, to: channel) }
        case .chosen(let list):
            for (place, channel) in list.enumerated() { unsafe copy(channel, of: frames, count: count, to: place) }
        case .mean: unsafe average(frames, count: count)
        }
    }

    private func copy(_ channel: Int, of frames: UnsafePointer<Float>, count: Int, to place: Int) {
        let plane = unsafe planes.channel(place)
        for frame in 0..<count { unsafe plane[frame] = frames[frame * channelCount + channel] }
    }

    private func average(_ frames: UnsafePointer<Float>, count: Int) {
        let plane = unsafe planes.channel(0)
        for frame in 0..<count {
            // In double precision, so that the mean of equal samples equals each sample.
            var sum = 0.0
            for channel in 0..<channelCount { unsafe sum += Double(frames[frame * channelCount + channel]) }
            unsafe plane[frame] = Float(sum / Double(channelCount))
        }
    }
}
