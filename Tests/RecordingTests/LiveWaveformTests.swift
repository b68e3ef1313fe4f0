import AudioFiles
import DSP
internal import Glibc
import Recording
import Takes
import TestSupport
import Testing
import Waveforms

@testable import AudioDevices

@Suite("The waveform of a take")
struct LiveWaveformTests {
    private let folder = TakeFolder()

    @Test(
        "the live waveform of a take is that of its file, byte for byte, in every format",
        arguments: WaveSampleFormat.allCases)
    func equalsFile(format: WaveSampleFormat) throws {
        var random = SeededGenerator(printedFor: "LiveWaveformTests.equalsFile")
        let source = folder["source.wav"]
        let writer = try WaveWriter(path: source, sampleRate: 48_000, channelCount: 2, format: .float32)
        let frameCount = 30_011
        var channels = (0..<2).map { _ in (0..<frameCount).map { _ in Float.random(in: -1.1...1.1, using: &random) } }
        // Quiet enough that rounding twice could go another way than rounding once.
        for frame in 0..<4000 { channels[0][frame] = Float.random(in: -3...3, using: &random) / 65_536 }
        try write(channels, to: writer)
        try writer.finish()

        let request = try StreamRequest(
            sampleRate: 48_000, channelCount: 2, periodFrames: 480, periodCount: 2, clock: .virtual,
            realtimePriority: nil)
        let idle = try IdleRecorder(input: .file(path: source), request: request)
        let monitor = idle.monitor
        #expect(monitor.waveform == nil)
        let take = folder["take.wav"]
        let draft = try idle.prepare(
            TakeRequest(
                destination: .file(path: take, container: .wav), format: format, frameLimit: Int64(frameCount) - 500,
                registry: nil))
        let running = try idle.record(draft)
        #expect(eventually { running.monitor.status.state == .stopped })
        let stopped = running.stop()
        #expect(stopped.summary.frameCount == Int64(frameCount) - 500)
        try stopped.save()
        #expect(try WaveformMaker(path: take).make() == monitor.waveform)
    }

    @Test("the waveform grows while the take is recorded, and columns read earlier do not change")
    func grows() throws {
        let request = try StreamRequest(
            sampleRate: 48_000, channelCount: 2, periodFrames: 480, periodCount: 2, clock: .real, realtimePriority: nil)
        let idle = try IdleRecorder(input: .null, request: request)
        let monitor = idle.monitor
        let draft = try idle.prepare(
            TakeRequest(destination: .file(path: folder["live.wav"], container: .wav), format: .int16, registry: nil))
        let running = try idle.record(draft)
        var seen: [Waveform] = []
        #expect(
            eventually {
                if let waveform = monitor.waveform, waveform.frameCount > seen.last?.frameCount ?? 0 {
                    seen.append(waveform)
                }
                return seen.count == 3
            })
        let stopped = running.stop()
        let whole = try #require(monitor.waveform)
        #expect(whole.frameCount == stopped.summary.frameCount)
        for waveform in seen {
            let bins = waveform.bins(level: 0, channel: 1)
            let complete = Int(waveform.frameCount) / Waveform.framesPerBin
            #expect(Array(bins.prefix(complete)) == Array(whole.bins(level: 0, channel: 1).prefix(complete)))
            #expect(waveform.frameCount <= whole.frameCount)
        }
        try stopped.discard()
    }

    private func write(_ channels: [[Float]], to writer: WaveWriter) throws {
        let pointers = UnsafeMutablePointer<UnsafeMutablePointer<Float>>.allocate(capacity: channels.count)
        defer { unsafe pointers.deallocate() }
        for (index, channel) in channels.enumerated() {
            unsafe pointers[index] = .allocate(capacity: channel.count)
            for frame in channel.indices { unsafe pointers[index][frame] = channel[frame] }
        }
        defer { for index in channels.indices { unsafe pointers[index].deallocate() } }
        try unsafe writer.write(pointers, frameCount: channels[0].count)
    }
}
