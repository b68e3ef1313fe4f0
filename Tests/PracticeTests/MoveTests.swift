import Clips
import EngineHarness
import Testing

@testable import Engine
@testable import Practice

/// Moves that follow one another faster than the blocks of the device. The recording is a ruler: each sample is its
/// frame number.
@Suite("Moves within a block")
struct MoveTests {
    private func harness(
        _ ranges: Range<Int64>..., gap: Gap = .none, reversed: Bool = false, rewind: ResumeRewind = .off
    ) throws -> SessionHarness {
        let plan = PracticePlan(
            sections: try ranges.map { try Section($0) }, passes: .endless, gap: gap, joint: .hard, reversed: reversed)
        return try SessionHarness(
            LoopTests.ruler, rate: LoopTests.rate, plan: SessionPlan(plan, resumeRewind: rewind))
    }

    @Test("three steps within a block are three steps, playing and paused, forwards and backwards")
    func steps() throws {
        for (isPaused, isReversed) in [(false, false), (true, false), (false, true), (true, true)] {
            let harness = try harness(0..<16_000, reversed: isReversed)
            harness.play(6000)
            if isPaused { harness.session.pause() }
            harness.play(1000)
            let place = harness.player.status.clipFrame
            for _ in 0..<3 { harness.session.move(byFrames: 1000) }
            harness.session.move(byFrames: -500)
            #expect(harness.player.status.clipFrame == place)
            harness.play(640)
            let later = harness.player.status.clipFrame
            let played = isReversed ? place + 2500 - later : later - (place + 2500)
            // While playing, the last moves wait for the crossfades of the first.
            #expect(isPaused ? played == 0 : (400...640).contains(played), "\(isPaused) \(isReversed): \(played)")
            // All moves are carried out: the next step begins at the status.
            harness.session.move(byFrames: 100)
            harness.play(64)
            #expect(harness.player.status.clipFrame == later + 100 + (isPaused ? 0 : isReversed ? -64 : 64))
        }
    }

    @Test("steps within a block are frames of the recording at any speed, and stay within the section")
    func speedAndEdges() throws {
        let harness = try harness(4000..<12_000)
        harness.play(640)
        harness.session.pause()
        try harness.session.setSpeed(try Speed(factor: 0.5))
        harness.play(640)
        let place = harness.player.status.clipFrame
        for _ in 0..<2 { harness.session.move(byFrames: 1000) }
        harness.play(64)
        #expect(harness.player.status.clipFrame == place + 2000)
        for step in [20_000, .max, -1000] as [Int64] { harness.session.move(byFrames: step) }
        harness.play(64)
        #expect(harness.player.status.clipFrame == 11_999 - 1000)
        for step in [.min, 300] as [Int64] { harness.session.move(byFrames: step) }
        harness.play(64)
        #expect(harness.player.status.clipFrame == 4300)
    }

    @Test("a step counts from the place of a seek, a section or a loop of the same block")
    func otherMoves() throws {
        let harness = try harness(0..<2000, 4000..<6000, 8000..<16_000)
        harness.play(640)
        harness.session.pause()
        harness.play(640)
        // Another program's seek, which the session has not seen. A refused seek changes nothing.
        try harness.player.seek(toClipFrame: 1500)
        #expect(throws: ScoreError.self) { try harness.player.seek(toClipFrame: 3000) }
        harness.session.move(byFrames: -100)
        harness.play(64)
        #expect(harness.player.status.clipFrame == 1400)
        harness.session.skip(by: 2)
        harness.session.move(byFrames: 500)
        harness.play(64)
        #expect(harness.player.status.section == 3 && harness.player.status.clipFrame == 8500)
        harness.session.skip(by: -1)
        harness.session.move(byFrames: 500)
        harness.session.move(byFrames: 500)
        harness.play(64)
        #expect(harness.player.status.section == 2 && harness.player.status.clipFrame == 5000)
        // The loop begins at its start, because it lacks the place.
        try harness.session.loop(9000..<12_000)
        harness.session.move(byFrames: 700)
        harness.play(64)
        #expect(harness.player.status.clipFrame == 9700)
    }

    @Test("a section chosen in the same block is the section that a key loops, or restarts")
    func chosenSection() throws {
        let harness = try harness(0..<2000, 4000..<6000)
        harness.play(640)
        harness.session.skip(by: 1)
        harness.session.jumpToStart()
        harness.play(64)
        #expect(harness.player.status.section == 2 && (4000...4064).contains(harness.player.status.clipFrame))
        harness.session.skip(by: -1)
        #expect(try harness.session.toggleLoop().range == 0..<2000)
    }

    @Test("a loop's end set in the block of a chosen section begins the loop with that section")
    func endInChosenSection() throws {
        let harness = try harness(0..<2000, 4000..<6000)
        harness.play(640)
        harness.session.pause()
        harness.play(640)
        harness.session.skip(by: 1)
        #expect(throws: SessionError.self) { try harness.session.setLoopEnd() }
        harness.session.move(byFrames: 500)
        #expect(try harness.session.setLoopEnd().range == 4000..<4500)
    }

    @Test("a step out of a gap leaves the gap, and a step towards its end does nothing", arguments: [false, true])
    func gap(isReversed: Bool) throws {
        let harness = try harness(0..<2000, gap: .frames(4000), reversed: isReversed)
        harness.play(3000)
        #expect(harness.player.status.isResting)
        let ahead: Int64 = isReversed ? -1 : 1
        harness.session.move(byFrames: 500 * ahead)
        harness.play(64)
        #expect(harness.player.status.isResting)
        harness.session.move(byFrames: -1500 * ahead)
        harness.session.move(byFrames: 500 * ahead)
        harness.play(64)
        let place = harness.player.status.clipFrame
        #expect(!harness.player.status.isResting && (0...64).contains((place - 1000) * ahead), "\(place)")
    }

    @Test("a mark and a resume in the block of a step use the place of the step")
    func pausedPlace() throws {
        let harness = try harness(0..<16_000, rewind: .seconds(0.1))
        harness.play(5000)
        harness.session.pause()
        harness.play(640)
        let place = harness.player.status.clipFrame
        harness.session.move(byFrames: 3000)
        #expect(try harness.session.setLoopStart().start == place + 3000)
        harness.session.resume()
        harness.play(64)
        #expect(harness.player.status.clipFrame == place + 3000 - 800 + 64)
    }

    @Test("a step before a stop is not counted after the next start")
    func stopped() throws {
        let harness = try harness(0..<16_000)
        harness.play(640)
        harness.session.move(byFrames: 5000)
        harness.session.stop()
        harness.play(640)
        #expect(harness.player.status.state == .finished)
        harness.player.start()
        harness.play(640)
        harness.session.move(byFrames: 1000)
        harness.play(64)
        #expect(harness.player.status.clipFrame == 640 + 1000 + 64)
    }
}
