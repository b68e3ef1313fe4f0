import AudioFiles
import Clips
import DSP
import Glibc
import SoundFileSupport
import TestSupport
import Testing

@Suite("Measured recordings")
struct MeasuredRecordingTests {
    @Test(
        "a measured recording reads the same as its clip, to the last bit, also when resampled",
        arguments: [(44_100, 2), (48_000, 1), (44_100, 3), (4000, 2)])
    func clips(rate: Int, channelCount: Int) throws {
        let scratch = try Scratch()
        let sound = music(frameCount: 100_003, channelCount: channelCount, sampleRate: rate)
        for format in [WaveSampleFormat.int16, .int24, .float32] {
            let path = scratch.file("\(format).wav")
            try writeWave(path, sound, sampleRate: rate, format: format)
            let recording = try MeasuredRecording(path: path)
            let clip = try Clip(path: path, sampleRate: max(8000, rate))
            #expect(recording.frameCount == clip.frameCount && recording.sampleRate == clip.sampleRate)
            var (hops, clipHops): ([LoudnessHop], [LoudnessHop]) = ([], [])
            let reading = try recording.reading { hops.append($0) }
            let clipReading = try ProgrammeReading(measuring: clip) { clipHops.append($0) }
            #expect(hops == clipHops && !hops.isEmpty)
            #expect(
                reading.loudness == clipReading.loudness && reading.truePeakDecibels == clipReading.truePeakDecibels)
            #expect(reading.typeIDecibels == clipReading.typeIDecibels && reading.overs == clipReading.overs)
            #expect(reading.channels.map(\.peak) == clipReading.channels.map(\.peak))
        }
    }

    @Test("a recording that is shortened before the measurement is reported")
    func shortened() throws {
        let scratch = try Scratch()
        try writeWave(scratch.file("a.wav"), music(frameCount: 100_003), format: .int16)
        let recording = try MeasuredRecording(path: scratch.file("a.wav"))
        #expect(unsafe truncate(scratch.file("a.wav"), 100_000) == 0)
        #expect(throws: AudioFileError.self) { try recording.reading() }
    }
}
