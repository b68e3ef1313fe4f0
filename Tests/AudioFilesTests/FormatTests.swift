import Foundation
import TestSupport
import Testing

@testable import AudioFiles

/// A format, how to make a file of it from a WAV file, and what it should be called.
struct Format: Sendable, CustomTestStringConvertible {
    let name: String
    let container: String
    let codec: String
    /// The program's arguments; IN and OUT stand for the files.
    let make: String
    var sampleRate = 44_100
    var channelCount = 2

    var testDescription: String { name }

    func file(in scratch: Scratch, frameCount: Int) throws -> String {
        let channels = music(frameCount: frameCount, channelCount: channelCount, sampleRate: sampleRate)
        try writeWave(scratch.file("in.wav"), channels, sampleRate: sampleRate)
        // A name that says nothing, and that a careless caller would take for an option or a protocol.
        let output = scratch.file("-a b")
        let words = make.split(separator: " ").map { word in
            word == "IN" ? scratch.file("in.wav") : word == "OUT" ? output : String(word)
        }
        try run(arguments: words)
        return output
    }

    static let all: [Format] = [
        Format(name: "WAV 16", container: "wav", codec: "pcm_s16", make: "cp IN OUT"),
        Format(name: "WAV 24", container: "wav", codec: "pcm_s24", make: "sox -D IN -t wav -b 24 OUT"),
        Format(name: "WAV float", container: "wav", codec: "pcm_f32", make: "sox -D IN -t wav -e float -b 32 OUT"),
        Format(
            name: "RF64", container: "rf64", codec: "pcm_s16", make: "ffmpeg -v error -i IN -rf64 always -f wav OUT"),
        Format(name: "W64", container: "w64", codec: "pcm_s16", make: "sox -D IN -t w64 OUT"),
        Format(name: "AIFF", container: "aiff", codec: "pcm_s16", make: "sox -D IN -t aiff OUT"),
        Format(name: "AU", container: "au", codec: "pcm_s16", make: "sox -D IN -t au OUT"),
        Format(
            name: "CAF", container: "caf", codec: "pcm_s16", make: "ffmpeg -v error -i IN -c:a pcm_s16le -f caf OUT"),
        Format(name: "CAF ALAC", container: "caf", codec: "alac", make: "ffmpeg -v error -i IN -c:a alac -f caf OUT"),
        Format(name: "WAV ADPCM", container: "wav", codec: "adpcm_ima", make: "sox -D IN -t wav -e ima-adpcm OUT"),
        Format(name: "FLAC", container: "flac", codec: "flac", make: "flac -s -o OUT IN"),
        Format(
            name: "FLAC without seek table", container: "flac", codec: "flac", make: "flac -s --no-seektable -o OUT IN"),
        Format(name: "Ogg Vorbis", container: "ogg", codec: "vorbis", make: "oggenc -Q -q 5 -o OUT IN"),
        Format(
            name: "Ogg Opus", container: "ogg", codec: "opus", make: "opusenc --quiet --bitrate 96 IN OUT",
            sampleRate: 48_000),
        Format(
            name: "Ogg Opus, speech", container: "ogg", codec: "opus",
            make: "opusenc --quiet --speech --bitrate 20 IN OUT",
            sampleRate: 48_000, channelCount: 1),
        Format(name: "MP3 CBR", container: "mp3", codec: "mp3", make: "lame --quiet -b 128 IN OUT"),
        Format(name: "MP3 VBR", container: "mp3", codec: "mp3", make: "lame --quiet -V 5 IN OUT"),
        Format(name: "MP3 without Xing header", container: "mp3", codec: "mp3", make: "lame --quiet -t -V 6 IN OUT"),
        Format(
            name: "MP3 at 48 kbit/s", container: "mp3", codec: "mp3", make: "lame --quiet --resample 44.1 -b 48 IN OUT"),
        Format(
            name: "MP3 mono", container: "mp3", codec: "mp3", make: "lame --quiet -m m -b 32 IN OUT",
            sampleRate: 22_050, channelCount: 1),
        Format(name: "M4A", container: "mp4", codec: "aac", make: "ffmpeg -v error -i IN -c:a aac -f mp4 OUT"),
        Format(name: "ADTS", container: "adts", codec: "aac", make: "ffmpeg -v error -i IN -c:a aac -f adts OUT"),
        Format(name: "Ogg FLAC", container: "ogg", codec: "flac", make: "flac -s --ogg -o OUT IN"),
        Format(
            name: "Matroska", container: "matroska", codec: "vorbis",
            make: "ffmpeg -v error -i IN -c:a libvorbis -f matroska OUT"),
    ]
}

@Suite struct FormatTests {
    @Test("every frame is the same however it is reached", arguments: Format.all)
    func jumpsAreExact(format: Format) throws {
        let scratch = try Scratch()
        let path = try format.file(in: scratch, frameCount: format.sampleRate * 6)
        let straight = try openDecoder(path: path)
        #expect(straight.info.container == format.container && straight.info.codec == format.codec)
        #expect(straight.info.channelCount == format.channelCount)
        let whole = try decode(straight, 0..<straight.info.frameCount)
        let jumping = try openDecoder(path: path)
        #expect(jumping.info == straight.info)
        var generator = SeededGenerator(printedFor: format.name)
        var wrong = 0
        var position: Int64 = 0
        let last = straight.info.frameCount - 3000
        // Without its pre-roll about one far jump in thirty goes wrong in Opus; 60 jumps might miss that.
        for jump in 0..<cases(format.codec == "opus" ? 400 : 60, few: 30) {
            // Far jumps and near ones: libsndfile's faults are in the near ones.
            position =
                jump % 3 == 0
                ? Int64.random(in: 0..<last, using: &generator)
                : min(max(0, position + Int64.random(in: -9000...30_000, using: &generator)), last - 1)
            let count = Int64.random(in: 1...3000, using: &generator)
            let piece = try decode(jumping, position..<position + count)
            let expected = whole.map { Array($0[Int(position)..<Int(position + count)]) }
            if piece.map({ $0.map(\.bitPattern) }) != expected.map({ $0.map(\.bitPattern) }) { wrong += 1 }
        }
        #expect(wrong == 0, "\(generator)")
    }

    @Test("every frame near the end is the same however it is reached", arguments: Format.all)
    func jumpsToTheEnd(format: Format) throws {
        // Vorbis blocks of 100 000 frames and of the others end beyond the sound.
        for frameCount in [100_000, 123_457, 333_333].prefix(cases(3, few: 1)) {
            let scratch = try Scratch()
            let path = try format.file(in: scratch, frameCount: frameCount)
            let straight = try openDecoder(path: path)
            let end = straight.info.frameCount
            let whole = try decode(straight, 0..<end)
            let jumping = try openDecoder(path: path)
            var generator = SeededGenerator(printedFor: "\(format.name) \(frameCount)")
            var wrong: [Int64] = []
            for _ in 0..<20 {
                let start = Int64.random(in: max(0, end - 40_000)..<end, using: &generator)
                _ = try decode(jumping, 0..<1)
                let piece = try decode(jumping, start..<end)
                if piece.map({ $0.map(\.bitPattern) }) != whole.map({ $0[Int(start)...].map(\.bitPattern) }) {
                    wrong.append(start)
                }
            }
            #expect(wrong.isEmpty, "\(generator)")
        }
    }

    @Test(
        "a lossless format gives the samples that went in",
        arguments: ["WAV 16", "AIFF", "FLAC", "Ogg FLAC", "CAF ALAC", "W64", "RF64", "AU"])
    func lossless(name: String) throws {
        let format = try #require(Format.all.first { $0.name == name })
        let scratch = try Scratch()
        let path = try format.file(in: scratch, frameCount: 50_001)
        let (source, copy) = (try openDecoder(path: scratch.file("in.wav")), try openDecoder(path: path))
        #expect(copy.info.frameCount == 50_001)
        #expect(try decode(copy, 0..<50_001) == decode(source, 0..<50_001))
    }

    @Test("an MP3 file without a length in its header has all its frames")
    func mp3Length() throws {
        let format = try #require(Format.all.first { $0.name == "MP3 without Xing header" })
        let scratch = try Scratch()
        let path = try format.file(in: scratch, frameCount: 44_100 * 8)
        let decoder = try openDecoder(path: path)
        // The encoder adds its delay and fills the last MPEG frame: at most three of 1152 frames.
        #expect((44_100 * 8...44_100 * 8 + 3 * 1152).contains(Int(decoder.info.frameCount)))
    }
}

func decode(_ decoder: any AudioDecoder, _ frames: Range<Int64>) throws -> [[Float]] {
    let (channels, count) = (decoder.info.channelCount, frames.count)
    let planar = UnsafeMutablePointer<Float>.allocate(capacity: max(1, channels * count))
    defer { unsafe planar.deallocate() }
    try unsafe decoder.read(frames, into: planar, stride: count)
    return (0..<channels).map { channel in
        unsafe Array(UnsafeBufferPointer(start: planar + channel * count, count: count))
    }
}
