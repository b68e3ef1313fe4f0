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

    @Test(
        "a loop left, or sections set, in the block of a seek continue in the section of the seek's place",
        arguments: [false, true])
    func sectionOfSeek(isPaused: Bool) throws {
        let looped = try harness(0..<8000, 8000..<16_000)
        looped.play(640)
        try looped.session.loop(7000..<9000)
        looped.play(640)
        if isPaused { looped.session.pause() }
        looped.play(64)
        #expect((7000..<8000).contains(looped.player.status.clipFrame))
        looped.session.move(toClipFrame: 8500)
        try looped.session.toggleLoop()
        #expect(looped.session.currentNumber == 2 && looped.session.playingRange == 8000..<16_000)
        looped.play(640)
        #expect(looped.player.status.section == 2 && looped.session.currentNumber == 2)
        #expect((8500...9140).contains(looped.player.status.clipFrame))

        let split = try harness(0..<16_000)
        split.play(640)
        if isPaused { split.session.pause() }
        split.play(64)
        split.session.move(toClipFrame: 10_000)
        try split.session.setSections([try Section(0..<8000), try Section(8000..<16_000)])
        #expect(split.session.currentNumber == 2)
        split.play(640)
        #expect(split.player.status.section == 2 && (10_000...10_640).contains(split.player.status.clipFrame))
    }

    @Test("a step in a section chosen in the same block keeps its place when the section is split")
    func splitChosenSection() throws {
        let harness = try harness(0..<2000, 4000..<6000)
        harness.play(640)
        harness.session.skip(by: 1)
        harness.session.move(byFrames: 1500)
        try harness.session.setSections(
            [try Section(0..<2000), try Section(4000..<5000), try Section(5000..<6000)])
        #expect(harness.session.currentNumber == 3)
        harness.play(320)
        #expect(harness.player.status.section == 3 && (5500...5820).contains(harness.player.status.clipFrame))
    }

    @Test("after another program's seek to another section, keys of the same block refer to that section")
    func seekToOtherSection() throws {
        func sought() throws -> SessionHarness {
            let harness = try harness(0..<2000, 4000..<6000, 8000..<16_000)
            harness.play(640)
            try harness.player.seek(toClipFrame: 5000)
            return harness
        }
        let stepped = try sought()
        stepped.session.move(byFrames: 100)
        stepped.play(640)
        #expect((5100...5740).contains(stepped.player.status.clipFrame))
        let restarted = try sought()
        restarted.session.jumpToStart()
        restarted.play(640)
        #expect((4000...4640).contains(restarted.player.status.clipFrame))
        let skipped = try sought()
        skipped.session.skip(by: 1)
        #expect(skipped.session.currentNumber == 3)
        skipped.play(640)
        #expect((8000...8640).contains(skipped.player.status.clipFrame))
    }

    @Test("a gap belongs to the section before it, also if the next section begins at the same frame")
    func sectionOfGap() throws {
        let set = try harness(0..<2000, 2000..<4000, gap: .frames(4000))
        set.play(3000)
        #expect(set.player.status.isResting && set.session.playingRange == 0..<2000)
        try set.session.setSections([try Section(0..<2000), try Section(2000..<4000)])
        #expect(set.session.currentNumber == 1)
        set.play(640)
        #expect(set.player.status.isResting && set.player.status.section == 1)

        let looped = try harness(0..<2000, 2000..<4000, gap: .frames(4000))
        looped.play(640)
        #expect(try looped.session.toggleLoop().range == 0..<2000)
        looped.play(3000)
        #expect(looped.player.status.isResting)
        try looped.session.toggleLoop()
        #expect(looped.session.currentNumber == 1)
        looped.play(640)
        #expect(looped.player.status.isResting && looped.player.status.section == 1)
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
