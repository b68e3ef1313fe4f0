// A recording's waveform: the same for every reader, and the waveform's end when the recording cannot be read.
import AudioFiles
import Clips
import DSP
import Foundation
import SoundFileSupport
import Synchronization
import TestSupport
import Testing

@testable import Waveforms

@Suite("A waveform's maker")
struct WaveformMakerTests {
    /// The waveform of a clip of the file, read straight and summed up in a single pass.
    private func expected(_ path: String, tones: Bool) throws -> Waveform {
        let decoder = try openDecoder(path: path)
        let info = decoder.info
        var builder = WaveformBuilder(sampleRate: info.sampleRate, channelCount: info.channelCount, tones: tones)
        let count = Int(info.frameCount)
        var samples = [Float](repeating: 0, count: count * info.channelCount)
        try unsafe samples.withUnsafeMutableBufferPointer { buffer in
            guard let base = buffer.baseAddress else { return }
            try unsafe decoder.read(0..<info.frameCount, into: base, stride: count)
        }
        builder.append(planar: samples.span, stride: count, frameCount: count)
        return builder.waveform()
    }

    @Test("the maker gives the waveform of the decoded samples for every format", arguments: Format.all)
    func formats(format: Format) throws {
        let scratch = try Scratch()
        let path = try format.file(in: scratch, frameCount: 60_000)
        let maker = try WaveformMaker(path: path)
        let waveform = try maker.make()
        #expect(waveform == (try expected(path, tones: true)))
        #expect(maker.framesDone == maker.info.frameCount)
        #expect(waveform.channelCount == format.channelCount && waveform.frameCount == maker.info.frameCount)
    }

    @Test(
        "a waveform is the same on any number of threads, also where each part needs a seek",
        arguments: ["WAV 16", "FLAC", "Ogg Vorbis", "MP3 VBR", "MP3 mono", "M4A"])
    func threads(name: String) throws {
        let format = try #require(Format.all.first { $0.name == name })
        let scratch = try Scratch()
        // Three parts, the last part short; in a slow build a single part and a little.
        let frameCount = cases(
            2 * Int(WaveformBuilder.partFrames) + 70_001, few: Int(WaveformBuilder.partFrames) + 3001)
        let path = try format.file(in: scratch, frameCount: frameCount)
        let alone = try WaveformMaker(path: path, tones: name != "FLAC", threadCount: 1).make()
        for count in cases([2, 3, 8], few: [2]) {
            let maker = try WaveformMaker(path: path, tones: name != "FLAC", threadCount: count)
            #expect(try maker.make() == alone, "\(count) threads")
            #expect(maker.framesDone == maker.info.frameCount)
        }
    }

    @Test("a waveform is made again from the opened file, even if the file was removed")
    func again() throws {
        let scratch = try Scratch()
        try writeWave(scratch.file("a.wav"), music(frameCount: 5000))
        let maker = try WaveformMaker(path: scratch.file("a.wav"), threadCount: 2)
        let first = try maker.make()
        try FileManager.default.removeItem(atPath: scratch.file("a.wav"))
        #expect(try maker.make() == first)
    }

    @Test("a cancelled maker throws, and the next maker gives a complete waveform")
    func cancel() throws {
        let scratch = try Scratch()
        try writeWave(scratch.file("a.wav"), music(frameCount: 5000))
        let maker = try WaveformMaker(path: scratch.file("a.wav"))
        maker.cancel()
        do {
            _ = try maker.make()
            Issue.record("it was made all the same")
        } catch {
            #expect(error.kind == .cancelled && !error.remedy.isEmpty)
        }
        #expect(maker.framesDone == 0)
        #expect(try WaveformMaker(path: scratch.file("a.wav")).make().frameCount == 5000)
    }

    @Test("the maker reports a file that has become shorter since its opening")
    func shrunk() throws {
        let scratch = try Scratch()
        let path = scratch.file("a.wav")
        try writeWave(path, music(frameCount: 100_000))
        let maker = try WaveformMaker(path: path)
        let status = unsafe truncate(path, 10_000)
        #expect(status == 0)
        do {
            _ = try maker.make()
            Issue.record("it was made all the same")
        } catch {
            #expect(error.kind == .changed)
        }
    }

    @Test("the maker refuses a file that is no recording")
    func refusals() throws {
        let scratch = try Scratch()
        for (name, bytes, kind) in [
            ("empty", [], AudioFileError.Kind.empty), ("text", Array("no audio at all, only words".utf8), .notAudio),
        ] {
            let path = try scratch.write(name, bytes)
            let error = #expect(throws: AudioFileError.self) { _ = try WaveformMaker(path: path) }
            #expect(error?.kind == kind)
        }
        #expect(throws: AudioFileError.self) { _ = try WaveformMaker(path: scratch.file("missing")) }
    }

    @Test("columns from a clip's samples equal those from its bins where both exist, and are finer elsewhere")
    func columns() throws {
        let scratch = try Scratch()
        let path = scratch.file("a.wav")
        try writeWave(path, music(frameCount: 40_000))
        let (clip, waveform) = (try Clip(path: path), try WaveformMaker(path: path).make())
        for channel in [0, 1, nil] {
            let frames = Int64(512)..<512 + 100 * 256
            let fromBins = waveform.summary(frames: frames, columns: 100, channel: channel)
            let fromSamples = try clip.columns(frames: frames, count: 100, channel: channel, waveform: waveform)
            for (bin, sample) in zip(fromBins, fromSamples) {
                #expect(
                    bin.minimum == sample.minimum && bin.maximum == sample.maximum && bin.isClipped == sample.isClipped)
                #expect(abs(bin.rms - sample.rms) < 1.0 / 65_536 && bin.tone == sample.tone)
            }
        }
        let single = try clip.columns(frames: 39_998..<40_002, count: 4, channel: 0)
        #expect(
            single[0].minimum == single[0].maximum && single[1].tone == nil && single[2] == .empty
                && single[3] == .empty)
        let samples = Array(try decode(path)[0][39_998...])
        #expect(single.prefix(2).map(\.maximum) == samples)
    }
}
