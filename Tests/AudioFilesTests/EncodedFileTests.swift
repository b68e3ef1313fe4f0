import AudioFiles
import Foundation
import SoundFileSupport
import TestSupport
import Testing

/// Files encoded while the sound is made.
@Suite("Encoded files")
struct EncodedFileTests {
    private static let formats = ["a.flac", "a.opus", "a.ogg", "a.mp3"]

    private func write(
        _ channels: [[Float]], to path: String, samples: WaveSampleFormat? = nil, sampleRate: Int = 48_000,
        blockFrames: Int = 4096
    ) throws {
        let writer = try makeSoundWriter(
            path: path, format: try FileFormat(named: path, samples: samples), sampleRate: sampleRate,
            channelCount: channels.count)
        try SoundFileSupport.write(channels, to: writer, blockFrames: blockFrames)
        try writer.finish()
    }

    private func failure(_ body: () throws -> Void) -> AudioFileError? {
        #expect(throws: AudioFileError.self) { try body() }
    }

    @Test(
        "a file name's extension sets the format, in any case, and a name without an extension gets WAV",
        arguments: [
            ("a.wav", "WAV, 32-bit float"), ("a", "WAV, 32-bit float"), ("/b.flac/a", "WAV, 32-bit float"),
            (".flac", "WAV, 32-bit float"), ("a.WAV", "WAV, 32-bit float"), ("a.FLAC", "FLAC, 24 bits"),
            ("a.opus", "Ogg Opus"), ("a.ogg", "Ogg Vorbis"), ("a.oga", "Ogg Vorbis"), ("b/a.Mp3", "MP3"),
        ])
    func names(name: String, words: String) throws {
        #expect(try FileFormat(named: name).description == words)
    }

    @Test(
        "a format or sample type that cannot be written is refused with a remedy",
        arguments: [
            ("a.m4a", nil), ("a.AIFF", nil), ("a.caf", nil), ("a.xyz", nil), ("a.wav.xyz", .int16), ("song.70%", nil),
            ("a.flac", .float32), ("a.flac", .int32), ("a.mp3", .int16), ("a.opus", .float32),
        ] as [(String, WaveSampleFormat?)])
    func refused(name: String, samples: WaveSampleFormat?) {
        let error = failure { _ = try FileFormat(named: name, samples: samples) }
        #expect(error?.kind == .invalidRequest && error?.message.hasPrefix(name) == true)
        #expect(error?.remedy.contains(".wav") == true)
    }

    @Test(
        "a FLAC file has the samples of a WAV file of equal depth, for every division into blocks",
        arguments: [WaveSampleFormat.int16, .int24])
    func lossless(format: WaveSampleFormat) throws {
        let scratch = try Scratch()
        var sound = music(frameCount: 20_011)
        sound[0].replaceSubrange(100..<107, with: [2, -2, .infinity, -.infinity, .nan, 1, -1])
        try writeWave(scratch.file("a.wav"), sound, sampleRate: 48_000, format: format)
        let expected = try decode(scratch.file("a.wav"))
        for blockFrames in [1, 63, 4096, 20_011] {
            try write(sound, to: scratch.file("a.flac"), samples: format, blockFrames: blockFrames)
            #expect(try decode(scratch.file("a.flac")) == expected)
        }
        #expect(scratch.names == ["a.flac", "a.wav"])
    }

    @Test("a file of every format has exactly the frames written, and a file of no frames is valid", arguments: formats)
    func lengths(name: String) throws {
        let scratch = try Scratch()
        for frameCount in [1, 1000, 30_001] {
            try write(music(frameCount: frameCount), to: scratch.file(name))
            let info = try AudioFileInfo(path: scratch.file(name))
            #expect(info.frameCount == Int64(frameCount) && info.sampleRate == 48_000 && info.channelCount == 2)
        }
        try write([[], []], to: scratch.file(name))
        #expect(scratch.names == [name])
    }

    @Test("every encoder survives samples that are NaN, infinite or far beyond full scale", arguments: formats)
    func unbounded(name: String) throws {
        let scratch = try Scratch()
        var sound = music(frameCount: 9000)
        for frame in stride(from: 0, to: 9000, by: 7) {
            sound[0][frame] = [.nan, .infinity, -.infinity, 1e30, -1e30][frame % 5]
        }
        try write(sound, to: scratch.file(name))
        #expect(try decode(scratch.file(name)).allSatisfy { $0.allSatisfy(\.isFinite) })
    }

    @Test("a writer that is cancelled or released leaves the older file as it was", arguments: formats)
    func givenUp(name: String) throws {
        let scratch = try Scratch()
        let path = try scratch.write(name, [1, 2, 3])
        for cancels in [true, false] {
            let writer = try makeSoundWriter(
                path: path, format: try FileFormat(named: path), sampleRate: 48_000, channelCount: 2)
            try SoundFileSupport.write(music(frameCount: 9000), to: writer)
            if cancels { writer.cancel() }
        }
        #expect(FileManager.default.contents(atPath: path) == Data([1, 2, 3]) && scratch.names == [name])
    }

    @Test("more channels than a format holds are refused before writing, and a pipe takes only WAV")
    func limits() throws {
        let scratch = try Scratch()
        let sound = music(frameCount: 10, channelCount: 9)
        #expect(failure { try write(Array(sound.prefix(3)), to: scratch.file("a.mp3")) }?.kind == .unsupported)
        #expect(failure { try write(sound, to: scratch.file("a.flac")) }?.kind == .unsupported)
        #expect(scratch.names.isEmpty)
        let isMade = unsafe mkfifo(scratch.file("pipe.flac"), 0o600) == 0
        #expect(isMade)
        // Both ends, so that opening the pipe does not block.
        let pipe = unsafe open(scratch.file("pipe.flac"), O_RDWR)
        defer { close(pipe) }
        #expect(failure { try write([[0]], to: scratch.file("pipe.flac")) }?.kind == .invalidRequest)
    }

    // In a process of its own: the limit counts for the whole process.
    @Test("a full disk ends every encoder with that error and leaves no file", arguments: formats)
    func noRoom(name: String) async {
        await #expect(processExitsWith: .success) { [name] in
            signal(SIGXFSZ, SIG_IGN)
            var limit = rlimit(rlim_cur: 4000, rlim_max: 4000)
            guard unsafe setrlimit(__rlimit_resource_t(RLIMIT_FSIZE.rawValue), &limit) == 0 else { exit(1) }
            let scratch = try Scratch()
            let path = scratch.file(name)
            for frameCount in [20_000, 200_000] {
                do throws(AudioFileError) {
                    let writer = try makeSoundWriter(
                        path: path, format: try FileFormat(named: path), sampleRate: 48_000, channelCount: 2)
                    let sound = music(frameCount: frameCount)
                    var failed = false
                    do { try SoundFileSupport.write(sound, to: writer) } catch { failed = true }
                    try writer.finish()
                    exit(failed ? 2 : 3)
                } catch {
                    guard error.kind == .limitExceeded else { exit(4) }
                }
                guard scratch.names.isEmpty else { exit(5) }
            }
            exit(0)
        }
    }
}
