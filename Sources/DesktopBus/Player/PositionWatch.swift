/// Detects when the position differs from the position believed by other programs.
///
/// Programs extrapolate from the last announced position and rate, so every jump must be announced: a seek, another
/// section, a restarting loop, sound at a standstill. The watch detects jumps from the position itself, for any cause.
struct PositionWatch {
    private var (position, nanoseconds): (Int64, Int64)
    /// Microseconds of position per microsecond: as believed by programs, and in truth.
    private var believed: Double
    private(set) var real: Double
    private var told: Int64 = .min

    /// The greatest invisible error, in microseconds at normal speed.
    static let tolerance = 150_000.0
    /// The interval of corrections, in ns, while the believed rate is wrong: in rests, and during backward playback.
    static let correction: Int64 = 1_000_000_000

    /// - Parameters:
    ///   - position: The position in microseconds.
    ///   - now: The time in nanoseconds.
    init(position: Int64, now: Int64, believed: Double = 0, real: Double = 0) {
        (self.position, nanoseconds) = (position, now)
        (self.believed, self.real) = (believed, real)
    }

    /// Restarts from the current position, because programs learn a new rate, or the start or stop of the sound.
    mutating func change(position: Int64, now: Int64, believed: Double, real: Double) {
        (self.position, nanoseconds) = (position, now)
        (self.believed, self.real) = (believed, real)
    }

    /// Returns true if the position must be announced; then counts the position as announced.
    mutating func jumps(to position: Int64, now: Int64) -> Bool {
        let passed = Double(now - nanoseconds) / 1000
        let expected = Double(self.position) + passed * real
        let isWrong = believed != real && now - max(told, nanoseconds) >= Self.correction
        guard isWrong || abs(Double(position) - expected) > Self.tolerance * max(1, abs(real)) else { return false }
        (self.position, nanoseconds, told) = (position, now, now)
        return true
    }
}
