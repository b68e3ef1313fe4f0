import Clips
import EngineHarness
import Sections
import TestSupport
import Testing

@testable import Engine
@testable import Practice
@testable import Store

/// Sections that change while a session plays them. The recording is a ruler: each sample is its frame number.
@Suite("Section changes during playback")
struct SectionChangeTests {
    private func place(_ sample: Float) -> Int { Int((sample * 16_384).rounded()) }

    private func plan(_ ranges: [Range<Int64>], passes: PassCount, ids: [Int?]) throws -> SessionPlan {
        let sections = try ranges.map { try Section($0) }
        return SessionPlan(PracticePlan(sections: sections, passes: passes, joint: .hard), savedIDs: ids)
    }

    private func harness(_ plan: SessionPlan) throws -> SessionHarness {
        try SessionHarness(LoopTests.ruler, rate: LoopTests.rate, plan: plan)
    }

    private func sections(_ ranges: Range<Int64>...) throws -> [Section] { try ranges.map { try Section($0) } }

    @Test("a section that is deleted while it plays finishes its pass, and the next section follows")
    func deleted() throws {
        let harness = try harness(try plan([0..<1000, 4000..<5000, 8000..<9000], passes: .endless, ids: [1, 2, 3]))
        harness.session.skip(by: 1)
        harness.play(1300)
        #expect(harness.session.currentSavedID == 2)
        try harness.session.setSections(try sections(0..<1000, 8000..<9000), savedIDs: [1, 3])
        let rest = harness.play(700)
        for frame in 64..<700 { #expect(place(rest[frame]) == 4300 + frame) }
        let next = harness.play(1500)
        for frame in 64..<1000 { #expect(place(next[frame]) == 8000 + frame) }
        #expect(place(next[1200]) == 8200)
        #expect(harness.player.score.sections.count == 2 || harness.session.currentPlace != nil)
    }

    @Test("a playing section behind which others are inserted goes on without a seam, in the same pass")
    func movedInTheList() throws {
        let harness = try harness(try plan([4000..<5000, 8000..<9000], passes: 3, ids: [7, 8]))
        harness.play(1400)
        try harness.session.setSections(
            try sections(0..<1000, 2000..<3000, 4000..<5000, 8000..<9000), savedIDs: [9, 10, 7, 8])
        let sound = harness.play(1700)
        for frame in 64..<600 { #expect(place(sound[frame]) == 4400 + frame) }
        // The third pass, and then the section after it.
        #expect(place(sound[700]) == 4100 && place(sound[1690]) == 8090)
        #expect(harness.player.status.section == 4 && harness.player.status.pass == 1)
    }

    @Test(
        "a point marked during playback splits the recording, and playback goes on in its part"
    )
    func marked() throws {
        let harness = try harness(try plan([0..<16_000], passes: .endless, ids: [nil]))
        harness.play(3000)
        try harness.session.setSections(try sections(0..<2900, 2900..<16_000), savedIDs: [1, 2])
        harness.play(1000)
        #expect(place(harness.output[3999]) == 3999 && harness.session.currentSavedID == 2)
        try harness.session.setSections(try sections(0..<2900, 2900..<3950, 3950..<16_000), savedIDs: [1, 2, 3])
        harness.play(1000)
        #expect(place(harness.output[4999]) == 4999 && harness.session.currentSavedID == 3)
    }

    @Test("the place moves within a new section or loop at once, while the player's status is still older")
    func olderStatus() throws {
        for isPaused in [false, true] {
            let harness = try harness(try plan([0..<16_000], passes: .endless, ids: [nil]))
            #expect(harness.session.playingRange == nil)
            harness.play(3000)
            if isPaused { harness.session.pause() }
            harness.play(1000)
            let place = harness.player.status.clipFrame
            try harness.session.setSections(try sections(0..<place, place..<16_000), savedIDs: [1, 2])
            #expect(harness.player.status.section == 1 && harness.session.playingRange == place..<16_000)
            harness.play(500)
            #expect(harness.player.status.section == 2 && harness.session.playingRange == place..<16_000)
            try harness.session.loop(place..<place + 4000)
            #expect(harness.player.status.section == 2 && harness.session.playingRange == place..<place + 4000)
        }
    }

    @Test("a section whose edges move goes on to its new end, and joined sections go on as one")
    func edges() throws {
        let harness = try harness(try plan([0..<1000, 1000..<2000], passes: 2, ids: [1, 2]))
        harness.play(500)
        try harness.session.setSections(try sections(0..<1500, 1500..<2000), savedIDs: [1, 2])
        harness.play(900)
        #expect(place(harness.output[1399]) == 1399)
        try harness.session.setSections(try sections(0..<2000), savedIDs: [1])
        harness.play(500)
        #expect(place(harness.output[1899]) == 1899 && harness.player.status.section == 1)
    }

    @Test("sections that change behind a running loop are played when the loop is left")
    func behindLoop() throws {
        let harness = try harness(try plan([0..<4000, 4000..<8000], passes: .endless, ids: [1, 2]))
        harness.play(100)
        try harness.session.loop(5000..<5500)
        harness.play(700)
        try harness.session.setSections(try sections(0..<4000, 4000..<5200, 5200..<8000), savedIDs: [1, 2, 3])
        harness.play(400)
        #expect((5000..<5500).contains(place(harness.output[1199])))
        try harness.session.toggleLoop()
        harness.play(200)
        #expect(harness.player.score.sections.count == 3)
    }

    @Test("an empty section list, or one outside the recording, changes nothing")
    func refused() throws {
        let harness = try harness(try plan([0..<4000], passes: .endless, ids: [1]))
        harness.play(100)
        #expect(throws: SessionError.self) { try harness.session.setSections([]) }
        #expect(throws: SessionError.self) { try harness.session.setSections(try sections(0..<400_000)) }
        harness.play(100)
        #expect(place(harness.output[199]) == 199 && harness.session.currentSavedID == 1)
    }

    @Test("a shuffled session keeps its order, and plays new sections last")
    func shuffled() throws {
        var plan = try plan(
            (0..<6).map { Int64($0) * 1000..<Int64($0) * 1000 + 500 }, passes: 1, ids: [0, 1, 2, 3, 4, 5])
        plan.order = .shuffled(seed: 5)
        let old = plan
        var new = plan
        new.practice.sections = try sections(0..<500, 700..<900, 2000..<2500, 5000..<5500)
        new.savedIDs = [0, 9, 2, 5]
        let before = old.playingOrder.map { old.savedIDs[$0] }.filter { [0, 2, 5].contains($0) }
        #expect(new.order(after: old.playingOrder, of: old).map { new.savedIDs[$0] } == before + [9])
    }

    @Test(
        "a section that was just requested is played and followed when others are inserted before it",
        arguments: [false, true])
    func askedFor(beforeStart: Bool) throws {
        let (new, old) = (try sections(0..<500, 1000..<2000, 4000..<5000, 8000..<9000), [1, 2, 3])
        func ask(_ session: PracticeSession) {
            session.go(toSection: 2)
            #expect(throws: Never.self) { try session.setSections(new, savedIDs: [9] + old) }
        }
        let harness = try SessionHarness(
            LoopTests.ruler, rate: LoopTests.rate,
            plan: try plan([1000..<2000, 4000..<5000, 8000..<9000], passes: 1, ids: old),
            beforeStart: { if beforeStart { ask($0) } })
        if !beforeStart {
            harness.play(300)
            ask(harness.session)
        }
        #expect(place(harness.play(300)[299]) == 4299 && harness.session.currentNumber == 3)
        #expect(place(harness.play(900)[899]) == 8199)
        #expect(eventually { harness.session.currentNumber == 4 })
    }
}
