import AudioFiles
import Files
import Foundation
import SoundFileSupport
import TestSupport
import Testing

@Suite("Key of a recording")
struct RecordingKeyTests {
    private func bytes(_ path: String) throws -> [UInt8] { Array(try Data(contentsOf: URL(fileURLWithPath: path))) }

    /// The same audio with other tags, as tag editors leave it.
    private static let taggers: [String: [[String]]] = [
        "flac": [
            ["metaflac", "--set-tag=TITLE=Blue", "--add-padding=40000", "FILE"], ["metaflac", "--remove-all", "FILE"],
        ],
        "ogg": [["vorbiscomment", "-w", "-t", "TITLE=Blue", "FILE"]],
    ]

    /// Formats for which ffmpeg copies the audio into a new file with other tags.
    private static let copied: [String: String] = [
        "wav": "wav", "rf64": "wav", "mp4": "mp4", "matroska": "matroska", "adts": "adts", "caf": "caf", "ogg": "ogg",
    ]

    @Test("the key of a recording stays with new tags, another cover and another name", arguments: Format.all)
    func tags(format: Format) throws {
        let scratch = try Scratch()
        let path = try format.file(in: scratch, frameCount: 30_000)
        let key = try RecordingKey(ofFileAt: path)
        #expect(RecordingKey(key.description) == key && key.description.utf8.count == 32)
        let renamed = try scratch.write("renamed", try bytes(path))
        #expect(try RecordingKey(ofFileAt: renamed) == key)
        for words in Self.taggers[format.container] ?? [] where format.codec != "opus" && format.name != "Ogg FLAC" {
            try run(arguments: words.map { $0 == "FILE" ? renamed : $0 })
            #expect(try bytes(renamed) != bytes(path), "the tagger did nothing")
            #expect(try RecordingKey(ofFileAt: renamed) == key, "\(words)")
        }
        if let container = Self.copied[format.container] {
            let copy = scratch.file("copy")
            try run(
                arguments: ["ffmpeg", "-v", "error", "-i", path, "-c", "copy", "-metadata", "title=Blue in green"]
                    + ["-f", container, copy])
            #expect(try RecordingKey(ofFileAt: copy) == key, "copied by ffmpeg")
        }
        // A byte in the middle of the audio; a packet or frame with an error is another recording too.
        var changed = try bytes(path)
        changed[changed.count * 2 / 3] ^= 0x11
        let other = try scratch.write("changed", changed)
        #expect(try RecordingKey(ofFileAt: other) != key)
    }

    @Test("the key of a recording differs between all kinds of files of one sound")
    func formats() throws {
        let keys = try Format.all.filter { $0.sampleRate == 44_100 }.map { format in
            let scratch = try Scratch()
            return try RecordingKey(ofFileAt: try format.file(in: scratch, frameCount: 9000))
        }
        // WAV and RF64 with the same samples are one recording; so are the two FLAC files, which differ by a seek
        // table.
        #expect(Set(keys).count == keys.count - 2)
    }

    @Test("the key of MPEG audio is that of the frames between any tags")
    func mpegTags() throws {
        let scratch = try Scratch()
        let format = try #require(Format.all.first { $0.name == "MP3 VBR" })
        let audio = try bytes(try format.file(in: scratch, frameCount: 30_000))
        let key = try RecordingKey(ofFileAt: try scratch.write("plain.mp3", audio))
        func id3(_ count: Int) -> [UInt8] {
            Array("ID3".utf8) + [4, 0, 0, 0, 0, UInt8(count >> 7), UInt8(count & 0x7F)]
                + (0..<count).map { UInt8(truncatingIfNeeded: $0 * 7) }
        }
        func ape(_ count: Int, isFooter: Bool) -> [UInt8] {
            let size = UInt32(count + 32)
            let sizes = [size, 0, isFooter ? 0 : 0xA000_0000].flatMap { value in
                (0..<4).map { UInt8(truncatingIfNeeded: value >> UInt32(8 * $0)) }
            }
            return Array("APETAGEX".utf8) + [0xD0, 7, 0, 0] + sizes + [UInt8](repeating: 0, count: 8)
        }
        let old = Array("TAG".utf8) + [UInt8](repeating: 65, count: 125)
        let lyrics = Array("LYRICSBEGIN".utf8) + Array("IND0000200000021LYRICS200".utf8)
        let items = [UInt8](repeating: 0x55, count: 90)
        let variants: [[UInt8]] = [
            id3(1000) + audio, id3(10) + id3(300) + audio, audio + old, audio + lyrics + old,
            audio + items + ape(90, isFooter: true), id3(77) + audio + items + ape(90, isFooter: true) + old,
        ]
        for (index, variant) in variants.enumerated() {
            #expect(try RecordingKey(ofFileAt: try scratch.write("v\(index).mp3", variant)) == key, "variant \(index)")
        }
    }

    @Test("a file that is no readable recording has no key, but a reason")
    func unusual() throws {
        let scratch = try Scratch()
        let text = try scratch.write("text.txt", Array("no audio at all".utf8))
        #expect(throws: AudioFileError.self) { try RecordingKey(ofFileAt: text) }
        #expect(throws: AudioFileError.self) { try RecordingKey(ofFileAt: scratch.file("missing")) }
        #expect(throws: AudioFileError.self) { try RecordingKey(ofFileAt: scratch.path) }
        #expect(throws: AudioFileError.self) { try RecordingKey(ofFileAt: scratch.write("empty", [])) }
        let digits = String(repeating: "0", count: 15)
        for text in [
            "", "xyz", String(repeating: "g", count: 32), String(repeating: "é", count: 16), "+\(digits)+\(digits)",
        ] {
            #expect(RecordingKey(text) == nil)
        }
    }

    @Test("two files without samples do not share a key because they share a format")
    func noSamples() throws {
        let scratch = try Scratch()
        func wave(_ note: String) throws -> RecordingKey {
            let format: [UInt8] = [1, 0, 1, 0, 0x44, 0xAC, 0, 0, 0x88, 0x58, 1, 0, 2, 0, 16, 0]
            let bytes = Array("RIFF\u{30}\0\0\0WAVEfmt \u{10}\0\0\0".utf8) + format + Array("note\u{4}\0\0\0".utf8)
            return try RecordingKey(ofFileAt: scratch.write(note, bytes + Array(note.utf8)))
        }
        #expect(try wave("aaaa") != wave("bbbb"))
    }

    @Test("the key of an Ogg file with a damaged page counts the pages after the damage", arguments: ["Ogg Vorbis"])
    func damagedOgg(name: String) throws {
        let scratch = try Scratch()
        let format = try #require(Format.all.first { $0.name == name } ?? Format.all.first { $0.container == "ogg" })
        let audio = try bytes(try format.file(in: scratch, frameCount: 60_000))
        let mark = Array("OggS".utf8)
        let pages = audio.indices.filter { audio[$0...].starts(with: mark) }
        try #require(pages.count > 4)
        // The same damaged page, and two different ends.
        var damaged = audio
        damaged[pages[pages.count - 2]] = 0
        var other = damaged
        other[audio.count - 9] ^= 0x40
        let keys = try [damaged, other].enumerated().map {
            try RecordingKey(ofFileAt: try scratch.write("\($0).ogg", $1))
        }
        #expect(keys[0] != keys[1])
    }

    @Test("the key of random bytes behind the first bytes of any kind is found in bounded time")
    func damaged() throws {
        let scratch = try Scratch()
        var random = SeededGenerator(printedFor: "damaged files")
        let starts = [
            "RIFF\0\0\0\0WAVE", "RF64", "riff", "FORM\0\0\0\0AIFF", "caff", ".snd", "fLaC", "OggS", "ID3", "\u{7F}FLAC",
        ]
        for start in starts {
            for _ in 0..<20 {
                let noise = (0..<Int.random(in: 0...3000, using: &random)).map { _ in
                    UInt8.random(in: 0...255, using: &random)
                }
                let path = try scratch.write("noise", Array(start.utf8) + noise)
                // Only that the call ends, without a trap: most of these files are not recordings.
                _ = try? RecordingKey(ofFileAt: path)
            }
        }
    }
}
