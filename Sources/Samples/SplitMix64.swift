/// Pseudorandom numbers from a seed, for dither, synthesised noise and shuffled orders. Not for secrets.
///
/// The same seed gives the same numbers on every machine and in every version, which the generators of the standard
/// library do not promise. Algorithm: Steele, Lea, Flood, "Fast Splittable Pseudorandom Number Generators", 2014.
///
/// Real-time safe: yes. Threads: one at a time. Allocates: never.
@usableFromInline package struct SplitMix64: RandomNumberGenerator, Sendable {
    @usableFromInline var state: UInt64

    /// Begins the sequence of a seed.
    @inlinable @inline(__always)
    package init(seed: UInt64) { state = seed }

    /// Returns the next 64 bits.
    @inlinable @inline(__always)
    package mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }
}
