// Playing on chosen channels of an interface.
import Glibc
import Testing
import VirtualCardSupport

@testable import AudioDevices

@Suite("Chosen channels of the output")
struct OutputChannelTests {
    private func request(_ clock: StreamClock = .virtual) throws -> StreamRequest {
        try StreamRequest(
            sampleRate: 48_000, channelCount: 2, periodFrames: 60, periodCount: 3, clock: clock, realtimePriority: nil)
    }

    @Test("sound goes to the chosen channels of a file in their order, and the other channels are silent")
    func file() throws {
        let sound = TestSound(frameCount: 500, channelCount: 2)
        let path = temporaryPath()
        defer { unsafe unlink(path) }
        let stream = try openOutput(.file(path: path), request().playing(on: [3, 1]))
        #expect(stream.configuration.channelCount == 2)
        try stream.start(sound.callbacks())
        try stream.waitUntilFinished()
        let (left, right) = (sound.channel(0), sound.channel(1))
        let expected = (0..<500).flatMap { [Float](arrayLiteral: 0, right[$0], 0, left[$0]) }
        #expect(floatSamples(ofWave: path) == expected)
    }

    @Test("an interface plays on the chosen channels, and its input keeps its channels and its place")
    func card() throws {
        var options = VirtualCardOptions()
        options.clock = .virtual
        options.channels = 8...8
        let rig = try VirtualCardRig(options)
        let tape = Tape(capacity: 600, channelCapacity: 8)
        let request = try request(.real).playing(on: [2, 5])
        let backend = try ALSABackend(output: rig.name, input: rig.name, request, now: { rig.time })
        let stream = try DeviceDuplex(StreamCore(backend, request))
        #expect(stream.outputConfiguration.channelCount == 2 && stream.inputConfiguration.channelCount == 8)
        try stream.start(
            DuplexCallbacks(process: { block in
                for channel in 0..<block.output.channelCount {
                    unsafe block.output.channels[channel].update(
                        repeating: Float(channel + 1) / 8, count: block.output.frameCount)
                }
                return tape.take(block.input) ? block.output.frameCount : 0
            }))
        try stream.waitUntilFinished()
        let heard = rig.heard(from: rig.truth(.playback).startFrame + 300, count: 1, channelCount: 8)
        #expect(heard.map { $0 * 8 } == [0, 0, 1, 0, 0, 2, 0, 0])
        #expect((0..<8).map { tape.channel($0)[400] * 8 } == [0, 0, 1, 0, 0, 2, 0, 0])
    }

    @Test("a device with fewer channels is refused, and closed")
    func tooFew() throws {
        var options = VirtualCardOptions()
        options.channels = 1...2
        let rig = try VirtualCardRig(options)
        for _ in 0..<2 {
            let error = #expect(throws: DeviceError.self) {
                try openOutput(
                    .system(rig.name), StreamRequest(sampleRate: 48_000, channelCount: 2).playing(on: [2, 3]))
            }
            #expect(error?.kind == .formatRefused && error?.message.contains("no channel 3") == true)
        }
    }

    @Test("output channels are named once, from 1 to 64, and are the first device's alone")
    func requests() throws {
        for wrong in [[], [1, 1], [-1], [0, 64], [Int.max]] {
            let error = #expect(throws: DeviceError.self) { try request().playing(on: wrong) }
            #expect(error?.kind == .invalidRequest)
        }
        let chosen = try request().playing(on: [0, 4])
        #expect(chosen.channelCount == 5 && chosen.outputChannels == [0, 4])
        #expect(try chosen.forOtherDevice() == request())
        #expect(try chosen.with(channelCount: 1).outputChannels == nil)
    }
}
