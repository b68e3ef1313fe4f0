internal import Realtime

/// The highest absolute samples of a player's first eight channels, until the control side takes them.
///
/// Real-time safe: yes.
struct PlayerPeaks: ~Copyable {
    private var ring: RingProducer<SIMD8<Float>>
    /// Peaks that have not been handed over yet.
    private var peaks = SIMD8<Float>(repeating: 0)

    init(_ ring: consuming RingProducer<SIMD8<Float>>) {
        self.ring = ring
    }

    /// Includes `frameCount` frames of each channel.
    mutating func take(
        _ channels: UnsafePointer<UnsafeMutablePointer<Float>>, channelCount: Int, frameCount: Int
    ) {
        for channel in 0..<min(channelCount, SIMD8<Float>.scalarCount) {
            let samples = unsafe channels[channel]
            var peak = peaks[channel]
            for index in 0..<frameCount { peak = max(peak, unsafe abs(samples[index])) }
            peaks[channel] = peak
        }
    }

    /// Hands over the peaks. If the control side has not taken them, they are combined.
    mutating func handOver() {
        if ring.push(peaks) { peaks = SIMD8(repeating: 0) }
    }
}
