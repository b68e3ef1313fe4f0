import DSPHarness
import Glibc
import TestSupport
import Testing

@testable import DSP

@Suite("Channel strip")
struct StripTests {
    private func settings(
        pair: (Int, Int)? = nil, centre: StripSettings.Centre = .asRecorded, balance: Double = 0, low: Double = 0,
        mid: Double = 0, high: Double = 0
    ) -> StripSettings {
        StripSettings(
            pair: pair.map { (left: $0.0, right: $0.1) }, centre: centre, balance: balance,
            decibels: (low: low, mid: mid, high: high))
    }

    /// The output of a strip that changes at frames; a change at 0 does not glide.
    private func shaped(
        _ source: [[Float]], _ changes: [(frame: Int, settings: StripSettings)], block: Int = 512
    ) -> [[Float]] {
        var strip = StripProcessor(channelCount: source.count, sampleRate: 44100)
        var sound = source
        var start = 0
        while start < source[0].count {
            for change in changes where change.frame == start {
                strip.change(to: change.settings, glides: start > 0)
            }
            let next = changes.map(\.frame).filter { $0 > start }.min() ?? .max
            let count = min(block, source[0].count - start, next - start)
            var part = sound.map { Array($0[start..<start + count]) }
            unsafe withPointers(&part) { pointers in
                unsafe strip.process(UnsafeMutablePointer(mutating: pointers), frameCount: count)
            }
            for channel in sound.indices { sound[channel].replaceSubrange(start..<start + count, with: part[channel]) }
            start += count
        }
        return sound
    }

    private func noise(_ count: Int, seed: UInt64) -> [Float] {
        var random = SeededGenerator(seed: seed)
        return (0..<count).map { _ in random.float() * 0.3 }
    }

    private func level(_ sound: some Collection<Float>) -> Double {
        10 * log10(sound.reduce(1e-30) { $0 + Double($1) * Double($1) } / Double(sound.count))
    }

    @Test("a neutral strip passes every sample bit for bit, and again after a change and back")
    func neutral() {
        let source = [noise(20_000, seed: 1), noise(20_000, seed: 2)]
        #expect(shaped(source, [(0, .neutral)]) == source)
        let changed = shaped(
            source, [(5000, settings(pair: (0, 1), centre: .removed, low: 6, high: -9)), (9000, .neutral)])
        #expect(changed[0][..<5000] == source[0][..<5000])
        #expect(changed[0][5000..<9000] != source[0][5000..<9000])
        // 20 ms later the glide is over.
        for channel in 0..<2 { #expect(changed[channel][9882...] == source[channel][9882...]) }
    }

    @Test("one selected channel is heard on both sides, and a selected pair left and right")
    func channels() {
        let source = (0..<5).map { noise(100, seed: UInt64($0)) }
        let one = shaped(source, [(0, settings(pair: (3, 3)))])
        #expect(one.allSatisfy { $0 == source[3] })
        let pair = shaped(source, [(0, settings(pair: (2, 1)))])
        #expect(pair[0] == source[2] && pair[1] == source[1] && pair[2] == source[2] && pair[3] == source[1])
        #expect(zip(zip(source[2], source[1]), pair[4]).allSatisfy { ($0.0 + $0.1) / 2 == $1 })
    }

    @Test("the centre is removed except its bass, or heard alone")
    func centre() {
        let voice = tones([800.3, 3000.1], amplitude: 0.2, frameCount: 44100)
        let bass = tones([45.1], amplitude: 0.2, frameCount: 44100)
        let (left, right) = (noise(44100, seed: 4), noise(44100, seed: 5))
        func mixed(_ parts: [Float]...) -> [Float] {
            parts[0].indices.map { index in parts.reduce(0) { $0 + $1[index] } }
        }
        let removed = settings(pair: (0, 1), centre: .removed)
        let silent = shaped([voice, voice], [(0, removed)])
        #expect(level(silent[0][4000...]) < level(voice) - 65)
        let deep = shaped([bass, bass], [(0, removed)])
        #expect(abs(level(deep[0][4000...]) - level(bass[4000...])) < 0.5 && deep[0] == deep[1])
        // Sound that the channels do not share keeps its loudness.
        let wide = shaped([left, right], [(0, removed)])
        #expect(abs(level(wide[0]) - level(left)) < 0.3)
        let alone = shaped(
            [mixed(voice, left), mixed(voice, left.map { -$0 })],
            [
                (0, settings(pair: (0, 1), centre: .kept))
            ])
        #expect(zip(alone[0], voice).allSatisfy { abs($0 - $1) < 1e-6 } && alone[0] == alone[1])
    }

    @Test("the balance turns down one side only")
    func balance() {
        let source = [noise(100, seed: 1), noise(100, seed: 2), noise(100, seed: 3)]
        let result = shaped(source, [(0, settings(balance: 0.75))])
        #expect(result == [source[0].map { $0 * 0.25 }, source[1], source[2]])
        #expect(shaped(source, [(0, settings(balance: -1))])[1].allSatisfy { $0 == 0 })
    }

    @Test(
        "equaliser bands reach their gains at their centres, and leave other bands unchanged",
        arguments: [(12.0, 0.0, 0.0), (0, -12, 0), (0, 0, -24), (-24, 12, 6)])
    func equaliser(low: Double, mid: Double, high: Double) {
        for (hertz, decibels) in [(30.0, low), (1000.0, mid), (16_000.0, high)] {
            let source = tones([hertz], amplitude: 0.05, frameCount: 44100)
            let result = shaped([source], [(0, settings(low: low, mid: mid, high: high))])[0]
            let gain = level(result[8000...]) - level(source[8000...])
            // The skirts of two bands with a difference of 36 dB.
            #expect(abs(gain - decibels) < (low == -24 ? 2 : 0.6), "\(hertz) Hz: \(gain) dB")
        }
    }

    @Test("no change of the channel strip makes a click", arguments: [0, 1, 2, 3])
    func glides(change: Int) {
        let source = [
            tones([220.5], amplitude: 0.4, frameCount: 12_000), tones([220.5], amplitude: -0.4, frameCount: 12_000),
        ]
        let changes = [
            settings(pair: (1, 1)), settings(pair: (0, 1), centre: .kept), settings(balance: -1),
            settings(low: 12, mid: -24, high: -24),
        ]
        let result = shaped(source, [(5000, changes[change]), (5100, .neutral), (5300, changes[change])])
        func steepest(_ sound: [Float]) -> Float {
            zip(zip(sound, sound.dropFirst()), sound.dropFirst(2)).map { abs($0.0 - 2 * $0.1 + $1) }.max() ?? 0
        }
        // The second difference of the tone itself is 0.0004; 12 dB more make four times as much.
        for channel in result { #expect(steepest(channel) < 0.003) }
    }

    @Test("the channel strip gives the same sound for any blocks, also for overlapping glides", arguments: [1, 7, 64])
    func blocks(block: Int) {
        let source = (0..<3).map { noise(9000, seed: UInt64($0)) }
        let changes = [
            (1000, settings(pair: (0, 1), centre: .removed, mid: 9)), (1300, settings(pair: (2, 1), low: -12)),
            (1500, settings(pair: (1, 0), centre: .removed)), (4000, settings(pair: (1, 0), centre: .removed, high: 3)),
        ]
        let result = shaped(source, changes, block: block)
        #expect(result == shaped(source, changes))
        // The last change stays to the end, as if set from the beginning.
        let settled = shaped(source, [(0, changes[3].1)])
        #expect(zip(result[0][8000...], settled[0][8000...]).allSatisfy { abs($0 - $1) < 1e-5 })
    }

    @Test("samples that are not finite do not stay in the filters")
    func hostile() {
        var source = [noise(4000, seed: 1), noise(4000, seed: 2)]
        (source[0][100], source[1][200], source[0][300]) = (.nan, .infinity, -.infinity)
        let result = shaped(source, [(0, settings(pair: (0, 1), centre: .removed, low: 6, mid: 3, high: -6))])
        #expect(result.joined().allSatisfy { $0.isFinite })
    }
}
