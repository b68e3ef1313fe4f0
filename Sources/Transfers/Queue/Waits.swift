/// The waits between attempts. Each wait is twice as long as the last, and random within its upper half. Clients that
/// failed together therefore do not return together.
struct Waits {
    private let first, longest: Double
    private var generator: Generator

    init(first: Double, longest: Double, seed: UInt64) {
        (self.first, self.longest) = (max(0, first), max(0, longest))
        generator = Generator(state: seed)
    }

    /// Returns the wait after `count` consecutive failures, from 1 on, in seconds.
    mutating func seconds(afterFailures count: Int) -> Double {
        var whole = first
        for _ in 1..<max(2, min(count, 64)) where count > 1 { whole = min(whole * 2, longest) }
        return min(whole, longest) * Double.random(in: 0.5...1, using: &generator)
    }

    /// SplitMix64 (Steele, Lea, Flood, "Fast Splittable Pseudorandom Number Generators", 2014).
    private struct Generator: RandomNumberGenerator {
        var state: UInt64

        mutating func next() -> UInt64 {
            state &+= 0x9E37_79B9_7F4A_7C15
            var mixed = state
            mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
            mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
            return mixed ^ (mixed >> 31)
        }
    }
}
