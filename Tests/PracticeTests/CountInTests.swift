import AudioDevices
import Clips
import Samples
import Testing

@testable import Engine
@testable import Practice

@Suite("Count-in in a running engine")
struct CountInTests {
    /// 1200 frames each, of which the first 200 sound.
    private static let clicks = 4
    private static let clickFrames = 1200

    private struct Run {
        let engine: Engine
        let output: PulledOutput
        let session: PracticeSession

        init() throws {
            let request = try StreamRequest(
                sampleRate: LoopTests.rate, channelCount: 1, periodFrames: 64, clock: .virtual)
            output = PulledOutput(request)
            engine = Engine(pulled: output)
            let clip = try Clip.inMemory([LoopTests.ruler], sampleRate: LoopTests.rate)
            var plan = SessionPlan(PracticePlan(sections: [try Section(1000..<9000)], joint: .hard))
            plan.countIn = CountIn(clicks: CountInTests.clicks, tempo: 400)
            session = try PracticeSession(engine: engine, clip: clip, plan: plan)
            try engine.start()
        }

        func play(_ frameCount: Int) -> [Float] {
            let buffer = PlanarBuffer(channelCount: 1, frameCount: frameCount)
            let rendered = unsafe output.render(into: UnsafePointer(buffer.channels), frameCount: frameCount)
            #expect(rendered == frameCount)
            var sound: [Float] = []
            for frame in 0..<frameCount { unsafe sound.append(buffer.channel(0)[frame]) }
            return sound
        }
    }

    private func place(_ sample: Float) -> Int { Int((sample * 16_384).rounded()) }

    @Test("a count-in precedes the first pass, which begins right after the count-in")
    func late() throws {
        let run = try Run()
        #expect(run.play(1000).allSatisfy { $0 == 0 })
        run.session.start()
        let sound = run.play(Self.clicks * Self.clickFrames + 100)
        for click in 0..<Self.clicks {
            let part = sound[click * Self.clickFrames..<(click + 1) * Self.clickFrames]
            #expect(part.prefix(200).contains { abs($0) > 0.1 } && part.dropFirst(200).allSatisfy { $0 == 0 })
        }
        for frame in 0..<100 { #expect(place(sound[Self.clicks * Self.clickFrames + frame]) == 1000 + frame) }
    }

    @Test("a pause holds a count-in and the first pass, and both resume in place")
    func paused() throws {
        let run = try Run()
        run.session.start()
        // Plays into the second click.
        let begun = Self.clickFrames + 100
        _ = run.play(begun)
        run.session.pause()
        let pause = run.play(2 * Self.clicks * Self.clickFrames)
        // After the fade of 5 ms.
        #expect(pause.dropFirst(40).allSatisfy { $0 == 0 })
        run.session.resume()
        let left = Self.clicks * Self.clickFrames - begun
        let rest = run.play(left + 100)
        let third = rest[Self.clickFrames - 100..<Self.clickFrames + 100]
        #expect(third.contains { abs($0) > 0.1 })
        for frame in 0..<100 { #expect(place(rest[left + frame]) == 1000 + frame) }
    }
}
