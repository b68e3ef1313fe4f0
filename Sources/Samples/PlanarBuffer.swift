internal import Realtime

/// Samples of several channels, stored channel after channel: allocated once, each channel on cache lines of its own,
/// and touched beforehand.
///
/// Real-time safe: use yes, creation no.
@safe
@usableFromInline
package struct PlanarBuffer: ~Copyable {
    /// Channels, 0 or more.
    @usableFromInline package let channelCount: Int
    /// Capacity in frames.
    @usableFromInline package let frameCount: Int
    /// Pointers to each channel's samples; valid as long as the buffer.
    @usableFromInline package let channels: UnsafeMutablePointer<UnsafeMutablePointer<Float>>
    private let memory: UnsafeMutableRawPointer

    /// Allocates silence.
    package init(channelCount: Int, frameCount: Int) {
        precondition(channelCount >= 0 && frameCount > 0, "a buffer has room for at least one frame")
        let stride = Self.stride(frameCount)
        unsafe memory = RealtimeMemory.allocate(byteCount: stride * channelCount, alignment: Self.line)
        unsafe channels = .allocate(capacity: channelCount)
        for channel in 0..<channelCount {
            let start = unsafe (memory + channel * stride).bindMemory(to: Float.self, capacity: frameCount)
            unsafe start.initialize(repeating: 0, count: stride / MemoryLayout<Float>.stride)
            unsafe (channels + channel).initialize(to: start)
        }
        self.channelCount = channelCount
        self.frameCount = frameCount
    }

    deinit {
        unsafe channels.deallocate()
        unsafe RealtimeMemory.deallocate(memory, byteCount: Self.stride(frameCount) * channelCount)
    }

    private static let line = 128

    /// Returns the bytes of one channel, in whole lines.
    private static func stride(_ frameCount: Int) -> Int {
        (frameCount * MemoryLayout<Float>.stride + line - 1) / line * line
    }

    /// Returns the samples of one channel; there are `frameCount` samples.
    #if REALTIME_CHECKS
        @_noAllocation @_noLocks
    #endif
    @inlinable
    package func channel(_ index: Int) -> UnsafeMutablePointer<Float> {
        unsafe channels[index]
    }

    /// Returns a checked view of the samples of one channel, `frameCount` samples.
    #if REALTIME_CHECKS
        @_noAllocation @_noLocks
    #endif
    @inlinable @inline(__always)
    package func samples(_ index: Int) -> Floats {
        precondition(index >= 0 && index < channelCount)
        return unsafe Floats(base: channel(index), count: frameCount)
    }

    /// Writes silence to the first `count` frames of every channel.
    #if REALTIME_CHECKS
        @_noAllocation @_noLocks
    #endif
    @inlinable
    package func clear(_ count: Int) {
        for index in 0..<channelCount {
            // In bounds because every caller asks for at most frameCount frames.
            let samples = unsafe channels[index]
            for frame in 0..<count { unsafe samples[frame] = 0 }
        }
    }
}
