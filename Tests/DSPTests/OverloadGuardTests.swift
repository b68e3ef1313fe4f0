import DSPHarness
import TestSupport
import Testing

@testable import DSP

@Suite("Overload guard")
struct OverloadGuardTests {
    /// The output of a guard, in blocks; in each block, the guard keeps the first `watched` frames within full scale.
    private func guarded(_ source: [[Float]], block: Int, watched: Int = .max) -> (sound: [[Float]], lowest: Float) {
        var overload = OverloadGuard(sampleRate: 44100)
        var sound = source
        let frameCount = source[0].count
        for start in stride(from: 0, to: frameCount, by: block) {
            let count = min(block, frameCount - start)
            var part = sound.map { Array($0[start..<start + count]) }
            unsafe withPointers(&part) { pointers in
                unsafe overload.apply(
                    to: UnsafeMutablePointer(mutating: pointers), channelCount: source.count, frameCount: count,
                    watched: 0..<max(0, min(count, watched - start)))
            }
            for channel in sound.indices { sound[channel].replaceSubrange(start..<start + count, with: part[channel]) }
        }
        return (sound, overload.takeLowestGain())
    }

    @Test("sound at or below full scale passes the overload guard bit for bit")
    func unchanged() {
        let source = [tones([441.7], amplitude: 1, frameCount: 9000)]
        let result = guarded(source, block: 64)
        #expect(result.sound == source && result.lowest == 1)
    }

    @Test(
        "guarded sound never exceeds full scale, with one gain for both channels and for any blocks",
        arguments: [1, 7, 512])
    func neverAbove(block: Int) {
        let left = tones([220.5, 331.1], amplitude: 1.3, frameCount: 20_000)
        let right = left.map { $0 / -4 }
        let result = guarded([left, right], block: block)
        #expect(result.sound.joined().allSatisfy { abs($0) <= 1 })
        #expect(result.sound == guarded([left, right], block: 20_000).sound)
        #expect(zip(result.sound[0], result.sound[1]).allSatisfy { abs($0 + 4 * $1) < 1e-6 })
        #expect(abs(result.lowest - 1 / (left.map(abs).max() ?? 0)) < 1e-6)
    }

    @Test("the gain of the overload guard returns slowly to 1 after a peak")
    func comesBack() {
        var source = [Float](repeating: 0.25, count: 90_000)
        source[1000] = 2
        let sound = guarded([source], block: 64, watched: 2000).sound[0]
        let gains = zip(sound, source).map { $0 / $1 }
        #expect(gains[999] == 1 && abs(gains[1000] - 0.5) < 1e-6)
        // Half of what is missing within 0.093 s · ln 2.
        #expect(abs(gains[1000 + 2843] - 0.75) < 0.001)
        #expect(zip(gains[1000...], gains[1001...]).allSatisfy { $0 <= $1 && $1 - $0 < 0.0002 })
        #expect(sound[70_000...] == source[70_000...])
    }

    @Test(
        "samples that are not finite leave the gain unchanged, and no infinite sample remains",
        arguments: [1, 2, 8])
    func hostile(block: Int) {
        let sound = guarded([[.nan, 0.5, .infinity, 0.5, -.infinity, 2, 0.5, .nan, -.infinity]], block: block).sound[0]
        #expect(sound[1] == 0.5 && sound[3] == 0.5 && sound[5] == 1)
        #expect(abs(sound[6] - 0.25) < 0.001)
        #expect(sound[2] == 1 && sound[4] == -1)
        // As much quieter as the other samples.
        #expect(sound[7] == 0 && abs(sound[8] + 0.5) < 0.001)
    }
}
