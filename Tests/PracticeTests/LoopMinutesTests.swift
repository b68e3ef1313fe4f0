// The round trip of a long session is the same in the first and the last minute.
import Recording
import TestSupport
import Testing
import VirtualCardSupport

@testable import Engine
@testable import Practice
@testable import Store

@Suite("Ten minutes over a loop")
struct LoopMinutesTests {
    @Test("over ten minutes of playing and recording the round trip stays the same, to the frame")
    func roundTrip() async throws {
        var card = VirtualCardOptions()
        (card.loopbackDelayFrames, card.latencyFrames) = (311, 64)
        let passes = cases(10, few: 2) * 60 * LoopRig.rate / (LoopRig.frameCount - 4000)
        var plan = PracticePlan(sections: [try Section(4000..<Int64(LoopRig.frameCount))], passes: .count(passes))
        plan.gap = .none
        let rig = try LoopRig(card, plan: plan, period: 1000) { $0.addedFrames = 311 }
        let (events, error) = try await rig.run()
        #expect(error == nil && events.ended.count == passes)
        for (take, end) in events.ended {
            let model = try #require(take.model)
            let (frames, start) = (rig.frames(of: take), Int(model.start.rounded()))
            #expect(end.lostFrames == 0 && frames.count > start + model.frames.count)
            // Each tenth of a second; LoopTakesTests checks every frame.
            let heard = stride(from: start + LoopRig.fade, to: start + model.frames.count - LoopRig.fade, by: 800)
            let wrong = heard.filter { frames.indices.contains($0) && frames[$0] != 4001 + $0 - start }
            #expect(wrong.isEmpty, "take \(take.id): \(wrong)")
        }
    }
}
