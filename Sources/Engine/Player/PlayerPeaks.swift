internal import DSP
internal import Realtime

/// The highest absolute samples of a player, until the control side takes them: of the first eight channels.
///
/// Real-time safe: yes.
struct PlayerPeaks: ~Copyable {
    private var ring: RingProducer<SIMD8<Float>>
    /// What has not been handed over yet.
    private var peaks = SIMD8<Float>(repeating: 0)

    init(_ ring: consuming RingProducer<SIMD8<Float>>) {
        self.ring = ring
    }

    /// Takes in the first `frameCount` frames of a buffer.
    mutating func take(_ sound: borrowing PlanarBuffer, _ frameCount: Int) {
        for channel in 0..<min(sound.channelCount, SIMD8<Float>.scalarCount) {
            // Sound because the buffer holds at least frameCount frames.
            let samples = unsafe sound.channel(channel)
            var peak = peaks[channel]
            for index in 0..<frameCount { peak = max(peak, unsafe abs(samples[index])) }
            peaks[channel] = peak
        }
    }

    /// Hands over what was highest. Where nobody takes it, it adds up.
    mutating func handOver() {
        if ring.push(peaks) { peaks = SIMD8(repeating: 0) }
    }
}
