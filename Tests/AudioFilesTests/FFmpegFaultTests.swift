import Foundation
import SoundFileSupport
import TestSupport
import Testing

@testable import AudioFiles
@testable import Files

@Suite("Failures of ffmpeg")
struct FFmpegFaultTests {
    private let scratch: Scratch
    init() throws { scratch = try Scratch() }

    /// A file of two seconds that only ffmpeg reads.
    private func file(_ name: String = "ADTS") throws -> OpenedFile {
        let format = try #require(Format.all.first { $0.name == name })
        return try OpenedFile(path: format.file(in: scratch, frameCount: 88_200))
    }

    private func open(_ file: OpenedFile, then end: String) throws -> SpooledDecoder {
        try FFmpegDecoder.open(file, container: "adts", tools: pretendedFFmpeg(then: end, in: scratch))
    }

    @Test("an ffmpeg that is killed gives an error with the signal and the decoded length")
    func killed() throws {
        let file = try file()
        for number in [SIGKILL, SIGSEGV, SIGTERM] {
            let error = #expect(throws: AudioFileError.self) { try open(file, then: "kill -\(number) $$") }
            #expect(error?.kind == .io && error?.path == file.path)
            #expect(error?.message.contains("signal \(number)") == true && error?.message.contains("0.5 s") == true)
        }
    }

    @Test("sound that ffmpeg decoded before an error can be read, and is reported as incomplete")
    func partial() throws {
        let file = try file()
        let decoder = try open(file, then: "echo 'the file is broken' >&2; exit 1")
        #expect(decoder.info.frameCount == 22_050 && decoder.info.shortfall == "the file is broken")
        #expect(try open(file, then: "exit 1").info.shortfall?.contains("exit code 1") == true)
        #expect(try open(file, then: "exit 0").info.shortfall == nil)
    }

    @Test("a long run of ffmpeg ends when the file is no longer wanted")
    func unwanted() throws {
        let (file, mark) = (try file(), scratch.file("decoding"))
        let tools = try pretendedFFmpeg(then: "touch '\(mark)'; exec sleep 86400", in: scratch)
        let error = #expect(throws: AudioFileError.self) {
            try FFmpegDecoder.open(file, container: "adts", tools: tools) {
                !FileManager.default.fileExists(atPath: mark)
            }
        }
        #expect(error?.kind == .cancelled)
    }

    @Test("the progress report decides if the exit status of ffmpeg is unknown")
    func unknown() throws {
        let result = ChildResult(end: .unknown, lastErrorLine: "")
        #expect(try result.shortfall("a", decodedSeconds: 1, tellsOfEnd: true) == nil)
        #expect(try result.shortfall("a", decodedSeconds: 1, tellsOfEnd: false) != nil)
        // The report of a real run, and a truncated report.
        let report = try FFmpegReport(for: "a")
        let before = report.tellsOfEnd
        #expect(!before)
        let file = try file()
        let arguments =
            ["ffmpeg", "-nostdin", "-v", "error"] + report.arguments(1) + FFmpegTools.input() + ["-f", "null", "-"]
        let whole = try unsafe FFmpegTools(limits: .patient).run(
            arguments, for: file.path, [file.descriptor, report.descriptor]
        ) { _ in }
        let after = report.tellsOfEnd
        #expect(whole.end == .exited(0) && after)
    }

    @Test("a program that ignores SIGCHLD opens files that only ffmpeg reads")
    func ignoredChildren() async throws {
        let path = try file().path
        await #expect(processExitsWith: .success) { [path = path as String] in
            signal(SIGCHLD, SIG_IGN)
            let info = try openDecoder(path: path).info
            // Two seconds, and a packet or two of padding.
            guard (88_200...92_000).contains(info.frameCount), info.shortfall == nil else { exit(1) }
        }
    }

    @Test("ffmpeg decodes the opened file even if its name belongs to another file by then")
    func renamed() throws {
        let file = try file()
        try FileManager.default.removeItem(atPath: file.path)
        try Data("no audio".utf8).write(to: URL(fileURLWithPath: file.path))
        let decoder = try FFmpegDecoder.open(file, container: "adts", tools: FFmpegTools(limits: .patient))
        #expect(decoder.info.frameCount >= 88_200)
    }

    @Test(
        "an M4A file is read while ffmpeg decodes it, and reads beyond an early end fail"
    )
    func growing() throws {
        let file = try file("M4A")
        let whole = try open(file, then: "exit 0")
        #expect(whole.info.frameCount == 88_200, "without what fills its last packet")
        let expected = try Self.decode(
            FFmpegDecoder.open(file, container: "mp4", tools: FFmpegTools(limits: .patient)), 0..<88_200)
        let cases: [(String, AudioFileError.Kind)] = [
            ("kill -9 $$", .io), ("echo no more >&2; exit 1", .broken), ("exit 0", .changed),
        ]
        for (end, kind) in cases {
            let decoder = try open(file, then: end)
            #expect(try Self.decode(decoder, 100..<22_050) == expected.map { Array($0[100..<22_050]) })
            let error = #expect(throws: AudioFileError.self) { try Self.decode(decoder, 60_000..<70_000) }
            #expect(error?.kind == kind, "\(end)")
        }
    }

    // Without a time limit of the test, which would include the time waiting for a thread. A read that is not ended
    // gets another error when the program has slept.
    @Test("a decoder that is released ends a read that waits for it")
    func abandoned() throws {
        let file = try file("M4A")
        let other = try open(file, then: "exec sleep 1800")
        let thread = Thread { other.cancel() }
        thread.start()
        let error = #expect(throws: AudioFileError.self) { try Self.decode(other, 60_000..<70_000) }
        #expect(error?.kind == .cancelled)
    }

    @Test("a packet that cannot be decoded costs a moment of silence, not the recording")
    func damagedPacket() throws {
        let file = try file("M4A")
        var bytes = [UInt8](try Data(contentsOf: URL(fileURLWithPath: file.path)))
        let sound = try #require(bytes.indices.first { bytes[$0...].starts(with: Array("mdat".utf8)) })
        for index in sound + 5000..<sound + 5200 { bytes[index] = 0xFF }
        try Data(bytes).write(to: URL(fileURLWithPath: file.path))
        let decoder = try FFmpegDecoder.open(
            OpenedFile(path: file.path), container: "mp4", tools: FFmpegTools(limits: .patient))
        #expect(try Self.decode(decoder, 0..<88_200)[0].count == 88_200)
    }

    private static func decode(_ decoder: SpooledDecoder, _ frames: Range<Int64>) throws -> [[Float]] {
        let channels = decoder.info.channelCount
        let samples = UnsafeMutablePointer<Float>.allocate(capacity: frames.count * channels)
        defer { unsafe samples.deallocate() }
        try unsafe decoder.read(frames, into: samples, stride: frames.count)
        return (0..<channels).map { channel in
            unsafe Array(UnsafeBufferPointer(start: samples + channel * frames.count, count: frames.count))
        }
    }

    @Test("the temporary file leaves disk space free, and goes to a folder with space")
    func room() throws {
        let size: Int64 = 1 << 30
        #expect(throws: AudioFileError.self) { try SpoolFile(for: "a", expectedBytes: size, calls: FreeBytes(1 << 20)) }
        let error = #expect(throws: AudioFileError.self) {
            try SpoolFile(for: "a", expectedBytes: 1, calls: FreeBytes(0))
        }
        #expect(error?.kind == .diskFull && error?.remedy.contains("TMPDIR") == true)
        let spool = try SpoolFile(for: "a", calls: FreeBytes(1 << 20))
        var kind: AudioFileError.Kind?
        let bytes = [UInt8](repeating: 1, count: 2 << 20)
        unsafe bytes.withUnsafeBytes { run in
            do throws(AudioFileError) { try unsafe spool.write(run, at: 0) } catch { kind = error.kind }
        }
        #expect(kind == .diskFull)
        // A folder on a file system without unnamed files.
        _ = try SpoolFile(for: "a", expectedBytes: 1, calls: FreeBytes(1 << 40, knowsUnnamed: false))
    }
}

/// A disk with so many bytes left.
private struct FreeBytes: FileCalls {
    let count: Int
    let knowsUnnamed: Bool
    private let system = SystemFileCalls()

    init(_ count: Int, knowsUnnamed: Bool = true) { (self.count, self.knowsUnnamed) = (count, knowsUnnamed) }

    func freeBytes(_ descriptor: Int32) -> Int { count }
    func createUnnamed(in folder: String) -> Int { knowsUnnamed ? system.createUnnamed(in: folder) : -Int(EOPNOTSUPP) }
    func create(_ path: String) -> Int { system.create(path) }
    func name(_ descriptor: Int32, _ path: String) -> Int { system.name(descriptor, path) }
    func write(_ descriptor: Int32, _ bytes: UnsafeRawBufferPointer, at offset: Int64) -> Int {
        unsafe system.write(descriptor, bytes, at: offset)
    }
    func setLength(_ descriptor: Int32, _ byteCount: Int64) -> Int { system.setLength(descriptor, byteCount) }
    func synchroniseData(_ descriptor: Int32) -> Int { system.synchroniseData(descriptor) }
    func synchronise(_ descriptor: Int32) -> Int { system.synchronise(descriptor) }
    func synchroniseFolder(_ folder: String) -> Int { system.synchroniseFolder(folder) }
    func remove(_ path: String) -> Int { system.remove(path) }
    func rename(_ path: String, to other: String) -> Int { system.rename(path, to: other) }
    func close(_ descriptor: Int32) -> Int { system.close(descriptor) }
}
