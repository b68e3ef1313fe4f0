import AudioFiles
import Foundation
import SoundFileSupport
import TestSupport
import Testing

@testable import Files
@testable import Takes

@Suite("Conversions of takes")
struct TakeConversionTests {
    private let scratch: Scratch
    init() throws { scratch = try Scratch() }

    /// A recording of two thirds of a second.
    private func source(
        _ format: WaveSampleFormat = .int24, sampleRate: Int = 44_100, channelCount: Int = 2, frameCount: Int = 30_001
    ) throws -> String {
        let path = scratch.file("take.wav")
        let channels = music(frameCount: frameCount, channelCount: channelCount, sampleRate: sampleRate)
        try writeWave(path, channels, sampleRate: sampleRate, format: format)
        return path
    }

    /// How alike two sounds are: 1 for equal, 0 for unrelated.
    private func correlation(_ a: [Float], _ b: [Float]) -> Double {
        var (ab, aa, bb) = (0.0, 0.0, 0.0)
        for (a, b) in zip(a, b) {
            ab += Double(a) * Double(b)
            aa += Double(a) * Double(a)
            bb += Double(b) * Double(b)
        }
        return ab / (aa * bb).squareRoot()
    }

    @Test(
        "a FLAC file has the samples of the take, bit for bit, and floats as the nearest 24 bits",
        arguments: cases(WaveSampleFormat.allCases, few: [.int16, .float32]))
    func lossless(format: WaveSampleFormat) throws {
        let path = try source(format, channelCount: 3)
        let made = try TakeConversion.run(from: path, to: scratch.file("a.flac"), format: .flac)
        #expect(made.frameCount == 30_001 && made.sampleRate == 44_100)
        let (original, result) = (try decode(path), try decode(scratch.file("a.flac")))
        if format == .int16 || format == .int24 {
            #expect(result == original)
        } else {
            let step: Float = 1 / 8_388_608
            #expect(zip(original, result).allSatisfy { zip($0, $1).allSatisfy { abs($0 - $1) <= 0.5 * step } })
        }
        try run("flac", "-s", "-t", scratch.file("a.flac"))
    }

    @Test("a converted take has the take's length and sound in every format", arguments: ExportFormat.allCases)
    func sound(format: ExportFormat) throws {
        // Opus and MP3 have to convert the second rate.
        for rate in format == .opus || format == .mp3 ? cases([44_100, 96_000], few: [44_100]) : [44_100] {
            let path = try source(sampleRate: rate)
            let target = scratch.file("\(rate).\(format.fileExtension)")
            var parts: [Double] = []
            let made = try TakeConversion.run(from: path, to: target, format: format, progress: { parts.append($0) })
            #expect(parts.last == 1 && parts == parts.sorted())
            // The same sound at the same rate.
            let (result, original) = (try decode(target, sampleRate: rate), try decode(path))
            // There and back again, each rate rounds to whole frames.
            let rounding: Int64 = made.sampleRate == rate ? 0 : 1
            #expect(abs(Int64(result[0].count - original[0].count)) <= format.paddingFrames + rounding)
            #expect(made.path == target && made.format == format)
            // A codec leaves out at most a twentieth of the power; a shift by a few frames would be more.
            for (a, b) in zip(original, result) {
                #expect(correlation(a, b) > 0.95, "\(format) at \(rate) Hz")
            }
            #expect(!scratch.names.contains { $0.contains(".part") })
        }
    }

    @Test(
        "an M4A file of a take above 96 kHz has 96 or 88.2 kHz, by the family of the rate",
        arguments: [176_400, 192_000])
    func highRates(rate: Int) throws {
        let made = try TakeConversion.run(
            from: source(sampleRate: rate, frameCount: 20_000), to: scratch.file("a.m4a"), format: .m4a)
        #expect(made.sampleRate == rate / 2)
        #expect(try openDecoder(path: made.path).info.sampleRate == rate / 2)
    }

    @Test("an unsupported rate becomes the highest rate of its family, or 44.1 or 48 kHz for an odd rate")
    func rates() {
        let rates = [22_050, 37_800, 44_100, 50_000, 88_200, 96_000, 176_400, 192_000, 352_800, 768_000]
        #expect(
            rates.map(ExportFormat.m4a.sampleRate(for:)) == [
                22_050, 48_000, 44_100, 48_000, 88_200, 96_000, 88_200, 96_000, 88_200, 96_000,
            ])
        #expect(
            rates.map(ExportFormat.mp3.sampleRate(for:)) == [
                22_050, 48_000, 44_100, 48_000, 44_100, 48_000, 44_100, 48_000, 44_100, 48_000,
            ])
    }

    @Test("marks of a take become chapters, to the millisecond", arguments: ExportFormat.allCases)
    func chapters(format: ExportFormat) throws {
        let path = try source()
        // More than a page of an Ogg file.
        let names = (0..<400).map { "chapter \($0) " + String(repeating: "é=;#\\", count: 40) }
        let marks = names.enumerated().map { TakeMark(name: $1, frame: Int64($0 * 70)) }
        let target = scratch.file("a." + format.fileExtension)
        let made = try TakeConversion.run(from: path, to: target, format: format, marks: marks.reversed())
        let text = try run(
            "ffprobe", "-v", "error", "-show_entries", "chapter=start_time:chapter_tags=title", "-of",
            "compact=p=0:nk=1:e=none", target)
        let lines = text.split(separator: "\n")
        #expect(lines.count == made.chapterCount && lines.isEmpty == !format.keepsMarks)
        // The marks need more room than an Opus file has.
        #expect(lines.count == 400 || format == .opus && lines.count > 100 || !format.keepsMarks)
        for (line, mark) in zip(lines, marks) {
            let fields = line.split(separator: "|", maxSplits: 1)
            let seconds = try #require(parsed(fields[0], as: Double.self))
            #expect(abs(seconds - Double(mark.frame) / 44_100) < 0.0011)
            #expect(fields[1] == mark.name || format == .m4a && fields[1] == mark.name + " ")
        }
        // The chapters have replaced no sound: libsndfile checks the sums of an Ogg file's pages.
        #expect(try abs(openDecoder(path: target).info.seconds - 30_001.0 / 44_100) < 0.05)
    }

    @Test("a conversion that is cancelled or fails leaves no file, and an older file stays")
    func refusals() throws {
        let path = try source()
        for format in ExportFormat.allCases {
            let target = scratch.file("a." + format.fileExtension)
            let cancelled = #expect(throws: AudioFileError.self) {
                try TakeConversion.run(from: path, to: target, format: format, isCancelled: { true })
            }
            #expect(cancelled?.kind == .cancelled)
            let old = try scratch.write("old", [1, 2])
            let exists = #expect(throws: AudioFileError.self) {
                try TakeConversion.run(from: path, to: old, format: format)
            }
            #expect(exists?.kind == .alreadyExists)
        }
        #expect(scratch.names == ["old", "take.wav"])
        #expect(throws: AudioFileError.self) {
            try TakeConversion.run(from: path, to: scratch.file("no/folder.flac"), format: .flac)
        }
        let many = try source(channelCount: 9, frameCount: 1000)
        for format in [ExportFormat.flac, .mp3, .m4a] {
            let error = #expect(throws: AudioFileError.self) {
                try TakeConversion.run(from: many, to: scratch.file("many"), format: format)
            }
            #expect(error?.kind == .unsupported, "\(format)")
        }
        #expect(scratch.names == ["old", "take.wav"])
    }

    @Test("an ffmpeg that is missing, hangs, fails or writes something else is reported, and leaves no file")
    func programs() throws {
        let path = try source(frameCount: 1000)
        func kind(_ script: String?, seconds: Double = 3600) throws -> AudioFileError.Kind? {
            var tools = FFmpegTools()
            tools.ffmpeg =
                try script.map { text in
                    let file = try scratch.write("program", Array("#!/bin/sh\n\(text)\n".utf8))
                    try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: file)
                    return file
                } ?? "no-such-program"
            tools.limits = ChildLimits(totalSeconds: seconds, silentSeconds: seconds)
            var kind: AudioFileError.Kind?
            // A script just written cannot be run while a program being started elsewhere also holds the script open.
            _ = eventually {
                do throws(AudioFileError) {
                    _ = try TakeConversion.run(
                        from: path, to: scratch.file("a.m4a"), format: .m4a, marks: [TakeMark(name: "m", frame: 1)],
                        tools: tools, progress: { _ in }, isCancelled: { false })
                    kind = nil
                } catch { kind = error.kind }
                return script == nil || kind != .helperMissing
            }
            return kind
        }
        #expect(try kind(nil) == .helperMissing)
        #expect(try kind("exec sleep 600", seconds: 0.1) == .limitExceeded)
        #expect(try kind("echo broken >&2; exit 1") == .unsupported)
        #expect(try kind("echo 'x: No space left on device' >&2; exit 1") == .diskFull)
        #expect(try kind("exit 0") == .broken)
        #expect(scratch.names.filter { $0 != "program" } == ["take.wav"])
    }

    @Test(
        "an encoder that refuses a file closes its descriptor exactly once",
        .enabled(if: !Sanitizers.watchThreads))
    func refusedEncoder() async {
        await #expect(processExitsWith: .success) {
            let thief = DescriptorThief()
            // So often, as the thief has to come between the two.
            for _ in 0..<20_000 {
                let file = try UnnamedFile.inMemory()
                // libsndfile finds only when opening the file that FLAC has no such rate.
                let encoder = try? SoundFileEncoder(
                    file, path: "a.flac", format: ExportFormat.flac.soundFileFormat(isSixteenBit: true) ?? 0,
                    integerBits: 16, sampleRate: 700_000, channelCount: 2, reservedComment: nil, frameCapacity: 1)
                if encoder != nil { exit(1) }
            }
            if thief.wasRobbed() { exit(2) }
        }
    }

    @Test("a mark of several lines is a chapter of the same name in an M4A file, for any line ends")
    func linesOfMarks() throws {
        let names = ["a\r\nb", "c\nd", "e\rf", "\r\nSTART=5", "=;#\r\n[CHAPTER]\r\nSTART=1"]
        let marks = names.enumerated().map { TakeMark(name: $1, frame: Int64($0 * 1000)) }
        let made = try TakeConversion.run(
            from: source(), to: scratch.file("a.m4a"), format: .m4a, marks: marks)
        #expect(made.chapterCount == names.count)
        let text = try run("ffprobe", "-v", "error", "-show_chapters", "-of", "json", scratch.file("a.m4a"))
        let object = try #require(try JSONSerialization.jsonObject(with: Data(text.utf8)) as? [String: Any])
        let chapters = try #require(object["chapters"] as? [[String: Any]])
        #expect(chapters.map { ($0["tags"] as? [String: String])?["title"] } == names)
    }
}
