import AudioFiles
import Clips
import EngineHarness
import Samples
import Stretching
import Testing

@testable import Engine

@Suite("The frames to be decoded before a seek")
struct OpeningTests {
    /// Frames that a voice requests, relative to the frame heard first, to give so many frames.
    static func asked(rate: Int, speed: Double, pitchRatio: Double, frames: Int) -> Range<Int64> {
        var voice = Voice(channelCount: 1, sampleRate: rate, maximumEmitFrames: 1024)
        voice.begin(VoiceStart(clipFrame: 100_000, passFrame: 0, speed: speed, pitchRatio: pitchRatio))
        var (first, end): (Int64, Int64) = (100_000, 100_000)
        while let request = voice.nextInput(toEmit: frames) {
            first = min(first, request.first)
            end = max(end, request.first + Int64(request.count))
            for frame in 0..<request.count { unsafe voice.input(0)[frame] = 0 }
            voice.acceptInput()
        }
        return first - 100_000..<end - 100_000
    }

    @Test(
        "the frames decoded before a seek cover the voice's request at every rate, speed and pitch",
        arguments: [8000, 44_100, 64_000])
    func voices(rate: Int) throws {
        let frames = FadeLengths(sampleRate: rate).crossfade
        let voice = Voice(channelCount: 1, sampleRate: rate, maximumEmitFrames: 1024)
        for (speed, pitchRatio) in [(0.25, 1.0), (0.5, 1), (0.9, 1), (2, 1), (4, 1), (0.7, 2), (1, 0.5), (1, 4)] {
            let asked = Self.asked(rate: rate, speed: speed, pitchRatio: pitchRatio, frames: frames)
            let ahead = Int64(voice.aheadFrames(toEmit: frames, speed: speed, pitchRatio: pitchRatio))
            #expect(-asked.lowerBound <= voice.leadInFrames && asked.upperBound <= ahead, "\(speed) \(pitchRatio)")
            // No more than that either, except for the parts into which the work of starting is cut.
            #expect(ahead <= 4 * asked.upperBound + Int64(rate / 4), "\(speed) \(pitchRatio): \(asked) \(ahead)")
        }
    }

    @Test("a seek waits for the voice's frames in a slowed pass, and for the heard frames at 100 %")
    func seeks() throws {
        let rate = 44_100
        let clip = [[Float](repeating: 0, count: 200_000)]
        for factor in [1.0, 0.5] {
            let plan = PracticePlan(
                sections: [try Section(0..<50_000), try Section(60_000..<200_000)],
                speeds: .constant(try Speed(factor: factor)))
            let harness = try Harness(
                clip, rate: rate, score: try Score(plan, clipFrameCount: 200_000, sampleRate: rate), waits: false)
            harness.player.start()
            _ = harness.render(64) { 64 }
            let core = unsafe harness.player.core.core
            for target in [40_000, 100_000] as [Int64] {
                let playhead = unsafe core.pointee.transport.playhead
                let command = PlayerCommand(code: .seek, value: target)
                let (part, clipFrame) = try #require(playhead.destination(of: command))
                let opening = unsafe core.pointee.transport.stack.value.opening(
                    of: playhead.score.part(part), index: part, from: clipFrame, at: 64)
                guard factor < 1 else {
                    #expect(opening == InputRequest(first: target, count: 221))
                    continue
                }
                let asked = Self.asked(rate: rate, speed: factor, pitchRatio: 1, frames: 221)
                #expect(opening.first <= target + asked.lowerBound)
                #expect(opening.first + Int64(opening.count) >= target + asked.upperBound)
                // And the demand covers these frames earlier: otherwise the seek would wait for frames that nobody
                // decodes.
                let demand = harness.player.demand(of: harness.player.score, first: target).ranges[0]
                #expect(demand.lowerBound <= opening.first && demand.upperBound >= opening.first + Int64(opening.count))
            }
        }
    }
}
