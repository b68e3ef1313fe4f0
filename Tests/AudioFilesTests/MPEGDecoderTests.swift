import Foundation
import SoundFileSupport
import TestSupport
import Testing

@testable import AudioFiles

/// MPEG audio in which libmpg123's jumps are not exact to the bit: of one channel, or below 32 kHz.
@Suite struct MPEGDecoderTests {
    /// Where decoding resumes from another place than the straight decoding, the last bits differ.
    static let formats: [Format] = [
        Format(
            name: "mono at 22.05 kHz", container: "mp3", codec: "mp3", make: "lame --quiet -m m -b 32 IN OUT",
            sampleRate: 22_050, channelCount: 1),
        Format(
            name: "mono at 44.1 kHz, without a tag", container: "mp3", codec: "mp3",
            make: "lame --quiet -t -m m -V 4 IN OUT",
            channelCount: 1),
        Format(
            name: "stereo at 24 kHz", container: "mp3", codec: "mp3", make: "lame --quiet -V 5 IN OUT",
            sampleRate: 24_000),
        Format(
            name: "mono at 11.025 kHz", container: "mp3", codec: "mp3", make: "lame --quiet -m m -b 8 IN OUT",
            sampleRate: 11_025, channelCount: 1),
        Format(
            name: "mono of layer 2", container: "mp2", codec: "mp2", make: "ffmpeg -v error -i IN -c:a mp2 -f mp2 OUT",
            sampleRate: 44_100, channelCount: 1),
    ]

    /// MPEG frames of these files are 576 or 1152 frames; a thousand frames are some blocks.
    private func bytes(of format: Format, in scratch: Scratch, frameCount: Int = 1_100_000) throws -> [UInt8] {
        [UInt8](try Data(contentsOf: URL(fileURLWithPath: format.file(in: scratch, frameCount: frameCount))))
    }

    @Test("a file with inexact jumps is opened without being decoded", arguments: formats)
    func opensAtOnce(format: Format) throws {
        let scratch = try Scratch()
        _ = try bytes(of: format, in: scratch)
        let decoder = try openDecoder(path: scratch.file("-a b"))
        #expect(decoder is MPEGDecoder)
        #expect(decoder.info.container == format.container && decoder.info.channelCount == format.channelCount)
    }

    @Test("decoded MPEG sound is in its place, and equals the sound of another decoder", arguments: formats)
    func sound(format: Format) throws {
        let scratch = try Scratch()
        let path = try format.file(in: scratch, frameCount: 1_100_000)
        let decoder = try openDecoder(path: path)
        let whole = try decode(decoder, 0..<decoder.info.frameCount)
        // LAME's own decoder, for files with a tag; without a tag LAME leaves out other frames at both ends.
        let hasTag = format.container == "mp3" && !format.make.contains("-t ")
        let words =
            hasTag
            ? ["lame", "--quiet", "--decode", path, scratch.file("other.wav")]
            : ["ffmpeg", "-v", "error", "-f", "mp3", "-i", path, scratch.file("other.wav")]
        try run(arguments: words)
        let other = try openDecoder(path: scratch.file("other.wav"))
        let otherCount = other.info.frameCount
        // ffmpeg leaves out the decoder's delay without a tag, too.
        let extra = Int(decoder.info.frameCount - otherCount)
        #expect(hasTag ? extra == 0 : extra >= 0)
        for (mine, theirs) in zip(whole, try decode(other, 0..<otherCount)) {
            let worst = largestDifference(mine.dropFirst(extra), theirs) ?? 1
            // Theirs has 16 bits, and dither.
            #expect(worst < 1 / 8192, "\(worst)")
        }
    }

    /// The changes made to files.
    enum Damage: String, CaseIterable, CustomTestStringConvertible {
        case none = "nothing"
        case otherBytes = "bytes here and there"
        case noise = "a stretch of noise"
        case lostEnd = "a lost end"
        case lostMiddle = "a lost middle"
        /// The header of the first file states the length of the first alone.
        case another = "another file behind"

        var testDescription: String { rawValue }

        func change(_ bytes: inout [UInt8], _ generator: inout SeededGenerator) {
            let third = bytes.count / 3
            switch self {
            case .none: break
            case .otherBytes:
                for _ in 0..<60 { bytes[Int.random(in: 2000..<bytes.count, using: &generator)] ^= 0x55 }
            case .noise:
                for place in third..<third + 3000 { bytes[place] = UInt8.random(in: 0...255, using: &generator) }
            case .lostEnd: bytes.removeLast(third + 100)
            case .lostMiddle: bytes.removeSubrange(third..<third + 1234)
            case .another: bytes += bytes
            }
        }
    }

    @Test(
        "every frame of an MPEG file is the same however it is reached, also in damaged files", arguments: formats,
        Damage.allCases)
    func jumps(format: Format, damage: Damage) throws {
        let scratch = try Scratch()
        var generator = SeededGenerator(printedFor: "\(format.name), \(damage.rawValue)")
        var bytes = try bytes(of: format, in: scratch, frameCount: cases(1_100_000, few: 400_000))
        damage.change(&bytes, &generator)
        let path = try scratch.write("changed", bytes)
        let straight = try openDecoder(path: path)
        let end = straight.info.frameCount
        let whole = try decode(straight, 0..<end)
        let decoders = [straight, try straight.another(), try openDecoder(path: path)]
        var wrong = 0
        var position: Int64 = 0
        for jump in 0..<cases(60, few: 12) {
            position =
                jump % 3 == 0
                ? Int64.random(in: 0..<end, using: &generator)
                : min(max(0, position + Int64.random(in: -9000...30_000, using: &generator)), end - 1)
            let upper = min(end, position + Int64.random(in: 1...5000, using: &generator))
            let piece = try decode(decoders[jump % 3], position..<upper)
            let expected = whole.map { Array($0[Int(position)..<Int(upper)]) }
            if !isSame(piece, as: expected) { wrong += 1 }
        }
        #expect(wrong == 0, "\(generator)")
    }

    // MARK: - Padding

    /// The possible contents in front of the first frame.
    enum Front: String, CaseIterable, CustomTestStringConvertible {
        case zeros = "zeros"
        case spaces = "spaces"
        case manyZeros = "half a megabyte of zeros"
        case zerosBehindTag = "a tag and zeros that are not part of it"
        case cutFrame = "the rest of a frame"

        var testDescription: String { rawValue }

        func bytes(_ music: [UInt8]) -> [UInt8] {
            switch self {
            case .zeros: [UInt8](repeating: 0, count: 5000)
            case .spaces: [UInt8](repeating: 0x20, count: 3001)
            case .manyZeros: [UInt8](repeating: 0, count: 1 << 19)
            case .zerosBehindTag:
                Array(MarkFiles.tag([], version: 3).dropLast(4)) + [UInt8](repeating: 0, count: 9001)
            // The middle of a frame, as a recording of a radio stream begins.
            case .cutFrame: Array(music[700..<900])
            }
        }
    }

    @Test(
        "an MP3 file with bytes before its first frame is opened, and sounds the same",
        arguments: Front.allCases)
    func padding(front: Front) throws {
        let scratch = try Scratch()
        let format = try #require(Format.all.first { $0.name == "MP3 CBR" })
        let music = try bytes(of: format, in: scratch, frameCount: 200_000)
        let padded = try openDecoder(path: scratch.write("padded.mp3", front.bytes(music) + music))
        let plain = try openDecoder(path: scratch.file("-a b"))
        #expect(padded.info.frameCount == plain.info.frameCount && padded.info.container == "mp3")
        let end = plain.info.frameCount
        #expect(try decode(padded, 0..<end) == decode(plain, 0..<end))
        #expect(try decode(padded.another(), end / 2..<end) == decode(plain, end / 2..<end))
    }

    @Test("two frame headers in noise after zeros make no MP3 file")
    func noFrames() throws {
        let scratch = try Scratch()
        var generator = SeededGenerator(printedFor: #function)
        var bytes =
            [UInt8](repeating: 0, count: 4000) + (0..<20_000).map { _ in UInt8.random(in: 0...255, using: &generator) }
        // 128 kbit/s at 44.1 kHz: frames of 417 bytes.
        for place in [4200, 4617] { bytes.replaceSubrange(place..<place + 4, with: [0xFF, 0xFB, 0x90, 0x00]) }
        #expect(FileSniffer.kind(of: ByteSource(bytes)) == .unknown)
        #expect(throws: AudioFileError.self) { try openDecoder(path: scratch.write("noise.mp3", bytes)) }
        for place in [5034, 5451] { bytes.replaceSubrange(place..<place + 4, with: [0xFF, 0xFB, 0x90, 0x00]) }
        #expect(FileSniffer.kind(of: ByteSource(bytes)) == .mpegAudio(from: 4200))
    }
}
