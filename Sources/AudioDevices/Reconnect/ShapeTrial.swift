/// Decides how a device that fails by itself is opened again: with a period twice as long each time, and not for ever.
///
/// A device that cannot keep up with a period fails with it again and again. One that is unplugged, or whose server dies, does not fail because of it.
struct ShapeTrial {
    /// What to open the device with.
    private(set) var request: StreamRequest
    /// How often the device has failed in a row.
    private var failures = 0

    /// The longest period that is tried, unless a longer one was asked for: at 48 kHz four of them are a third of a second.
    static let longestPeriod = 4096
    /// How often in a row a device may fail.
    static let limit = 8
    /// A device that has played for so long has not failed in a row.
    static let good: Int64 = 60 * MonotonicTime.nanosecondsPerSecond

    init(_ request: StreamRequest) { self.request = request }

    /// Notes that the device is lost.
    ///
    /// - Parameters:
    ///   - cause: Why; nil for another one.
    ///   - played: For how many nanoseconds it was used.
    ///   - period: The period that it had, in frames.
    /// - Returns: Whether to try again.
    mutating func note(_ cause: LossCause?, played: Int64, period: Int) -> Bool {
        switch cause {
        case .xrunStorm, .cannotRestart, .stoppedTaking: break
        default: return true
        }
        failures = played < Self.good ? failures + 1 : 1
        let longer = min(2 * max(period, request.periodFrames), max(Self.longestPeriod, request.periodFrames))
        // It is within the permitted range, so it is not refused.
        request = (try? request.with(periodFrames: longer)) ?? request
        return failures <= Self.limit
    }
}
