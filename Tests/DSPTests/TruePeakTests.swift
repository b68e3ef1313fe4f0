// True peak: cases 15 to 23 of EBU Tech 3341 (2023), and its error over frequency.
import DSP
import DSPHarness
internal import Glibc
import SoundMeasures
import TestSupport
import Testing

@Suite("True peak")
struct TruePeakTests {
    private func decibels(_ samples: [Float], nextBlock: (() -> Int)? = nil) -> Double {
        var meter = TruePeakMeter(channelCount: 1)
        unsafe inBlocks([samples], nextBlock ?? { samples.count }) { block, count in
            unsafe meter.process(block, frameCount: count)
        }
        meter.finish()
        return meter.decibels
    }

    @Test("EBU Tech 3341 cases 15 to 23: peaks between samples are read within 0.1 dB")
    func standardCases() {
        for signal in TestSignals.peakCases() {
            let reading = decibels(signal.samples)
            let error = reading - signal.expectedDecibels
            #expect(error <= 0.2 && error >= -0.4, "case \(signal.number), the standard's: \(reading)")
            #expect(abs(reading - signal.trueDecibels) <= 0.1, "case \(signal.number), ours: \(reading)")
        }
    }

    @Test("the error of the true peak over frequency is as documented")
    func errors() {
        // A step of an eighth of a frame misses the top by half of it: 20 log10 cos(π f / 8). The filter adds up to
        // 0.02 dB.
        for frequency in cases([0.01, 0.05, 0.1, 0.2, 0.25, 0.3, 0.35, 0.4], few: [0.25, 0.4]) {
            let worst = -20 * log10(cos(.pi * frequency / 8))
            for degrees in stride(from: 0.0, to: 180, by: cases(7.5, few: 45)) {
                let reading = decibels(
                    TestSignals.fadedSine(
                        cyclesPerFrame: frequency, amplitude: 1, degrees: degrees, frameCount: 600))
                #expect(reading <= 0.02 && reading >= -worst - 0.01, "\(frequency), \(degrees)°: \(reading)")
            }
        }
    }

    @Test("the true peak is that of the full interpolation, although lower parts are skipped")
    func literal() {
        var random = SeededGenerator(printedFor: "TruePeakTests.literal")
        for _ in 0..<cases(20, few: 2) {
            // The first sample is silence, so there are two samples at least.
            let count = Int.random(in: 2...400, using: &random)
            // Rising and falling, so that the meter leaves out some of the noise.
            let noise = random.noise(count, amplitude: 1)
            let samples = noise.indices.map { noise[$0] * abs(sin(0.02 * Float($0))) }
            var peak = samples.reduce(0.0) { max($0, Double(abs($1))) }
            for place in 1...7 {
                let taps = literalTaps(Double(place) / 8)
                for first in -23..<count {
                    var sum = 0.0
                    for tap in 0..<24 where samples.indices.contains(first + tap) {
                        sum += taps[tap] * Double(samples[first + tap])
                    }
                    peak = max(peak, abs(sum))
                }
            }
            let reading = decibels(samples, nextBlock: { Int.random(in: 1...100, using: &random) })
            // Float32 sums of 24 products.
            #expect(abs(reading - 20 * log10(peak)) < 1e-4)
        }
    }

    /// The interpolator by its documentation: a sinc of 24 taps in a Kaiser window of beta 6, gain 1 at 0 Hz.
    private func literalTaps(_ part: Double) -> [Double] {
        func bessel(_ x: Double) -> Double {
            var (sum, term) = (1.0, 1.0)
            for order in 1...40 {
                term *= x * x / 4 / Double(order * order)
                sum += term
            }
            return sum
        }
        let taps = (0..<24).map { tap -> Double in
            let distance = part - Double(tap - 11)
            return bessel(6 * (1 - distance * distance / 144).squareRoot()) * sin(.pi * distance) / distance
        }
        return taps.map { $0 / taps.reduce(0, +) }
    }

    @Test("a true peak at the very end is found, per channel, and silence reads minus infinity")
    func ends() {
        #expect(decibels([Float](repeating: 0, count: 300)) == -.infinity)
        // Two equal samples at the end: the interpolated top between them is higher.
        #expect(decibels([0, 0, 0, 1, 1]) > 1)
        var meter = TruePeakMeter(channelCount: 2)
        unsafe withChannels([[0, 0.5, 0], [0, 0, -0.25]]) { unsafe meter.process($0, frameCount: 3) }
        meter.finish()
        #expect(meter.peak(channel: 0) == 0.5 && meter.peak(channel: 1) == 0.25)
        meter.reset()
        #expect(meter.decibels == -.infinity)
    }
}
