import Files
/// Decides the settings for reopening a device that fails by itself: with a period twice as long each time, up to a
/// number of attempts.
///
/// A device that cannot keep up with a period fails with this period again and again. An unplugged device, or a device
/// with a dead server, does not fail because of the period.
struct ShapeTrial {
    /// Request for the next opening of the device.
    private(set) var request: StreamRequest
    /// Number of consecutive failures of the device.
    private var failures = 0

    /// The longest period tried, in frames, unless the user requested a longer period: at 48 kHz four such periods are
    /// a third of a second.
    static let longestPeriod = 4096
    /// Most consecutive failures of a device.
    static let limit = 8
    /// Playing time, in ns, after which an earlier failure no longer counts.
    static let good: Int64 = 60 * MonotonicTime.nanosecondsPerSecond

    init(_ request: StreamRequest) { self.request = request }

    /// Notes that the device is lost.
    ///
    /// - Parameters:
    ///   - cause: Cause of the loss; nil for any other cause.
    ///   - played: Playing time of the device, in nanoseconds.
    ///   - period: Period of the device, in frames.
    /// - Returns: true to try again.
    mutating func note(_ cause: LossCause?, played: Int64, period: Int) -> Bool {
        switch cause {
        case .xrunStorm, .cannotRestart, .stoppedTaking: break
        default: return true
        }
        failures = played < Self.good ? failures + 1 : 1
        let longer = min(2 * max(period, request.periodFrames), max(Self.longestPeriod, request.periodFrames))
        // The period is within the permitted range, so the request is not refused.
        request = (try? request.with(periodFrames: longer)) ?? request
        return failures <= Self.limit
    }
}
