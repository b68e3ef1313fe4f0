import AudioFiles
import Foundation
import SoundFileSupport
import TestSupport
import Testing

@testable import Takes

@Suite("Take files")
struct TakeFileTests {
    private let scratch: Scratch
    init() throws { scratch = try Scratch() }

    private func take(
        _ name: String = "take", _ container: TakeContainer = .wav, _ format: WaveSampleFormat = .int16,
        channelCount: Int = 2
    ) throws -> TakeFile {
        try TakeFile(
            path: scratch.file(name), container: container, format: format, sampleRate: 48_000,
            channelCount: channelCount)
    }

    @Test("a take contains the encoder's samples, bit for bit", arguments: TakeContainer.allCases)
    func bits(container: TakeContainer) throws {
        for (format, channelCount) in [
            (WaveSampleFormat.int16, 1), (.int24, 1), (.int24, 3), (.int32, 2), (.float32, 2), (.float32, 5),
        ] {
            let channels = music(frameCount: 5001, channelCount: channelCount)
            let path = scratch.file("\(format)-\(channelCount)")
            let take = try TakeFile(
                path: path, container: container, format: format, sampleRate: 48_000, channelCount: channelCount)
            // Odd blocks, with a checkpoint now and then.
            for start in stride(from: 0, to: 5001, by: 617) {
                try take.append(channels.map { Array($0[start..<min(5001, start + 617)]) }, blockFrames: 100)
                if start % 2 == 0 { try take.checkpoint() }
            }
            try take.finish()
            #expect(take.frameCount == 5001)
            try writeWave(path + ".wav", channels, sampleRate: 48_000, format: format)
            let kept = try decode(path)
            #expect(try kept == decode(path + ".wav"))
            if format == .float32 { #expect(kept == channels) }
            let info = try openDecoder(path: path).info
            #expect(info.sampleRate == 48_000 && info.container == container.rawValue)
        }
    }

    @Test("a take without a frame is a valid file without a frame in every program", arguments: TakeContainer.allCases)
    func empty(container: TakeContainer) throws {
        let take = try take("empty", container)
        #expect(try run("soxi", "-s", scratch.file("empty")) == "0\n")
        try take.finish()
        #expect(try run("soxi", "-s", scratch.file("empty")) == "0\n")
        if container == .wav { #expect(try lengthsByOthers([scratch.file("empty")]) == [[0], [0]]) }
        #expect(take.frameCount == 0)
    }

    @Test("after a checkpoint other programs read every frame so far, while the take continues")
    func checkpoints() throws {
        let take = try take(channelCount: 1)
        for round in 1...3 {
            try take.append(numbered((round - 1) * 700..<round * 700, channelCount: 1))
            #expect(take.checkpointedFrameCount == Int64(round - 1) * 700 && take.frameCount == Int64(round) * 700)
            try take.checkpoint()
            #expect(take.checkpointedFrameCount == Int64(round) * 700)
            #expect(try decode(take.path) == numbered(0..<round * 700, channelCount: 1))
            try take.synchronise()
        }
    }

    @Test("a take never replaces a file, and a discarded take leaves no file")
    func places() throws {
        let path = try scratch.write("old", [1, 2, 3])
        let error = #expect(throws: AudioFileError.self) { try take("old") }
        #expect(error?.kind == .alreadyExists && FileManager.default.contents(atPath: path) == Data([1, 2, 3]))
        #expect(throws: AudioFileError.self) { try take("no/folder") }
        #expect(throws: AudioFileError.self) { try take("", channelCount: 65) }
        let discarded = try take("discarded")
        try discarded.append(numbered(0..<100, channelCount: 2))
        try discarded.checkpoint()
        #expect(scratch.names == ["discarded", "old"])
        try discarded.discard()
        #expect(scratch.names == ["old"])
        // Another file of the same name does not belong to the take.
        let moved = try take("moved")
        try FileManager.default.moveItem(atPath: scratch.file("moved"), toPath: scratch.file("elsewhere"))
        _ = try scratch.write("moved", [4])
        try moved.discard()
        #expect(scratch.names == ["elsewhere", "moved", "old"])
    }

    @Test("silence in a take has its exact number of frames, wherever it is written", arguments: TakeContainer.allCases)
    func silence(container: TakeContainer) throws {
        let take = try take("silence", container, .int24, channelCount: 1)
        let sound = numbered(0..<501, channelCount: 1)
        try take.writeSilence(frameCount: 101)
        try take.append(sound)
        try take.checkpoint()
        try take.writeSilence(frameCount: 1)
        try take.append(sound)
        try take.writeSilence(frameCount: 77)
        try take.checkpoint()
        func silence(_ count: Int) -> [Float] { [Float](repeating: 0, count: count) }
        let expected = silence(101) + sound[0] + silence(1) + sound[0] + silence(77)
        #expect(try decode(take.path) == [expected])
        try take.finish()
        #expect(try decode(take.path) == [expected] && take.frameCount == Int64(expected.count))
    }

    @Test("a WAV take becomes RF64 past 4 GiB, and every frame is found on both sides of the limit")
    func crossing() throws {
        let take = try take("long", .wav, .float32)
        // The last frame within the limit of a RIFF header of this length: the header's size counts all but eight
        // bytes.
        let header = Int64(try scratch.size("long"))
        let most = (Int64(UInt32.max) - (header - 8)) / 8
        let first = numbered(0..<1000, channelCount: 2)
        try take.append(first)
        try take.checkpoint()
        try take.writeSilence(frameCount: most - 1002)
        try take.append(numbered(1000..<1002, channelCount: 2))
        try take.checkpoint()
        #expect(take.checkpointedFrameCount == most)
        func kind() throws -> String { try openDecoder(path: take.path).info.container }
        #expect(try kind() == "wav" && openDecoder(path: take.path).info.frameCount == most)
        #expect(try run("soxi", "-s", take.path) == "\(most)\n")
        try take.append(numbered(1002..<1003, channelCount: 2))
        try take.checkpoint()
        #expect(try kind() == "rf64" && openDecoder(path: take.path).info.frameCount == most + 1)
        try take.append(numbered(1003..<3000, channelCount: 2))
        try take.addMark("far", atFrame: most + 5)
        try take.finish()
        let frames = most + 1998
        #expect(take.frameCount == frames)
        // Not sox: sox reads an RF64 file from end to end to find the length.
        let probe = try run(
            "ffprobe", "-v", "error", "-show_entries", "stream=duration_ts", "-of", "csv=p=0", take.path)
        #expect(probe == "\(frames)\n")
        let decoder = try openDecoder(path: take.path)
        #expect(decoder.info.container == "rf64" && decoder.info.frameCount == frames)
        #expect(try decode(decoder, 0..<1000) == first)
        #expect(
            try decode(decoder, most - 4..<most + 1998)
                == [0, 1].map { channel in
                    [0, 0] + numbered(1000..<3000, channelCount: 2)[channel]
                })
        #expect(try TakeFileMarks.read(take.path) == [TakeMark(name: "far", frame: most + 5)])
    }

    @Test("a damaged header may state any length")
    func damagedLength() {
        let format = TakeFormat(container: .caf, samples: .int24, sampleRate: 48_000, channelCount: 1)
        var header = format.header(frameCount: 5)
        #expect(format.lengths(inHeader: header)?.frameCount == 5)
        header.replaceSubrange(header.count - 12..<header.count - 4, with: [0x80, 0, 0, 0, 0, 0, 0, 0])
        #expect(format.lengths(inHeader: header)?.frameCount == nil)
    }
}
