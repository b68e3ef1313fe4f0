// Numbers from outside: from files, servers, databases and other programs.

/// The limits of numbers from outside. Numbers beyond the limits cannot be true, and their sums and products could
/// overflow. So each reader names its limits.
extension ClosedRange where Bound == Int64 {
    /// Frames, bytes, and other counts: the whole numbers common to all readers of JSON.
    package static var counts: Self { 0...1 << 53 }
    /// Places before and after a beginning, in the units of counts.
    package static var places: Self { -(1 << 53)...1 << 53 }
    /// Frames per second.
    package static var sampleRates: Self { 1...1_000_000 }
    /// Seconds from 1970 to the end of the year 9999.
    package static var seconds: Self { 0...253_402_300_799 }
    /// Milliseconds from 1970 to the end of the year 9999.
    package static var milliseconds: Self { 0...253_402_300_799_999 }
    /// Numbers that are only compared with other numbers.
    package static var identities: Self { .min ... .max }
}

extension ClosedRange where Bound == Double {
    /// Measured values, in any unit. The neighbouring whole numbers fit into every integer of 64 bits.
    package static var measures: Self { -9_007_199_254_740_992...9_007_199_254_740_992 }
    /// Speeds, 1 for as recorded: a wider range than any version can play.
    package static var speeds: Self { 0.01...100 }
    /// Transpositions in semitones: a wider range than any version can play.
    package static var semitones: Self { -120...120 }
}

extension JSONValue {
    /// Returns a number of either kind; nil for other values, or beyond the limits.
    package func number(in limits: ClosedRange<Double>) -> Double? {
        switch self {
        case .integer(let value) where limits.contains(Double(value)): Double(value)
        case .number(let value) where limits.contains(value): value
        default: nil
        }
    }

    /// Returns a number written as an integer; nil for other values, or beyond the limits.
    package func integer(in limits: ClosedRange<Int64>) -> Int64? {
        if case .integer(let value) = self, limits.contains(value) { value } else { nil }
    }
}

extension FixedWidthInteger {
    /// Reads a whole number of ASCII digits after at most one sign; nil for any other text, or beyond the limits.
    package init?(digits text: some StringProtocol, radix: Int = 10, in limits: ClosedRange<Self>) {
        self.init(digits: text.utf8, radix: radix, in: limits)
    }

    /// Reads the same from the bytes of a text.
    package init?(digits text: some Collection<UInt8>, radix: Int = 10, in limits: ClosedRange<Self>) {
        let isNegative = text.first == UInt8(ascii: "-")
        let digits = text.dropFirst(isNegative || text.first == UInt8(ascii: "+") ? 1 : 0)
        guard !digits.isEmpty else { return nil }
        var value: Self = 0
        for byte in digits {
            guard let digit = Self.value(ofDigit: byte), digit < radix else { return nil }
            let (product, exceeds) = value.multipliedReportingOverflow(by: Self(radix))
            let (sum, overflows) =
                isNegative
                ? product.subtractingReportingOverflow(Self(digit)) : product.addingReportingOverflow(Self(digit))
            guard !exceeds, !overflows else { return nil }
            value = sum
        }
        guard limits.contains(value) else { return nil }
        self = value
    }

    /// Reads a whole number from its bytes, the highest first, each with this number of lower bits; nil without bytes,
    /// or beyond the limits.
    package init?(bytes: some Collection<UInt8>, bits: Int = 8, in limits: ClosedRange<Self>) {
        guard !bytes.isEmpty else { return nil }
        var value: Self = 0
        for byte in bytes {
            let higher = value << bits
            guard higher >> bits == value, let lower = Self(exactly: byte & UInt8.max >> (8 - bits)) else { return nil }
            value = higher | lower
        }
        guard limits.contains(value) else { return nil }
        self = value
    }

    private static func value(ofDigit byte: UInt8) -> Int? {
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): Int(byte - UInt8(ascii: "0"))
        case UInt8(ascii: "a")...UInt8(ascii: "z"): Int(byte - UInt8(ascii: "a")) + 10
        case UInt8(ascii: "A")...UInt8(ascii: "Z"): Int(byte - UInt8(ascii: "A")) + 10
        default: nil
        }
    }
}

extension Double {
    /// Reads a decimal number in Swift's notation; nil for any other text, beyond the limits, and for NaN.
    package init?(decimal text: some StringProtocol, in limits: ClosedRange<Double>) {
        guard let value: Double = described(by: String(text)), limits.contains(value) else { return nil }
        self = value
    }
}

/// Uses the protocol, which `TextNumbers.swift` does not hide.
private func described<Number: LosslessStringConvertible>(by text: String) -> Number? { Number(text) }
