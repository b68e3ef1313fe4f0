import DSPHarness
internal import Glibc
import Stretching
import TestSupport
import Testing

@Suite("Pitch interpolator")
struct PitchInterpolatorTests {
    /// Two octaves down to two up by semitones, and ratios outside all scales.
    static let ratios =
        [-24, -12, -7, -1, -0.01, 0, 0.01, 1, 3, 7, 12, 19, 24].map { pow(2, $0 / 12) } + [0.7, 1.2345]

    /// A signal read at a ratio: `history` lies before its first frame, silence after its last.
    static func read(
        _ signal: [[Float]], history: [Float] = [], ratio: Double, frameCount: Int, nextBlock: () -> Int = { 512 }
    ) -> [[Float]] {
        var interpolator = PitchInterpolator(channelCount: signal.count, maximumEmitFrames: 1024)
        interpolator.start(ratio: ratio)
        var next = -interpolator.historyFrames
        var result = signal.map { _ in [Float]() }
        while result[0].count < frameCount {
            let count = min(nextBlock(), frameCount - result[0].count)
            // In pieces: the division of the input must not matter either.
            while case let needed = interpolator.framesNeeded(toEmit: count), needed > 0 {
                let piece = min(needed, 100)
                for channel in signal.indices {
                    let target = unsafe interpolator.inputs()[channel] + interpolator.inputOffset
                    for index in 0..<piece {
                        let frame = next + index
                        let past = history.indices.contains(history.count + frame) ? history[history.count + frame] : 0
                        unsafe target[index] =
                            frame < 0 ? past : frame < signal[channel].count ? signal[channel][frame] : 0
                    }
                }
                interpolator.accept(piece)
                next += piece
            }
            var block = [[Float]](repeating: [Float](repeating: 77, count: count + 2), count: signal.count)
            unsafe withPointers(&block) { pointers in unsafe interpolator.emit(count, into: pointers, offset: 1) }
            for channel in signal.indices {
                #expect(block[channel][0] == 77 && block[channel][count + 1] == 77, "written outside the block")
                result[channel] += block[channel][1...count]
            }
        }
        return result
    }

    @Test("an interpolated sine stays a sine at the ratio's frequency", arguments: ratios)
    func sinesStayPure(ratio: Double) {
        // About a quarter of the rate after the change, but never more than two fifths before it.
        let frequency = min(9973 / ratio, 17_000)
        let signal = tones([frequency], amplitude: 0.5, frameCount: Int(3000 * ratio) + 400)
        let output = Self.read([signal], ratio: ratio, frameCount: 3000)[0]
        // The table's error bound of -116 dB a value, and the largest practical sum of 192 such errors: measured 104 to
        // 129 dB.
        #expect(signalToNoise(output[200..<2800], [frequency * ratio]) > 100)
        // 2600 frames are no whole number of periods: this alone moves the mean power by a few thousandths.
        let level = decibels(power(output[200..<2800]) / 0.125)
        #expect(abs(level) < 0.01)
    }

    @Test("frequencies that would alias are removed by the interpolator", arguments: [1.5, 2.0, 4.0])
    func noAliasing(ratio: Double) {
        // From 0.136 of the output's rate past its half, where the transition ends, to the signal's own half.
        let edge = (0.5 + 0.068) / ratio
        for place in [edge, (edge + 0.49) / 2, 0.49] where place <= 0.49 {
            let signal = tones([place * 44_100], amplitude: 0.5, frameCount: Int(2000 * ratio) + 400)
            let output = Self.read([signal], ratio: ratio, frameCount: 2000)[0]
            // 100 dB by Kaiser's formula at the very edge; the first frames contain the signal's beginning.
            #expect(decibels(power(output[200..<1800]) / 0.125) < -98)
        }
    }

    @Test("at ratio 1 the interpolator gives its input bit for bit, and at whole frames of lower ratios")
    func exactAtWholeFrames() {
        var random = SeededGenerator(printedFor: #function)
        let noise = random.noise(1000)
        #expect(Self.read([noise], ratio: 1, frameCount: 1000)[0] == noise, "\(random)")
        let down = Self.read([noise], ratio: 0.25, frameCount: 4000)[0]
        #expect((0..<1000).map { down[4 * $0] } == noise, "\(random)")
    }

    @Test("the interpolator gives the same bits for every division into blocks", arguments: [0.31, 1.0, 1.77, 4.0])
    func blockIndependence(ratio: Double) {
        var random = SeededGenerator(printedFor: #function)
        let signal = [random.noise(Int(1500 * ratio)), random.noise(Int(1500 * ratio))]
        let whole = Self.read(signal, ratio: ratio, frameCount: 1500, nextBlock: { 1024 })
        for block in [1, 64, 97] {
            #expect(Self.read(signal, ratio: ratio, frameCount: 1500, nextBlock: { block }) == whole, "\(block)")
        }
        let cut = Self.read(signal, ratio: ratio, frameCount: 1500) { Int.random(in: 1...1024, using: &random) }
        #expect(cut == whole, "\(random)")
    }

    @Test("an interpolator started inside a sound continues the sound without a step", arguments: [0.5, 1.3, 4.0])
    func historyCounts(ratio: Double) {
        let sine = tones([500], amplitude: 0.5, frameCount: 3000)
        let output = Self.read(
            [Array(sine[200...])], history: Array(sine[..<200]), ratio: ratio, frameCount: 500)[0]
        for frame in 0..<500 {
            let phase = 2 * .pi * 500 / 44_100 * (200 + Double(frame) * ratio)
            #expect(abs(Double(output[frame]) - 0.5 * sin(phase)) < 1e-5)
        }
    }

    @Test("the position of the interpolator does not drift at a ratio without an exact binary form")
    func noDrift() {
        // A ramp shows the place of the read. Twelve thousand frames at a ratio with no exact binary form.
        let ratio = pow(2, 1.0 / 12)
        let ramp = (0..<13_000).map { Float($0) / 16_384 }
        let output = Self.read([ramp], ratio: ratio, frameCount: 12_000)[0]
        // The last bit of a Float32 near 0.75, and the kernel's ripple at frequency 0.
        for frame in stride(from: 100, to: 12_000, by: 500) {
            #expect(abs(Double(output[frame]) * 16_384 - Double(frame) * ratio) < 0.2)
        }
    }

    @Test("interpolated silence stays silence, and a sound of one frame is accepted")
    func smallInput() {
        #expect(Self.read([[]], ratio: 2, frameCount: 100)[0].allSatisfy { $0 == 0 })
        let click = Self.read([[1]], ratio: 0.25, frameCount: 400)[0]
        #expect(click[0] == 1 && click.allSatisfy { $0.isFinite } && click[200...].allSatisfy { $0 == 0 })
    }

    @Test(
        "an interpolator counts samples that are not finite or absurdly large as silence", arguments: [0.4, 1.0, 2.9])
    func badSamples(ratio: Double) {
        var random = SeededGenerator(printedFor: #function)
        var bad = random.noise(700)
        for (index, sample) in zip([0, 13, 210, 211, 402], [Float.nan, .infinity, -.infinity, 3e6, -.nan]) {
            bad[index] = sample
        }
        let clean = bad.map { $0.isFinite && abs($0) < 1e6 ? $0 : 0 }
        #expect(
            Self.read([bad], history: [.nan], ratio: ratio, frameCount: 200)
                == Self.read([clean], ratio: ratio, frameCount: 200), "\(random)")
    }

    @Test("a restarted interpolator forgets its earlier sound")
    func restart() {
        var random = SeededGenerator(printedFor: #function)
        let noise = random.noise(900)
        var interpolator = PitchInterpolator(channelCount: 1)
        var outputs: [[Float]] = []
        for ratio in [1.4, 3.1, 1.4] {
            interpolator.start(ratio: ratio)
            let needed = interpolator.framesNeeded(toEmit: 150)
            for index in 0..<needed { unsafe interpolator.inputs()[0][interpolator.inputOffset + index] = noise[index] }
            interpolator.accept(needed)
            var block = [[Float](repeating: 0, count: 150)]
            unsafe withPointers(&block) { pointers in unsafe interpolator.emit(150, into: pointers, offset: 0) }
            outputs.append(block[0])
        }
        #expect(outputs[0] == outputs[2] && outputs[0] != outputs[1])
    }
}
