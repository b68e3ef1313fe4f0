import EngineHarness
import Testing

@testable import Engine

@Suite("The place heard at an output frame")
struct HeardPlaceTests {
    @Test("no place is heard before the player's first sound")
    func before() throws {
        let plan = PracticePlan(sections: [try Section(1000..<8000)], passes: 1)
        let score = try Score(plan, clipFrameCount: 8000, sampleRate: 8000)
        let harness = try Harness(
            testClip(channels: 1, frames: 8000, rate: 8000, seed: 3), rate: 8000, score: score)
        harness.player.start(at: 2000)
        _ = harness.render(4000) { 64 }
        let heard = [0, 100, 1999, 2000, 2500, 4001].map { harness.player.clipFrame(heardAt: $0) }
        #expect(heard == [nil, nil, nil, 1000, 1500, nil])
    }

    @Test("the place heard before too many joints is forgotten")
    func forgotten() {
        var places = HeardPlaces(sampleRate: 8000)
        for pass in 0..<2000 {
            places.note(
                PlayerEvent(
                    kind: .passStarted, frame: Int64(pass) * 50, section: 1, sectionFrames: 300..<350, pass: pass + 1,
                    passes: nil, speed: 1, semitones: 0, clipFrame: 300, sound: .copy, isReversed: false))
        }
        #expect(places.clipFrame(at: 10) == nil)
        #expect(places.clipFrame(at: 99_960) == 310)
    }
}
