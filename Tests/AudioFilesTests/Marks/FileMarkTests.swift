// Marks of recordings are found where their formats keep them.
import Foundation
import SoundFileSupport
import TestSupport
import Testing

@testable import AudioFiles
@testable import Takes

@Suite("Marks in audio files")
struct FileMarkTests {
    private let scratch: Scratch
    init() throws { scratch = try Scratch() }

    private func marks(_ bytes: [UInt8], sampleRate: Int = 1000, frameCount: Int64 = 100_000) -> [FileMark] {
        FileMarks(ByteSource(bytes), sampleRate: sampleRate, frameCount: frameCount).marks
    }

    @Test("times of chapters after an hour have hours, minutes, seconds and fractions")
    func chapterTimes() {
        let times = [
            ("00:00:01", 1.0), ("00:02:03.250", 123.25), ("01:02:03.25", 3723.25), ("10:59:59.999999999", 39_600),
        ]
        let comments = times.enumerated().map { "CHAPTER00\($0 + 1)=\($1.0)" }
        let bytes = MarkFiles.flac([(4, MarkFiles.comments(comments))])
        let marks = FileMarks(ByteSource(bytes), sampleRate: 48_000, frameCount: 12 * 3600 * 48_000).marks
        #expect(marks.map(\.frame) == times.map { Int64($0.1 * 48_000) })
        for wrong in ["00:60:00", "00:00:60", "1:2", "00:00:-1", "00:00:01.", "::", ""] {
            let bytes = MarkFiles.flac([(4, MarkFiles.comments(["CHAPTER001=\(wrong)"]))])
            #expect(FileMarks(ByteSource(bytes), sampleRate: 48_000, frameCount: 48_000_000).marks.isEmpty, "\(wrong)")
        }
    }

    @Test("chapters of an MP3 by ffmpeg and tracks of a FLAC by flac are read as marks")
    func others() throws {
        try writeWave(scratch.file("a.wav"), music(frameCount: 200_000))
        let text = """
            ;FFMETADATA1
            [CHAPTER]
            TIMEBASE=1/1000
            START=0
            END=1250
            title=Intro
            [CHAPTER]
            TIMEBASE=1/1000
            START=1250
            END=4000
            title=Strophe ä
            """
        _ = try scratch.write("chapters", Array(text.utf8))
        for version in [3, 4] {
            try run(
                "ffmpeg", "-v", "error", "-y", "-i", scratch.file("a.wav"), "-i", scratch.file("chapters"),
                "-map_metadata", "1", "-id3v2_version", "\(version)", scratch.file("a.mp3"))
            let info = try openDecoder(path: scratch.file("a.mp3")).info
            #expect(info.container == "mp3" && info.frameCount == 200_000)
            #expect(
                try FileMarks(of: info).marks == [
                    FileMark(name: "Intro", frame: 0, endFrame: 55_125),
                    FileMark(name: "Strophe ä", frame: 55_125, endFrame: 176_400),
                ])
        }
        let sheet = "FILE \"a.wav\" WAVE\nTRACK 01 AUDIO\nINDEX 01 00:00:00\nTRACK 02 AUDIO\nINDEX 01 00:02:15\n"
        _ = try scratch.write("sheet", Array(sheet.utf8))
        try run(
            "flac", "-s", "--cuesheet=\(scratch.file("sheet"))", scratch.file("a.wav"), "-o", scratch.file("a.flac"))
        let info = try openDecoder(path: scratch.file("a.flac")).info
        #expect(try FileMarks(of: info).marks == [0, 97_020].map { FileMark(name: "", frame: $0) })
    }

    @Test("marks of a WAV file may have lengths, stand in any chunk order, and use either byte order")
    func regions() {
        #expect(marks(MarkFiles.regions()) == MarkFiles.regionMarks)
        #expect(marks(MarkFiles.regions(isBig: true)) == MarkFiles.regionMarks)
        #expect(marks(MarkFiles.longSizes) == [FileMark(name: "far", frame: 3)])
        // A name in Latin-1, which is no UTF-8.
        let old = MarkFiles.wave([MarkFiles.cues([(1, 4)]), MarkFiles.list([MarkFiles.label(1, [0xDC, 0x62])])])
        #expect(marks(old) == [FileMark(name: "Üb", frame: 4)])
    }

    @Test("marks of an AIFF file have names of odd and even length")
    func aiff() {
        let file = MarkFiles.aiff([(5, "a"), (70, "bc"), (3, ""), (9, "def")])
        #expect(
            marks(file) == [(3, ""), (5, "a"), (9, "def"), (70, "bc")].map { FileMark(name: $1, frame: $0) })
    }

    @Test("markers of a CAF file that end something are no marks")
    func caf() {
        var file = Array("caff".utf8) + [0, 1, 0, 0]
        var chunk = MarkChunks.caf([
            TakeMark(name: "a", frame: 1), TakeMark(name: "b", frame: 2), TakeMark(name: "c", frame: 3),
        ])
        chunk.replaceSubrange(20 + 28..<20 + 32, with: Array("rend".utf8))
        chunk.replaceSubrange(20 + 56..<20 + 60, with: Array("rbeg".utf8))
        file += chunk
        #expect(marks(file) == [FileMark(name: "a", frame: 1), FileMark(name: "c", frame: 3)])
    }

    @Test("chapter comments may have two or three digits, any case and order, and any fraction of time")
    func comments() {
        let comments = MarkFiles.comments([
            "TITLE=x", "chapter02NAME=two=2", "CHAPTER02=00:00:02.5", "CHAPTER001=0:00:01.0005", "CHAPTER3=01:00:00",
            "CHAPTER004=00:61:00.000", "CHAPTER005=later", "CHAPTER006", "CHAPTERNAME=n", "CHAPTER007URL=u",
            "CHAPTER008=00:00:02.5", "CHAPTER008NAME=also two", "CHAPTER002=00:00:09",
        ])
        let expected = [
            FileMark(name: "", frame: 1001), FileMark(name: "two=2", frame: 2500), FileMark(name: "", frame: 3_600_000),
        ]
        #expect(marks(MarkFiles.flac([(0, [1]), (4, comments)]), frameCount: 4_000_000) == expected)
        #expect(marks(MarkFiles.vorbis(comments), frameCount: 4_000_000) == expected)
        #expect(marks(MarkFiles.vorbis(comments, isMultiplexed: true), frameCount: 4_000_000) == expected)
        // Chapters come before tracks, also behind an ID3 tag.
        let both = MarkFiles.flac([(5, MarkFiles.cueSheet([10, 20])), (4, comments)])
        #expect(marks(both, frameCount: 4_000_000) == expected)
        let tag = MarkFiles.tag([], version: 4).dropLast(4)
        #expect(marks(tag + both, frameCount: 4_000_000) == expected)
        let sheet = MarkFiles.flac([(5, MarkFiles.cueSheet([10, 20])), (4, MarkFiles.comments(["a=b"]))])
        #expect(marks(sheet) == [FileMark(name: "", frame: 15), FileMark(name: "", frame: 25)])
    }

    @Test(
        "chapters in an ID3 tag are found behind pictures and further headers, in every encoding",
        arguments: [3, 4] as [UInt8])
    func id3(version: UInt8) {
        let titles: [[UInt8]] = [
            [0, 0xDC, 0x62, 0], [1, 0xFF, 0xFE, 0xDC, 0, 0x62, 0, 0, 0], [1, 0xFE, 0xFF, 0, 0xDC, 0, 0x62],
            [2, 0, 0xDC, 0, 0x62], [3, 0xC3, 0x9C, 0x62, 0],
        ]
        var (chapters, expected): ([[UInt8]], [FileMark]) = ([], [])
        for (index, title) in titles.enumerated() {
            let start = UInt32(1000 * index)
            chapters.append(MarkFiles.chapter("c\(index)", start, start + 255, title: title, version: version))
            expected.append(FileMark(name: "Üb", frame: Int64(start), endFrame: Int64(start) + 255))
        }
        let picture = MarkFiles.frame("APIC", Array(repeating: 0xFF, count: 70_000), version: version)
        #expect(marks(MarkFiles.tag([picture] + chapters, version: version)) == expected)
        #expect(marks(MarkFiles.tag([picture] + chapters, version: version, flags: 0x80)) == expected)
        let extended: [UInt8] = version == 3 ? [0, 0, 0, 6, 0, 0, 0, 0, 0, 0] : [0, 0, 0, 6, 1, 0]
        #expect(marks(MarkFiles.tag(chapters, version: version, flags: 0x40, extended: extended)) == expected)
        // Without an end, without a title, and compressed.
        let others = [
            MarkFiles.chapter("a", 7, .max, title: nil, version: version),
            MarkFiles.frame(
                "CHAP", Array(repeating: 0, count: 40), version: version, flags: version == 3 ? 0x80 : 0x08),
            MarkFiles.chapter("b", 9, 9, title: [3] + Array("b".utf8), version: version),
        ]
        #expect(
            marks(MarkFiles.tag(others, version: version)) == [
                FileMark(name: "", frame: 7), FileMark(name: "b", frame: 9),
            ])
        if version == 4 {
            let each = MarkFiles.chapter("a", 255, 0xFFFF, title: [0, 0xFF], version: 4, flags: 2)
            #expect(marks(MarkFiles.tag([each], version: 4)) == [FileMark(name: "ÿ", frame: 255, endFrame: 65_535)])
        }
        #expect(marks(MarkFiles.tag(chapters, version: 2)).isEmpty)
    }

    @Test("other kinds of files have no marks, and a missing file is reported")
    func none() throws {
        for head in ["riff", ".snd", "ftyp", "OggS", "nothing", "FORM\0\0\0\u{8}8SVX", "fLaC", "caff", "RIFF", "ID3"] {
            #expect(marks(Array(head.utf8)).isEmpty && marks(Array((head + "MARK cue ").utf8)).isEmpty)
        }
        let missing = #expect(throws: AudioFileError.self) {
            try FileMarks(path: scratch.file("no"), sampleRate: 1, frameCount: 1)
        }
        #expect(missing?.kind == .notFound)
        try writeWave(scratch.file("a.wav"), music(frameCount: 100))
        let rate = #expect(throws: AudioFileError.self) {
            try FileMarks(path: scratch.file("a.wav"), sampleRate: 0, frameCount: 1)
        }
        #expect(rate?.kind == .unsupported)
    }
}
