// The meter of the capture and render threads, and the display's readings.
import DSP
import DSPHarness
internal import Glibc
import TestSupport
import Testing

@Suite("Level meter")
struct LevelMeterTests {
    @Test("a sine at -20 dB reads -20 in peak and AES17, -23.01 in plain RMS")
    func sineLevels() {
        let tone = sine(997, sampleRate: 48_000, frameCount: 48_000, amplitude: 0.1)
        var meter = LevelMeter(channelCount: 2)
        unsafe withChannels([tone, tone.map { $0 * 0.5 }]) { unsafe meter.process($0, frameCount: tone.count) }
        let levels = meter.takeLevels(channel: 0)
        #expect(levels.frameCount == 48_000 && levels.overs == 0 && levels.firstOverFrame == -1)
        // 997 periods are whole; the tops lie within 4 degrees of a sample.
        #expect(abs(levels.peakDecibels - -20) < 0.01)
        #expect(abs(levels.rmsDecibelsAES17 - -20) < 0.001 && abs(levels.rmsDecibels - -23.0103) < 0.001)
        #expect(abs(meter.takeLevels(channel: 1).rmsDecibels - -29.0309) < 0.001)
        let empty = meter.takeLevels(channel: 0)
        #expect(empty.frameCount == 0 && empty.peak == 0 && empty.meanSquare == 0)
    }

    @Test("taking the levels gives those since the last take, and reading resets nothing")
    func takes() {
        var meter = LevelMeter(channelCount: 1)
        unsafe withChannels([[0.5, -0.75, 0.25]]) { unsafe meter.process($0, frameCount: 3) }
        #expect(meter.levels(channel: 0).peak == 0.75 && meter.takeLevels(channel: 0).peak == 0.75)
        unsafe withChannels([[0.25, -0.125]]) { unsafe meter.process($0, frameCount: 2) }
        let levels = meter.takeLevels(channel: 0)
        #expect(levels.peak == 0.25 && levels.frameCount == 2 && levels.meanSquare == (0.0625 + 0.015625) / 2)
        #expect(meter.frame == 5)
        meter.reset()
        #expect(meter.frame == 0 && meter.levels(channel: 0) == ChannelLevels())
    }

    @Test("each run at full scale counts as one over, across blocks, with the frame of the first over")
    func overs() {
        var random = SeededGenerator(printedFor: "LevelMeterTests.overs")
        let full = LevelMeter.fullScale
        for _ in 0..<cases(200, few: 10) {
            let count = Int.random(in: 1...700, using: &random)
            let samples = (0..<count).map { _ -> Float in
                let choices = [0, 0.9, Float(full.nextDown), full, -full, 1, -1, 4, .nan, .infinity]
                return choices[Int.random(in: 0..<choices.count, using: &random)]
            }
            let isFull = samples.map { abs($0) >= full && $0.isFinite }
            let starts = samples.indices.filter { isFull[$0] && ($0 == 0 || !isFull[$0 - 1]) }
            var meter = LevelMeter(channelCount: 2)
            unsafe inBlocks(
                [[Float](repeating: 0, count: count), samples], { Int.random(in: 1...150, using: &random) }
            ) {
                unsafe meter.process($0, frameCount: $1)
                // A read in between leaves only the count unchanged.
                _ = meter.takeLevels(channel: 1)
            }
            let levels = meter.takeLevels(channel: 1)
            #expect(levels.overs == Int64(starts.count) && levels.firstOverFrame == Int64(starts.first ?? -1))
            #expect(meter.takeLevels(channel: 0).overs == 0)
        }
    }

    @Test("a sine driven 6 dB beyond full scale has two overs in each period")
    func driven() {
        let tone = sine(100, sampleRate: 48_000, frameCount: 48_000, amplitude: 2).map { max(-1, min(1, $0)) }
        var meter = LevelMeter(channelCount: 1)
        unsafe withChannels([tone]) { unsafe meter.process($0, frameCount: tone.count) }
        let levels = meter.takeLevels(channel: 0)
        // The first sample at 1 or more: half of the amplitude is reached at a twelfth of a period, frame 40.
        #expect(levels.overs == 200 && levels.firstOverFrame == 40)
    }

    @Test("a level meter counts samples that are not finite or absurdly large as silence")
    func noSound() {
        var meter = LevelMeter(channelCount: 1)
        let samples: [Float] = [.nan, .infinity, -.infinity, 3e38, 0.5, .signalingNaN, -1e20, 0.25, .nan, 0.25]
        unsafe withChannels([samples]) { unsafe meter.process($0, frameCount: samples.count) }
        let levels = meter.takeLevels(channel: 0)
        #expect(levels.peak == 0.5 && levels.overs == 0 && levels.frameCount == 10)
        #expect(abs(levels.meanSquare - 0.0375) < 1e-7)
    }

    @Test(
        "measuring and taking levels neither allocate nor free",
        .enabled(if: HeapTraffic.isCounted && Workload.isOptimised))
    func allocations() {
        var meter = LevelMeter(channelCount: 8)
        var truePeak = TruePeakMeter(channelCount: 8)
        let block = (0..<8).map { sine(440 + Double($0), sampleRate: 48_000, frameCount: 64, amplitude: 1.5) }
        unsafe withChannels(block) { pointers in
            func run() {
                for _ in 0..<50 {
                    unsafe meter.process(pointers, frameCount: 64)
                    unsafe truePeak.process(pointers, frameCount: 64)
                    for channel in 0..<8 { _ = meter.takeLevels(channel: channel) }
                }
            }
            run()
            #expect(HeapTraffic.measure(run) == .none)
        }
    }
}

@Suite("Peak hold")
struct PeakHoldTests {
    private let parameters = PeakHold.Parameters(sampleRate: 48_000, holdSeconds: 1, fallDecibelsPerSecond: 20)

    @Test("the peak hold rises at once, stays for the hold time, then falls evenly", arguments: [1, 480, 9600, 48_000])
    func course(block: Int) {
        var hold = PeakHold(parameters)
        #expect(hold.decibels == -.infinity)
        hold.feed(-6, frameCount: block)
        #expect(hold.decibels == -6)
        for _ in 0..<48_000 / block { hold.feed(-.infinity, frameCount: block) }
        #expect(abs(hold.decibels - -6) < 1e-9)
        for _ in 0..<48_000 / block { hold.feed(-40, frameCount: block) }
        // Sums of up to 48000 steps in Double.
        #expect(abs(hold.decibels - -26) < 1e-6)
        hold.feed(-20, frameCount: block)
        #expect(hold.decibels == -20)
        hold.feed(-.infinity, frameCount: 48_000)
        #expect(hold.decibels == -20)
        hold.reset()
        #expect(hold == PeakHold(parameters))
    }

    @Test("the peak hold never falls below the current peak, and zero frames change nothing")
    func floor() {
        var hold = PeakHold(parameters)
        hold.feed(-6, frameCount: 480)
        hold.feed(-12, frameCount: 480_000)
        #expect(hold.decibels == -12)
        let before = hold
        hold.feed(-30, frameCount: 0)
        #expect(hold == before)
    }
}
