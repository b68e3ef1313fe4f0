import DSPHarness
import Glibc
import SoundMeasures
import TestSupport
import Testing

@testable import Stretching

@Suite("Slowed noise", .enabled(if: Workload.isOptimised))
struct SlowedNoiseTests {
    private let rate = 44100

    private func changes(_ channels: [[Float]]) -> [SteadyChange] {
        let count = Int64(channels[0].count)
        return SteadySound.changes(
            in: SourceBlock(channels, firstFrame: 0, sampleRate: rate), within: 60_000..<count - 60_000)
    }

    /// The sound in the middle of a recording, stretched with the analysis.
    private func slowed(_ channels: [[Float]], speed: Double, block: Int = 512) -> [[Float]] {
        let source = SourceBlock(channels, firstFrame: 0, sampleRate: rate)
        let range = 0..<Int64(channels[0].count)
        let table = AttackTable([
            AttackMaterial(onsets: [], in: range, of: source, steady: SteadySound.changes(in: source, within: range))
        ])
        let count = Int(Double(channels[0].count - 30_000) / speed)
        return stretched(channels, speed: speed, frameCount: count, block: block, attacks: table)
    }

    @Test("slowed noise stays noise of the same level", arguments: [(0.75, 0.55), (0.5, 0.56)])
    func staysNoise(speed: Double, variation: Double) {
        let source = TestSignals.noise(seconds: 7, seed: 5)
        let output = slowed([source], speed: speed)[0]
        // From the frame after a second of audible noise.
        let middle = Array(output[Int(60_000 / speed)..<Int(240_000 / speed)])
        let measure = NoiseMeasure(middle)
        #expect(measure.variation <= variation)
        #expect(measure.echo <= 0.05)
        func power(_ sound: ArraySlice<Float>) -> Double {
            sound.reduce(0) { $0 + Double($1) * Double($1) } / Double(sound.count)
        }
        #expect(abs(10 * log10(power(middle[...]) / power(source[60_000..<240_000]))) < 0.1)
    }

    @Test("slowed noise keeps its place between the channels, and its bits at any block size")
    func channelsAndBlocks() {
        let source = TestSignals.noise(seconds: 4, seed: 9)
        let other = source.map { -0.5 * $0 }
        let output = slowed([source, other], speed: 0.7)
        let difference = zip(output[0], output[1]).map { abs(0.5 * $0 + $1) }.max() ?? 1
        #expect(difference < 1e-5)
        #expect(slowed([source, other], speed: 0.7, block: 61) == output)
    }

    @Test("noise with a soft sine or pulses, a voice and notes do not count as noise")
    func decision() {
        let source = TestSignals.noise(seconds: 5, seed: 13)
        let right = TestSignals.noise(seconds: 5, seed: 14)
        func isNoise(_ channels: [[Float]]) -> Bool {
            changes(channels).contains { $0.bands.isNoise }
        }
        #expect(isNoise([source]) && isNoise([source, right]) && isNoise([source, source]))
        let step = 2 * Float.pi * 1000 / Float(rate)
        #expect(!isNoise([source.enumerated().map { $1 + 0.04 * sinf(step * Float($0 % rate)) }]))
        #expect(!isNoise([source.enumerated().map { $1 * (1 + 0.8 * sinf(0.004 * step * Float($0 % rate))) }]))
        #expect(!isNoise([TestSignals.voice(seconds: 5)]))
        #expect(!isNoise([TestSignals.lowNote(65)]))
        #expect(!isNoise([[Float](repeating: 0, count: 200_000)]))
    }
}
