// The pyramid of extremes and levels, compared with a slow computation.
import DSPHarness
internal import Glibc
import SoundMeasures
import TestSupport
import Testing

@testable import DSP

@Suite("Waveform")
struct WaveformTests {
    @Test(
        "a waveform has the extremes and RMS of every bin, and one bin at the top level",
        arguments: [1, 2, 5])
    func bins(channelCount: Int) {
        var random = SeededGenerator(printedFor: "WaveformTests.bins")
        for frameCount in [1, 255, 256, 257, 512, 769, 256 * 37 + 100] {
            let sound = ShortSound.lively(channelCount: channelCount, frameCount: frameCount, random: &random)
            let waveform = sound.waveform()
            #expect(waveform.frameCount == Int64(frameCount) && waveform.channelCount == channelCount)
            for channel in 0..<channelCount {
                for level in 0..<waveform.levelCount {
                    let size = Waveform.framesPerBin << level
                    let expected = stride(from: 0, to: frameCount, by: size).map {
                        sound.naiveBin(channel: channel, $0..<min(frameCount, $0 + size))
                    }
                    #expect(
                        waveform.bins(level: level, channel: channel) == expected,
                        "level \(level) of \(frameCount) frames")
                }
                #expect(waveform.bins(level: waveform.levelCount - 1, channel: channel).count == 1)
            }
        }
    }

    @Test("the level of a bin at full scale stays at full scale for every number of frames")
    func longBins() {
        var sum = BinSum(minimum: .min, maximum: .min, energy: 256 << 30, frameCount: 256)
        // From 2^8 to 2^40 frames, more than a file can have; 64 bits would wrap at 2^34.
        for _ in 0..<32 {
            #expect(sum.stored == WaveformBin(minimum: .min, maximum: .min, level: 65_535), "\(sum.frameCount) frames")
            sum = sum + sum
        }
    }

    @Test("a waveform of no frames has no bins and gives empty columns")
    func nothing() {
        let waveform = ShortSound(channelCount: 2, samples: []).waveform()
        #expect(
            waveform.frameCount == 0 && waveform.bins(level: 0, channel: 1).isEmpty && waveform.tones(level: 0).isEmpty)
        #expect(waveform.summary(frames: 0..<100, columns: 3) == [.empty, .empty, .empty])
        #expect(waveform.summary(frames: 0..<0, columns: 2) == [.empty, .empty])
    }

    @Test("a waveform is the same for every division into blocks, and always complete for the sound so far")
    func blocks() {
        var random = SeededGenerator(printedFor: "WaveformTests.blocks")
        let sound = ShortSound.lively(channelCount: 2, frameCount: 20_011, random: &random)
        let expected = sound.waveform { 1 << 20 }
        for largest in [1, 3, 64, 511, 513, 9000] {
            #expect(
                sound.waveform { Int.random(in: 1...largest, using: &random) } == expected, "blocks up to \(largest)")
        }
        var growing = WaveformBuilder(sampleRate: 44_100, channelCount: 2)
        var frame = 0
        while frame < sound.frameCount {
            let next = min(sound.frameCount, frame + Int.random(in: 1...1500, using: &random))
            sound.feed(&growing, frame..<next)
            frame = next
            let soFar = ShortSound(channelCount: 2, samples: Array(sound.samples.prefix(2 * frame)))
            #expect(growing.waveform() == soFar.waveform(), "after \(frame) frames")
        }
    }

    @Test("a waveform made in parallel parts is the same as that of one stream", arguments: [(1, 44_100), (2, 96_000)])
    func parts(channelCount: Int, sampleRate: Int) {
        var random = SeededGenerator(printedFor: "WaveformTests.parts")
        let part = Int(WaveformBuilder.partFrames)
        let lengths = cases([1, part - 1, part, part + 1, 2 * part + 300_001, 3 * part], few: [part + 1])
        for frameCount in lengths {
            let sound = ShortSound.lively(channelCount: channelCount, frameCount: frameCount, random: &random)
            let tones = frameCount % 2 == 1
            #expect(
                sound.waveformOfParts(sampleRate: sampleRate, tones: tones)
                    == sound.waveform(sampleRate: sampleRate, tones: tones) { 1 << 20 }, "\(frameCount) frames")
        }
    }

    @Test("a waveform rounds floating-point samples to 16 bits, and treats infinite ones as silence")
    func floats() {
        var random = SeededGenerator(printedFor: "WaveformTests.floats")
        var floats = (0..<1001).map { _ in random.float(in: -1.2...1.2) }
        floats[7] = .nan
        floats[300] = .infinity
        floats[301] = -.infinity
        floats[512] = 0.5 / 32768
        floats[513] = 1.5 / 32768
        let shorts = floats.map { sample in
            sample.isFinite
                ? Int16(max(-32768, min(32767, (Double(sample) * 32768).rounded(.toNearestOrEven)))) : 0
        }
        var builder = WaveformBuilder(sampleRate: 8000, channelCount: 1)
        for start in stride(from: 0, to: floats.count, by: 77) {
            let block = Array(floats[start..<min(start + 77, floats.count)])
            builder.append(planar: block.span, stride: block.count, frameCount: block.count)
        }
        #expect(builder.waveform() == ShortSound(channelCount: 1, samples: shorts).waveform(sampleRate: 8000))
    }

    @Test("a waveform marks the bins that have a sample at full scale")
    func clipping() {
        var samples = [Int16](repeating: 32_766, count: 1024)
        samples[300] = .max
        samples[800] = .min
        let bins = ShortSound(channelCount: 1, samples: samples).waveform().bins(level: 0, channel: 0)
        #expect(bins.map(\.isClipped) == [false, true, false, true])
        #expect(abs(bins[0].rms - 32_766.0 / 32_768) < 1e-4)
    }

    @Test("waveform columns of any range and zoom contain exactly the bins with a frame in the column")
    func columns() {
        var random = SeededGenerator(printedFor: "WaveformTests.columns")
        let sound = ShortSound.lively(channelCount: 2, frameCount: 60_000, random: &random)
        let waveform = sound.waveform(tones: false)
        for _ in 0..<cases(300, few: 40) {
            let start = Int64.random(in: -2000...61_000, using: &random)
            let frames = start..<start + Int64.random(in: 0...62_000, using: &random)
            let count = Int.random(in: 1...100, using: &random)
            let channel = [0, 1, nil].randomElement(using: &random) ?? nil
            let columns = waveform.summary(frames: frames, columns: count, channel: channel)
            #expect(columns.count == count)
            for (index, column) in columns.enumerated() {
                let part = naiveFrames(ofColumn: index, of: count, in: frames)
                let expected = sound.naiveColumn(part, channels: channel.map { [$0] } ?? [0, 1])
                #expect(
                    column.minimum == expected.minimum && column.maximum == expected.maximum
                        && column.isClipped == expected.isClipped, "column \(index) of \(count) over \(frames)")
                // Bins keep the level to half a step, which is all of the level for the quietest.
                #expect(abs(column.rms - expected.rms) <= 1.0 / 65536, "column \(index) of \(count) over \(frames)")
            }
        }
    }

    @Test("waveform columns divide all frames between them, in order, even of the longest range")
    func sharing() {
        let pictures = [
            (Int64(-5)..<Int64(1 << 62), 4096), (0..<10, 3), (7..<1007, 1000), (0..<1, 1), (5..<12, 30), (3..<3, 2),
            (0..<9, 0),
        ]
        for (frames, count) in pictures {
            let columns = Array(ColumnFrames(of: frames, count: count))
            #expect(columns == (0..<count).map { naiveFrames(ofColumn: $0, of: count, in: frames) })
            guard frames.count >= count, count > 0 else { continue }
            #expect(columns.first?.lowerBound == frames.lowerBound && columns.last?.upperBound == frames.upperBound)
            #expect(zip(columns, columns.dropFirst()).allSatisfy { $0.upperBound == $1.lowerBound })
        }
    }

    @Test("waveform columns computed from samples equal those from bins")
    func samples() {
        var random = SeededGenerator(printedFor: "WaveformTests.samples")
        let sound = ShortSound.lively(channelCount: 1, frameCount: 256, random: &random)
        let tone = WaveformTone(low: 1, mid: 2, high: 3, pitch: 4)
        let floats = sound.samples.map { Float($0) / 32768 }
        let column = Waveform.column(ofSamples: floats.span, tone: tone)
        let expected = sound.waveform(tones: false).summary(frames: 0..<256, columns: 1)[0]
        #expect(column.minimum == expected.minimum && column.maximum == expected.maximum && column.tone == tone)
        #expect(abs(column.rms - expected.rms) <= 0.5 / 65536)
        let nothing: [Float] = []
        let empty = Waveform.column(ofSamples: nothing.span, tone: tone)
        #expect(empty == .empty)
        // Samples that are not finite are silence here too; finite samples of any size are full scale.
        let spoilt: [Float] = [.nan, .infinity, -.infinity, 0.25]
        let heard: [Float] = [0, 0, 0, 0.25]
        let silenced = Waveform.column(ofSamples: heard.span, tone: tone)
        #expect(Waveform.column(ofSamples: spoilt.span, tone: tone) == silenced)
        let loud: [Float] = [.greatestFiniteMagnitude, -.greatestFiniteMagnitude]
        let clipped = Waveform.column(ofSamples: loud.span, tone: tone)
        #expect(clipped.minimum == -1 && clipped.maximum == 32767.0 / 32768 && clipped.isClipped)
    }

    private func naiveFrames(ofColumn index: Int, of count: Int, in frames: Range<Int64>) -> Range<Int64> {
        func edge(_ index: Int) -> Int64 {
            let (high, low) = UInt64(frames.count).multipliedFullWidth(by: UInt64(index))
            return frames.lowerBound + Int64(UInt64(count).dividingFullWidth((high, low)).quotient)
        }
        return edge(index)..<max(edge(index) + (frames.isEmpty ? 0 : 1), edge(index + 1))
    }
}
