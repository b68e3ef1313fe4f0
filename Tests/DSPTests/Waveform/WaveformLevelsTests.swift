// Waveforms from stored levels.
import DSP
import DSPHarness
import SoundMeasures
import TestSupport
import Testing

@Suite("Levels of a waveform")
struct WaveformLevelsTests {
    private func levels(_ waveform: Waveform) -> (channels: [[[WaveformBin]]], tones: [[WaveformTone]]) {
        let channels = (0..<waveform.channelCount).map { channel in
            (0..<waveform.levelCount).map { waveform.bins(level: $0, channel: channel) }
        }
        return (channels, (0..<waveform.toneLevelCount).map { waveform.tones(level: $0) })
    }

    @Test(
        "the levels of a waveform give the same waveform again", arguments: [0, 1, 256, 257, 5 * 256 + 3],
        [44_100, 96_000])
    func roundTrip(frameCount: Int, sampleRate: Int) throws {
        var random = SeededGenerator(printedFor: "WaveformLevelsTests.roundTrip")
        let sound = ShortSound.lively(channelCount: 3, frameCount: frameCount, random: &random)
        for tones in [true, false] {
            let waveform = sound.waveform(sampleRate: sampleRate, tones: tones)
            let levels = levels(waveform)
            let again = try Waveform(
                sampleRate: sampleRate, frameCount: Int64(frameCount), channels: levels.channels, tones: levels.tones)
            #expect(again == waveform)
        }
    }

    @Test("the levels of a waveform have the lengths computed from the number of frames")
    func counts() {
        var random = SeededGenerator(printedFor: "WaveformLevelsTests.counts")
        for frameCount in [0, 1, 255, 256, 257, 1024, 1025, 3 * 512 + 1, 100_000] {
            let sound = ShortSound.lively(channelCount: 1, frameCount: frameCount, random: &random)
            let waveform = sound.waveform()
            let found = levels(waveform)
            #expect(found.channels[0].map(\.count) == Waveform.binCounts(frameCount: Int64(frameCount)))
            #expect(found.tones.map(\.count) == Waveform.toneCounts(frameCount: Int64(frameCount), sampleRate: 44_100))
        }
        #expect(Waveform.binCounts(frameCount: 256 * 5) == [5, 3, 2, 1])
        #expect(Waveform.framesPerTone(sampleRate: 50_000) == 512 && Waveform.framesPerTone(sampleRate: 50_001) == 1024)
    }

    @Test("waveform levels are refused if a level, a bin or a channel is missing or surplus")
    func refusals() throws {
        var random = SeededGenerator(printedFor: "WaveformLevelsTests.refusals")
        let sound = ShortSound.lively(channelCount: 2, frameCount: 5 * 256, random: &random)
        let (channels, tones) = levels(sound.waveform())
        func isRefused(
            rate: Int = 44_100, frames: Int64 = 5 * 256, _ channels: [[[WaveformBin]]], _ tones: [[WaveformTone]]
        ) -> Bool {
            do throws(WaveformLevelsError) {
                _ = try Waveform(sampleRate: rate, frameCount: frames, channels: channels, tones: tones)
                return false
            } catch {
                return !error.message.isEmpty && !error.remedy.isEmpty
            }
        }
        #expect(!isRefused(channels, tones) && !isRefused(channels, []))
        #expect(isRefused(rate: 0, channels, tones) && isRefused(frames: -1, channels, tones))
        // At another rate the tones are other stretches.
        #expect(isRefused(rate: 96_000, channels, tones) && isRefused(frames: 5 * 256 + 1, channels, tones))
        #expect(isRefused([], tones) && isRefused(Array(repeating: channels[0], count: 65), tones))
        #expect(isRefused([channels[0], channels[1].dropLast()], tones))
        #expect(isRefused([channels[0] + [channels[0][3]], channels[1]], tones))
        for level in channels[0].indices {
            var short = channels
            short[1][level].removeLast()
            #expect(isRefused(short, tones))
        }
        for level in tones.indices {
            var long = tones
            long[level].append(tones[level][0])
            #expect(isRefused(channels, long))
        }
        #expect(isRefused(channels, tones.dropLast()))
    }

    @Test("waveform bins and tones have the same layout in memory as in files")
    func layout() {
        #expect(MemoryLayout<WaveformBin>.size == 6 && MemoryLayout<WaveformBin>.stride == 6)
        #expect(MemoryLayout<WaveformBin>.offset(of: \.minimum) == 0)
        #expect(MemoryLayout<WaveformBin>.offset(of: \.maximum) == 2)
        #expect(MemoryLayout<WaveformBin>.offset(of: \.level) == 4)
        #expect(MemoryLayout<WaveformTone>.size == 4 && MemoryLayout<WaveformTone>.stride == 4)
        #expect(MemoryLayout<WaveformTone>.offset(of: \.low) == 0)
        #expect(MemoryLayout<WaveformTone>.offset(of: \.mid) == 1)
        #expect(MemoryLayout<WaveformTone>.offset(of: \.high) == 2)
        #expect(MemoryLayout<WaveformTone>.offset(of: \.pitch) == 3)
    }
}
