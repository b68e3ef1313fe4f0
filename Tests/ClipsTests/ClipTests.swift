import AudioFiles
import Foundation
import SoundFileSupport
import TestSupport
import Testing

@testable import Clips

@Suite struct ClipTests {
    @Test("a float WAV file comes back bit for bit, whole and in any range")
    func waveRoundTrip() throws {
        let scratch = try Scratch()
        let channels = music(frameCount: 100_003)
        try writeWave(scratch.file("a.wav"), channels, format: .float32)
        let clip = try Clip(path: scratch.file("a.wav"))
        #expect(clip.info.container == "wav" && clip.info.codec == "pcm_f32")
        #expect(clip.frameCount == 100_003 && clip.sampleRate == 44_100 && clip.channelCount == 2)
        #expect(try readAll(clip) == channels)
        #expect(try read(clip, 16_380..<16_390) == channels.map { Array($0[16_380..<16_390]) })
    }

    @Test("frames before and after a clip are silence, and not missing")
    func outside() throws {
        let clip = try Clip.inMemory([[1, 2, 3]], sampleRate: 8000)
        #expect(try read(clip, -3..<6) == [[0, 0, 0, 1, 2, 3, 0, 0, 0]])
        #expect(try read(clip, 100..<102) == [[0, 0]])
    }

    @Test("a FLAC file with the extension of another format is known by its content")
    func flacByContent() throws {
        let scratch = try Scratch()
        try writeWave(scratch.file("a.wav"), music(frameCount: 60_000))
        try run("flac", "-s", "-o", scratch.file("b.mp3"), scratch.file("a.wav"))
        let (wave, flac) = (try Clip(path: scratch.file("a.wav")), try Clip(path: scratch.file("b.mp3")))
        #expect(flac.info.container == "flac" && flac.info.codec == "flac")
        #expect(try readAll(flac) == readAll(wave))
    }

    @Test("a clip of samples in memory keeps only its pages, apart from the caller's samples")
    func inMemoryOnce() throws {
        func addresses(_ channels: [[Float]]) -> [UInt] {
            channels.map { channel in
                unsafe channel.withUnsafeBufferPointer { UInt(bitPattern: $0.baseAddress) }
            }
        }
        var channels = music(frameCount: 100_003)
        let clip = try Clip.inMemory(channels, sampleRate: 44_100)
        let before = addresses(channels)
        // With another owner of the samples, this would copy them.
        for channel in channels.indices { channels[channel][0] = 9 }
        #expect(addresses(channels) == before)
        #expect(try readAll(clip) == music(frameCount: 100_003))
    }

    @Test("every page of samples in memory is there when the clip is made")
    func inMemoryAtOnce() throws {
        let count = 150 * 16_384 + 5
        let samples = (0..<count).map { Float($0 & 0xFFFF) / 65_536 }
        let clip = try Clip.inMemory([samples], sampleRate: 44_100)
        let reader = clip.makeReader()
        #expect(reader.isLoaded(from: 0, count: count))
        clip.release(reader)
        let end = Int64(count)
        #expect(try read(clip, end - 9..<end) == [Array(samples.suffix(9))])
    }

    @Test("NaN and infinity never get into a clip")
    func notFinite() throws {
        #expect(try readAll(Clip.inMemory([[.nan, 1, -.infinity]], sampleRate: 8000)) == [[0, 1, 0]])
    }

    @Test("a clip of an impossible shape is refused")
    func shapes() {
        for channels in [[], [[]], [[1], [1, 2]], [[Float]](repeating: [1], count: 65)] as [[[Float]]] {
            #expect(throws: AudioFileError.self) { try Clip.inMemory(channels, sampleRate: 44_100) }
        }
        #expect(throws: AudioFileError.self) { try Clip.inMemory([[1]], sampleRate: 0) }
    }
}
