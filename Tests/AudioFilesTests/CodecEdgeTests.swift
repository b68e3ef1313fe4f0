import Foundation
import SoundFileSupport
import TestSupport
import Testing

@testable import AudioFiles

/// Encoders put frames in front of the sound and behind the sound. Players that keep the extra frames make a gap
/// between consecutive files.
@Suite("Encoder delay and padding")
struct CodecEdgeTests {
    /// A format with the beginning and the end of the sound stated in each file.
    struct Encoder: Sendable, CustomTestStringConvertible {
        let format: Format
        /// Frames of the file for a frame of the source.
        var ratio = 1.0

        var testDescription: String { format.name }

        init(_ name: String, _ make: String, rate: Int = 44_100, channels: Int = 2, ratio: Double = 1) {
            format = Format(
                name: name, container: "", codec: "", make: make, sampleRate: rate, channelCount: channels)
            self.ratio = ratio
        }
    }

    static let encoders: [Encoder] = [
        Encoder("WAV", "cp IN OUT"),
        Encoder("FLAC", "flac -s -o OUT IN"),
        Encoder("Ogg FLAC", "flac -s --ogg -o OUT IN"),
        Encoder("MP3 of lame, constant rate", "lame --quiet -b 128 IN OUT"),
        Encoder("MP3 of lame, variable rate", "lame --quiet -V 2 IN OUT"),
        Encoder("MP3 of lame, mono at 22.05 kHz", "lame --quiet -m m -V 4 IN OUT", rate: 22_050, channels: 1),
        Encoder("MP3 of lame with tags", "lame --quiet -V 4 --tt title --add-id3v2 IN OUT"),
        Encoder("MP3 of ffmpeg", "ffmpeg -v error -i IN -c:a libmp3lame -f mp3 OUT"),
        Encoder("Ogg Vorbis of oggenc", "oggenc -Q -q 5 -o OUT IN"),
        Encoder("Ogg Vorbis of ffmpeg", "ffmpeg -v error -i IN -c:a libvorbis -f ogg OUT"),
        Encoder("Opus of opusenc", "opusenc --quiet --bitrate 128 IN OUT", rate: 48_000),
        Encoder("Opus of opusenc from 44.1 kHz", "opusenc --quiet --bitrate 128 IN OUT", ratio: 48 / 44.1),
        Encoder("Opus of ffmpeg", "ffmpeg -v error -i IN -c:a libopus -b:a 128k -f opus OUT", rate: 48_000),
        Encoder("M4A of ffmpeg", "ffmpeg -v error -i IN -c:a aac -b:a 192k -f ipod OUT"),
        Encoder("M4A of ffmpeg at 48 kHz", "ffmpeg -v error -i IN -c:a aac -b:a 192k -f mp4 OUT", rate: 48_000),
        Encoder("ALAC in M4A", "ffmpeg -v error -i IN -c:a alac -f ipod OUT"),
        Encoder("Matroska with Opus", "ffmpeg -v error -i IN -c:a libopus -b:a 128k -f matroska OUT", rate: 48_000),
    ]

    /// These encoders do not state the beginning or the end of the sound. (In Matroska, ffmpeg 5.1 does so for Opus
    /// alone. lame has no room for the tag with the padding in a stream of 32 kbit/s.)
    static let silentEncoders: [(Encoder, inFront: Int)] = [
        (Encoder("ADTS", "ffmpeg -v error -i IN -c:a aac -f adts OUT"), 1024),
        (Encoder("Matroska with AAC", "ffmpeg -v error -i IN -c:a aac -f matroska OUT"), 1024),
        (
            Encoder("MP3 of lame, mono at 32 kbit/s", "lame --quiet -m m -b 32 IN OUT", rate: 22_050, channels: 1),
            1105
        ),
        (Encoder("Matroska with Vorbis", "ffmpeg -v error -i IN -c:a libvorbis -f matroska OUT"), 0),
    ]

    /// No packet of any codec ends with the last frame; the last packet is shorter than any pre-roll. In milliseconds,
    /// the unit of an edit list, 70 123 frames at 48 kHz are rounded up.
    static let lengths = cases([131_071, 100_003, 70_123, 5001], few: [70_123, 5001])

    @Test("encoder delay and padding are removed, and each frame keeps its place", arguments: encoders)
    func exact(encoder: Encoder) throws {
        for frames in Self.lengths {
            let (surplus, lag) = try measured(encoder, frames)
            // opusenc itself converts the rate, and rounds up.
            #expect(lag == 0 && (surplus == 0 || encoder.ratio != 1 && surplus == 1), "\(frames): \(surplus), \(lag)")
        }
    }

    @Test("encoder delay and padding stay if the file does not state them", arguments: silentEncoders.indices)
    func unknown(index: Int) throws {
        let (encoder, inFront) = Self.silentEncoders[index]
        for frames in Self.lengths {
            let (surplus, lag) = try measured(encoder, frames)
            #expect(lag == inFront && (inFront...inFront + 1152).contains(surplus), "\(frames): \(surplus), \(lag)")
        }
    }

    @Test("a plausible iTunes note removes encoder delay and padding where there is no edit list")
    func note() throws {
        let frames = 70_123
        for (count, expected) in [(frames, frames), (frames - 20, frames - 20), (9999, nil), (80_000, nil)] {
            let scratch = try Scratch()
            let encoder = Encoder("", "ffmpeg -v error -i IN -c:a aac -use_editlist 0 -f ipod OUT", rate: 48_000)
            let made = try encoder.format.file(in: scratch, frameCount: frames)
            let bytes = [UInt8](try Data(contentsOf: URL(fileURLWithPath: made)))
            let path = try scratch.write("noted.m4a", noted(bytes, count: count))
            let decoder = try openDecoder(path: path)
            let decoded = try decode(decoder, 0..<decoder.info.frameCount)
            let source = try decode(scratch.file("in.wav"))
            #expect(lag(of: decoded[0], behind: source[0], most: 1300) == 0)
            // Else the padding at the end stays.
            #expect(decoded[0].count == expected ?? 70_656, "\(count)")
        }
    }

    /// An M4A file, with the index as the last box and a note of iTunes: 1024 frames in front, and `count` frames.
    private func noted(_ bytes: [UInt8], count: Int) throws -> [UInt8] {
        func box(_ name: String, _ content: [UInt8]) -> [UInt8] {
            big(UInt32(8 + content.count)) + Array(name.utf8) + content
        }
        func big(_ value: UInt32) -> [UInt8] { littleBytes(value).reversed() }
        func hexadecimal(_ value: Int, _ digits: Int) -> String {
            let text = String(value, radix: 16, uppercase: true)
            return String(repeating: "0", count: digits - text.count) + text
        }
        let note = " 00000000 00000400 0000021D \(hexadecimal(count, 16)) 00000000"
        let item = box(
            "----",
            box("mean", [0, 0, 0, 0] + Array("com.apple.iTunes".utf8))
                + box("name", [0, 0, 0, 0] + Array("iTunSMPB".utf8))
                + box("data", big(1) + big(0) + Array(note.utf8)))
        var result = bytes
        var (range, inside) = (0..<bytes.count, 0)
        // Each box in the previous box; the metadata has four bytes in front of its boxes.
        for name in ["moov", "udta", "meta", "ilst"] {
            var place = range.lowerBound + inside
            while place < range.upperBound, Array(bytes[place + 4..<place + 8]) != Array(name.utf8) {
                place += Int(bytes.big(at: place) as UInt32)
            }
            try #require(place < range.upperBound)
            let length = Int(bytes.big(at: place) as UInt32)
            result.replaceSubrange(place..<place + 4, with: big(UInt32(length + item.count)))
            (range, inside) = (place + 8..<place + length, name == "meta" ? 4 : 0)
        }
        result.insert(contentsOf: item, at: range.upperBound)
        return result
    }

    /// The number of frames by which a decoded file is longer than the source, and by which the sound comes later.
    private func measured(_ encoder: Encoder, _ frames: Int) throws -> (surplus: Int, lag: Int) {
        let scratch = try Scratch()
        let decoder = try openDecoder(path: try encoder.format.file(in: scratch, frameCount: frames))
        let decoded = try decode(decoder, 0..<decoder.info.frameCount)
        let source = try decode(scratch.file("in.wav"), sampleRate: decoder.info.sampleRate)
        return (decoded[0].count - source[0].count, lag(of: decoded[0], behind: source[0], most: 1300))
    }
}
