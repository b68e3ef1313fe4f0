// Readers of waveforms, given nearly right files.
import AudioFiles
import DSP
import SoundFileSupport
import SoundMeasures
import TestSupport
import Testing

@testable import Waveforms

// The readers run on one thread, so the thread sanitizer finds nothing here.
@Suite("Reading damaged files of waveforms", .enabled(if: !Sanitizers.watchThreads))
struct WaveformFuzzTests {
    /// The number of files; WOODSHED_FUZZ_WAVEFORMS=1000000 for a long run.
    private var fileCount: Int { environmentCount("WOODSHED_FUZZ_WAVEFORMS", short: cases(8000, few: 4000)) }

    @Test("a mutated file of peaks is refused with a reason, or its value survives writing and reading")
    func peaks() throws {
        var mutator = ByteMutator(random: SeededGenerator(printedFor: "WaveformFuzzTests.peaks"))
        var seeds: [[UInt8]] = []
        for (channelCount, bits) in [(1, PeakFile.Bits.eight), (1, .sixteen), (3, .eight), (2, .sixteen)] {
            let sound = ShortSound.lively(channelCount: channelCount, frameCount: 20, random: &mutator.random)
            var builder = try PeakFileBuilder(
                frameCount: 20, samplesPerPixel: 6, bits: bits, isSplit: true, channelCount: channelCount,
                sampleRate: 44_100)
            let span = sound.samples.span
            builder.append(interleaved: span)
            let file = builder.peakFile()
            seeds += PeakFile.Form.allCases.map { file.encoded(as: $0) }
        }
        var (taken, refused) = (0, 0)
        for _ in 0..<fileCount {
            var bytes = seeds.randomElement(using: &mutator.random) ?? []
            let other = seeds.randomElement(using: &mutator.random) ?? []
            for _ in 0..<Int.random(in: 1...3, using: &mutator.random) { mutator.change(&bytes, with: other) }
            do throws(PeakFileError) {
                let file = try PeakFile(decoding: bytes)
                taken += 1
                for form in PeakFile.Form.allCases {
                    let again = try PeakFile(decoding: file.encoded(as: form))
                    if again != file {
                        Issue.record("\(bytes) is read as \(file), written as \(form) and read as \(again)")
                    }
                }
            } catch {
                refused += 1
                if error.message.isEmpty || error.remedy.isEmpty { Issue.record("\(bytes) is refused without a word") }
            }
        }
        // Otherwise the files are not nearly right, but far from right, or not changed at all.
        #expect(taken > fileCount / 100 && refused > fileCount / 10)
    }

    @Test("a mutated waveform's file is refused, or its value with a valid checksum survives writing")
    func own() throws {
        var mutator = ByteMutator(random: SeededGenerator(printedFor: "WaveformFuzzTests.own"))
        let seeds = [(0, 1, true), (1, 2, false), (300, 1, true), (700, 2, true), (3000, 3, false)].map {
            frameCount, channelCount, tones in
            let sound = ShortSound.lively(channelCount: channelCount, frameCount: frameCount, random: &mutator.random)
            return WaveformFile(waveform: sound.waveform(tones: tones)).encoded()
        }
        var (taken, refused) = (0, 0)
        for turn in 0..<fileCount {
            let original = seeds.randomElement(using: &mutator.random) ?? []
            var bytes = original
            let other = seeds.randomElement(using: &mutator.random) ?? []
            for _ in 0..<Int.random(in: 1...3, using: &mutator.random) { mutator.change(&bytes, with: other) }
            if turn % 2 == 0, bytes.count >= 16 { bytes = sealed(bytes) }
            do throws(WaveformFileError) {
                let file = try WaveformFile(decoding: bytes)
                taken += 1
                if file.encoded() != bytes { Issue.record("\(bytes) is read, and written as something else") }
                if turn % 2 == 1, !seeds.contains(bytes) { Issue.record("\(bytes) was changed and is believed") }
                // A believed file can be drawn with any content.
                let columns = file.waveform.summary(frames: -10..<file.waveform.frameCount + 10, columns: 5)
                if columns.count != 5 { Issue.record("\(bytes) cannot be drawn") }
            } catch {
                refused += 1
                if error.message.isEmpty || error.remedy.isEmpty { Issue.record("\(bytes) is refused without a word") }
            }
        }
        #expect(taken > fileCount / 100 && refused > fileCount / 10)
    }
}
