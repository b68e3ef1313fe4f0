/// How a take differs from its model in timing, pitch and dynamics: plain measures, each of its own kind of difference.
///
/// Nothing here is a mark. A measure says how far two recordings are from each other in one respect, in its own unit; whether that is good
/// is for the listener to say. What cannot be known is nil: with silence on one side everything, without common voiced places the pitch.
/// See docs/comparing.md for the method, its figures and what it does badly.
///
/// Thread-safe: a value. Real-time safe: no.
public struct Comparison: Sendable, Equatable {
    /// A place where the take is far from its own tempo.
    public struct Place: Sendable, Equatable {
        /// Seconds from the model's start.
        public let modelSeconds: Double
        /// How much later than at an even tempo the take is there; below 0 earlier.
        public let lateSeconds: Double
    }

    /// How much later the take begins than the model: take time − model time at the model's first sound, by the straight line that lies
    /// closest to the alignment. If both have the same tempo, it is the median difference over the whole.
    public let offsetSeconds: Double?
    /// How long the take is for the model, from first to last sound: above 1 slower.
    public let lengthRatio: Double?
    /// How far the take strays from an even tempo: the mean distance from the straight line, without the largest twentieth.
    public let spreadSeconds: Double?
    /// Where it strays most.
    public let worstPlace: Place?
    /// How much higher the take is: the median difference in cents, 100 a semitone, where both have a pitch.
    public let pitchOffsetCents: Double?
    /// How far the melody differs beyond ``pitchOffsetCents``: the mean distance, without the largest twentieth.
    public let pitchCents: Double?
    /// How far the loudness differs beyond one gain for all: the mean distance in dB, without the largest twentieth.
    public let energyDecibels: Double?
    /// What the measures are taken from, for drawing.
    public let curves: Curves

    /// Values every 10 ms of the model, from its start; all arrays have one length. NaN where there is nothing to say.
    public struct Curves: Sendable, Equatable {
        /// The pitch of the model in cents above A4 = 440 Hz.
        public internal(set) var modelCents: [Float] = []
        /// The pitch of the take at the place that belongs to it, not shifted by ``Comparison/pitchOffsetCents``.
        public internal(set) var takeCents: [Float] = []
        /// The level of the model in dB of full scale, over 150 ms.
        public internal(set) var modelDecibels: [Float] = []
        /// The level of the take at the place that belongs to it.
        public internal(set) var takeDecibels: [Float] = []
        /// The seconds in the take that belong to each value.
        public internal(set) var takeSeconds: [Float] = []
        /// How much later than at an even tempo the take is there, in seconds.
        public internal(set) var lateSeconds: [Float] = []

        /// Arrays without values.
        package init() {}
    }

    /// A comparison that knows nothing: what silence gives.
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
