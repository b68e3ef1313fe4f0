import Glibc
import TestSupport
import Testing

@testable import AudioDevices

@Suite("Two clocks in simulation")
struct ClockBridgeTests {
    @Test(
        "the ratio of two clocks is known to 1 ppm in half a minute, a sine is pure, no frame is lost",
        arguments: [500.0, -500])
    func settles(ppm: Double) throws {
        var options = BridgeSimulation.Options()
        // A rate at which half a minute is soon reckoned; the loop goes by seconds.
        (options.rate, options.inputRate) = (8000, 8000)
        options.ppm = ppm
        let simulation = try BridgeSimulation(options, generator: SeededGenerator(seed: 1))
        simulation.run(seconds: 30)
        try check(simulation, "exact")
    }

    @Test(
        "two clocks of devices with different nominal rates are brought together, too",
        arguments: [(12_000, 8000), (8000, 12_000)])
    func unequalRates(rate: Int, inputRate: Int) throws {
        var options = BridgeSimulation.Options()
        (options.rate, options.inputRate) = (rate, inputRate)
        (options.period, options.inputPeriod) = (240, 320)
        let simulation = try BridgeSimulation(options, generator: SeededGenerator(seed: 1))
        simulation.run(seconds: 30)
        try check(simulation, "\(inputRate) to \(rate) Hz")
    }

    private static let hours = environmentCount("WOODSHED_DRIFT_HOURS", short: 0)

    @Test(
        "late threads and positions in steps cause no loss between two clocks",
        arguments: hours == 0 ? [4.0] : [4.0, 32.0])
    func hardship(steps: Double) throws {
        let hours = Self.hours
        var options = BridgeSimulation.Options()
        options.lateness = 2e6
        options.stampError = 20e3
        options.granularity = steps
        // Shorter, at a rate that is estimated sooner, and with steps about as long.
        if hours == 0 { (options.rate, options.inputRate, options.granularity) = (8000, 8000, 1) }
        let simulation = try BridgeSimulation(options, generator: SeededGenerator(printedFor: "hardship"))
        simulation.run(seconds: hours == 0 ? 90 : Double(hours) * 3600)
        let name = "late by up to 2 ms, a position in steps of \(Int(options.granularity))"
        // After a minute and a half the loop is not yet at its quietest; long steps leave a little more.
        try check(simulation, name, noise: hours == 0 ? -90 : steps < 32 ? -110 : -105)
    }

    private func check(_ simulation: BridgeSimulation, _ name: String, noise: Double = -110) throws {
        let (tone, place) = simulation.listen(seconds: 1)
        let (ppm, found) = (simulation.options.ppm, simulation.bridge.reader.ppm)
        print(
            "two clocks, \(name): \(ppm) ppm found as \(found), frequency off by \(tone.ppm) ppm,",
            "THD+N \(tone.noise) dB, place off by \(place) frames, \(simulation.told.count) losses")
        #expect(abs(found - ppm) < 1 && abs(tone.ppm) < 1 && tone.noise < noise)
        // Within a frame, because the report is in whole frames.
        #expect(abs(place) < 1)
        #expect(simulation.told.isEmpty && simulation.roundTrips == [simulation.plan.roundTripFrames])
    }

    @Test("frame numbers stay right when an output falls silent, and lost input is reported")
    func outputInterrupted() throws {
        var options = BridgeSimulation.Options()
        (options.rate, options.inputRate, options.ppm) = (8000, 8000, 100)
        let simulation = try BridgeSimulation(options, generator: SeededGenerator(seed: 1))
        simulation.run(seconds: 60)
        simulation.interruptOutput(frames: 3000)
        simulation.run(seconds: 10)
        let (_, place) = simulation.listen(seconds: 1)
        #expect(abs(simulation.told.map(\.frames).reduce(0, +) - 3000) <= 2 && abs(place) < 3)
        #expect(abs((simulation.roundTrips.last ?? 0) - simulation.plan.roundTripFrames - 3000) <= 2)
    }

    @Test("a position from before a restart of the output does not count; the first one afterwards counts at once")
    func positionsAroundRestart() throws {
        let configuration = StreamConfiguration(
            sampleRate: 8000, channelCount: 1, periodFrames: 256, bufferFrames: 768, formatName: "", accessName: "",
            deviceName: "")
        let plan = BridgePlan(output: configuration, input: configuration)
        let bridge = try #require(ClockBridge(plan))
        var outputFrame: Int64 = 0
        func read() -> (roundTrip: Int64, offset: Int64) {
            let delivery = bridge.reader.read(256, outputFrame: outputFrame)
            outputFrame += 256
            return (delivery.roundTripFrames, bridge.reader.numberOffset)
        }
        bridge.writer.observe(DeviceMoment(frame: 10_000, time: 0))
        bridge.reader.observe(DeviceMoment(frame: -512, time: 0))
        let first = read()
        #expect(first.roundTrip == plan.roundTripFrames)
        // The input stands still for a second, so this position of the output waits.
        bridge.reader.observe(DeviceMoment(frame: 7488, time: 1_000_000_000))
        let before = read()
        bridge.reader.noteOutputRestart(silentFrames: 3000)
        bridge.writer.observe(DeviceMoment(frame: 18_000, time: 1_000_000_000))
        let after = read()
        // To two frames, because a block needs a whole number of source frames.
        #expect(after.roundTrip == plan.roundTripFrames + 3000 && abs(after.offset - before.offset) <= 2)
        // The silence was 5 ms longer than reported: without a restart, too little for a jump.
        bridge.writer.observe(DeviceMoment(frame: 26_000, time: 2_000_000_000))
        bridge.reader.observe(DeviceMoment(frame: 12_448, time: 2_000_000_000))
        let placed = read()
        #expect(abs(placed.roundTrip - plan.roundTripFrames - 3040) <= 1)
    }

    @Test("an input that stops is replaced by silence of the same length, and reported when it continues")
    func inputInterrupted() throws {
        var options = BridgeSimulation.Options()
        (options.rate, options.inputRate, options.ppm) = (8000, 8000, 100)
        let simulation = try BridgeSimulation(options, generator: SeededGenerator(seed: 1))
        simulation.run(seconds: 60)
        let before = simulation.outputFrame
        simulation.interruptInput(blocks: 12)
        simulation.run(seconds: 10)
        let (_, place) = simulation.listen(seconds: 1)
        // To two frames: the edges of the part not recorded fall between two frames.
        #expect(simulation.told.count == 1 && abs((simulation.told.first?.frames ?? 0) - 12 * 256) <= 2)
        #expect(abs((simulation.told.first?.from ?? 0) - before) < 2048 && abs(place) < 3)
        #expect(abs((simulation.roundTrips.last ?? 0) - simulation.plan.roundTripFrames) <= 2)
    }

    @Test("the correction of the clock ratio stays within ± 1000 ppm, and then follows the error")
    func clamped() {
        var loop = ClockLoop(sampleRate: 48_000)
        for _ in 0..<20_000 {
            loop.correct(error: 400, seconds: 0.005)
            #expect(abs(loop.correction) <= 1e-3)
        }
        #expect(loop.correction == 1e-3)
        var steps = 0
        while loop.correction > 0, steps < 4000 {
            loop.correct(error: -400, seconds: 0.005)
            steps += 1
        }
        // Two seconds are the smoothing's own; a wound-up integral would take as long as its winding up, 100 s.
        #expect(steps < 1000)
    }
}
