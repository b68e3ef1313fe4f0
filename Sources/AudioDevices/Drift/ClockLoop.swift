/// Finds by how much one clock runs faster than another from the error that their difference leaves: a delay-locked
/// loop.
///
/// Wide at first and ever narrower, as a line through all errors so far would have it; in the end so narrow that what
/// it does cannot be heard as a change of pitch. Errors that a steady clock would not make widen it again.
struct ClockLoop: Sendable, BitwiseCopyable {
    /// The largest correction: 1000 ppm, more than any two cards differ.
    static let limit = 1e-3
    private static let damping = 0.82
    /// Bandwidth × age of a line through all errors so far.
    private static let spread = 2.45
    /// The narrowest bandwidth, in radians a second.
    private static let narrowest = 0.02
    /// Errors are smoothed before they count, with so many times the bandwidth.
    private static let smoothing = 8.0
    private static let firstAge = 2.0
    private static let youth = 7.0
    /// From this smoothed error on, in seconds, the clock has changed.
    private static let surprise = 200e-6
    private static let ageAfterSurprise = 8.0

    private let sampleRate: Double
    /// Seconds since the loop was at its widest.
    private var age = firstAge
    private var smoothed = (first: 0.0, second: 0.0)
    private var integral = 0.0
    /// What the reader's step is to be multiplied by, less 1.
    private(set) var correction = 0.0

    init(sampleRate: Int) { self.sampleRate = Double(sampleRate) }

    /// The clocks' difference as learnt, in millionths: without what is done at the moment to make an error good.
    var drift: Double { integral * 1e6 }

    /// Whether it is best told by others what the clocks' difference is: its own errors would take longer to say.
    var isYoung: Bool { age < Self.youth }

    /// Takes the clocks' difference, as a fraction of 1, from elsewhere. Real-time safe: yes.
    mutating func adopt(drift: Double) { integral = min(max(drift, -Self.limit), Self.limit) }

    /// Takes the error, in frames by which the reader is behind, `seconds` after the last one. Real-time safe: yes.
    mutating func correct(error: Double, seconds: Double) {
        age += seconds
        let bandwidth = max(Self.narrowest, Self.spread / age)
        let weight = min(1, Self.smoothing * bandwidth * seconds)
        smoothed.first += weight * (error - smoothed.first)
        smoothed.second += weight * (smoothed.first - smoothed.second)
        if abs(smoothed.second) > Self.surprise * sampleRate { age = min(age, Self.ageAfterSurprise) }
        let proportional = 2 * Self.damping * bandwidth * smoothed.second / sampleRate
        let grown = integral + bandwidth * bandwidth * smoothed.second * seconds / sampleRate
        // At the limit the integral must not run on: it would take as long to come back.
        if abs(grown + proportional) < Self.limit || abs(grown) < abs(integral) { integral = grown }
        integral = min(max(integral, -Self.limit), Self.limit)
        correction = min(max(integral + proportional, -Self.limit), Self.limit)
    }

    /// The error starts from 0 again; what was learnt of the clocks stays. Real-time safe: yes.
    mutating func restart() {
        smoothed = (0, 0)
        correction = integral
    }
}
