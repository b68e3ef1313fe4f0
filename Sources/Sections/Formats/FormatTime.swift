// Times in files of sections, in whole numbers: a frame must not depend on the rounding of a decimal fraction.
internal import Explanations
internal import JSON

/// Conversions between frames and fractions of a second.
enum FormatTime {
    private static let nanoseconds: Int64 = 1_000_000_000
    /// The greatest time in seconds: no recording is longer.
    private static let mostSeconds: Int64 = 1_000_000_000

    /// Parses `SS`, `MM:SS` or `HH:MM:SS`, with decimals after a point or a comma, as nanoseconds.
    static func parse(_ text: some StringProtocol) -> Int64? {
        let parts = text.split(separator: ":", omittingEmptySubsequences: false)
        guard (1...3).contains(parts.count) else { return nil }
        var seconds: Int64 = 0
        for part in parts.dropLast() {
            guard let number = digits(part) else { return nil }
            seconds = (seconds + number) * 60
            guard seconds <= mostSeconds else { return nil }
        }
        let halves = parts[parts.count - 1].split(
            maxSplits: 1, omittingEmptySubsequences: false, whereSeparator: { $0 == "." || $0 == "," })
        guard let whole = digits(halves[0]) else { return nil }
        seconds += whole
        guard seconds <= mostSeconds else { return nil }
        guard halves.count == 2 else { return seconds * nanoseconds }
        let decimals = halves[1].prefix(9)
        guard !halves[1].isEmpty, halves[1].utf8.allSatisfy(\.isASCIIDigit), let fraction = digits(decimals) else {
            return nil
        }
        return seconds * nanoseconds + (decimals.utf8.count..<9).reduce(fraction) { value, _ in value * 10 }
    }

    /// Parses a number of digits only, small enough for a time.
    static func digits(_ text: some StringProtocol) -> Int64? {
        text.utf8.count <= 10 && text.utf8.allSatisfy(\.isASCIIDigit) ? Int64(digits: text, in: .counts) : nil
    }

    /// Returns the frame nearest to a time in nanoseconds; the earlier of two equally near frames.
    static func frame(_ time: Int64, rate: Int) -> Int64 { scaled(time, by: Int64(rate), over: nanoseconds) }

    /// Returns a frame's time in fractions of a second, `second` of which make a second.
    static func units(_ frame: Int64, per second: Int64, rate: Int) -> Int64 {
        scaled(frame, by: second, over: Int64(rate))
    }

    /// Returns `value * factor / divisor`, rounded to the nearest; the lower of two equally near values. At most half
    /// of the largest number, so that sums do not overflow.
    static func scaled(_ value: Int64, by factor: Int64, over divisor: Int64) -> Int64 {
        let product = Int128(max(0, value)) * Int128(factor)
        let (quotient, rest) = product.quotientAndRemainder(dividingBy: Int128(divisor))
        let nearest = rest > Int128(divisor) - rest ? quotient + 1 : quotient
        return Int64(min(nearest, Int128(Int64.max >> 1)))
    }

    /// Returns a frame as `MM:SS.mmm`, with any number of decimals.
    static func clock(_ frame: Int64, rate: Int, decimals: Int, minuteDigits: Int = 2) -> String {
        let scale = (0..<decimals).reduce(Int64(1)) { value, _ in value * 10 }
        let units = units(frame, per: scale, rate: rate)
        let seconds = units / scale
        return zeroPadded(seconds / 60, to: minuteDigits) + ":" + zeroPadded(seconds % 60, to: 2) + "."
            + zeroPadded(units % scale, to: decimals)
    }

    /// Returns milliseconds as `HH:MM:SS.mmm`.
    static func clock(milliseconds: Int64, point: String) -> String {
        let seconds = milliseconds / 1000
        let parts = [seconds / 3600, seconds / 60 % 60, seconds % 60].map { zeroPadded($0, to: 2) }
        return parts.joined(separator: ":") + point + zeroPadded(milliseconds % 1000, to: 3)
    }

    /// Returns a frame in seconds, with six decimals.
    static func seconds(_ frame: Int64, rate: Int) -> String {
        let units = units(frame, per: 1_000_000, rate: rate)
        return "\(units / 1_000_000)." + zeroPadded(units % 1_000_000, to: 6)
    }
}
