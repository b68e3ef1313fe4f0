import Foundation
import SoundFileSupport
import TestSupport
import Testing

@testable import AudioFiles

@Suite struct FormatTests {
    @Test("every frame of a file is the same however it is reached", arguments: Format.all)
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
        // Without the pre-roll about one far jump in thirty goes wrong in Opus; 60 jumps might miss the fault.
        for jump in 0..<cases(format.codec == "opus" ? 400 : 60, few: 30) {
            // Far jumps and near jumps: libsndfile's faults are in near jumps.
            position =
                jump % 3 == 0
                ? Int64.random(in: 0..<last, using: &generator)
                : min(max(0, position + Int64.random(in: -9000...30_000, using: &generator)), last - 1)
            let count = Int64.random(in: 1...3000, using: &generator)
            let piece = try decode(jumping, position..<position + count)
            let expected = whole.map { Array($0[Int(position)..<Int(position + count)]) }
            if !isSame(piece, as: expected) { wrong += 1 }
        }
        #expect(wrong == 0, "\(generator)")
    }

    @Test("every frame near the end of a file is the same however it is reached", arguments: Format.all)
    func jumpsToTheEnd(format: Format) throws {
        // Vorbis blocks of 100 000 frames and of the others end beyond the sound.
        for frameCount in [100_000, 123_457, 333_333].prefix(environmentCount("WOODSHED_FILE_LENGTHS", short: 1)) {
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
                if !isSame(piece, as: whole.map { Array($0[Int(start)...]) }) { wrong.append(start) }
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
