import Files

/// The clock by which a device's loop measures, and the computer's suspend time: the system's, or those of a test.
///
/// A constant of the loop: reading a closure of a variable would count a reference on the device's thread.
struct HostClock: Sendable {
    /// Returns monotonic nanoseconds.
    let now: @Sendable () -> Int64
    /// True if the time stamps of drivers are times of this clock.
    let trustsStamps: Bool
    /// Returns the suspend time of the computer, in nanoseconds.
    let asleep: @Sendable () -> Int64

    /// - Parameters:
    ///   - now: the time of a virtual card; nil for the system's clock.
    ///   - asleep: the suspend time of a test; nil for the computer's.
    init(now: (@Sendable () -> Int64)? = nil, asleep: (@Sendable () -> Int64)? = nil) {
        self.now = now ?? { MonotonicTime.now() }
        trustsStamps = now == nil
        self.asleep = asleep ?? { MonotonicTime.asleep() }
    }
}
