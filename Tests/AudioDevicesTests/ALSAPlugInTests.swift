import CALSA
import Glibc
import Testing

@testable import AudioDevices

/// An access and a format for playback, by their ALSA numbers so that tests can list them.
struct Way: Sendable, CustomTestStringConvertible {
    let access: snd_pcm_access_t
    let format: snd_pcm_format_t
    let layout: SampleLayout

    static let all: [Way] = {
        let preferences = ALSAPreferences()
        return preferences.accesses.filter { $0 != SND_PCM_ACCESS_MMAP_COMPLEX }.flatMap { access in
            preferences.formats.map { Way(access: access, format: $0.alsa, layout: $0.layout) }
        }
    }()

    var preferences: ALSAPreferences {
        ALSAPreferences(accesses: [access], formats: [(format, layout)])
    }

    var testDescription: String {
        unsafe "\(String(cString: snd_pcm_access_name(access))) \(String(cString: snd_pcm_format_name(format)))"
    }
}

@Suite("alsa-lib's own plug-ins")
struct ALSAPlugInTests {
    @Test(
        "ALSA's file plug-in writes the rendered samples, bit for bit, in every access and format",
        arguments: Way.all)
    func fileIsExact(way: Way) throws {
        let path = "\(ALSARig.directory)/\(way.testDescription.split(separator: " ").joined(separator: "-")).raw"
        let sound = TestSound(frameCount: 1000, channelCount: 2)
        let request = try StreamRequest(sampleRate: 48_000, channelCount: 2, periodFrames: 64, periodCount: 3)
        let backend = try ALSABackend(output: "capture:\(path)", request, preferences: way.preferences)
        let stream = try DeviceOutput(StreamCore(backend, request))
        try stream.start(sound.callbacks())
        try stream.waitUntilFinished()
        var expected: [UInt8] = []
        for sample in interleaved(sound) { expected += referenceBytes(sample, way.layout) }
        #expect(ALSARig.read(path) == expected)
        #expect(stream.statistics.framesRendered == 1000)
        #expect(way.testDescription == "\(stream.configuration.accessName) \(stream.configuration.formatName)")
        unsafe unlink(path)
    }

    @Test("a block at the end of the device's ring is copied in pieces, without lost or repeated frames")
    func ringEnd() throws {
        let path = "\(ALSARig.directory)/ring-end.raw"
        defer { unsafe unlink(path) }
        // Set up by hand, since negotiation makes the ring a whole number of blocks if possible.
        var handle: OpaquePointer?
        try #require(unsafe snd_pcm_open(&handle, "capture:\(path)", SND_PCM_STREAM_PLAYBACK, SND_PCM_NONBLOCK) == 0)
        let pcm = try unsafe #require(handle)
        defer { unsafe snd_pcm_close(pcm) }
        var parameters: OpaquePointer?
        unsafe snd_pcm_hw_params_malloc(&parameters)
        defer { unsafe snd_pcm_hw_params_free(parameters) }
        unsafe snd_pcm_hw_params_any(pcm, parameters)
        unsafe snd_pcm_hw_params_set_access(pcm, parameters, SND_PCM_ACCESS_MMAP_INTERLEAVED)
        unsafe snd_pcm_hw_params_set_format(pcm, parameters, SND_PCM_FORMAT_FLOAT_LE)
        unsafe snd_pcm_hw_params_set_channels(pcm, parameters, 2)
        unsafe snd_pcm_hw_params_set_rate(pcm, parameters, 48_000, 0)
        try #require(unsafe snd_pcm_hw_params_set_buffer_size(pcm, parameters, 100) == 0)
        try #require(unsafe snd_pcm_hw_params(pcm, parameters) == 0)
        let settings = HardwareSettings(
            sampleRate: 48_000, channelCount: 2, devicePeriodFrames: 64, bufferFrames: 100,
            access: SND_PCM_ACCESS_MMAP_INTERLEAVED, format: SND_PCM_FORMAT_FLOAT_LE,
            layout: SampleLayout(encoding: .float32, isBigEndian: false), channelOrder: [0, 1])
        let sound = TestSound(frameCount: 1000, channelCount: 2)
        let worker = BlockWorker(
            StreamWork(sound.callbacks()), outputCount: 2, inputCount: 0, blockFrames: 64, clock: .real,
            ledger: StreamLedger())
        let side = try unsafe #require(ALSASide(pcm, .output, settings: settings))
        let loop = ALSALoop(
            playback: side, capture: nil, prefillFrames: 0, worker: worker, wake: try WakeSignal())
        try loop.run()
        let expected = interleaved(sound).flatMap { referenceBytes($0, settings.layout) }
        #expect(ALSARig.read(path) == expected)
    }
}
