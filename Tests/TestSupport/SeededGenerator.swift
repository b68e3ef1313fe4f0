// Repeatable randomness: every test with this generator prints the seed, and a seed can be set from outside.
internal import Glibc

/// A small random generator (SplitMix64: Steele, Lea, Flood, "Fast Splittable Pseudorandom Number Generators", 2014).
///
/// Without a seed the generator takes WOODSHED_SEED from the environment, or a new seed, and prints the seed. With the
/// seed a failure can be run again: `WOODSHED_SEED=… swift test --filter …`.
public struct SeededGenerator: RandomNumberGenerator, Sendable, CustomStringConvertible {
    /// The seed of the sequence.
    public let seed: UInt64
    private var state: UInt64

    /// The sequence of a seed.
    public init(seed: UInt64) {
        self.seed = seed
        state = seed
    }

    /// The sequence of the seed in the environment or of a new seed; prints the seed with `test`, the name of the test.
    public init(printedFor test: String = #function) {
        let given = unsafe getenv("WOODSHED_SEED").flatMap { unsafe UInt64(String(cString: $0)) }
        self.init(seed: given ?? UInt64.random(in: 0...UInt64(UInt32.max)))
        print("\(test): WOODSHED_SEED=\(seed)")
    }

    /// The next 64 random bits.
    public mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }

    /// For messages.
    public var description: String { "seed \(seed)" }
}
