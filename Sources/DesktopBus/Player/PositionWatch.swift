/// Notices when the position is not where the programs that show it believe it to be.
///
/// They count on from the last position that they were told, at the rate that they were told, so every jump must be told: a seek, another
/// section, a loop that begins again, sound that stood still. It is found from the position itself, whatever its cause.
struct PositionWatch {
    private var (position, nanoseconds): (Int64, Int64)
    /// Microseconds of position in a microsecond: what the programs believe, and what is true.
    private var believed: Double
    private(set) var real: Double
    private var told: Int64 = .min

    /// What nobody sees, in microseconds at normal speed.
    static let tolerance = 150_000.0
    /// How often a belief that is wrong all the time is put right: while resting, and while playing backwards.
    static let correction: Int64 = 1_000_000_000

    /// - Parameters:
    ///   - position: In microseconds.
    ///   - now: In nanoseconds.
    init(position: Int64, now: Int64, believed: Double = 0, real: Double = 0) {
        (self.position, nanoseconds) = (position, now)
        (self.believed, self.real) = (believed, real)
    }

    /// The programs learn a new rate, or that the sound begins or ends, and count on from the position of now.
    mutating func change(position: Int64, now: Int64, believed: Double, real: Double) {
        (self.position, nanoseconds) = (position, now)
        (self.believed, self.real) = (believed, real)
    }

    /// Whether they must be told the position; they are, then.
    mutating func jumps(to position: Int64, now: Int64) -> Bool {
        let passed = Double(now - nanoseconds) / 1000
        let expected = Double(self.position) + passed * real
        let isWrong = believed != real && now - max(told, nanoseconds) >= Self.correction
        guard isWrong || abs(Double(position) - expected) > Self.tolerance * max(1, abs(real)) else { return false }
        (self.position, nanoseconds, told) = (position, now, now)
        return true
    }
}
