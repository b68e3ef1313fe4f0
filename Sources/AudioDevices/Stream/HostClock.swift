import Files

/// The clock by which a device's loop measures, and the computer's suspend time: the system's, or those of a test.
struct HostClock: Sendable {
    /// Returns monotonic nanoseconds.
    let now: @Sendable () -> Int64
    /// True if the time stamps of drivers are times of this clock.
    let trustsStamps: Bool
    /// Returns the suspend time of the computer, in nanoseconds.
    private let asleep: @Sendable () -> Int64
    /// Result of `asleep` at the beginning, or as of the last report.
    private var slept: Int64 = 0

    /// - Parameters:
    ///   - now: the time of a virtual card; nil for the system's clock.
    ///   - asleep: the suspend time of a test; nil for the computer's.
    init(now: (@Sendable () -> Int64)? = nil, asleep: (@Sendable () -> Int64)? = nil) {
        self.now = now ?? { MonotonicTime.now() }
        trustsStamps = now == nil
        self.asleep = asleep ?? { MonotonicTime.asleep() }
    }

    /// Leaves out all suspend time so far.
    mutating func begin() { slept = asleep() }

    /// Suspend time that no report contains yet, in nanoseconds.
    var untoldSleep: Int64 {
        let rest = asleep() - slept
        // The two clocks are read one after the other, so their difference moves by microseconds without any sleep.
        return rest > 1_000_000 ? rest : 0
    }

    /// Returns the suspend time for a report, in nanoseconds; each nanosecond is reported once.
    mutating func takeSleep() -> Int64 {
        let rest = untoldSleep
        slept += rest
        return rest
    }
}
