import Foundation
import SoundFileSupport
import TestSupport
import Testing

@testable import AudioFiles

@Suite("File details")
struct FileDetailTests {
    private let scratch: Scratch
    init() throws {
        scratch = try Scratch()
        try writeWave(scratch.file("in.wav"), music(frameCount: 88_200))
    }

    private static let chapters = """
        ;FFMETADATA1
        title=Blue in Green
        artist=Évans
        album=Kind of Blue
        date=1959
        track=3/5
        [CHAPTER]
        TIMEBASE=1/1000
        START=0
        END=500
        title=head
        [CHAPTER]
        TIMEBASE=1/1000
        START=500
        END=2000
        title=solo
        """

    @Test(
        "tags, size and bit rate are reported for every kind of file that has them",
        arguments: ["m4a", "mka", "flac", "ogg", "opus", "mp3", "wav"])
    func tags(ending: String) throws {
        let path = scratch.file("a." + ending)
        _ = try scratch.write("chapters", Array(Self.chapters.utf8))
        let codec =
            ["mka": ["-c:a", "aac"], "ogg": ["-c:a", "libvorbis"], "opus": ["-c:a", "libopus"]][ending] ?? []
        try run(
            arguments: ["ffmpeg", "-v", "error", "-i", scratch.file("in.wav"), "-i", scratch.file("chapters")]
                + ["-map_metadata", "1", "-map_chapters", "1"] + codec + [path])
        let info = try AudioFileInfo(path: path)
        let details = try FileDetails(of: info)
        let found = Dictionary(uniqueKeysWithValues: details.tags.map { ($0.key, $0.value) })
        #expect(found[.title] == "Blue in Green" && found[.artist] == "Évans" && found[.album] == "Kind of Blue")
        #expect(found[.date] == "1959" && (ending == "wav" || found[.track]?.hasPrefix("3") == true), "\(found)")
        #expect(try details.byteCount == Int64(scratch.size("a." + ending)))
        // The file has a few kilobytes beside the sound, and a codec adds some milliseconds to the sound.
        let average = Double(details.byteCount) * 8 / info.seconds
        #expect(Double(details.bitRate) > 0.5 * average && Double(details.bitRate) <= average * 1.1)
        if ["m4a", "mka", "ogg", "flac", "opus", "mp3"].contains(ending) {
            #expect(details.marks == (try FileMarks(of: info)))
        }
    }

    @Test("the bit rate of a huge file with holes and a single frame is within the limits of numbers from outside")
    func hugeFile() throws {
        let path = scratch.file("in.wav")
        #expect(unsafe truncate(path, 8 << 40) == 0)
        let info = AudioFileInfo(
            path: path, container: "wav", codec: "pcm_s16", sampleRate: 768_000, channelCount: 1, frameCount: 1)
        #expect(try FileDetails(of: info).bitRate == 1 << 53)
    }

    @Test("chapters of M4A and Matroska files become sections, to the millisecond", arguments: ["m4a", "mka"])
    func chapters(ending: String) throws {
        let path = scratch.file("a." + ending)
        _ = try scratch.write("chapters", Array(Self.chapters.utf8))
        try run(
            "ffmpeg", "-v", "error", "-i", scratch.file("in.wav"), "-i", scratch.file("chapters"), "-map_chapters", "1",
            "-c:a", "aac", path)
        let sections = try FileMarks(of: AudioFileInfo(path: path)).sections
        #expect(sections.map(\.name) == ["head", "solo"])
        #expect(sections.map(\.frames.lowerBound) == [0, 22_050])
        #expect(sections.first?.frames.upperBound == 22_050)
    }

    @Test("the exact length and the details of an M4A file are known without decoding")
    func exactLength() throws {
        for frameCount in [1000, 1024, 30_001, 81_034, 88_200] {
            try writeWave(scratch.file("in.wav"), music(frameCount: frameCount))
            let path = scratch.file("\(frameCount).m4a")
            try run("ffmpeg", "-v", "error", "-i", scratch.file("in.wav"), "-c:a", "aac", path)
            let file = try OpenedFile(path: path)
            let info = try FFmpegDecoder.info(
                of: file, container: "mp4", tools: FFmpegTools(ffmpeg: "no-such-program"))
            #expect(info.frameCount == Int64(frameCount) && info.shortfall == nil)
            let decoder = try openDecoder(path: path)
            let samples = try decode(decoder, 0..<decoder.info.frameCount)
            #expect(decoder.info == info && samples[0].count == frameCount)
        }
    }

    @Test("a truncated file is as long as its decodable part")
    func cut() throws {
        let whole = scratch.file("whole.m4a")
        try run("ffmpeg", "-v", "error", "-i", scratch.file("in.wav"), "-c:a", "aac", "-movflags", "+faststart", whole)
        let bytes = [UInt8](try Data(contentsOf: URL(fileURLWithPath: whole)))
        let path = try scratch.write("cut.m4a", Array(bytes.dropLast(bytes.count / 3)))
        let info = try AudioFileInfo(path: path)
        #expect((20_000..<80_000).contains(info.frameCount))
        #expect(try decode(path)[0].count == Int(info.frameCount))
    }
}
