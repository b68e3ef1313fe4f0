import Clips
import EngineHarness
import TestSupport
import Testing

@testable import Engine
@testable import Practice
@testable import Store

@Suite("Recipe")
struct RecipeTests {
    @Test("a recipe sets when the text is shown in each pass, and after the last pass as in the last")
    func text() {
        let recipe = Recipe([
            Recipe.Step(PassStep(passes: 2), text: .after), Recipe.Step(PassStep(passes: 1)),
            Recipe.Step(PassStep(passes: 3), text: .never),
        ])
        #expect(
            (1...8).map { recipe?.text(inPass: $0) } == [.after, .after, nil, .never, .never, .never, .never, .never])
        #expect(Recipe([]) == nil && Recipe([Recipe.Step(PassStep(passes: 0))]) == nil)
    }

    private func harness() throws -> SessionHarness {
        let practice = PracticePlan(
            sections: [try Section(1000..<2000), try Section(5000..<6000)], joint: .hard,
            steps: [PassStep(passes: 1, gap: .frames(500)), PassStep(passes: 2)])
        return try SessionHarness(LoopTests.ruler, rate: LoopTests.rate, plan: SessionPlan(practice))
    }

    private func place(_ sample: Float) -> Int { Int((sample * 16_384).rounded()) }

    @Test("a recipe leads each section through its steps until a set number of passes or a loop ends them")
    func steps() throws {
        let harness = try harness()
        let sound = harness.play(8000)
        #expect(place(sound[999]) == 1999 && sound[1000..<1500].allSatisfy { $0 == 0 })
        #expect(place(sound[1600]) == 1100 && place(sound[2600]) == 1100 && place(sound[3600]) == 5100)
        let other = try self.harness()
        other.play(1600)
        #expect(other.player.status.passes == 3)
        try other.session.setPasses(2)
        #expect(place(other.play(1000)[999]) == 5099)
        let looped = try self.harness()
        looped.play(200)
        try looped.session.loop(1000..<1400)
        looped.play(4000)
        #expect(looped.player.status.passes == nil)
        try looped.session.toggleLoop()
        looped.play(100)
        // The pass in which the loop was set continues.
        #expect(looped.player.status.pass == 1 && looped.player.status.passes == 3)
    }

    @Test("edges that snap move to the nearest zero crossing that was heard")
    func snap() throws {
        // A saw from -0.5 to 0.5 over 100 frames.
        let samples = (0..<16_000).map { Float($0 % 100) / 100 - 0.495 }
        var plan = SessionPlan(PracticePlan(sections: [try Section(0..<16_000)]))
        plan.snapsEdges = true
        let harness = try SessionHarness(samples, rate: 8000, plan: plan)
        harness.play(2041)
        #expect(try harness.session.audibleClipFrame() == 2041)
        #expect(try harness.session.setLoopStart().start == 2050)
        harness.play(3000)
        #expect(try harness.session.setLoopEnd().end == 5050)
        // A nudge is exact, without snapping.
        #expect(try harness.session.nudge(.end, by: 7).end == 5057)
        #expect(try SnappedEdge.frame(nearest: 777, in: harness.player.clip) == 800)
        #expect(try SnappedEdge.frame(nearest: 0, in: harness.player.clip) == 0)
        // A frame past the end stays, at any distance.
        #expect(try SnappedEdge.frame(nearest: 17_000, in: harness.player.clip) == 17_000)
        #expect(try SnappedEdge.frame(nearest: .max, in: harness.player.clip) == .max)
    }
}
