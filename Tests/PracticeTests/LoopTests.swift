import EngineHarness
import Synchronization
import TestSupport
import Testing

@testable import Engine
@testable import Practice
@testable import Store

@Suite("Loop set by ear")
struct LoopTests {
    /// Two seconds of samples that are their own frame numbers, so that every place can be read off.
    static let rate = 8000
    static let ruler = (0..<16_000).map { Float($0) / 16_384 }

    private func harness(
        _ plan: SessionPlan? = nil, bufferFrames: Int64 = 0
    ) throws -> SessionHarness {
        let whole = SessionPlan(PracticePlan(sections: [try Section(0..<16_000)], passes: .endless))
        return try SessionHarness(Self.ruler, rate: Self.rate, plan: plan ?? whole, bufferFrames: bufferFrames)
    }

    private func place(_ sample: Float) -> Int { Int((sample * 16_384).rounded()) }

    @Test(
        "a loop begins as soon as its end is set, at the audible frame, with crossfaded joints"
    )
    func startAndEnd() throws {
        let harness = try harness()
        harness.play(1000)
        try harness.session.setLoopStart()
        harness.play(3000)
        let marks = try harness.session.setLoopEnd()
        #expect(marks.range == 1000..<4000 && marks.isRunning)
        let sound = harness.play(6400)
        // Crossfaded over 5 ms (40 frames) from frame 4000 to the start, then exact.
        #expect(place(sound[0]) > 3000 && place(sound[20]) > 1020)
        for frame in 40..<2990 { #expect(place(sound[frame]) == 1000 + frame) }
        for frame in 3040..<5990 { #expect(place(sound[frame]) == 1000 + frame - 3000) }
        let steps = zip(sound, sound.dropFirst()).map { abs($1 - $0) }
        // A hard splice would step by 3000 / 16384; a crossfade over 40 frames by a fortieth of this step and a frame.
        #expect((steps.max() ?? 1) < 3000 / 16_384 / 20)
    }

    @Test("the edges of a loop are set at the audible frame, not at the rendered one")
    func buffer() throws {
        let harness = try harness(bufferFrames: 700)
        harness.play(2000)
        try harness.session.setLoopStart()
        harness.play(3000)
        #expect(try harness.session.setLoopEnd().range == 1300..<4300)
        harness.play(1000)
        // Rendered is frame 1300 + 1000; audible is 700 frames before this frame.
        #expect(try harness.session.audibleClipFrame() == 1600)
        harness.play(100)
        // The end moves to the audible frame, and the loop plays from its start again.
        #expect(try harness.session.setLoopEnd().range == 1300..<1700)
    }

    @Test("the edges of a running loop move without moving the position")
    func moveEdges() throws {
        let harness = try harness()
        harness.play(1000)
        try harness.session.setLoopStart()
        harness.play(3000)
        try harness.session.setLoopEnd()
        harness.play(500)
        try harness.session.nudge(.end, by: -80)
        try harness.session.nudge(.start, by: 1)
        #expect(harness.session.marks.range == 1001..<3920)
        let sound = harness.play(3000)
        // No jump: the session was at frame 1500, and continues from there.
        for frame in 64..<2400 { #expect(place(sound[frame]) == 1500 + frame) }
        #expect(place(sound[2500]) == 1001 + 2500 - (3920 - 1500))
        try harness.session.setLoopStart()
        #expect(harness.session.marks.range == 1581..<3920)
    }

    @Test("a loop is left in place, and entered again from its start")
    func leaveAndEnter() throws {
        let harness = try harness()
        harness.play(1000)
        try harness.session.setLoopStart()
        harness.play(2000)
        try harness.session.setLoopEnd()
        harness.play(500)
        #expect(try harness.session.toggleLoop().isRunning == false)
        let sound = harness.play(4000)
        for frame in 64..<4000 { #expect(place(sound[frame]) == 1500 + frame) }
        #expect(try harness.session.toggleLoop().range == 1000..<3000)
        let again = harness.play(300)
        for frame in 64..<300 { #expect(place(again[frame]) == 1000 + frame) }
        harness.session.jumpToStart()
        #expect(place(harness.play(100)[99]) == 1099)
    }

    @Test("a loop of the last sound takes four seconds, or less at the beginning, and then twice as much")
    func lastHeard() throws {
        let samples = (0..<200_000).map { Float($0) / 262_144 }
        let harness = try SessionHarness(
            samples, rate: 8000, plan: SessionPlan(PracticePlan(sections: [try Section(0..<200_000)], passes: .endless))
        )
        #expect(throws: SessionError.self) { try harness.session.loopLastHeard() }
        harness.play(100_000, block: 512)
        #expect(try harness.session.loopLastHeard().range == 68_000..<100_000)
        harness.play(20_000, block: 512)
        #expect(try harness.session.loopLastHeard().range == 36_000..<100_000)
        #expect(try harness.session.loopLastHeard().range == 0..<100_000)
        try harness.session.toggleLoop()
        harness.play(3000)
        let marks = try harness.session.loopLastHeard()
        #expect(marks.range.map { $0.count < 32_001 && $0.upperBound > 100_000 - 36_000 } == true)
    }

    @Test("backwards, a loop of the last sound lies after the position, and begins at its end")
    func backwards() throws {
        let samples = (0..<200_000).map { Float($0) / 262_144 }
        let plan = PracticePlan(sections: [try Section(0..<200_000)], passes: .endless, reversed: true)
        let harness = try SessionHarness(samples, rate: 8000, plan: SessionPlan(plan))
        harness.play(100_000, block: 512)
        #expect(try harness.session.loopLastHeard().range == 99_999..<131_999)
        #expect(try harness.session.loopLastHeard().range == 99_999..<163_999)
        harness.session.jumpToStart()
        harness.play(1000)
        #expect(harness.player.status.clipFrame == 162_998 && harness.session.isReversed)
        try harness.session.setReversed(false)
        harness.play(500)
        #expect(harness.player.status.clipFrame == 163_498 && !harness.player.status.isReversed)
        #expect(harness.session.marks.range == 99_999..<163_999)
    }

    @Test("a resume after a pause repeats some sound from before the pause, backwards as well")
    func rewind() throws {
        let plan = PracticePlan(sections: [try Section(0..<16_000)], reversed: true)
        let harness = try harness(SessionPlan(plan, resumeRewind: .seconds(0.1)))
        harness.play(5000)
        harness.session.pause()
        harness.play(500)
        let place = harness.player.status.clipFrame
        harness.session.resume()
        harness.play(64)
        #expect(harness.player.status.clipFrame == place + 800 - 64)
    }

    @Test("a freeze holds the audible frame, not the rendered one, and a pause does not move it")
    func freezing() throws {
        let plan = PracticePlan(sections: [try Section(0..<16_000)])
        let harness = try harness(SessionPlan(plan, resumeRewind: .seconds(0.1)), bufferFrames: 700)
        harness.play(5000)
        let heard = try harness.session.audibleClipFrame()
        harness.session.setFrozen(true)
        harness.play(3000)
        #expect(harness.session.isFrozen && harness.player.status.clipFrame == heard)
        #expect(heard < 5000)
        harness.session.pause()
        harness.play(500)
        harness.session.resume()
        harness.play(500)
        #expect(harness.player.status.clipFrame == heard && harness.session.isFrozen)
        #expect(try harness.session.audibleClipFrame() == heard)
        harness.session.setFrozen(false)
        harness.play(640)
        #expect(harness.player.status.clipFrame == heard + 640)
    }

    @Test("a loop whose end precedes its start is refused, and one without a start begins with the section")
    func refused() throws {
        let plan = SessionPlan(PracticePlan(sections: [try Section(2000..<9000)], passes: .endless))
        let harness = try harness(plan)
        harness.play(3000)
        try harness.session.setLoopStart()
        harness.session.jumpToStart()
        harness.play(100)
        do throws(SessionError) {
            try harness.session.setLoopEnd()
            Issue.record("an end before the start was taken")
        } catch {
            #expect(error.kind == .endBeforeStart && harness.session.marks.start == 5000)
        }
        #expect(place(harness.play(64)[63]) == 2163)
        let fresh = try self.harness(plan)
        fresh.play(500)
        #expect(throws: SessionError.self) { try fresh.session.nudge(.start, by: 1) }
        #expect(try fresh.session.setLoopEnd().range == 2000..<2500)
    }

    @Test("a loop keeps the audible speed, and a speed set in the loop stays after it")
    func speed() throws {
        let harness = try harness(
            SessionPlan(
                PracticePlan(
                    sections: [try Section(0..<16_000)], passes: .endless, speeds: .constant(try Speed(factor: 0.5)))))
        harness.play(4000)
        try harness.session.setLoopStart()
        harness.play(4000)
        let range = try #require(try harness.session.setLoopEnd().range)
        #expect(abs(range.lowerBound - 2000) <= 2 && abs(range.upperBound - 4000) <= 2)
        harness.play(1000)
        #expect(harness.player.status.speed == 0.5)
        try harness.session.setSpeed(try Speed(factor: 0.75))
        harness.play(2000)
        try harness.session.toggleLoop()
        harness.play(1000)
        #expect(harness.player.status.speed == 0.75)
    }

    @Test("a skip leaves a loop for the next section in order, also from any section and shuffled")
    func sections() throws {
        let sections = try [0..<1000, 4000..<5000, 8000..<9000].map {
            try Section(Int64($0.lowerBound)..<Int64($0.upperBound))
        }
        let harness = try harness(SessionPlan(PracticePlan(sections: sections, passes: .endless)))
        harness.play(1500)
        harness.session.skip(by: 1)
        harness.play(300)
        #expect(place(harness.output[1799]) == 4299 && harness.session.currentPlace == 2)
        try harness.session.toggleLoop()
        #expect(harness.session.marks.range == 4000..<5000)
        harness.session.skip(by: 1)
        #expect(place(harness.play(200)[199]) == 8199)
        harness.session.skip(by: 1)
        #expect(place(harness.play(200)[199]) == 8399)
        let orders = Set(
            (0..<64).map { SessionPlan(PracticePlan(sections: sections), order: .shuffled(seed: $0)).playingOrder })
        #expect(orders.count == 6 && orders.allSatisfy { $0.sorted() == [0, 1, 2] })
        #expect(throws: SessionError.self) { try self.harness(SessionPlan(PracticePlan(sections: []))) }
    }

    @Test("a loop left for a section attributes no event of the loop to that section")
    func lateMove() throws {
        let sections = try [Section(0..<8000), Section(8000..<16_000)]
        let told = Mutex<[SessionEvent]>([])
        let harness = try SessionHarness(
            Self.ruler, rate: Self.rate, plan: SessionPlan(PracticePlan(sections: sections, passes: .endless)),
            beforeStart: { session in session.observe { event in told.withLock { $0.append(event) } } })
        harness.play(1000)
        #expect(eventually { told.withLock { $0.contains(.proceeded(section: 1)) } })
        harness.play(64) {
            // The next round sends the second request, after the block that carries out the first request.
            _ = try? harness.session.loop(1000..<2000)
            harness.session.go(toSection: 2)
        }
        harness.play(300)
        #expect(place(harness.output.last ?? 0) > 8000)
        harness.session.stop()
        harness.play(300)
        #expect(eventually { told.withLock { $0.contains(.stopped) } })
        let proceeded = told.withLock { $0 }.filter { if case .proceeded = $0 { true } else { false } }
        #expect(proceeded == [.proceeded(section: 1), .proceeded(section: 2)])
        #expect(harness.session.currentNumber == 2)
    }

    @Test("a loop left during a joint of sections leads to the requested section")
    func jointMeanwhile() throws {
        let sections = [try Section(0..<1000), try Section(2000..<6000), try Section(8000..<12_000)]
        let told = Mutex<[SessionEvent]>([])
        let harness = try SessionHarness(
            Self.ruler, rate: Self.rate, plan: SessionPlan(PracticePlan(sections: sections, joint: .hard)),
            beforeStart: { session in session.observe { event in told.withLock { $0.append(event) } } })
        harness.play(960)
        harness.play(64) {
            // The block in which the first section ends carries out the first of these requests, and the next block the
            // others.
            try? harness.session.setPasses(1)
            _ = try? harness.session.loop(200..<800)
            harness.session.go(toSection: 3)
        }
        #expect(place(harness.play(300)[299]) == 8299)
        #expect(harness.session.currentNumber == 3)
        harness.session.stop()
        harness.play(300)
        #expect(eventually { told.withLock { $0.contains(.stopped) } })
        let proceeded = told.withLock { $0 }.filter { if case .proceeded = $0 { true } else { false } }
        #expect(proceeded.last == .proceeded(section: 3))
    }
}
