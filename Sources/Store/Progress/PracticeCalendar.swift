internal import Explanations
internal import Files

/// Maps times to days of the calendar. Days begin at midnight, by the local clock of the program.
///
/// Counts dates, never spans of 24 hours: a day of 23 or 25 hours, at a change of clocks, is one day. Any thread;
/// real-time safe: no.
package struct PracticeCalendar: Sendable {
    private let dateOfTime: @Sendable (Int64) -> (year: Int, month: Int, day: Int)

    /// The local calendar: the time zone of the variable `TZ`, or else of the system.
    package static let local = PracticeCalendar { time in
        guard let date = LocalTime(time) else { return (1970, 1, 1) }
        return (date.year, date.month, date.day)
    }

    /// The calendar of UTC.
    package static let utc = PracticeCalendar { time in
        CalendarDay.date(Int(time >= 0 ? time / 86_400 : (time + 1) / 86_400 - 1))
    }

    private init(_ dateOfTime: @escaping @Sendable (Int64) -> (year: Int, month: Int, day: Int)) {
        self.dateOfTime = dateOfTime
    }

    /// Returns the day of a time, in days since 1 January 1970.
    ///
    /// - Parameter time: Seconds since 1970.
    package func day(of time: Int64) -> Int {
        let (year, month, day) = dateOfTime(time)
        return CalendarDay.number(year: year, month: month, day: day)
    }

    /// Returns the date of a day, such as 2026-11-25.
    package static func text(ofDay day: Int) -> String {
        let date = CalendarDay.date(day)
        return "\(date.year)-\(zeroPadded(date.month, to: 2))-\(zeroPadded(date.day, to: 2))"
    }

    /// Returns the first day, a Monday, of the week of a day.
    package static func monday(of day: Int) -> Int { day - ((day + 3) % 7 + 7) % 7 }
}
