internal import Glibc

/// Maps times to days of the calendar. Days begin at midnight, by the local clock of the program.
///
/// Counts dates, never spans of 24 hours: a day of 23 or 25 hours, at a change of clocks, is one day. Any thread;
/// real-time safe: no.
public struct PracticeCalendar: Sendable {
    private let dateOfTime: @Sendable (Int64) -> (year: Int, month: Int, day: Int)

    /// The local calendar: the time zone of the variable `TZ`, or else of the system.
    public static let local = PracticeCalendar { time in
        var (seconds, parts) = unsafe (time_t(time), tm())
        guard unsafe localtime_r(&seconds, &parts) != nil else { return (1970, 1, 1) }
        return unsafe (Int(parts.tm_year) + 1900, Int(parts.tm_mon) + 1, Int(parts.tm_mday))
    }

    /// The calendar of UTC.
    package static let utc = PracticeCalendar { time in
        date(ofDay: Int(time >= 0 ? time / 86_400 : (time - 86_399) / 86_400))
    }

    private init(_ dateOfTime: @escaping @Sendable (Int64) -> (year: Int, month: Int, day: Int)) {
        self.dateOfTime = dateOfTime
    }

    /// Returns the day of a time, in days since 1 January 1970.
    ///
    /// - Parameter time: Seconds since 1970.
    public func day(of time: Int64) -> Int {
        let (year, month, day) = dateOfTime(time)
        return Self.day(year, month, day)
    }

    /// Returns the date of a day, such as 2026-11-25.
    package static func text(ofDay day: Int) -> String {
        let date = date(ofDay: day)
        func two(_ number: Int) -> String { number < 10 ? "0\(number)" : "\(number)" }
        return "\(date.year)-\(two(date.month))-\(two(date.day))"
    }

    /// Returns the first day, a Monday, of the week of a day.
    package static func monday(of day: Int) -> Int { day - ((day + 3) % 7 + 7) % 7 }

    // Days and dates by eras of 400 years, each 146,097 days long and beginning in March (Howard Hinnant,
    // "chrono-Compatible Low-Level Date Algorithms", 2013).

    private static func day(_ year: Int, _ month: Int, _ day: Int) -> Int {
        let shifted = month <= 2 ? year - 1 : year
        let era = (shifted >= 0 ? shifted : shifted - 399) / 400
        let yearOfEra = shifted - era * 400
        let dayOfYear = (153 * (month > 2 ? month - 3 : month + 9) + 2) / 5 + day - 1
        return era * 146_097 + yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear - 719_468
    }

    private static func date(ofDay day: Int) -> (year: Int, month: Int, day: Int) {
        let shifted = day + 719_468
        let era = (shifted >= 0 ? shifted : shifted - 146_096) / 146_097
        let dayOfEra = shifted - era * 146_097
        let yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let month = (5 * dayOfYear + 2) / 153
        return (
            yearOfEra + era * 400 + (month >= 10 ? 1 : 0), month < 10 ? month + 3 : month - 9,
            dayOfYear - (153 * month + 2) / 5 + 1
        )
    }
}
