internal import Files
internal import JSON

/// Dates in HTTP messages, in all three forms required of a recipient by RFC 9110 (5.6.7).
enum WebDate {
    private static let months = [
        "jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec",
    ]

    /// Returns seconds since 1970; nil if the text is not a date.
    ///
    /// - Parameter now: Seconds since 1970, for interpreting years of two digits.
    static func seconds(_ text: String, now: Int64 = FileState.Moment.now.seconds) -> Int64? {
        guard text.utf8.count <= 64 else { return nil }
        let words = text.split { $0 == " " || $0 == "," }.map { $0.lowercased() }
        // "Sun, 06 Nov 1994 08:49:37 GMT"
        if words.count == 6, words[5] == "gmt" {
            return seconds(day: words[1], month: words[2], year: words[3], time: words[4])
        }
        // "Sunday, 06-Nov-94 08:49:37 GMT"
        if words.count == 4, words[3] == "gmt" {
            let parts = words[1].split(separator: "-").map(String.init)
            guard parts.count == 3, parts[2].count == 2, let short = Int64(digits: parts[2], in: 0...99) else {
                return nil
            }
            // A year apparently more than 50 years ahead means the most recent year with these digits.
            let thisYear = 1970 + now / 31_556_952
            var year = thisYear / 100 * 100 + short
            if year > thisYear + 50 { year -= 100 }
            return seconds(day: parts[0], month: parts[1], year: String(year), time: words[2])
        }
        // "Sun Nov  6 08:49:37 1994"
        if words.count == 5 { return seconds(day: words[2], month: words[1], year: words[4], time: words[3]) }
        return nil
    }

    private static func seconds(day: String, month: String, year: String, time: String) -> Int64? {
        let clock = time.split(separator: ":", omittingEmptySubsequences: false)
        guard let day = Int(digits: day, in: 1...31), let month = months.firstIndex(of: month),
            let year = Int(digits: year, in: 1601...9999), clock.count == 3,
            let hours = Int64(digits: clock[0], in: 0...23), let minutes = Int64(digits: clock[1], in: 0...59),
            let seconds = Int64(digits: clock[2], in: 0...60)
        else { return nil }
        let days = Int64(CalendarDay.number(year: year, month: month + 1, day: day))
        return days * 86_400 + hours * 3600 + minutes * 60 + seconds
    }
}
