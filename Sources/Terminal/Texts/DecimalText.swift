// Numbers as people type them: plain decimals. Hexadecimal, exponents, "inf" and "nan" are for programmers, and are
// refused here although `Double.init` would accept them.

/// Parses `12`, `12.5` and `.5`.
///
/// - Returns: The value; nil unless the text is digits with at most one point.
package func decimal(_ text: some StringProtocol) -> Double? {
    var digits = 0
    var points = 0
    for byte in text.utf8 {
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): digits += 1
        case UInt8(ascii: "."): points += 1
        default: return nil
        }
    }
    guard digits > 0, points <= 1, let value = Double(String(text)), value.isFinite else { return nil }
    return value
}

/// Parses a whole number without sign.
///
/// - Returns: The value; nil unless the text is digits alone and fits.
package func wholeNumber(_ text: some StringProtocol) -> Int64? {
    guard !text.isEmpty, text.utf8.allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }) else {
        return nil
    }
    return Int64(String(text))
}

/// The reason for refusing a value on the command line, in words that the user can act on.
package struct ArgumentError: Error, Equatable, CustomStringConvertible {
    /// The cause, without a full stop.
    package let message: String
    /// The remedy in one sentence.
    package let remedy: String

    package init(_ message: String, remedy: String) { (self.message, self.remedy) = (message, remedy) }

    /// Cause and remedy in one line, as the parser of the command line prints them.
    package var description: String { "\(message). \(remedy)" }
}
