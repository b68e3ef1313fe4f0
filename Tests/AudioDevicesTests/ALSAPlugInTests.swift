import CALSA
import Glibc
import Testing

@testable import AudioDevices

/// One way of playing: access and format, by their ALSA numbers so that tests can list them.
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
        "what ALSA's file plug-in writes is what was rendered, bit for bit, in every access and format",
        arguments: Way.all)
    func fileIsExact(way: Way) throws {
        let path = "\(ALSARig.directory)/\(way.testDescription.split(separator: " ").joined(separator: "-")).raw"
        let sound = TestSound(frameCount: 1000, channelCount: 2)
        let request = try StreamRequest(sampleRate: 48_000, channelCount: 2, periodFrames: 64, periodCount: 3)
        let backend = try ALSABackend(name: "capture:\(path)", request, preferences: way.preferences)
        let stream = try DeviceStream(backend, request)
        try stream.start(sound.callbacks())
        try stream.waitUntilFinished()
        var expected: [UInt8] = []
        for frame in 0..<sound.frameCount {
            for channel in 0..<2 {
                expected += referenceBytes(TestSound.sample(frame: frame, channel: channel), way.layout)
            }
        }
        #expect(ALSARig.read(path) == expected)
        #expect(stream.statistics.framesRendered == 1000)
        #expect(way.testDescription == "\(stream.configuration.accessName) \(stream.configuration.formatName)")
        unsafe unlink(path)
    }
}
