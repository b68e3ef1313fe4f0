import Samples
import TestSupport
import Testing

@Suite("Pseudorandom numbers")
struct SplitMix64Tests {
    @Test("a seed gives the published sequence of SplitMix64")
    func publishedSequence() {
        var generator = SplitMix64(seed: 1_234_567)
        let published: [UInt64] = [
            6_457_827_717_110_365_317, 3_203_168_211_198_807_973, 9_817_491_932_198_370_423,
            4_593_380_528_125_082_431, 16_408_922_859_458_223_821,
        ]
        let numbers = published.map { _ in generator.next() }
        #expect(numbers == published)
    }

    @Test("the generator of the tests gives the same numbers")
    func sameAsTests() {
        var (generator, seeded) = (SplitMix64(seed: .max), SeededGenerator(seed: .max))
        let areEqual = (0..<1000).allSatisfy { _ in generator.next() == seeded.next() }
        #expect(areEqual)
    }
}
