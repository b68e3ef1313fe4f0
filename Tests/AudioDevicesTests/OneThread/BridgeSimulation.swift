import Glibc
import Samples
import TestSupport

@testable import AudioDevices

/// An input and an output of different clocks with a bridge in between, without threads or cards: their blocks in the
/// order of time, each with a random delay, the input a sine.
@safe
final class BridgeSimulation {
    struct Options {
        var rate = 48_000
        var inputRate = 48_000
        var period = 256
        var inputPeriod = 256
        /// By how much the input's clock is too fast, and by how much both are beside the machine's.
        var ppm = 500.0
        var commonPPM = 30.0
        /// By how much threads are late and stamps are off, at most, in nanoseconds.
        var lateness = 0.0
        var stampError = 0.0
        /// Devices that count in steps of several frames.
        var granularity = 1.0
        var hertz = 997.0
    }

    let options: Options
    let bridge: ClockBridge
    let plan: BridgePlan
    private var generator: SeededGenerator
    private let input: PlanarBuffer
    private let outputFrequency: Double
    private let inputFrequency: Double
    private(set) var outputFrame: Int64
    private(set) var inputFrame: Int64 = 0
    private var inputDue = 0.0
    private var outputDue = 0.0
    /// Frames of the output's time without the output's sound.
    private var silentFrames: Int64 = 0
    private(set) var told: [(from: Int64, frames: Int64)] = []
    private(set) var kept: [Float] = []
    private(set) var roundTrips: [Int64] = []
    /// The number of the first kept frame.
    private var keptFrom: Int64 = 0
    var keeps = false
    private let buffer: Int

    init(_ options: Options, generator: SeededGenerator) throws {
        self.options = options
        self.generator = generator
        buffer = 3 * options.period
        func configuration(_ rate: Int, _ period: Int) -> StreamConfiguration {
            StreamConfiguration(
                sampleRate: rate, channelCount: 1, periodFrames: period, bufferFrames: 3 * period, formatName: "",
                accessName: "", deviceName: "")
        }
        plan = BridgePlan(
            output: configuration(options.rate, options.period),
            input: configuration(options.inputRate, options.inputPeriod))
        guard let bridge = ClockBridge(plan) else { throw ClockTestError.noMemory }
        self.bridge = bridge
        input = PlanarBuffer(channelCount: 1, frameCount: options.inputPeriod)
        outputFrequency = Double(options.rate) * (1 + options.commonPPM * 1e-6) / 1e9
        inputFrequency = Double(options.inputRate) * (1 + (options.ppm + options.commonPPM) * 1e-6) / 1e9
        // The output's buffer is full before the start, at time 0; the input has been running since then, too.
        outputFrame = 0
        for _ in 0..<3 { deliver() }
        schedule()
    }

    /// When the next blocks are due; by the frames, since sums of times would lose the exact moment.
    private func schedule() {
        inputDue = Double(inputFrame + Int64(options.inputPeriod)) / inputFrequency + late()
        outputDue = Double(outputFrame + silentFrames - Int64(2 * options.period)) / outputFrequency + late()
    }

    private func late() -> Double {
        options.lateness > 0 ? Double.random(in: 0...options.lateness, using: &generator) : 0
    }

    /// Goes on for so long.
    func run(seconds: Double) {
        let end = outputFrame + Int64(seconds * Double(options.rate))
        while outputFrame < end {
            if inputDue <= outputDue { record() } else { play() }
        }
    }

    /// The output is silent for some frames, then filled and started again.
    func interruptOutput(frames: Int64) {
        bridge.reader.noteOutputRestart(silentFrames: frames)
        silentFrames += frames
        schedule()
    }

    /// The input stops for some blocks; its frame numbers leave them out.
    func interruptInput(blocks: Int) {
        let frames = Int64(blocks * options.inputPeriod)
        bridge.writer.noteRestart()
        inputFrame += frames
        schedule()
    }

    private func stamp(_ time: Double, _ frequency: Double, offset: Int64) -> DeviceMoment {
        // A period ends exactly at its wake-up, whatever the rounding.
        let position = (time * frequency / options.granularity + 1e-6).rounded(.down) * options.granularity
        let error = options.stampError > 0 ? Double.random(in: 0...options.stampError, using: &generator) : 0
        return DeviceMoment(frame: Int64(position) - offset, time: Int64(time + error))
    }

    private func record() {
        bridge.writer.observe(stamp(inputDue, inputFrequency, offset: 0))
        let turn = 2 * Double.pi * options.hertz / (inputFrequency * 1e9)
        for frame in 0..<options.inputPeriod {
            unsafe input.channels[0][frame] = Float(0.9 * sin(turn * Double(inputFrame + Int64(frame))))
        }
        unsafe bridge.writer.take(
            CaptureBlock(
                channels: input.channels, channelCount: 1, frameCount: options.inputPeriod, inputFrame: inputFrame))
        inputFrame += Int64(options.inputPeriod)
        inputDue = Double(inputFrame + Int64(options.inputPeriod)) / inputFrequency + late()
    }

    private func play() {
        bridge.reader.observe(stamp(outputDue, outputFrequency, offset: silentFrames))
        deliver()
        outputDue = Double(outputFrame + silentFrames - Int64(2 * options.period)) / outputFrequency + late()
    }

    private func deliver() {
        let delivery = bridge.reader.read(options.period, outputFrame: outputFrame)
        if delivery.lostFrames > 0 { told.append((delivery.lostFrom, delivery.lostFrames)) }
        if roundTrips.last != delivery.roundTripFrames { roundTrips.append(delivery.roundTripFrames) }
        if keeps {
            if kept.isEmpty { keptFrom = delivery.block.inputFrame }
            for frame in 0..<options.period { kept.append(unsafe delivery.block.channels[0][frame]) }
        }
        outputFrame += Int64(options.period)
    }

    /// The quality of the next `seconds`: purity, and the sine's distance in frames from the reported place.
    func listen(seconds: Double) -> (tone: TonePurity, place: Double) {
        (kept, keeps) = ([], true)
        run(seconds: seconds)
        keeps = false
        let outputHertz = outputFrequency * 1e9
        let cycles = options.hertz / outputHertz
        // Recorded as the output's frame n left: n + the round trip, which has grown by every silence since the
        // beginning.
        var (real, imaginary) = (0.0, 0.0)
        for (index, sample) in kept.enumerated() {
            let time = Double(keptFrom + Int64(index) - plan.roundTripFrames)
            real += Double(sample) * sin(2 * .pi * cycles * time)
            imaginary += Double(sample) * cos(2 * .pi * cycles * time)
        }
        return (TonePurity(kept, cycles: cycles), atan2(imaginary, real) / (2 * .pi * cycles))
    }
}

enum ClockTestError: Error {
    case noMemory
}
