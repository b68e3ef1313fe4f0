// The tables of IEC 60268-10 and 60268-17: how quasi-peak meters and volume indicators rise and fall.
import DSP
import DSPHarness
internal import Glibc
import TestSupport
import Testing

@Suite("PPM and VU")
struct BallisticsTests {
    struct Table: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let ballistics: PeakProgrammeMeter.Ballistics
        /// Milliseconds of a tone of 5 kHz, its reading in dB of the steady tone's, and the tolerance.
        let bursts: [(milliseconds: Double, decibels: Double, tolerance: Double)]
        let fall: (decibels: Double, seconds: Double, tolerance: Double)
    }

    private static let tables = [
        Table(
            testDescription: "type I", ballistics: .typeI,
            bursts: [(10, -1, 0.5), (5, -2, 1), (3, -4, 1), (0.4, -15, 4)], fall: (20, 1.7, 0.3)),
        Table(
            testDescription: "type IIa", ballistics: .typeIIa,
            bursts: [(100, 0, 0.5), (10, -2.5, 0.5), (5, -4, 0.75), (1.5, -9, 1), (0.5, -17, 2)],
            fall: (24, 2.8, 0.3)),
    ]

    private static let rates = cases([32_000, 44_100, 48_000, 96_000, 192_000, 384_000], few: [44_100])

    @Test("bursts of a tone of 5 kHz read the values of the PPM table at every rate", arguments: tables)
    func bursts(table: Table) {
        for rate in Self.rates {
            for burst in table.bursts {
                let tone = sine(5000, sampleRate: rate, frameCount: Int(burst.milliseconds * Double(rate) / 1000))
                var meter = PeakProgrammeMeter(table.ballistics, channelCount: 1, sampleRate: rate)
                unsafe withChannels([tone]) { unsafe meter.process($0, frameCount: tone.count) }
                let reading = meter.maximumDecibels
                #expect(
                    abs(reading - burst.decibels) <= burst.tolerance, "\(burst.milliseconds) ms at \(rate): \(reading)")
            }
        }
    }

    @Test(
        "a steady full-scale tone reads 0 dB at any frequency, and falls evenly at the standard's rate",
        arguments: tables)
    func steadyAndFall(table: Table) {
        let rate = cases(48_000, few: 32_000)
        for hertz in cases([40.0, 997, 5000], few: [997]) {
            let tone = sine(hertz, sampleRate: rate, frameCount: rate)
            var meter = PeakProgrammeMeter(table.ballistics, channelCount: 2, sampleRate: rate)
            unsafe withChannels([tone, tone.map { $0 / 2 }]) { unsafe meter.process($0, frameCount: tone.count) }
            // Between the tops of a low tone the store leaks; its error is the leak over half a period.
            #expect(abs(meter.maximumDecibels) < 0.1, "\(hertz) Hz: \(meter.maximumDecibels)")
            let (top, second) = (meter.decibels(channel: 0), meter.decibels(channel: 1))
            #expect(abs(second - top + 20 * log10(2)) < 0.01)
            let half = [Float](repeating: 0, count: Int(table.fall.seconds * Double(rate) / 2))
            for part in 1...2 {
                unsafe withChannels([half, half]) { unsafe meter.process($0, frameCount: half.count) }
                let fallen = top - meter.decibels(channel: 0)
                // In dB the fall is even, so a time's tolerance is a tolerance of the speed.
                let share = Double(part) / 2
                let slowest =
                    share * table.fall.decibels * table.fall.seconds / (table.fall.seconds + table.fall.tolerance)
                let fastest =
                    share * table.fall.decibels * table.fall.seconds / (table.fall.seconds - table.fall.tolerance)
                #expect((slowest...fastest).contains(fallen), "\(fallen)")
            }
        }
    }

    @Test("a volume indicator reaches 99 % in 300 ms and overshoots by 1 to 1.5 %", arguments: [8000, 44_100, 384_000])
    func volume(rate: Int) throws {
        guard Workload.isWhole || rate == 8000 else { return }
        // 1 kHz would meet the same few places of its period at 8 kHz.
        let tone = sine(997, sampleRate: rate, frameCount: rate)
        var meter = VolumeUnitMeter(channelCount: 1, sampleRate: rate)
        var course: [Double] = []
        unsafe inBlocks([tone], { rate / 1000 }) {
            unsafe meter.process($0, frameCount: $1)
            course.append(pow(10, meter.decibels(channel: 0) / 20))
        }
        let arrival = try #require(course.firstIndex { $0 >= 0.99 }) + 1
        #expect(abs(arrival - 300) <= 30, "\(arrival) ms")
        let top = pow(10, meter.maximumDecibels / 20)
        #expect((1.01...1.015).contains(top), "\(top)")
        #expect(abs((course.last ?? 0) - 1) < 0.002)
    }

    @Test("readings fall to minus infinity in silence, and a reset meter reads like a new one")
    func silence() {
        var meter = PeakProgrammeMeter(.typeI, channelCount: 1, sampleRate: 48_000)
        var volume = VolumeUnitMeter(channelCount: 1, sampleRate: 48_000)
        unsafe withChannels([[1, 1, 1, 1]]) {
            unsafe meter.process($0, frameCount: 4)
            unsafe volume.process($0, frameCount: 4)
        }
        #expect(meter.maximumDecibels < -10 && meter.decibels(channel: 0).isFinite && volume.maximumDecibels < -40)
        meter.reset()
        volume.reset()
        #expect(meter.maximumDecibels == -.infinity && meter.decibels(channel: 0) == -.infinity)
        #expect(volume.maximumDecibels == -.infinity && volume.decibels(channel: 0) == -.infinity)
    }
}
