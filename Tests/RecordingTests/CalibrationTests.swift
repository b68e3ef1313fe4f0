import TestSupport
import Testing
import VirtualCardSupport

@testable import AudioDevices
@testable import Recording

/// A disturbance of the sound between a card's input and the listener.
struct Disturbance: Sendable {
    var gain: Float = 1
    /// The amplitude of white noise.
    var noise: Float = 0
    /// Full scale of the input.
    var clipsAt: Float = .infinity
    /// Channels before this channel are silent.
    var firstChannel = 0
}

/// A duplex stream that disturbs the input on the way.
final class DisturbedDuplex: DuplexStream {
    private let duplex: any DuplexStream
    private let disturbance: Disturbance
    private let seed: UInt64

    init(_ duplex: any DuplexStream, _ disturbance: Disturbance, seed: UInt64) {
        (self.duplex, self.disturbance, self.seed) = (duplex, disturbance, seed)
    }

    var clock: StreamClock { duplex.clock }
    var outputConfiguration: StreamConfiguration { duplex.outputConfiguration }
    var inputConfiguration: StreamConfiguration { duplex.inputConfiguration }
    var position: StreamPosition { duplex.position }
    var inputPosition: CapturePosition { duplex.inputPosition }
    var statistics: StreamStatistics { duplex.statistics }
    func takeIncidents() -> [StreamIncident] { duplex.takeIncidents() }
    func stop() { duplex.stop() }
    func waitUntilFinished() throws(DeviceError) { try duplex.waitUntilFinished() }

    func start(_ callbacks: DuplexCallbacks) throws(DeviceError) {
        let (disturbance, seed) = (disturbance, seed)
        try duplex.start(
            DuplexCallbacks(process: { block in
                for channel in 0..<block.input.channelCount {
                    // Of the frame alone, as the sound must not depend on blocks.
                    var generator = SeededGenerator(
                        seed: seed &+ UInt64(block.input.inputFrame) &* 64 &+ UInt64(channel))
                    for frame in 0..<block.input.frameCount {
                        let noise = Float(generator.next() >> 40) * 0x1p-23 - 1
                        let sample = unsafe block.input.channels[channel][frame]
                        let disturbed = disturbance.gain * sample + disturbance.noise * noise
                        let isSilent = channel < disturbance.firstChannel
                        unsafe block.input.channels[channel][frame] =
                            isSilent ? 0 : max(-disturbance.clipsAt, min(disturbance.clipsAt, disturbed))
                    }
                }
                return callbacks.process(block)
            }))
    }
}

@Suite("Measurement of the round trip")
struct CalibrationTests {
    private func card(delay: Int64 = 0, faults: String = "") throws -> VirtualCardRig {
        var options = VirtualCardOptions()
        options.clock = .virtual
        options.loopbackDelayFrames = delay
        options.captureFaults = faults
        return try VirtualCardRig(options)
    }

    /// Measures on cards, which are the same card except for a test without a cable. Only the card's clock counts here.
    private func measure(
        _ rig: VirtualCardRig, to other: VirtualCardRig? = nil, period: Int = 256, rate: Int = 48_000, repeats: Int = 3,
        _ disturbance: Disturbance = Disturbance()
    ) throws -> RoundTrip {
        let request = try StreamRequest(
            sampleRate: rate, channelCount: 2, periodFrames: period, periodCount: 3, realtimePriority: nil)
        let input = (other ?? rig).name
        let backend = try ALSABackend(
            output: rig.name, input: input, request, inputRequest: request, now: { rig.time })
        let duplex = try DeviceDuplex(StreamCore(backend, request))
        let generator = SeededGenerator(printedFor: "CalibrationTests")
        let setup = RoundTrip.Setup(
            output: .system(rig.name), input: .system(input), sampleRate: rate, periodFrames: period)
        return try RoundTrip.measure(
            on: DisturbedDuplex(duplex, disturbance, seed: generator.seed), as: setup, repeats: repeats)
    }

    @Test(
        "a measured round trip is right to the frame on a card with a cable of known delay",
        arguments: [0, 37, 4321])
    func exact(delay: Int64) throws {
        let rig = try card(delay: delay)
        let trip = try measure(rig)
        print("round trip with \(delay) frames of cable: \(trip.frames) frames, spread \(trip.spreadFrames)")
        // A hundredth of a frame: the samples return unchanged, and are rounded once to Float.
        #expect(abs(trip.addedFrames - Double(delay)) < 0.01 && trip.spreadFrames < 0.01)
        #expect(trip.reportedFrames == 3 * 256)
        #expect(trip.repeats == 3 && trip.inputChannel == 1 && !trip.isInverted && abs(trip.gainDecibels) < 0.01)
        #expect(trip.time > 1_700_000_000 && trip.setup.output == rig.name)
        #expect(!rig.truth(.playback).isOpen && !rig.truth(.capture).isOpen)
    }

    @Test(
        "a measured round trip is right to the frame at other rates and periods",
        arguments: cases([(8000, 64), (44_100, 1024), (96_000, 64)], few: [(8000, 64)]))
    func shapes(rate: Int, period: Int) throws {
        let trip = try measure(card(delay: 99), period: period, rate: rate, repeats: 2)
        #expect(abs(trip.addedFrames - 99) < 0.01 && trip.reportedFrames == 3 * Int64(period))
    }

    @Test("a measured round trip is exact for a signal that is inverted, clipped, or in noise 40 dB down")
    func disturbed() throws {
        let inverted = try measure(card(delay: 37), Disturbance(gain: -0.5, firstChannel: 1))
        #expect(abs(inverted.addedFrames - 37) < 0.01 && inverted.isInverted && inverted.inputChannel == 2)
        #expect(abs(inverted.gainDecibels + 6.02) < 0.01)
        // The input is overdriven by a factor of four.
        let clipped = try measure(card(delay: 37), Disturbance(gain: 4, clipsAt: 0.3))
        #expect(abs(clipped.addedFrames - 37) < 0.1 && !clipped.isInverted && clipped.gainDecibels < 9)
        let quiet = try measure(card(delay: 37), Disturbance(gain: 0.01, noise: 0.002))
        print(
            "round trip 40 dB down, noise 3 dB below the peak: off by \(quiet.addedFrames - 37), spread \(quiet.spreadFrames)"
        )
        // In theory a single chirp has an error of 0.025 frames. The limits are six times the error, and eight times
        // for three chirps.
        #expect(abs(quiet.addedFrames - 37) < 0.15 && quiet.spreadFrames < 0.2 && abs(quiet.gainDecibels + 40) < 1)
    }

    @Test("a measurement without a cable, in noise, or with too soft a signal is refused with hints")
    func refused() throws {
        let silent = #expect(throws: CalibrationError.self) { try measure(card(), to: card(), repeats: 1) }
        #expect(silent?.kind == .noPeak && silent?.message.contains("nothing at all") == true)
        for word in ["cable", "unmute", "level"] { #expect(silent?.remedy.contains(word) == true) }
        for disturbance in [Disturbance(gain: 0, noise: 0.5), Disturbance(gain: 0.001, noise: 0.05)] {
            let noisy = #expect(throws: CalibrationError.self) { try measure(card(), repeats: 1, disturbance) }
            #expect(noisy?.kind == .noPeak && noisy?.message.contains("clearly") == true)
        }
    }

    @Test("a measurement reports a device that is interrupted, lost or missing")
    func device() throws {
        let interrupted = #expect(throws: CalibrationError.self) { try measure(card(faults: "xrun@30000")) }
        #expect(interrupted?.kind == .interrupted && interrupted?.deviceError == nil)
        let lost = #expect(throws: CalibrationError.self) { try measure(card(faults: "unplug@30000")) }
        #expect(lost?.kind == .device && lost?.deviceError?.lossCause == .unplugged)
        let request = try StreamRequest(sampleRate: 48_000, channelCount: 2)
        let missing = #expect(throws: CalibrationError.self) {
            try RoundTrip.measure(output: .system("no-such"), input: .system("no-such"), request)
        }
        #expect(missing?.deviceError?.kind == .unknownDevice)
        let file = #expect(throws: CalibrationError.self) {
            try RoundTrip.measure(output: .null, input: .null, request)
        }
        #expect(file?.deviceError?.kind == .invalidRequest)
    }

    @Test("a measurement is refused if its chirps come back at different times")
    func unsteady() throws {
        let plan = ChirpPlan(sampleRate: 48_000, repeats: 3)
        var recording = [Float](repeating: 0, count: plan.end(reportedFrames: 1000))
        for (turn, start) in plan.starts.enumerated() {
            for (index, sample) in plan.chirp.enumerated() { recording[start + 700 + 20 * turn + index] = sample }
        }
        let error = #expect(throws: CalibrationError.self) {
            try plan.find(in: [recording], reportedFrames: 500, input: "b")
        }
        #expect(error?.kind == .unsteady && error?.message.contains("40 frames") == true)
    }
}
