import DSPHarness
import TestSupport
import Testing

@testable import DSP

@Suite("Peak limiter")
struct PeakLimiterTests {
    /// The output of a limiter, in blocks of the sizes from `nextBlock`.
    private func limited(_ source: [[Float]], block: Int, sampleRate: Int = 44100) -> (sound: [[Float]], lowest: Float)
    {
        var limiter = PeakLimiter(channelCount: source.count, sampleRate: sampleRate, maximumEmitFrames: block)
        limiter.start()
        var sound = source.map { _ in [Float]() }
        var given = 0
        var lowest: Float = 1
        while sound[0].count < source[0].count {
            let count = min(block, source[0].count - sound[0].count)
            while true {
                let needed = min(limiter.framesNeeded(toEmit: count), block)
                guard needed > 0 else { break }
                for channel in source.indices {
                    let target = unsafe limiter.inputs[channel] + limiter.inputOffset
                    for index in 0..<needed {
                        unsafe target[index] = given + index < source[0].count ? source[channel][given + index] : 0
                    }
                }
                limiter.accept(needed)
                given += needed
            }
            var storage = [[Float]](repeating: [Float](repeating: 77, count: count + 2), count: source.count)
            unsafe withPointers(&storage) { pointers in unsafe limiter.emit(count, into: pointers, offset: 1) }
            for channel in source.indices {
                #expect(storage[channel][0] == 77 && storage[channel][count + 1] == 77)
                sound[channel] += storage[channel].dropFirst().dropLast()
            }
            lowest = min(lowest, limiter.takeLowestGain())
        }
        return (sound, lowest)
    }

    /// Loud, dense and full of drums: far above full scale where drums coincide.
    private func loud(_ level: Float, seed: UInt64 = 3) -> [[Float]] {
        var random = SeededGenerator(seed: seed)
        var sound = tones([110, 233.1, 466.2, 987.8, 3000.1], amplitude: 0.3, frameCount: 60_000)
        for index in 0..<1000 { sound[index] *= Float(index) / 1000 }
        for start in stride(from: 4000, to: 55_000, by: 7001) {
            for index in 0..<3000 { sound[start + index] += random.float() * (1 - Float(index) / 3000) }
        }
        return [sound.map { level * $0 }, sound.map { -0.7 * level * $0 }]
    }

    @Test("sound below full scale passes the peak limiter bit for bit", arguments: [1, 64, 1000])
    func unchanged(block: Int) {
        let source = [tones([441.7, 5000.3], amplitude: 0.45, frameCount: 20_000)]
        let result = limited(source, block: block)
        #expect(result.sound == source && result.lowest == 1)
    }

    @Test("limited sound never exceeds full scale, nor between samples by more than a trace")
    func neverAbove() {
        for level in [0.9, 1.5, 4] as [Float] {
            let source = loud(level)
            let result = limited(source, block: 512)
            #expect(result.sound.joined().allSatisfy { abs($0) <= 1 })
            #expect(result.lowest < 1)
            var meter = TruePeakMeter(channelCount: 2)
            var sound = result.sound
            unsafe withPointers(&sound) { unsafe meter.process($0, frameCount: 60_000) }
            meter.finish()
            #expect(meter.peak(channel: 0) < 1.01)
        }
    }

    @Test("limited sound does not depend on the division into blocks", arguments: [1, 7, 64, 997])
    func blocks(block: Int) {
        let source = loud(2)
        #expect(limited(source, block: block).sound == limited(source, block: 512).sound)
    }

    @Test("both limited channels get one gain, which moves without a step and returns to 1")
    func gain() {
        // A steady tone below, one peak above.
        var source = tones([220.5], amplitude: 0.5, frameCount: 90_000)
        for index in 0..<40 { source[20_000 + index] *= 4 }
        let result = limited([source, source.map { $0 / 2 }], block: 64).sound
        let gains = source.indices.map { source[$0] == 0 ? 1 : result[0][$0] / source[$0] }
        #expect(zip(result[0], result[1]).allSatisfy { abs($0 / 2 - $1) < 1e-6 })
        let clear = source.indices.filter { abs(source[$0]) > 0.05 }
        let steps = zip(clear, clear.dropFirst()).filter { $1 - $0 == 1 }.map { abs(gains[$1] - gains[$0]) }
        // From 1 to a half within 5 ms, by a triangle's integral: 2/220 of the way at its steepest.
        #expect((steps.max() ?? 1) < 0.006)
        #expect((gains[20_010...20_030].min() ?? 1) < 0.6)
        #expect(result[0][..<19_700] == source[..<19_700])
        #expect(result[0][85_000...] == source[85_000...])
    }

    @Test("a restarted limiter has forgotten its earlier sound")
    func restart() {
        var limiter = PeakLimiter(channelCount: 1, sampleRate: 44100, maximumEmitFrames: 512)
        for level in [8, 0.1] as [Float] {
            limiter.start()
            var sound = [Float](repeating: 0, count: 512)
            for _ in 0..<4 {
                while case let needed = min(limiter.framesNeeded(toEmit: 512), 512), needed > 0 {
                    for index in 0..<needed { unsafe limiter.inputs[0][limiter.inputOffset + index] = level }
                    limiter.accept(needed)
                }
                var storage = [sound]
                unsafe withPointers(&storage) { unsafe limiter.emit(512, into: $0, offset: 0) }
                sound = storage[0]
            }
            #expect(sound.allSatisfy { level > 1 ? $0 <= 1 && $0 > 0.99 : $0 == level })
        }
    }
}
