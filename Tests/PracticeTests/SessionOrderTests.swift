import Clips
import EngineHarness
import Synchronization
import TestSupport
import Testing

@testable import Engine
@testable import Practice
@testable import Store

/// Requests in rare orders: before the start, just after another request, and in a pause. The recording is a ruler:
/// each sample is its frame number.
@Suite("Session requests in rare orders")
struct SessionOrderTests {
    private static let ranges: [Range<Int64>] = [1000..<2000, 4000..<5000, 8000..<9000]

    private func place(_ sample: Float) -> Int { Int((sample * 16_384).rounded()) }

    private func sections(_ ranges: [Range<Int64>] = Self.ranges) throws -> [Section] {
        try ranges.map { try Section($0) }
    }

    private func plan(
        _ ranges: [Range<Int64>] = Self.ranges, passes: PassCount = 1, speed: Double = 1
    ) throws -> SessionPlan {
        let practice = PracticePlan(
            sections: try sections(ranges), passes: passes, speeds: .constant(try Speed(factor: speed)), joint: .hard)
        return SessionPlan(practice, savedIDs: [1, 2, 3])
    }

    private func harness(
        _ plan: SessionPlan, startFrame: Int64? = nil, beforeStart: (PracticeSession) -> Void = { _ in }
    ) throws -> SessionHarness {
        try SessionHarness(
            LoopTests.ruler, rate: LoopTests.rate, plan: plan, startFrame: startFrame, beforeStart: beforeStart)
    }

    @Test("a loop set before the start begins first, whichever section was chosen")
    func loopBeforeStart() throws {
        let harness = try harness(try plan()) { session in
            session.go(toSection: 2)
            #expect(throws: Never.self) { try session.loop(200..<800) }
        }
        #expect(place(harness.play(300)[299]) == 499)
        #expect(place(harness.play(600)[599]) == 499)
    }

    @Test("a loop set and left before the start leaves the first section chosen")
    func loopLeftBeforeStart() throws {
        // The first section holds the frame at which a player begins without any request.
        var plan = try plan([0..<1000] + Self.ranges.dropFirst())
        plan.firstSection = 3
        let harness = try harness(plan) { session in
            #expect(throws: Never.self) {
                try session.loop(200..<800)
                try session.toggleLoop()
            }
        }
        #expect(place(harness.play(300)[299]) == 8299)
    }

    @Test("a loop set before the start has the speed of the plan")
    func speedOfLoop() throws {
        let harness = try harness(try plan(speed: 0.5)) { session in
            #expect(throws: Never.self) { try session.loop(200..<8000) }
        }
        harness.play(300)
        #expect(harness.player.status.speed == 0.5)
    }

    @Test("a section requested between the request to start and the start begins first")
    func beforeTimedStart() throws {
        let chosen = try harness(try plan(), startFrame: 500)
        chosen.play(100)
        chosen.session.go(toSection: 2)
        #expect(place(chosen.play(700)[699]) == 4299)
        #expect(eventually { chosen.session.currentNumber == 2 })

        var later = try plan()
        later.firstSection = 2
        let moved = try harness(later, startFrame: 500)
        moved.play(100)
        try moved.session.setSections(try sections([0..<500] + Self.ranges), savedIDs: [9, 1, 2, 3])
        #expect(place(moved.play(700)[699]) == 4299)
        #expect(place(moved.play(1000)[999]) == 8299)
        #expect(eventually { moved.session.currentNumber == 4 })

        let turned = try harness(try plan(), startFrame: 500)
        turned.play(100)
        try turned.session.setReversed(true)
        #expect(place(turned.play(700)[699]) == 1700)

        let edged = try harness(later, startFrame: 500)
        edged.play(100)
        try edged.session.setSections(
            try sections([1000..<2000, 4100..<5000, 8000..<9000]), savedIDs: [1, 2, 3])
        #expect(place(edged.play(700)[699]) == 4399)

        let earlier = try harness(later, startFrame: 500)
        earlier.play(100)
        try earlier.session.setSections(
            try sections([1000..<2000, 3900..<5000, 8000..<9000]), savedIDs: [1, 2, 3])
        #expect(place(earlier.play(700)[699]) == 4199)

        var inside = try plan([0..<16_000])
        inside.firstFrame = 9000
        let split = try harness(inside, startFrame: 500)
        split.play(100)
        try split.session.setSections(try sections([0..<8000, 8000..<16_000]))
        #expect(place(split.play(700)[699]) == 9299)

        let looped = try harness(try plan(), startFrame: 500)
        looped.play(100)
        try looped.session.loop(200..<800)
        #expect(place(looped.play(700)[699]) == 499)
    }

    @Test("a requested section begins even if its edges change before")
    func changedMeanwhile() throws {
        let harness = try harness(try plan())
        harness.play(300)
        harness.session.go(toSection: 3)
        try harness.session.setSections(
            try sections([1000..<2000, 4000..<5000, 8100..<9000]), savedIDs: [1, 2, 3])
        #expect(place(harness.play(300)[299]) == 8399)
        #expect(eventually { harness.session.currentNumber == 3 })
    }

    @Test("sections that could not be played after a loop are refused while the loop plays")
    func refusedInLoop() throws {
        let harness = try harness(try plan())
        harness.play(300)
        try harness.session.loop(200..<800)
        harness.play(300)
        #expect(throws: SessionError.self) { try harness.session.setSections(try sections([0..<400_000])) }
        try harness.session.toggleLoop()
        harness.play(100)
        #expect(harness.player.score.sections.count == 3)
    }

    @Test("a section chosen in a pause is reported", arguments: [false, true])
    func chosenInPause(freezes: Bool) throws {
        let told = Mutex<[SessionEvent]>([])
        let harness = try harness(try plan()) { session in
            session.observe { event in told.withLock { $0.append(event) } }
        }
        harness.play(300)
        #expect(eventually { told.withLock { $0.contains(.proceeded(section: 1)) } })
        if freezes { harness.session.setFrozen(true) } else { harness.session.pause() }
        harness.play(300)
        harness.session.go(toSection: 3)
        harness.play(300)
        if freezes { harness.session.setFrozen(false) } else { harness.session.resume() }
        harness.play(300)
        #expect(eventually { told.withLock { $0.contains(.proceeded(section: 3)) } })
        harness.play(1500)
        let proceeded = told.withLock { $0 }.filter { if case .proceeded = $0 { true } else { false } }
        #expect(proceeded == [.proceeded(section: 1), .proceeded(section: 3)])
    }

    @Test("a loop set just after a section was requested leads to that section's first pass")
    func passAfterLoop() throws {
        let harness = try harness(try plan(passes: 5))
        harness.play(4300)
        #expect(harness.player.status.pass == 5)
        harness.session.go(toSection: 2)
        try harness.session.loop(4000..<4500)
        harness.play(300)
        try harness.session.toggleLoop()
        harness.play(100)
        #expect(harness.player.status.section == 2 && harness.player.status.pass == 1)
    }

    @Test("numbers of any size name a section or an edge, or are refused", arguments: [Int.min, -1, 0, 4, .max])
    func numbers(number: Int) throws {
        let harness = try harness(try plan())
        harness.play(300)
        harness.session.go(toSection: number)
        harness.session.skip(by: number == 0 || number == -1 ? .max : number)
        #expect(harness.session.savedID(ofSection: number) == nil)
        #expect(throws: ScoreError.self) { try harness.player.skip(toSection: number) }
        #expect(throws: ScoreError.self) { try harness.player.start(inSection: number) }
        #expect(place(harness.play(300)[299]) == 1599)
        try harness.session.loop(1200..<1800)
        let marks = try harness.session.nudge(.end, byFileFrames: Int64(number))
        #expect((1201...16_000).contains(marks.end ?? 0))
        #expect(throws: Never.self) { try harness.session.nudge(.start, by: Int64(number)) }
    }
}
