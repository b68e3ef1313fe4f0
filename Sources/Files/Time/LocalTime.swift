internal import Explanations
internal import Glibc

/// A time in the local calendar: in the time zone of the variable `TZ`, or else of the system.
package struct LocalTime: Sendable {
    package let year: Int
    /// 1 to 12.
    package let month: Int
    package let day: Int
    private let hour: Int
    private let minute: Int
    private let second: Int

    /// Creates the time; nil for a year with more than 32 bits.
    ///
    /// - Parameter time: Seconds since 1970.
    package init?(_ time: Int64) {
        var (seconds, parts) = unsafe (time_t(time), tm())
        guard unsafe localtime_r(&seconds, &parts) != nil else { return nil }
        (year, month, day) = unsafe (Int(parts.tm_year) + 1900, Int(parts.tm_mon) + 1, Int(parts.tm_mday))
        (hour, minute, second) = unsafe (Int(parts.tm_hour), Int(parts.tm_min), Int(parts.tm_sec))
    }

    /// The date, such as `2026-11-21`.
    package var date: String { "\(year)-\(two(month))-\(two(day))" }

    /// The clock, such as `21:45`.
    package var clock: String { "\(two(hour)):\(two(minute))" }

    /// The date and the clock in a form for names of files, such as `2026-11-21-214502`.
    package var stamp: String { "\(date)-\(two(hour))\(two(minute))\(two(second))" }

    private func two(_ number: Int) -> String { zeroPadded(number, to: 2) }
}
