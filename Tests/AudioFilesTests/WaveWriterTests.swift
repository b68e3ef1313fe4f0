import Foundation
import SoundFileSupport
import TestSupport
import Testing

@testable import AudioFiles

@Suite struct WaveWriterTests {
    @Test(
        "a written file reads back within half a step, and a dithered file within one and a half",
        arguments: WaveSampleFormat.allCases)
    func roundTrip(format: WaveSampleFormat) throws {
        let scratch = try Scratch()
        let channels = music(frameCount: 20_001, channelCount: 3)
        try writeWave(scratch.file("a.wav"), channels, sampleRate: 48_000, format: format)
        let info = try AudioFileInfo(path: scratch.file("a.wav"))
        #expect(info.frameCount == 20_001 && info.channelCount == 3 && info.sampleRate == 48_000)
        // Rounding errs by half a step, triangular dither by one more; Float32 holds 24 bits of a 32-bit sample.
        let tolerance: Float =
            switch format {
            case .float32: 0
            case .int16: 1.5 / 32_768
            case .int24: 0.5 / 8_388_608
            case .int32: 1 / 16_777_216
            }
        for (read, written) in zip(try decode(scratch.file("a.wav")), channels) {
            let worst = zip(read, written).map { abs($0 - $1) }.max() ?? 1
            #expect(worst <= tolerance)
        }
        // Other programs read the header in the same way. (sox complains about every extensible header of floats; its
        // own reading is right.)
        #expect(try run("soxi", "-s", scratch.file("a.wav")).hasSuffix("20001\n"))
        let probe = try run(
            "ffprobe", "-v", "error", "-show_entries", "stream=channels,sample_rate", scratch.file("a.wav"))
        #expect(probe.contains("channels=3") && probe.contains("sample_rate=48000"))
    }

    @Test("samples of 16 bits go through a 16-bit file unchanged, silence included")
    func exactIntegers() throws {
        let scratch = try Scratch()
        let samples = (-32_768...32_767).map { Float($0) / 32_768 } + [Float](repeating: 0, count: 5000)
        try writeWave(scratch.file("a.wav"), [samples], format: .int16)
        #expect(try decode(scratch.file("a.wav")) == [samples])
    }

    @Test("the bytes of a written file do not depend on the blocks of samples", arguments: WaveSampleFormat.allCases)
    func partition(format: WaveSampleFormat) throws {
        let scratch = try Scratch()
        let channels = music(frameCount: 5003, channelCount: 1)
        let files = try [1, 63, 8192].map { blockFrames in
            try writeWave(scratch.file("\(blockFrames)"), channels, format: format, blockFrames: blockFrames)
            return try Data(contentsOf: URL(fileURLWithPath: scratch.file("\(blockFrames)")))
        }
        #expect(files[0] == files[1] && files[1] == files[2])
        // The pad byte of an odd number of bytes included.
        #expect(files[0].count % 2 == 0)
    }

    @Test("integer samples clip at full scale, and NaN becomes silence")
    func extremes() throws {
        let scratch = try Scratch()
        let samples: [Float] = [2, -2, .infinity, -.infinity, .nan, 1, -1]
        try writeWave(scratch.file("a.wav"), [samples], format: .int24)
        let top: Float = 8_388_607 / 8_388_608
        #expect(try decode(scratch.file("a.wav")) == [[top, -1, top, -1, 0, top, -1]])
    }

    @Test("an older file stays until the new file is whole, and for good if the new file is cancelled")
    func replacing() throws {
        let scratch = try Scratch()
        let path = try scratch.write("a.wav", [1, 2, 3])
        func old() -> [UInt8]? { FileManager.default.contents(atPath: path).map { [UInt8]($0) } }
        do {
            let writer = try WaveWriter(path: path, sampleRate: 8000, channelCount: 1)
            try write([[1, 2]], to: writer)
            #expect(old() == [1, 2, 3] && scratch.names.count == 2)
            writer.cancel()
            #expect(old() == [1, 2, 3] && scratch.names == ["a.wav"])
        }
        do {
            let forgotten = try WaveWriter(path: path, sampleRate: 8000, channelCount: 1)
            try write([[1, 2]], to: forgotten)
        }
        #expect(old() == [1, 2, 3] && scratch.names == ["a.wav"])
        try writeWave(path, [[1, 2]], format: .float32)
        #expect(try AudioFileInfo(path: path).frameCount == 2)
        #expect(scratch.names == ["a.wav"])
    }

    @Test("a link is written through, and not replaced")
    func link() throws {
        let scratch = try Scratch()
        try writeWave(scratch.file("target"), [[0]])
        try FileManager.default.createSymbolicLink(
            atPath: scratch.file("link"), withDestinationPath: scratch.file("target"))
        try writeWave(scratch.file("link"), [[0, 0, 0]])
        #expect(try AudioFileInfo(path: scratch.file("target")).frameCount == 3)
        #expect(
            try FileManager.default.destinationOfSymbolicLink(atPath: scratch.file("link")) == scratch.file("target"))
    }

    @Test("a path that cannot be written is refused with its kind")
    func places() throws {
        let scratch = try Scratch()
        func kind(_ path: String, channels: Int = 1) -> AudioFileError.Kind? {
            do {
                _ = try WaveWriter(path: path, sampleRate: 8000, channelCount: channels)
                return nil
            } catch { return error.kind }
        }
        #expect(kind(scratch.path) == .isDirectory)
        #expect(kind(scratch.file("no/such/place.wav")) == .cannotCreate)
        #expect(kind("") == .cannotCreate)
        #expect(kind(scratch.file("a.wav"), channels: 65) == .invalidRequest)
        #expect(scratch.names == [])
    }

    @Test("a full disk is reported during writing, and again when the writer ends")
    func fullDisk() throws {
        let writer = try WaveWriter(path: "/dev/full", sampleRate: 44_100, channelCount: 2)
        let error = #expect(throws: AudioFileError.self) { try write(music(frameCount: 100_000), to: writer) }
        #expect(error?.kind == .diskFull)
        #expect(throws: error ?? .closed("")) { try writer.finish() }
    }

    @Test("a stream goes through a pipe to ffmpeg, and a redirected file gets its length")
    func streams() throws {
        let scratch = try Scratch()
        let channels = music(frameCount: 30_000)
        let pipe = Pipe()
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.arguments =
            ["timeout", "300", "ffmpeg", "-v", "error", "-i", "pipe:0", "-c:a", "pcm_f32le", scratch.file("out.wav")]
        process.standardInput = pipe
        try process.run()
        let descriptor = pipe.fileHandleForWriting.fileDescriptor
        let writer = try WaveWriter(fileDescriptor: descriptor, sampleRate: 44_100, channelCount: 2)
        try write(channels, to: writer)
        try writer.finish()
        try pipe.fileHandleForWriting.close()
        process.waitUntilExit()
        #expect(process.terminationStatus == 0)
        #expect(try decode(scratch.file("out.wav")) == channels)

        _ = try scratch.write("file.wav", [])
        let file = try FileHandle(forWritingTo: URL(fileURLWithPath: scratch.file("file.wav")))
        let other = try WaveWriter(fileDescriptor: file.fileDescriptor, sampleRate: 44_100, channelCount: 2)
        try write(channels, to: other)
        try other.finish()
        #expect(try run("soxi", "-s", scratch.file("file.wav")).hasPrefix("30000"))
    }

    @Test("flushed samples are in the pipe at once, and in a file that opens while it is written")
    func flushing() throws {
        let pipe = Pipe()
        let streamed = try WaveWriter(
            fileDescriptor: pipe.fileHandleForWriting.fileDescriptor, sampleRate: 44_100, channelCount: 1,
            format: .int16)
        try write([[0.5, -0.5]], to: streamed)
        try streamed.flush()
        let header = WaveHeader(sampleRate: 44_100, channelCount: 1, format: .int16).bytes(.unknown)
        #expect(pipe.fileHandleForReading.availableData == Data(header + [0, 0x40, 0, 0xC0]))
        try write([[0.25]], to: streamed)
        try streamed.flush()
        #expect(pipe.fileHandleForReading.availableData == Data([0, 0x20]))

        let scratch = try Scratch()
        _ = try scratch.write("file.wav", [])
        let file = try FileHandle(forWritingTo: URL(fileURLWithPath: scratch.file("file.wav")))
        let writer = try WaveWriter(fileDescriptor: file.fileDescriptor, sampleRate: 44_100, channelCount: 2)
        for round in 1...2 {
            try write(music(frameCount: 1000), to: writer)
            try writer.flush()
            #expect(try run("soxi", "-s", scratch.file("file.wav")).hasPrefix("\(1000 * round)\n"))
        }
    }

    @Test("a pipe whose reader has closed is reported as a closed pipe")
    func closedPipe() throws {
        signal(SIGPIPE, SIG_IGN)
        let pipe = Pipe()
        let writer = try WaveWriter(
            fileDescriptor: pipe.fileHandleForWriting.fileDescriptor, sampleRate: 44_100, channelCount: 2)
        try pipe.fileHandleForReading.close()
        let error = #expect(throws: AudioFileError.self) { try write(music(frameCount: 50_000), to: writer) }
        #expect(error?.kind == .closedPipe)
    }

    @Test("past 4 GiB the header becomes RF64 of the same length, and the file opens whole")
    func long() throws {
        let header = WaveHeader(sampleRate: 44_100, channelCount: 2, format: .float32)
        let frames: Int64 = 1 << 30
        let bytes = header.bytes(.frames(frames))
        #expect(bytes.count == header.bytes(.frames(1)).count && bytes.count == header.byteCount)
        #expect(bytes.starts(with: Array("RF64".utf8)) && header.bytes(.frames(1)).starts(with: Array("RIFF".utf8)))
        let scratch = try Scratch()
        let path = try scratch.write("long.wav", bytes)
        // Eight gigabytes of nothing: the file system keeps no block for them.
        #expect(unsafe truncate(path, Int(header.byteCount) + Int(frames) * 8) == 0)
        let decoder = try openDecoder(path: path)
        #expect(decoder.info.frameCount == frames && decoder.info.container == "rf64")
        #expect(try decode(decoder, frames - 3..<frames) == [[0, 0, 0], [0, 0, 0]])
        // Others find the end too: 2^30 frames are 24347.887 seconds.
        #expect(try run("ffprobe", "-v", "error", "-show_entries", "format=duration", path).contains("24347.88"))
    }
}
