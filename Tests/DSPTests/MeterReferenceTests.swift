// The meters' loops skip samples without effect, and compute several frames at once: the tests compare with the plain
// formulas, frame by frame.
import DSPHarness
internal import Glibc
import SoundMeasures
import TestSupport
import Testing

@_spi(Benchmarks) @testable import DSP

@Suite("Meters against their formulas")
struct MeterReferenceTests {
    private static let rates = cases([8000, 44_100, 384_000], few: [8000])

    /// Noise that swells and dies away, with silence, single peaks and invalid samples.
    private static func material(_ count: Int, _ random: inout SeededGenerator) -> [Float] {
        var samples = random.noise(count, amplitude: 1)
        for index in samples.indices { samples[index] *= abs(sin(Float(index) / 700)) * (index % 5000 < 4000 ? 1 : 0) }
        for _ in 0..<5 { samples[Int.random(in: 0..<count, using: &random)] = 4 }
        (samples[10], samples[20], samples[30]) = (.nan, .infinity, -0x1p41)
        return samples
    }

    /// The magnitudes that meters read.
    private static func magnitudes(_ samples: [Float]) -> [Double] {
        samples.map { $0.magnitude <= 0x1p40 ? Double($0.magnitude) : 0 }
    }

    @Test("a PPM's integrators are charged by higher samples, and fall evenly", arguments: rates)
    func quasiPeaks(rate: Int) {
        var random = SeededGenerator(printedFor: "MeterReferenceTests.quasiPeaks")
        let samples = Self.material(12_345, &random)
        for ballistics in [PeakProgrammeMeter.Ballistics.typeI, .typeIIa] {
            let leak = exp(-ballistics.leak / Double(rate))
            let (slow, quick) = (1 - exp(-ballistics.slow / Double(rate)), 1 - exp(-ballistics.quick / Double(rate)))
            var (slowStore, quickStore, highest) = (0.0, 0.0, 0.0)
            var meter = PeakProgrammeMeter(ballistics, channelCount: 1, sampleRate: rate)
            var frame = 0
            let magnitudes = Self.magnitudes(samples)
            unsafe inBlocks([samples], { Int.random(in: 1...700, using: &random) }) { block, count in
                unsafe meter.process(block, frameCount: count)
                for sample in magnitudes[frame..<frame + count] {
                    (slowStore, quickStore) = (slowStore * leak, quickStore * leak)
                    slowStore += slow * max(0, sample - slowStore)
                    quickStore += quick * max(0, sample - quickStore)
                    highest = max(
                        highest, ballistics.slowShare * slowStore + (1 - ballistics.slowShare) * quickStore)
                }
                frame += count
                let reading = ballistics.slowShare * slowStore + (1 - ballistics.slowShare) * quickStore
                // A store at the end of a fall has been rounded some ten thousand times.
                #expect(
                    abs(pow(10, meter.decibels(channel: 0) / 20) - reading / ballistics.steadyReading) < 1e-9)
            }
            #expect(abs(meter.maximumDecibels - 20 * log10(highest / ballistics.steadyReading)) < 1e-9)
        }
    }

    @Test("a volume indicator's needle moves by its equation", arguments: rates)
    func needle(rate: Int) {
        var random = SeededGenerator(printedFor: "MeterReferenceTests.needle")
        let samples = Self.material(max(12_345, rate), &random)
        var meter = VolumeUnitMeter(channelCount: 1, sampleRate: rate)
        unsafe inBlocks([samples], { Int.random(in: 1...700, using: &random) }) { block, count in
            unsafe meter.process(block, frameCount: count)
        }
        // Small steps of the equation, whose error is of the order of a step.
        let (pulse, damping, parts) = (13.511912562532716, 0.8127169864286775, 800_000 / rate)
        let step = 1 / Double(rate * parts)
        var (place, pace, highest) = (0.0, 0.0, 0.0)
        for sample in Self.magnitudes(samples) {
            for _ in 0..<parts {
                pace += step * (pulse * pulse * (sample * .pi / 2 - place) - 2 * damping * pulse * pace)
                place += step * pace
            }
            highest = max(highest, place)
        }
        #expect(abs(meter.maximumDecibels - 20 * log10(highest)) < 0.003)
    }

    @Test("the weighting of a meter is its two filters in series", arguments: rates)
    func weighting(rate: Int) {
        var random = SeededGenerator(printedFor: "MeterReferenceTests.weighting")
        let channels = (0..<3).map { _ in Self.material(rate / 2 + 17, &random) }
        var meter = LoudnessMeter(.init(sampleRate: rate, channelCount: 3, weights: ChannelWeights([1, 1, 1])))
        unsafe inBlocks(channels, { Int.random(in: 1...700, using: &random) }) { block, count in
            unsafe meter.process(block, frameCount: count)
        }
        let filter = meter.weighting
        var energy = 0.0
        for samples in channels {
            func filtered(_ samples: [Double], _ section: KWeighting.Section) -> [Double] {
                var (x1, x2, y1, y2) = (0.0, 0.0, 0.0, 0.0)
                return samples.map { x in
                    let zeros: Double = section.b0 * x + section.b1 * x1 + section.b2 * x2
                    let y: Double = zeros - section.a1 * y1 - section.a2 * y2
                    (x2, x1, y2, y1) = (x1, x, y1, y)
                    return y
                }
            }
            let sound = samples.map { $0.magnitude <= 0x1p40 ? Double($0) : 0 }
            // The last 400 ms made of whole hops.
            let weighted = filtered(filtered(sound, filter.shelf), filter.highPass)[rate / 10..<rate / 2]
            energy += weighted.reduce(0) { $0 + $1 * $1 } * filter.gain * filter.gain
        }
        #expect(abs(meter.momentary - loudness(ofMeanSquare: energy / Double(rate / 2 - rate / 10))) < 1e-6)
    }
}
