/// Keeps a sum of sounds, or a sound that is turned up, at or below full scale, frame by frame and without knowing what comes next.
///
/// The gain falls at the frame that would exceed full scale, to what that frame allows, and returns slowly. So the first peak of a row is
/// flattened and the following ones are not, where a converter would flatten them all. ``PeakLimiter`` looks ahead and flattens none,
/// but it needs frames that a mix with live commands does not have. All channels get the same gain. What stays below full scale passes
/// bit for bit, and the result does not depend on how the frames are divided into calls. An infinite value becomes full scale, and what is not a
/// number becomes silence while the gain is below 1; neither changes the gain.
///
/// Real-time safe: all of it.
@usableFromInline package struct OverloadGuard: BitwiseCopyable {
    /// A Double, as the last steps back to 1 are smaller than a Float can add.
    private var gain = 1.0
    private var lowest: Float = 1
    /// The part of what is missing to 1 that the gain regains in one frame.
    private let returnShare: Double

    /// What peaks are brought to. Samples only: a peak between two samples may be higher.
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

    /// Whether the sound is turned down at present.
    #if REALTIME_CHECKS
        @_noAllocation @_noLocks
    #endif
    package func isActive() -> Bool { gain < 1 }

    /// Turns frames down where they would exceed full scale.
    ///
    /// - Parameters:
    ///   - sound: One pointer per channel.
    ///   - channelCount: 1 or more.
    ///   - frameCount: The frames of each channel, 0 or more.
    ///   - watched: Which of them to keep from exceeding full scale. The others are turned down as long as the gain has not returned
    ///     to 1.
    #if REALTIME_CHECKS
        @_noAllocation @_noLocks
    #endif
    package mutating func apply(
        to sound: UnsafeMutablePointer<UnsafeMutablePointer<Float>>, channelCount: Int, frameCount: Int,
        watched: Range<Int>
    ) {
        guard unsafe isActive() || exceeds(sound, channelCount, watched) else { return }
        // What comes before the watched frames concerns only a gain that has not returned yet.
        for frame in (isActive() ? 0 : watched.lowerBound)..<max(watched.lowerBound, frameCount) {
            if !isActive() {
                if frame >= watched.upperBound { return }
                if frame < watched.lowerBound { continue }
            }
            var peak: Float = 0
            // A value that is not a number is never the larger one, so it does not reach the gain.
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

    /// The lowest gain since the last call, as a factor.
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
