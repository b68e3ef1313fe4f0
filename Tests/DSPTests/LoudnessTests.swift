import DSPHarness
internal import Glibc
import TestSupport
import Testing

// Loudness outside the standards' cases: other rates, gates, short sounds, silence, and invalid samples.
@_spi(Benchmarks) @testable import DSP
@_spi(Benchmarks) @testable import Samples

@Suite("Loudness")
struct LoudnessTests {
    /// The standard's filters for 48 kHz, as printed in ITU-R BS.1770-5.
    private func printedGain(_ hertz: Double) -> Double {
        func gain(_ b: [Double], _ a: [Double]) -> Double {
            let angle = 2 * .pi * hertz / 48_000
            func magnitude(_ c: [Double]) -> Double {
                hypot(
                    c[0] + c[1] * cos(angle) + c[2] * cos(2 * angle), c[1] * sin(angle) + c[2] * sin(2 * angle))
            }
            return magnitude(b) / magnitude(a)
        }
        return gain(
            [1.53512485958697, -2.69169618940638, 1.19839281085285], [1, -1.69065929318241, 0.73248077421585])
            * gain([1, -2, 1], [1, -1.99004745483398, 0.99007225036621])
    }

    @Test("the K-weighting at 48 kHz is the standard's")
    func printed() {
        let weighting = KWeighting(sampleRate: 48_000)
        for hertz in [5.0, 20, 38, 100, 997, 1682, 5000, 12_000, 23_000] {
            #expect(abs(weighting.gain(atHertz: hertz) / printedGain(hertz) - 1) < 1e-6, "\(hertz) Hz")
        }
    }

    @Test(
        "the K-weighting at every rate is its closed form, warped by the bilinear transform",
        arguments: [8000, 11_025, 44_100, 96_000, 384_000])
    func closedForm(rate: Int) {
        let weighting = KWeighting(sampleRate: rate)
        let (corner, q, high) = (1681.974450955533, 0.7071752369554196, pow(10, 3.999843853973347 / 20))
        let band = pow(high, 0.4996667741545416)
        func closed(_ hertz: Double) -> Double {
            func bent(_ corner: Double) -> Double {
                tan(.pi * hertz / Double(rate)) / tan(.pi * corner / Double(rate))
            }
            let (shelf, pass) = (bent(corner), bent(38.13547087602444))
            return hypot(1 - high * shelf * shelf, band * shelf / q) / hypot(1 - shelf * shelf, shelf / q)
                * pass * pass / hypot(1 - pass * pass, pass / 0.5003270373238773)
        }
        for part in [0.0001, 0.001, 0.01, 0.03, 0.1, 0.2, 0.3, 0.45] {
            let hertz = part * Double(rate)
            let expected = closed(hertz) / closed(997) * printedGain(997)
            #expect(abs(weighting.gain(atHertz: hertz) / expected - 1) < 1e-6, "\(hertz) Hz")
        }
    }

    @Test("a sine has the loudness of the closed form", arguments: [8000, 44_100, 192_000])
    func throughTheMeter(rate: Int) {
        // The lowest needs time for the high-pass to settle, which the later windows have.
        for hertz in cases([40.0, 100, 997, 3000], few: [997]) {
            let tone = sine(hertz, sampleRate: rate, frameCount: cases(rate, few: rate / 2), amplitude: 0.1)
            var meter = LoudnessMeter(.init(sampleRate: rate, channelCount: 1))
            unsafe withChannels([tone]) { unsafe meter.process($0, frameCount: tone.count) }
            let gain = 0.1 * meter.weighting.gain(atHertz: hertz)
            // 400 ms hold no whole number of half periods: the mean square strays by a part in 2π times their number.
            let expected = -0.691 + 10 * log10(gain * gain / 2)
            #expect(abs(meter.momentary - expected) < 0.05, "\(hertz) Hz")
        }
    }

    @Test("0 dB at 997 Hz in one channel reads -3.01 LUFS at every rate", arguments: [8000, 22_050, 48_000, 384_000])
    func reference(rate: Int) {
        guard cases([8000, 22_050, 48_000, 384_000], few: [8000]).contains(rate) else { return }
        let tone = sine(997, sampleRate: rate, frameCount: rate / 2)
        let reading = programmeReading([tone], sampleRate: rate).loudness
        #expect(abs(reading.integrated - -3.01) < 0.02, "\(reading)")
    }

    @Test("a surround channel has the weight 1.41, given weights are used, and sixty-four channels add up")
    func weights() {
        func loudness(_ channels: [Double?], _ weights: [Double]? = nil) -> Double {
            SteppedTone(channels: channels, seconds: 0.6).loudness(weights: weights.map(ChannelWeights.init)).integrated
        }
        let front = loudness([nil, nil, -20, nil, nil])
        #expect(abs(loudness([nil, nil, nil, -20, nil]) - front - 10 * log10(1.41)) < 0.001)
        #expect(loudness([nil, nil, nil, -20, nil, nil]) == -.infinity)
        #expect(abs(loudness([-20, nil], [0.25, 1]) - front - 10 * log10(0.25)) < 0.001)
        let many = loudness([Double?](repeating: -40, count: 64))
        #expect(abs(many - (front - 20 + 10 * log10(64))) < 0.001)
        #expect(ChannelWeights.standard(channelCount: 7).values == [1, 1, 1, 0, 1, 1.41, 1.41])
        #expect(ChannelWeights.standard(channelCount: 8).values == [1, 1, 1, 0, 1, 1, 1.41, 1.41])
    }

    @Test(
        "the gates omit blocks more than 10 LU below the mean above -70 LUFS, and keep louder blocks")
    func gates() {
        // Some blocks hold a part of both levels; long steps make such blocks few.
        let kept = SteppedTone([(-20, 6), (-29, 6)]).loudness().integrated
        #expect(abs(kept - 10 * log10((pow(10, -2) + pow(10, -2.9)) / 2)) < 0.1, "\(kept)")
        let dropped = SteppedTone([(-20, 6), (-34, 6)]).loudness().integrated
        #expect(abs(dropped - -20) < 0.15, "\(dropped)")
        #expect(SteppedTone([(-70.5, 1)]).loudness().integrated == -.infinity)
        #expect(abs(SteppedTone([(-69.5, 1)]).loudness().integrated - -69.5) < 0.05)
    }

    @Test("silence reads minus infinity, also after sound, and has no loudness range")
    func silence() {
        let silent = SteppedTone([(nil, 4)]).loudness()
        #expect(silent.momentary == -.infinity && silent.maximumShortTerm == -.infinity)
        #expect(silent.integrated == -.infinity && silent.range == nil)
        let after = SteppedTone([(0, 0.5), (nil, 5)]).loudness()
        #expect(after.momentary == -.infinity && after.shortTerm == -.infinity && after.integrated > -10)
    }

    @Test(
        "sound shorter than a block has a momentary loudness with silence, and no integrated loudness")
    func short() {
        let levels = SteppedTone([(-20, 0.2)]).loudness()
        #expect(levels.integrated == -.infinity && levels.range == nil)
        #expect(abs(levels.momentary - (-20 - 10 * log10(2))) < 0.1, "\(levels)")
        #expect(abs(levels.maximumShortTerm - (-20 - 10 * log10(15))) < 0.1, "\(levels)")
        #expect(SteppedTone([(-20, 0.4)]).loudness().integrated > -20.1)
        let nothing = programmeReading([[], []])
        #expect(nothing.loudness.maximumMomentary == -.infinity && nothing.truePeakDecibels == -.infinity)
        #expect(nothing.rmsDecibels == -.infinity && nothing.overs == 0 && nothing.firstOverFrame == nil)
    }

    @Test(
        "blocks of any length give the same loudness, and a reset meter reads like a new one"
    )
    func blocks() {
        var random = SeededGenerator(printedFor: "LoudnessTests.blocks")
        let (count, rate) = (cases(200_000, few: 4000), cases(44_100, few: 8000))
        let channels = (0..<3).map { _ in random.noise(count, amplitude: 1.2) }
        let whole = programmeReading(channels, sampleRate: rate)
        for size in [1, 997, 0] {
            let blocks = programmeReading(
                channels, sampleRate: rate, nextBlock: { size > 0 ? size : Int.random(in: 1...3000, using: &random) })
            #expect(blocks.loudness == whole.loudness)
            #expect(blocks.truePeakDecibels == whole.truePeakDecibels)
            #expect(blocks.typeIDecibels == whole.typeIDecibels && blocks.typeIIaDecibels == whole.typeIIaDecibels)
            #expect(blocks.volumeDecibels == whole.volumeDecibels)
            #expect(blocks.overs == whole.overs && blocks.firstOverFrame == whole.firstOverFrame)
            // Sums of other pieces: Float32 has seven digits.
            #expect(abs(blocks.rmsDecibels - whole.rmsDecibels) < 1e-5)
        }
        var meter = ProgrammeMeter(.init(sampleRate: rate, channelCount: 3))
        for _ in 0..<2 {
            meter.reset()
            unsafe withChannels(channels) { unsafe meter.process($0, frameCount: count) }
            #expect(meter.finish() == whole)
        }
    }

    @Test("samples that are not finite or absurdly large count as silence in every meter")
    func noSound() {
        var random = SeededGenerator(printedFor: "LoudnessTests.noSound")
        let clean = random.noise(cases(24_000, few: 3000), amplitude: 0.5).enumerated().map {
            $0.offset % 100 < 8 ? 0 : $0.element
        }
        let bad: [Float] = [.nan, .infinity, -.infinity, .signalingNaN, 3e38, -1e13, .greatestFiniteMagnitude, .nan]
        let dirty = clean.enumerated().map { $0.offset % 100 < 8 ? bad[$0.offset % 100] : $0.element }
        #expect(programmeReading([dirty, clean]) == programmeReading([clean, clean]))
    }
}
