/// Finds the difference of two clocks from the resulting error: a delay-locked loop.
///
/// The loop's bandwidth is wide at first and falls as for a line fitted through all errors so far. In the end the
/// bandwidth is so narrow that corrections are not audible as a change of pitch. Errors that a steady clock would not
/// cause widen the bandwidth again.
struct ClockLoop: Sendable, BitwiseCopyable {
    /// The largest correction: 1000 ppm, more than the difference of any two cards.
    static let limit = 1e-3
    private static let damping = 0.82
    /// Bandwidth × age of a line through all errors so far.
    private static let spread = 2.45
    /// The narrowest bandwidth, in radians a second.
    private static let narrowest = 0.02
    /// Errors are smoothed first, with this multiple of the bandwidth.
    private static let smoothing = 8.0
    private static let firstAge = 2.0
    private static let youth = 7.0
    /// A smoothed error of this size or more, in seconds, means that the clock has changed.
    private static let surprise = 200e-6
    private static let ageAfterSurprise = 8.0

    private let sampleRate: Double
    /// Seconds since the loop had its widest bandwidth.
    private var age = firstAge
    private var smoothed = (first: 0.0, second: 0.0)
    private var integral = 0.0
    /// The factor for the reader's step, minus 1.
    private(set) var correction = 0.0

    init(sampleRate: Int) { self.sampleRate = Double(sampleRate) }

    /// The learnt difference of the clocks in ppm, without the momentary correction of an error.
    var drift: Double { integral * 1e6 }

    /// True if the difference should be taken from elsewhere, because the loop's own errors would take longer to show
    /// the difference.
    var isYoung: Bool { age < Self.youth }

    /// Takes the difference of the clocks, as a fraction of 1, from elsewhere. Real-time safe: yes.
    mutating func adopt(drift: Double) { integral = min(max(drift, -Self.limit), Self.limit) }

    /// Takes the error, in frames by which the reader is behind, `seconds` after the last call. Real-time safe: yes.
    mutating func correct(error: Double, seconds: Double) {
        age += seconds
        let bandwidth = max(Self.narrowest, Self.spread / age)
        let weight = min(1, Self.smoothing * bandwidth * seconds)
        smoothed.first += weight * (error - smoothed.first)
        smoothed.second += weight * (smoothed.first - smoothed.second)
        if abs(smoothed.second) > Self.surprise * sampleRate { age = min(age, Self.ageAfterSurprise) }
        let proportional = 2 * Self.damping * bandwidth * smoothed.second / sampleRate
        let grown = integral + bandwidth * bandwidth * smoothed.second * seconds / sampleRate
        // At the limit the integral must stop, because its return would take as long.
        if abs(grown + proportional) < Self.limit || abs(grown) < abs(integral) { integral = grown }
        integral = min(max(integral, -Self.limit), Self.limit)
        correction = min(max(integral + proportional, -Self.limit), Self.limit)
    }

    /// Restarts the error from 0; the learnt difference stays. Real-time safe: yes.
    mutating func restart() {
        smoothed = (0, 0)
        correction = integral
    }
}
