import Foundation
import SoundFileSupport
import Synchronization
import TestSupport
import Testing

@testable import AudioFiles

@Suite struct BadInputTests {
    private func kind(_ path: String) -> AudioFileError.Kind? {
        do {
            _ = try openDecoder(path: path)
            return nil
        } catch {
            // Two lines at most, and both say something.
            #expect(!error.message.isEmpty && !error.remedy.isEmpty)
            #expect(!error.message.contains("\n") && !error.remedy.contains("\n"))
            return error.kind
        }
    }

    @Test("a missing, empty or irregular file is refused with its kind, without waiting")
    func places() throws {
        let scratch = try Scratch()
        #expect(kind(scratch.file("missing.wav")) == .notFound)
        #expect(kind("") == .notFound)
        #expect(kind("a\0b") == .notFound)
        #expect(kind(scratch.path) == .isDirectory)
        #expect(kind("/dev/zero") == .notRegularFile)
        try run("mkfifo", scratch.file("pipe"))
        #expect(kind(scratch.file("pipe")) == .notRegularFile)
        #expect(kind(try scratch.write("empty.wav", [])) == .empty)
    }

    @Test("standard input and addresses are no files, and the remedy says what to do instead")
    func noNames() throws {
        for (name, word) in [
            ("-", "Write the recording into a file"), ("https://example.org/a.mp3", "Download"),
            ("rtsp+x://a", "Download"),
        ] {
            let error = #expect(throws: AudioFileError.self) { try openDecoder(path: name) }
            #expect(error?.kind == .notRegularFile && error?.remedy.contains(word) == true, "\(name)")
        }
        for name in ["://a", "1x://a", "a b://c", "http:/a", "-x"] { #expect(kind(name) == .notFound, "\(name)") }
        // A file of such a name is a recording all the same.
        let scratch = try Scratch()
        try writeWave(scratch.file("-"), music(frameCount: 100))
        #expect(kind(scratch.file("-")) == nil)
    }

    @Test("a known coding that cannot be decoded is unsupported, not damaged")
    func unimplemented() throws {
        let scratch = try Scratch()
        let raw = try scratch.write("raw", [UInt8](repeating: 7, count: 40_000))
        try run(
            "flac", "-s", "--force-raw-format", "--endian=little", "--sign=signed", "--channels=1", "--bps=32",
            "--sample-rate=44100", "-o", scratch.file("a.flac"), raw)
        // Newer libraries decode FLAC of 32 bits; older libraries must refuse such a file.
        #expect([nil, .unsupported].contains(kind(scratch.file("a.flac"))))
    }

    @Test("a refused file keeps its own reason while other files are opened and refused")
    func reasons() throws {
        let scratch = try Scratch()
        let words = try scratch.write(
            "words.wav", Array("RIFF no sound at all".utf8) + [UInt8](repeating: 1, count: 400))
        let sound = scratch.file("sound.wav")
        try writeWave(sound, music(frameCount: 100))
        let alone = kind(words)
        #expect(alone != nil)
        let others = Mutex(0)
        DispatchQueue.concurrentPerform(iterations: 4) { thread in
            for _ in 0..<300 {
                let found = thread % 2 == 0 ? kind(words) : kind(sound)
                if found != (thread % 2 == 0 ? alone : nil) { others.withLock { $0 += 1 } }
            }
        }
        #expect(others.withLock { $0 } == 0)
    }

    @Test("a command in a remedy names the file as one word of the shell")
    func commands() {
        let cases: [(error: AudioFileError, command: String)] = [
            (.reading("my take.wav", errno: EACCES), "chmod u+r 'my take.wav'"),
            (.tooManyChannels("-x.wav", 65), "sox ./-x.wav OUT.wav remix 1 2"),
            // sox would run the words after the bar, and ffmpeg would look for a protocol before the colon.
            (.tooManyChannels("|x.wav", 65), "sox './|x.wav' OUT.wav remix 1 2"),
            (.decodesTooLong("/a'b.m4a"), "ffmpeg -i '/a'\\''b.m4a' OUT.flac"),
            (.decodesTooLong("take:1.m4a"), "ffmpeg -i ./take:1.m4a OUT.flac"),
        ]
        for (error, command) in cases { #expect(error.remedy.hasSuffix(": " + command), "\(error.remedy)") }
    }

    @Test("EACCES and EROFS are errors of permission, and ENOSPC is a full disk")
    func unreadable() {
        // The tests may run as root, and no permission stops root: the mapping is testable everywhere.
        #expect(AudioFileError.reading("x", errno: EACCES).kind == .permissionDenied)
        #expect(AudioFileError.writing("x", errno: EROFS, creating: true).kind == .permissionDenied)
        #expect(AudioFileError.writing("x", errno: ENOSPC, creating: false).kind == .diskFull)
    }

    @Test("a file without audio data is refused")
    func notAudio() throws {
        let scratch = try Scratch()
        var generator = SeededGenerator(printedFor: #function)
        let noise = (0..<50_000).map { _ in UInt8.random(in: 0...255, using: &generator) }
        #expect(
            kind(try scratch.write("text.wav", Array(String(repeating: "not a sound\n", count: 500).utf8))) == .notAudio
        )
        #expect(kind(try scratch.write("noise.mp3", [0] + noise)) == .notAudio)
        #expect(kind(try scratch.write("zeros.flac", [UInt8](repeating: 0, count: 5000))) == .notAudio)
        #expect(kind(try scratch.write("one", [82])) == .notAudio)
        // Only the first bytes of a container. The rest may claim anything: no sound, too many channels, an unknown
        // coding; refusing the file is the requirement.
        for head in ["RIFF", "fLaC", "OggS", "FORM", "ID3\u{3}", "caff", "ftyp"] {
            let found = kind(try scratch.write("head", Array(head.utf8) + noise.prefix(200)))
            #expect(found != nil, "\(head)")
        }
        let video = try scratch.write("mp4", [0, 0, 0, 24] + Array("ftypisom".utf8) + noise)
        #expect(kind(video) != nil)
    }

    @Test("a playlist is not audio: no other file or address is opened for it")
    func playlist() throws {
        let scratch = try Scratch()
        #expect(kind(try scratch.write("a.m3u8", Array("#EXTM3U\nhttp://localhost/a.ts\n".utf8))) == .notAudio)
    }

    @Test("a header with no frames, no channels or 65 channels is refused, each with its kind")
    func headers() throws {
        let scratch = try Scratch()
        #expect(kind(try scratch.write("no-frames.wav", wave(channels: 2, dataBytes: 0))) == .empty)
        #expect(kind(try scratch.write("65.wav", wave(channels: 65, dataBytes: 1300))) == .tooManyChannels)
        #expect(kind(try scratch.write("64.wav", wave(channels: 64, dataBytes: 1280))) == nil)
        let none = kind(try scratch.write("0.wav", wave(channels: 0, dataBytes: 100)))
        #expect(none == .broken || none == .notAudio)
        let rate = kind(try scratch.write("rate.wav", wave(channels: 1, dataBytes: 100, sampleRate: 0)))
        #expect(rate == .broken || rate == .unsupported)
        #expect(kind(try scratch.write("mhz.wav", wave(channels: 1, dataBytes: 100, sampleRate: 2_000_000))) != nil)
    }

    @Test("a header that promises too many frames opens with the frames that exist")
    func promises() throws {
        let scratch = try Scratch()
        let path = try scratch.write("long.wav", wave(channels: 2, dataBytes: 4000, claimedBytes: 0x7FFF_FFF0))
        #expect(try AudioFileInfo(path: path).frameCount == 1000)
        // 2^63 frames of FLAC: the field has 36 bits, all set, over a file that ends early.
        try writeWave(scratch.file("a.wav"), music(frameCount: 30_000))
        try run("flac", "-s", "--no-seektable", "-o", scratch.file("a.flac"), scratch.file("a.wav"))
        var flac = [UInt8](try Data(contentsOf: URL(fileURLWithPath: scratch.file("a.flac"))))
        flac[21] |= 0x0F
        for i in 22..<26 { flac[i] = 0xFF }
        #expect(try AudioFileInfo(path: scratch.write("many.flac", flac)).frameCount == 30_000)
        for i in 22..<26 { flac[i] = 0 }
        flac[21] &= 0xF0
        #expect(try AudioFileInfo(path: scratch.write("unknown.flac", flac)).frameCount == 30_000)
    }

    @Test("an RF64 header of 2^63 frames takes no memory and opens with the frames that exist")
    func hugeClaim() throws {
        let scratch = try Scratch()
        try writeWave(scratch.file("a.wav"), music(frameCount: 1000))
        try run(
            "ffmpeg", "-v", "error", "-i", scratch.file("a.wav"), "-rf64", "always", "-f", "wav", scratch.file("b.wav"))
        var bytes = [UInt8](try Data(contentsOf: URL(fileURLWithPath: scratch.file("b.wav"))))
        for offset in [20, 28, 36] { for i in 0..<8 { bytes[offset + i] = i == 7 ? 0x7F : 0xFF } }
        let path = try scratch.write("c.wav", bytes)
        do {
            #expect(try AudioFileInfo(path: path).frameCount == 1000)
        } catch {
            // Refusing the file as damaged is as good.
            #expect(error.kind == .broken)
        }
    }

    @Test(
        "a truncated file plays as far as it goes", arguments: ["FLAC", "MP3 VBR", "Ogg Vorbis", "M4A", "AIFF", "ADTS"])
    func truncated(name: String) throws {
        let format = try #require(Format.all.first { $0.name == name })
        let scratch = try Scratch()
        let whole = [UInt8](try Data(contentsOf: URL(fileURLWithPath: format.file(in: scratch, frameCount: 150_000))))
        let path = try scratch.write("half", Array(whole.prefix(whole.count / 2)))
        if name == "M4A" {
            // The index of an M4A file is at its end: nothing can be played.
            #expect(kind(path) == .broken)
            return
        }
        let frameCount = try AudioFileInfo(path: path).frameCount
        #expect((50_000...130_000).contains(Int(frameCount)), "\(frameCount)")
        #expect(try decode(path)[0].count == Int(frameCount))
    }

    @Test("decoding to measure a file ends when the file is no longer wanted", arguments: ["FLAC", "ADTS"])
    func unwanted(name: String) throws {
        let format = try #require(Format.all.first { $0.name == name })
        let scratch = try Scratch()
        let whole = [UInt8](try Data(contentsOf: URL(fileURLWithPath: format.file(in: scratch, frameCount: 150_000))))
        let path = try scratch.write("half", Array(whole.prefix(whole.count / 2)))
        let error = #expect(throws: AudioFileError.self) { _ = try openDecoder(path: path) { false } }
        #expect(error?.kind == .cancelled)
    }

    @Test("a file that becomes a recording with more channels is refused at every read")
    func moreChannels() throws {
        let scratch = try Scratch()
        let path = scratch.file("a.flac")
        try writeWave(scratch.file("a.wav"), music(frameCount: 200_000))
        try run("flac", "-s", "-o", path, scratch.file("a.wav"))
        let decoder = try openDecoder(path: path)
        try writeWave(scratch.file("b.wav"), music(frameCount: 50_000, channelCount: 8))
        let file = try FileHandle(forWritingTo: URL(fileURLWithPath: path))
        try file.truncate(atOffset: 0)
        try file.write(contentsOf: Data(contentsOf: URL(fileURLWithPath: scratch.file("b.wav"))))
        try file.close()
        for frame in [150_000, 0, 0, 20_000] as [Int64] {
            let error = #expect(throws: AudioFileError.self) { try decode(decoder, frame..<frame + 1024) }
            #expect(error?.kind == .changed, "\(frame)")
        }
    }

    @Test("a file that is cut short, or becomes another kind of recording, is not opened again")
    func openedAgain() throws {
        let scratch = try Scratch()
        let path = scratch.file("a.wav")
        try writeWave(path, music(frameCount: 50_000))
        try writeWave(scratch.file("b.wav"), music(frameCount: 50_000), format: .float32)
        let decoder = try openDecoder(path: path)
        let floats = try Data(contentsOf: URL(fileURLWithPath: scratch.file("b.wav")))
        for content in [Data(), Data("no sound".utf8), floats] {
            let file = try FileHandle(forWritingTo: URL(fileURLWithPath: path))
            try file.truncate(atOffset: 0)
            try file.write(contentsOf: content)
            try file.close()
            let error = #expect(throws: AudioFileError.self) { _ = try decoder.another() }
            #expect(error?.kind == .changed, "\(content.count) bytes")
        }
        // Another file of the same name is no change: the open file is read.
        try writeWave(scratch.file("c.wav"), music(frameCount: 50_000))
        let kept = try openDecoder(path: scratch.file("c.wav"))
        try FileManager.default.removeItem(atPath: scratch.file("c.wav"))
        try Data("no sound".utf8).write(to: URL(fileURLWithPath: scratch.file("c.wav")))
        #expect(try decode(kept.another(), 0..<1000) == decode(kept, 0..<1000))
    }

    @Test("NaN and infinity never leave a decoder")
    func notFinite() throws {
        let scratch = try Scratch()
        try writeWave(scratch.file("a.wav"), [[1, .nan, .infinity, -.infinity, 0.5]], format: .float32)
        #expect(try decode(scratch.file("a.wav")) == [[1, 0, 0, 0, 0.5]])
    }

    @Test("without ffmpeg the error says how to install ffmpeg")
    func helper() throws {
        let format = try #require(Format.all.first { $0.name == "ADTS" })
        let scratch = try Scratch()
        let file = try OpenedFile(path: format.file(in: scratch, frameCount: 20_000))
        let tools = FFmpegTools(ffmpeg: "no-such-ffmpeg", ffprobe: "no-such-ffprobe")
        let error = #expect(throws: AudioFileError.self) {
            _ = try FFmpegDecoder.open(file, container: "adts", tools: tools)
        }
        #expect(error?.kind == .helperMissing && error?.remedy.contains("apt-get install ffmpeg") == true)
    }
}

/// A 16-bit WAV file with any header.
private func wave(channels: Int, dataBytes: Int, claimedBytes: Int? = nil, sampleRate: Int = 44_100) -> [UInt8] {
    func little(_ value: Int, _ count: Int) -> [UInt8] {
        (0..<count).map { UInt8(truncatingIfNeeded: value >> (8 * $0)) }
    }
    let claimed = claimedBytes ?? dataBytes
    return Array("RIFF".utf8) + little(36 + claimed, 4) + Array("WAVEfmt ".utf8) + little(16, 4) + little(1, 2)
        + little(channels, 2) + little(sampleRate, 4) + little(sampleRate * channels * 2, 4) + little(channels * 2, 2)
        + little(16, 2) + Array("data".utf8) + little(claimed, 4) + [UInt8](repeating: 1, count: dataBytes)
}
