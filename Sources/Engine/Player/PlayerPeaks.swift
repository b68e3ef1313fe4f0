internal import CSampleLoops
internal import Realtime

/// The highest absolute samples of a player's first eight channels, until the control side takes these peaks.
///
/// Real-time safe: yes.
struct PlayerPeaks: ~Copyable {
    private var ring: RingProducer<SIMD8<Float>>
    /// Peaks not handed over yet.
    private var peaks = SIMD8<Float>(repeating: 0)

    init(_ ring: consuming RingProducer<SIMD8<Float>>) {
        self.ring = ring
    }

    /// Includes `frameCount` frames of each channel.
    mutating func take(
        _ channels: UnsafePointer<UnsafeMutablePointer<Float>>, channelCount: Int, frameCount: Int
    ) {
        for channel in 0..<min(channelCount, SIMD8<Float>.scalarCount) {
            peaks[channel] = max(peaks[channel], unsafe largest_magnitude(channels[channel], frameCount))
        }
    }

    /// Hands over the peaks. With a full ring, the peaks stay here and combine with later peaks.
    mutating func handOver() {
        if ring.push(peaks) { peaks = SIMD8(repeating: 0) }
    }
}
