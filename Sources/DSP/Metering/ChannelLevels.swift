internal import Glibc

/// The reading of a ``LevelMeter`` for one channel.
public struct ChannelLevels: BitwiseCopyable, Sendable, Equatable {
    /// The largest magnitude since the last take; 1 is full scale.
    public var peak: Float = 0
    /// The mean of the squares since the last take; a full-scale sine has 0.5.
    public var meanSquare: Float = 0
    /// Frames since the last take.
    public var frameCount = 0
    /// Overs since the meter was made or reset.
    public var overs: Int64 = 0
    /// Frame at which the first over began, from the meter's own beginning; -1: no over.
    public var firstOverFrame: Int64 = -1

    /// Levels of a silence without length.
    ///
    /// Real-time safe: yes.
    #if REALTIME_CHECKS
        @_noAllocation @_noLocks
    #endif
    package init() {}

    /// The peak in dB of full scale; minus infinity for silence. Real-time safe: no.
    public var peakDecibels: Double { 20 * log10(Double(peak)) }

    /// The root mean square in dB of full scale; a full-scale sine reads -3.01 dB. Real-time safe: no.
    public var rmsDecibels: Double { 10 * log10(Double(meanSquare)) }

    /// The root mean square by AES17 (2020): a full-scale sine reads 0 dB. Real-time safe: no.
    package var rmsDecibelsAES17: Double { rmsDecibels + aes17Decibels }
}

/// Decibels added by AES17 to a root mean square, so that a full-scale sine reads 0 dB.
let aes17Decibels = 10 * log10(2.0)
