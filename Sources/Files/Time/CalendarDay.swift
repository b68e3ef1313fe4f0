internal import Glibc

/// Days of the Gregorian calendar, counted from 1 January 1970.
package enum CalendarDay {
    private static let seconds = 86_400
    /// About 270 million years: the C library's years have 32 bits.
    private static let most = 100_000_000_000

    /// Returns the number of a day. The days after the end of a month are those of the next month.
    ///
    /// - Parameters:
    ///   - year: The year; years have 32 bits, and a year beyond is the last or the first.
    ///   - month: The month, 1 to 12.
    ///   - day: The day of the month, from 1.
    package static func number(year: Int, month: Int, day: Int) -> Int {
        var date = unsafe tm()
        unsafe date.tm_year = Int32(clamping: year - 1900)
        unsafe date.tm_mon = Int32(clamping: month - 1)
        unsafe date.tm_mday = Int32(clamping: day)
        return unsafe timegm(&date) / seconds
    }

    /// Returns the date of a day; the month is 1 to 12.
    package static func date(_ number: Int) -> (year: Int, month: Int, day: Int) {
        var (time, date) = unsafe (time_t(min(max(number, -most), most) * seconds), tm())
        unsafe gmtime_r(&time, &date)
        return unsafe (Int(date.tm_year) + 1900, Int(date.tm_mon) + 1, Int(date.tm_mday))
    }
}
