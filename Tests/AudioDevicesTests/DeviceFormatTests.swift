import CALSA
import Testing
import VirtualCardSupport

@testable import AudioDevices

@Suite("Formats of a card")
struct DeviceFormatTests {
    private func request(_ channels: Int = 2) throws -> StreamRequest {
        try StreamRequest(
            sampleRate: 48_000, channelCount: channels, periodFrames: 60, periodCount: 3, realtimePriority: nil)
    }

    @Test("every linear format of ALSA has a layout in both byte orders, with ALSA's size")
    func all() {
        let linear = (0..<SND_PCM_FORMAT_DSD_U8.rawValue).map { snd_pcm_format_t($0) }.filter {
            snd_pcm_format_linear($0) == 1 || snd_pcm_format_float($0) == 1
        }
        #expect(Set(SampleFormats.all.map(\.alsa.rawValue)) == Set(linear.map(\.rawValue)))
        for format in SampleFormats.all {
            let encoding = format.layout.encoding
            #expect(Int(snd_pcm_format_physical_width(format.alsa)) == 8 * encoding.byteCount)
            #expect(Int(snd_pcm_format_width(format.alsa)) == encoding.bitCount)
            #expect(
                encoding.byteCount == 1 || (snd_pcm_format_big_endian(format.alsa) == 1) == format.layout.isBigEndian)
            #expect((snd_pcm_format_unsigned(format.alsa) == 1) == encoding.isUnsigned)
        }
    }

    @Test(
        "every format, access and byte order keeps the representable bits from playing to recording",
        arguments: Way.all)
    func exact(way: Way) throws {
        var options = VirtualCardOptions()
        options.clock = .virtual
        let rig = try VirtualCardRig(options)
        let run = DuplexRun(frameCount: 1000, capacity: 1800)
        let backend = try ALSABackend(
            output: rig.name, input: rig.name, request(), preferences: way.preferences, now: { rig.time })
        let stream = try DeviceDuplex(StreamCore(backend, request()))
        #expect(
            way.testDescription == "\(stream.outputConfiguration.accessName) \(stream.outputConfiguration.formatName)")
        #expect(stream.inputConfiguration.formatName == stream.outputConfiguration.formatName)
        try stream.start(run.callbacks())
        try stream.waitUntilFinished()
        let first = Int(run.lastRoundTrip)
        for channel in 0..<2 {
            let expected = run.sound.channel(channel).map { referenceSample($0, way.layout) }
            #expect(Array(run.tape.channel(channel)[first..<first + 1000]) == expected)
        }
    }

    @Test("channels are played and recorded at the card's positions, whatever their order")
    func channelMap() throws {
        var options = VirtualCardOptions()
        options.clock = .virtual
        options.channelMap = ["FL", "FR", "RL", "RR", "FC", "LFE"]
        let rig = try VirtualCardRig(options)
        let tape = Tape(capacity: 600, channelCapacity: 6)
        let request = try request(6)
        let backend = try ALSABackend(output: rig.name, input: rig.name, request, now: { rig.time })
        let stream = try DeviceDuplex(StreamCore(backend, request))
        try stream.start(
            DuplexCallbacks(process: { block in
                for channel in 0..<6 {
                    unsafe block.output.channels[channel].update(
                        repeating: Float(channel + 1) / 8, count: block.output.frameCount)
                }
                return tape.take(block.input) ? block.output.frameCount : 0
            }))
        try stream.waitUntilFinished()
        // Ours are front, centre, low, rear, as in a WAVE file; the card has the rear before the centre.
        let heard = rig.heard(from: rig.truth(.playback).startFrame + 300, count: 1, channelCount: 6)
        #expect(heard.map { $0 * 8 } == [1, 2, 5, 6, 3, 4])
        #expect((0..<6).map { tape.channel($0)[400] * 8 } == [1, 2, 3, 4, 5, 6])
    }

    @Test("a device's order of channels is used only if it is complete")
    func orders() {
        func order(_ positions: [snd_pcm_chmap_position]) -> [Int]? {
            ChannelOrder.order(of: positions.map(\.rawValue))
        }
        #expect(order([SND_CHMAP_FL, SND_CHMAP_FR]) == [0, 1])
        #expect(order([SND_CHMAP_FR, SND_CHMAP_FL]) == [1, 0])
        #expect(
            order([
                SND_CHMAP_FL, SND_CHMAP_FR, SND_CHMAP_RL, SND_CHMAP_RR, SND_CHMAP_FC, SND_CHMAP_LFE, SND_CHMAP_SL,
                SND_CHMAP_SR,
            ]) == [0, 1, 4, 5, 2, 3, 6, 7])
        #expect(order([SND_CHMAP_FL, SND_CHMAP_FL]) == nil)
        #expect(order([SND_CHMAP_FL, SND_CHMAP_UNKNOWN]) == nil)
        #expect(order([SND_CHMAP_MONO]) == nil)
    }
}
