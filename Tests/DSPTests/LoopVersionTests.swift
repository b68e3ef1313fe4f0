// The two versions of the sample loops, for every processor and for processors with AVX2, give the same bits.
import CSampleLoops
import DSPHarness
import TestSupport
import Testing

@testable import Stretching

@Suite("Loops for two instruction sets", .serialized)
struct LoopVersionTests {
    /// A chord with bursts in one channel and a delayed copy in the other, for all work of an analysis and a stretcher.
    private static let source: [[Float]] = {
        var random = SeededGenerator(seed: 9)
        let chord = tones([110, 220, 277.2, 329.6, 3100], amplitude: 0.15, frameCount: 40_000)
        var left = zip(chord, random.noise(chord.count, amplitude: 0.01)).map(+)
        for place in [9000, 17_003, 26_500] {
            for index in 0..<900 { left[place + index] += 0.5 * random.float() * Float(900 - index) / 900 }
        }
        return [left, [Float](repeating: 0, count: 7) + left.dropLast(7).map { 0.7 * $0 }]
    }()

    /// The bits of a sound.
    private static func bits(_ channels: [[Float]]) -> [[UInt32]] { channels.map { $0.map(\.bitPattern) } }

    /// The onsets found in the source, and the stretched sounds.
    private static func made() -> (onsets: [Onset], full: [[UInt32]], light: [[UInt32]], slow: [[UInt32]]) {
        let block = SourceBlock(source, firstFrame: 0, sampleRate: 44_100)
        let onsets = OnsetMap.onsets(in: block, within: 0..<40_000)
        func rendered(_ speed: Double, _ bands: StretchBands) -> [[UInt32]] {
            let material = AttackMaterial(onsets: onsets, in: 0..<40_000, of: block, bands: bands)
            return bits(
                stretched(source, speed: speed, frameCount: 30_000, bands: bands, attacks: AttackTable([material])))
        }
        return (onsets, rendered(0.7, .three), rendered(1.3, .one), rendered(0.25, .three))
    }

    @Test("all meters read the same for both instruction sets, to the last bit")
    func sameReadings() {
        _ = use_narrow_loops(true)
        defer { _ = use_narrow_loops(false) }
        // In one block: root mean squares depend on the blocks in the last digits.
        let narrow = programmeReading(Self.source, sampleRate: 44_100)
        _ = use_narrow_loops(false)
        #expect(programmeReading(Self.source, sampleRate: 44_100) == narrow)
    }

    @Test("both instruction sets give the same onsets and sound, to the last bit", .enabled(if: Workload.isWhole))
    func sameBits() {
        let hasBoth = use_narrow_loops(true)
        defer { _ = use_narrow_loops(false) }
        let narrow = Self.made()
        _ = use_narrow_loops(false)
        let usual = Self.made()
        #expect(usual.onsets.count >= 3 && narrow.onsets == usual.onsets)
        // Flags instead of the arrays, which would be printed.
        let isSame = [narrow.full == usual.full, narrow.light == usual.light, narrow.slow == usual.slow]
        #expect(isSame == [true, true, true], "this processor has \(hasBoth ? "both versions" : "one version")")
    }
}
