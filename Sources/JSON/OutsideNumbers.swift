// Numbers that come from outside: from files, servers, databases and other programs.

/// The limits of numbers from outside. No number beyond them says anything that can be true, and sums and products of them could overflow, so each
/// reader names its limits.
extension ClosedRange where Bound == Int64 {
    /// Frames, bytes, and other things that are counted: the whole numbers that all readers of JSON agree on.
    package static var counts: Self { 0...1 << 53 }
    /// Places before and after a beginning, in the units of counts.
    package static var places: Self { -(1 << 53)...1 << 53 }
    /// Frames per second.
    package static var sampleRates: Self { 1...1_000_000 }
    /// Seconds from 1970 to the end of the year 9999.
    package static var seconds: Self { 0...253_402_300_799 }
    /// Milliseconds from 1970 to the end of the year 9999.
    package static var milliseconds: Self { 0...253_402_300_799_999 }
    /// Numbers that are only compared with others.
    package static var identities: Self { .min ... .max }
}

extension JSONValue {
    /// A number that was written as an integer; nil if it is none, or beyond the limits.
    package func integer(in limits: ClosedRange<Int64>) -> Int64? {
        if case .integer(let value) = self, limits.contains(value) { value } else { nil }
    }
}
