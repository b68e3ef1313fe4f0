/// Scratch samples, channels × frames, allocated once. Real-time safe: using it is, making it is not.
@safe
struct PlanarBuffer: ~Copyable {
    let channelCount: Int
    let frameCount: Int
    /// A pointer to each channel's samples; valid as long as the buffer.
    let channels: UnsafeMutablePointer<UnsafeMutablePointer<Float>>
    private let samples: UnsafeMutablePointer<Float>

    init(channelCount: Int, frameCount: Int) {
        precondition(channelCount > 0 && frameCount > 0, "a buffer holds at least one sample")
        self.channelCount = channelCount
        self.frameCount = frameCount
        unsafe samples = .allocate(capacity: channelCount * frameCount)
        unsafe samples.initialize(repeating: 0, count: channelCount * frameCount)
        unsafe channels = .allocate(capacity: channelCount)
        for channel in 0..<channelCount {
            unsafe (channels + channel).initialize(to: samples + channel * frameCount)
        }
    }

    deinit {
        unsafe channels.deallocate()
        unsafe samples.deallocate()
    }

    /// The samples of one channel, `frameCount` of them.
    func channel(_ index: Int) -> UnsafeMutablePointer<Float> {
        unsafe channels[index]
    }

    /// Silence in the first `count` frames of every channel.
    func clear(_ count: Int) {
        for index in 0..<channelCount {
            // Sound because every caller asks for at most frameCount frames.
            let samples = unsafe channels[index]
            for frame in 0..<count { unsafe samples[frame] = 0 }
        }
    }
}
