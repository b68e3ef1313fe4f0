internal import Explanations
internal import Glibc

/// The time of a line.
enum LogTime {
    /// Returns a time as ISO 8601 in UTC, as in "2026-03-01T12:00:00.250Z".
    static func text(_ seconds: Int64, _ milliseconds: Int) -> String {
        var (time, parts) = (time_t(seconds), unsafe tm())
        _ = unsafe gmtime_r(&time, &parts)
        func digits(_ number: some BinaryInteger, _ count: Int) -> String { zeroPadded(number, to: count) }
        let date =
            unsafe "\(digits(parts.tm_year + 1900, 4))-\(digits(parts.tm_mon + 1, 2))-\(digits(parts.tm_mday, 2))"
        let clock = unsafe "\(digits(parts.tm_hour, 2)):\(digits(parts.tm_min, 2)):\(digits(parts.tm_sec, 2))"
        return "\(date)T\(clock).\(digits(milliseconds, 3))Z"
    }

    /// True if bytes begin with the date of such a text.
    static func beginsDate(_ bytes: [UInt8]) -> Bool {
        let form = "0000-00-00T"
        return bytes.count >= form.utf8.count
            && zip(bytes, form.utf8).allSatisfy { byte, wanted in
                wanted == UInt8(ascii: "0") ? (0x30...0x39).contains(byte) : byte == wanted
            }
    }
}
