/// Keeps a sum of sounds, or an amplified sound, at or below full scale, frame by frame and without look-ahead.
///
/// At a frame which would exceed full scale, the gain falls to the value permitted by the frame, and then returns
/// slowly. So only the first peak of a row is flattened, where a converter would flatten every peak. ``PeakLimiter``
/// looks ahead and flattens none, but its look-ahead frames are not available in a mix with live commands. All channels
/// get the same gain. Sound below full scale passes bit for bit, and the division of the frames into calls does not
/// change the result. While the gain is below 1, an infinite value becomes full scale, and NaN becomes silence; neither
/// changes the gain.
///
/// Real-time safe: all of it.
@usableFromInline package struct OverloadGuard: BitwiseCopyable {
    /// A Double, because the last steps back to 1 are too small for a Float.
    private var gain = 1.0
    private var lowest: Float = 1
    /// Share of the gain's distance to 1 regained in one frame.
    private let returnShare: Double

    /// Target level of peaks. Samples only: a peak between two samples may be higher.
    private static var ceiling: Float { 1 }
    private static var returnSeconds: Double { 0.093 }
    private static var leastReduction: Double { 1e-5 }

    /// - Parameter sampleRate: In Hz, 8000 to 768000.
    #if REALTIME_CHECKS
        @_noAllocation @_noLocks
    #endif
    package init(sampleRate: Int) {
        precondition((8000...768_000).contains(sampleRate), "An overload guard takes rates of 8000 to 768000 Hz.")
        returnShare = 1 / (Self.returnSeconds * Double(sampleRate))
    }

    /// True if the gain is below 1 at present.
    #if REALTIME_CHECKS
        @_noAllocation @_noLocks
    #endif
    package func isActive() -> Bool { gain < 1 }

    /// Turns frames down where the sound would exceed full scale.
    ///
    /// - Parameters:
    ///   - sound: One pointer per channel.
    ///   - channelCount: 1 or more.
    ///   - frameCount: The frames of each channel, 0 or more.
    ///   - watched: The frames to keep from exceeding full scale. Other frames are turned down only until the gain has
    ///     returned to 1.
    #if REALTIME_CHECKS
        @_noAllocation @_noLocks
    #endif
    package mutating func apply(
        to sound: UnsafeMutablePointer<UnsafeMutablePointer<Float>>, channelCount: Int, frameCount: Int,
        watched: Range<Int>
    ) {
        guard unsafe isActive() || exceeds(sound, channelCount, watched) else { return }
        // Frames before the watched range matter only while the gain has not returned.
        for frame in (isActive() ? 0 : watched.lowerBound)..<max(watched.lowerBound, frameCount) {
            if !isActive() {
                if frame >= watched.upperBound { return }
                if frame < watched.lowerBound { continue }
            }
            var peak: Float = 0
            // NaN fails the comparison, so the gain ignores NaN.
            for channel in 0..<channelCount {
                let sample = unsafe sound[channel][frame]
                if sample.magnitude == .infinity {
                    unsafe sound[channel][frame] = sample < 0 ? -Self.ceiling : Self.ceiling
                } else if sample.magnitude > peak {
                    peak = sample.magnitude
                }
            }
            var next = gain + (1 - gain) * returnShare
            if 1 - next < Self.leastReduction { next = 1 }
            if Double(peak) * next > Double(Self.ceiling) { next = Double(Self.ceiling) / Double(peak) }
            gain = next
            guard isActive() else { continue }
            let factor = Float(gain)
            lowest = min(lowest, factor)
            for channel in 0..<channelCount {
                // The product may round up by half a unit in the last place.
                let turned = unsafe sound[channel][frame] * factor
                let limited = max(-Self.ceiling, min(Self.ceiling, turned))
                unsafe sound[channel][frame] = turned == turned ? limited : 0
            }
        }
    }

    /// Returns the lowest gain since the last call, as a factor.
    #if REALTIME_CHECKS
        @_noAllocation @_noLocks
    #endif
    package mutating func takeLowestGain() -> Float {
        defer { lowest = 1 }
        return lowest
    }

    private func exceeds(
        _ sound: UnsafeMutablePointer<UnsafeMutablePointer<Float>>, _ channelCount: Int, _ frames: Range<Int>
    ) -> Bool {
        for channel in 0..<channelCount {
            let samples = unsafe sound[channel]
            var peak: Float = 0
            for frame in frames { peak = unsafe max(peak, samples[frame].magnitude) }
            if peak > Self.ceiling { return true }
        }
        return false
    }
}
