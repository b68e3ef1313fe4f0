/// Differences between a take and its model in timing, pitch and dynamics: plain measures, each of its own kind of
/// difference.
///
/// Nothing here is a mark. A measure gives the distance between two recordings in one respect, in its own unit; the
/// listener decides whether the distance is good. Unknown measures are nil: all of them if either side is silent, the
/// pitch if the two share no voiced places. See docs/comparing.md for the method, its figures and its weaknesses.
///
/// Thread-safe: a value. Real-time safe: no.
public struct Comparison: Sendable, Equatable {
    /// A place where the take is far from its own tempo.
    public struct Place: Sendable, Equatable {
        /// Seconds from the model's start.
        public let modelSeconds: Double
        /// Seconds by which the take is later here than at an even tempo; below 0 earlier.
        public let lateSeconds: Double
    }

    /// Delay of the take's beginning: take time − model time at the model's first sound, by the straight line closest
    /// to the alignment. If both have the same tempo, the delay is the median difference over the whole.
    public let offsetSeconds: Double?
    /// Length of the take divided by the length of the model, from first to last sound: above 1 slower.
    public let lengthRatio: Double?
    /// Deviation of the take from an even tempo: the mean distance from the straight line, without the largest
    /// twentieth.
    public let spreadSeconds: Double?
    /// Place of the largest deviation from an even tempo.
    public let worstPlace: Place?
    /// Median difference of pitch where both have a pitch, in cents, 100 a semitone; above 0 the take is higher.
    public let pitchOffsetCents: Double?
    /// Difference of the melodies beyond ``pitchOffsetCents``: the mean distance, without the largest twentieth.
    public let pitchCents: Double?
    /// Difference in loudness beyond one gain for all: the mean distance in dB, without the largest twentieth.
    public let energyDecibels: Double?
    /// The curves behind the measures, for drawing.
    package let curves: Curves

    /// Values every 10 ms of the model, from its start; all arrays have the same length. Unknown values are NaN.
    package struct Curves: Sendable, Equatable {
        /// The pitch of the model in cents above A4 = 440 Hz.
        package internal(set) var modelCents: [Float] = []
        /// The pitch of the take at the aligned place, not shifted by ``Comparison/pitchOffsetCents``.
        package internal(set) var takeCents: [Float] = []
        /// The level of the model in dB of full scale, over 150 ms.
        package internal(set) var modelDecibels: [Float] = []
        /// The level of the take at the aligned place.
        package internal(set) var takeDecibels: [Float] = []
        /// The aligned seconds in the take for each value.
        package internal(set) var takeSeconds: [Float] = []
        /// Seconds by which the take is later here than at an even tempo.
        package internal(set) var lateSeconds: [Float] = []

        /// Arrays without values.
        package init() {}
    }

    /// An empty comparison: the result for silence.
    package init() {
        (offsetSeconds, lengthRatio, spreadSeconds, worstPlace) = (nil, nil, nil, nil)
        (pitchOffsetCents, pitchCents, energyDecibels) = (nil, nil, nil)
        curves = Curves()
    }

    init(timing: Timing, melody: (offset: Double, spread: Double)?, energy: Double?, curves: Curves) {
        offsetSeconds = timing.offset
        lengthRatio = timing.ratio
        spreadSeconds = timing.spread
        worstPlace = timing.worst
        pitchOffsetCents = melody?.offset
        pitchCents = melody?.spread
        energyDecibels = energy
        self.curves = curves
    }

    /// The measures of time.
    struct Timing {
        var offset: Double?
        var ratio: Double?
        var spread: Double?
        var worst: Place?
    }
}
