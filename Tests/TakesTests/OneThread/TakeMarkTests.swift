// Written marks return when the file is read.
import SoundFileSupport
import TestSupport
import Testing

@testable import AudioFiles
@testable import Takes

@Suite("Marks of takes")
struct TakeMarkTests {
    private let scratch: Scratch
    init() throws { scratch = try Scratch() }

    private static let takeMarks = [
        TakeMark(name: "Verse – Übung", frame: 700), TakeMark(name: "", frame: 0), TakeMark(name: " b ", frame: 4999),
        TakeMark(name: String(repeating: "é", count: 2048), frame: 4998), TakeMark(name: "end", frame: 5000),
        TakeMark(name: "never reached", frame: 5001),
    ]

    /// A file's part of the marks of a take of 5000 frames.
    private static var kept: [FileMark] {
        takeMarks.dropLast().sorted { $0.frame < $1.frame }.map { FileMark(name: $0.name, frame: $0.frame) }
    }

    private func take(_ name: String, _ container: TakeContainer, _ format: WaveSampleFormat = .int24) throws -> String
    {
        let take = try TakeFile(
            path: scratch.file(name), container: container, format: format, sampleRate: 44_100, channelCount: 1)
        try take.append(music(frameCount: 5000, channelCount: 1))
        for mark in Self.takeMarks { try take.addMark(mark.name, atFrame: mark.frame) }
        try take.finish()
        return take.path
    }

    @Test("marks of a take are read back with their names, to the frame", arguments: TakeContainer.allCases)
    func takes(container: TakeContainer) throws {
        for format in [WaveSampleFormat.int16, .int24, .float32] {
            let info = try openDecoder(path: take("\(format)", container, format)).info
            let found = try FileMarks(of: info)
            #expect(found.marks == Self.kept && found.frameCount == 5000)
        }
    }

    @Test("marks of a take past 4 GiB, with sizes of 64 bits, are read back")
    func longTakes() throws {
        let take = try TakeFile(
            path: scratch.file("long"), container: .wav, format: .float32, sampleRate: 48_000, channelCount: 2)
        try take.append(numbered(0..<100, channelCount: 2))
        try take.writeSilence(frameCount: 600_000_000)
        try take.addMark("far", atFrame: 600_000_001)
        try take.addMark("near", atFrame: 1)
        try take.finish()
        #expect(try OpenedFile(path: take.path).bytes(at: 0, count: 4) == Array("RF64".utf8))
        let found = try FileMarks(path: take.path, sampleRate: 48_000, frameCount: take.frameCount)
        #expect(found.marks == [FileMark(name: "near", frame: 1), FileMark(name: "far", frame: 600_000_001)])
    }

    @Test(
        "marks of a converted take are read back as chapters, to the millisecond",
        arguments: [ExportFormat.flac, .ogg, .opus])
    func chapters(format: ExportFormat) throws {
        let source = try take("take", .wav)
        let target = scratch.file("a." + format.fileExtension)
        _ = try TakeConversion.run(from: source, to: target, format: format, marks: Self.takeMarks.dropLast())
        let info = try openDecoder(path: target).info
        let found = try FileMarks(of: info)
        // 4998, 4999 and 5000 frames are the same millisecond, of which the first name stays.
        #expect(found.marks.map(\.name) == Self.kept.prefix(3).map(\.name))
        for (mark, original) in zip(found.marks, Self.kept) {
            let seconds = Double(mark.frame) / Double(info.sampleRate) - Double(original.frame) / 44_100
            #expect(abs(seconds) <= 0.0005 + 0.5 / Double(info.sampleRate) && mark.endFrame == nil)
        }
    }

    @Test(
        "four hundred chapters over many Ogg pages are read back in order", arguments: [ExportFormat.flac, .ogg, .opus])
    func manyChapters(format: ExportFormat) throws {
        try writeWave(scratch.file("a.wav"), music(frameCount: 30_000), sampleRate: 48_000)
        let marks = (0..<400).map {
            TakeMark(name: "chapter \($0) " + String(repeating: "é=;#\\", count: 40), frame: Int64($0 * 48))
        }
        let target = scratch.file("a." + format.fileExtension)
        let made = try TakeConversion.run(from: scratch.file("a.wav"), to: target, format: format, marks: marks)
        let found = try FileMarks(of: openDecoder(path: target).info).marks
        // At 48 kHz these are whole milliseconds.
        #expect(found == marks.prefix(made.chapterCount).map { FileMark(name: $0.name, frame: $0.frame) })
        #expect(found.count > 100)
    }
}
