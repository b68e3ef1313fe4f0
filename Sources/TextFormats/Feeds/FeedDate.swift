internal import Files
internal import JSON

/// Dates in feeds, as seconds since 1970.
enum FeedDate {
    /// Parses RFC 3339, and RFC 822 in the forms of real feeds; nil for any other text.
    ///
    /// Accepts these forms of RFC 822: any or no day of the week, even a wrong day; long and short names of months,
    /// also before the day; years of two digits; missing seconds, missing times, hours with AM and PM; zones as numbers
    /// with and without a colon, as names of the RFC, and as `GMT+1`. No zone, or an unknown zone, means UTC.
    static func seconds(of text: String) -> Int64? {
        let text = String(decoding: Array(text.utf8).prefix(128), as: UTF8.self)
        return calendar(text) ?? named(text)
    }

    /// Returns the days since 1970 of a date in the years 1900 to 9999; nil if there is no such day.
    static func days(year: Int, month: Int, day: Int) -> Int64? {
        guard (1900...9999).contains(year), (1...12).contains(month), (1...31).contains(day) else { return nil }
        let number = CalendarDay.number(year: year, month: month, day: day)
        // 30 February has become a day of March.
        return CalendarDay.date(number).day == day ? Int64(number) : nil
    }

    // MARK: RFC 3339

    /// Parses `2024-11-25T10:00:00.5+01:00`, also with a blank for the T, and without the time.
    private static func calendar(_ text: String) -> Int64? {
        let bytes = LineText.trimmed(Array(text.utf8)[...])
        let (date, rest) = (bytes.prefix(10), bytes.dropFirst(10))
        let parts = date.split(separator: UInt8(ascii: "-"), omittingEmptySubsequences: false).map(number)
        guard parts.count == 3, let year = parts[0], let month = parts[1], let day = parts[2], date.count == 10,
            let days = days(year: year, month: month, day: day)
        else { return nil }
        guard let divider = rest.first else { return days * 86_400 }
        guard divider == UInt8(ascii: "T") || divider == UInt8(ascii: "t") || divider == 32 else { return nil }
        let clock = rest.dropFirst()
        let time = clock.prefix { (0x30...0x3A).contains($0) || $0 == UInt8(ascii: ".") }
        guard let seconds = self.time(time) else { return nil }
        let zone = String(decoding: LineText.trimmed(clock[time.endIndex...]), as: UTF8.self).uppercased()
        return days * 86_400 + seconds - (offset(zone) ?? 0)
    }

    // MARK: RFC 822

    private static func named(_ text: String) -> Int64? {
        let words = text.uppercased().split { $0.isWhitespace || $0 == "," }.map { Array($0.utf8)[...] }
        var numbers: [Int] = []
        var (month, time, zone, afternoon) = (Int?.none, Int64?.none, Int64(0), Bool?.none)
        for word in words {
            let text = String(decoding: word, as: UTF8.self)
            if let number = number(word), numbers.count < 2 {
                numbers.append(number)
            } else if word.contains(UInt8(ascii: ":")), time == nil, let value = self.time(word) {
                time = value
            } else if month == nil, let value = months.firstIndex(of: String(text.prefix(3))), text.count >= 3 {
                month = value + 1
            } else if text == "AM" || text == "PM" {
                afternoon = text == "PM"
            } else if let offset = offset(text) {
                zone = offset
            } else if let parts = divided(word) {
                // 25-Nov-2024
                (numbers, month) = ([parts.day, parts.year], parts.month)
            }
        }
        guard numbers.count == 2, let month, var year = numbers.last else { return nil }
        if year < 50 { year += 2000 } else if year < 1000 { year += 1900 }
        guard let days = days(year: year, month: month, day: numbers[0]) else { return nil }
        var seconds = time ?? 0
        if let afternoon, seconds / 3600 <= 12 {
            seconds = seconds % 43_200 + (afternoon ? 43_200 : 0)
        }
        return days * 86_400 + seconds - zone
    }

    private static func divided(_ word: ArraySlice<UInt8>) -> (day: Int, month: Int, year: Int)? {
        let parts = word.split(separator: UInt8(ascii: "-"))
        guard parts.count == 3, let day = number(parts[0]), let year = number(parts[2]),
            let month = months.firstIndex(of: String(decoding: parts[1].prefix(3), as: UTF8.self))
        else { return nil }
        return (day, month + 1, year)
    }

    private static let months = ["JAN", "FEB", "MAR", "APR", "MAY", "JUN", "JUL", "AUG", "SEP", "OCT", "NOV", "DEC"]

    // MARK: Parts of both

    private static func number(_ digits: ArraySlice<UInt8>) -> Int? {
        guard (1...4).contains(digits.count), digits.allSatisfy({ $0.isASCIIDigit }) else { return nil }
        return digits.reduce(0) { $0 * 10 + Int($1 - 0x30) }
    }

    /// Returns the seconds since midnight of `10:00`, `10:00:00` or `10:00:00.5`. A leap second counts as the next
    /// second.
    private static func time(_ text: ArraySlice<UInt8>) -> Int64? {
        let parts = text.prefix { $0 != UInt8(ascii: ".") }.split(separator: UInt8(ascii: ":")).map(number)
        guard parts.count == 2 || parts.count == 3, let hour = parts[0], let minute = parts[1],
            let second = parts.count == 3 ? parts[2] : 0, hour < 24 || (hour, minute, second) == (24, 0, 0),
            minute < 60, second <= 60
        else { return nil }
        return Int64(hour * 3600 + minute * 60 + second)
    }

    /// Returns the seconds east of UTC; nil for an unknown zone.
    private static func offset(_ text: String) -> Int64? {
        var bytes = Array(text.utf8)[...]
        if text != "GMT", text != "UTC", bytes.starts(with: "GMT".utf8) || bytes.starts(with: "UTC".utf8) {
            bytes = bytes.dropFirst(3)
        }
        if let sign = bytes.first, sign == UInt8(ascii: "+") || sign == UInt8(ascii: "-") {
            let digits = bytes.dropFirst().filter { $0 != UInt8(ascii: ":") }
            guard let value = number(digits[...]) else { return nil }
            let (hours, minutes) = digits.count <= 2 ? (value, 0) : (value / 100, value % 100)
            guard hours <= 24, minutes < 60 else { return nil }
            return Int64(hours * 3600 + minutes * 60) * (sign == UInt8(ascii: "-") ? -1 : 1)
        }
        switch text {
        case "Z", "UT", "UTC", "GMT": return 0
        case "EDT": return -4 * 3600
        case "EST", "CDT": return -5 * 3600
        case "CST", "MDT": return -6 * 3600
        case "MST", "PDT": return -7 * 3600
        case "PST": return -8 * 3600
        // Not in the RFC, but common.
        case "BST", "CET", "WEST": return 3600
        case "CEST", "EET": return 2 * 3600
        case "EEST": return 3 * 3600
        case "JST": return 9 * 3600
        default: return nil
        }
    }
}

/// Lengths of episodes in feeds.
enum FeedLength {
    /// Returns the seconds of `3723`, `62:03`, `1:02:03` or `1:02:03.5`; nil for any other text, and for 0, which feeds
    /// write for an unknown length.
    static func seconds(of text: String) -> Double? {
        let bytes = LineText.trimmed(Array(text.utf8.prefix(64))[...])
        let parts = bytes.split(separator: UInt8(ascii: ":"), omittingEmptySubsequences: false)
        guard (1...3).contains(parts.count) else { return nil }
        var seconds = 0.0
        for (index, part) in parts.enumerated() {
            let isLast = index == parts.count - 1
            let isNumber = part.allSatisfy { $0.isASCIIDigit || isLast && $0 == UInt8(ascii: ".") }
            guard isNumber, let value = Double(decimal: String(decoding: part, as: UTF8.self), in: 0...1e9) else {
                return nil
            }
            seconds = seconds * 60 + value
        }
        return seconds > 0 && seconds <= 1e7 ? seconds : nil
    }
}
