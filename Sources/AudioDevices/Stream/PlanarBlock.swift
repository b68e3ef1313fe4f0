/// The buffers that a stream renders into: one for each channel, on cache lines of their own, all touched beforehand.
@safe
struct PlanarBlock: ~Copyable {
    let channels: UnsafeMutablePointer<UnsafeMutablePointer<Float>>
    let channelCount: Int
    let frameCapacity: Int
    private let memory: UnsafeMutableRawPointer

    /// Allocates silence; at most 64 channels of 8192 frames, as the request's ranges have it.
    init(channelCount: Int, frameCapacity: Int) {
        let line = 128
        let stride = (frameCapacity * MemoryLayout<Float>.stride + line - 1) / line * line
        unsafe memory = .allocate(byteCount: stride * channelCount, alignment: line)
        unsafe channels = .allocate(capacity: channelCount)
        for channel in 0..<channelCount {
            let start = unsafe (memory + channel * stride).bindMemory(to: Float.self, capacity: frameCapacity)
            unsafe start.initialize(repeating: 0, count: stride / MemoryLayout<Float>.stride)
            unsafe (channels + channel).initialize(to: start)
        }
        self.channelCount = channelCount
        self.frameCapacity = frameCapacity
    }

    deinit {
        unsafe channels.deallocate()
        unsafe memory.deallocate()
    }
}
