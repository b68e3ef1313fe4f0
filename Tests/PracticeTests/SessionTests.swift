import Clips
import EngineHarness
import Synchronization
import TestSupport
import Testing

@testable import Engine
@testable import Practice
@testable import Store

@Suite("Practice session")
struct PracticeSessionTests {
    private let ruler = LoopTests.ruler

    private func harness(_ plan: SessionPlan) throws -> SessionHarness {
        try SessionHarness(ruler, rate: LoopTests.rate, plan: plan)
    }

    private func place(_ sample: Float) -> Int { Int((sample * 16_384).rounded()) }

    @Test("a session takes another number of passes and another gap without moving its position")
    func passesAndGaps() throws {
        let sections = [try Section(0..<1000, passes: 9), try Section(4000..<5000)]
        let harness = try harness(SessionPlan(PracticePlan(sections: sections, passes: .endless, joint: .hard)))
        harness.play(1500)
        try harness.session.setPasses(2)
        try harness.session.setGap(.frames(300))
        let sound = harness.play(2000)
        for frame in 64..<500 { #expect(place(sound[frame]) == 500 + frame) }
        #expect(sound[500..<800].allSatisfy { $0 == 0 })
        // The second of two passes is over: the second section follows.
        #expect(place(sound[900]) == 4100)
        #expect(harness.player.status.passes == 2)
    }

    @Test("a session begins with any section at any frame, and can go back to earlier sections")
    func beginning() throws {
        let sections = [try Section(0..<1000), try Section(4000..<5000), try Section(8000..<9000)]
        var plan = SessionPlan(PracticePlan(sections: sections, joint: .hard), firstSection: 2)
        let harness = try harness(plan)
        harness.play(1100)
        #expect(place(harness.output[0]) == 4000 && place(harness.output[1050]) == 8050)
        harness.session.skip(by: -2)
        #expect(place(harness.play(200)[199]) == 199 && harness.session.currentPlace == 1)
        plan.firstFrame = 4700
        plan.practice.repeats = true
        let later = try self.harness(plan)
        later.play(2500)
        #expect(
            place(later.output[200]) == 4900 && place(later.output[1250]) == 8950 && place(later.output[1400]) == 100)
        // The fade of 5 ms: the first sample of a start inside a section is near silence.
        #expect(abs(later.output[0]) < 0.1)
        plan.firstFrame = 300
        let outside = try self.harness(plan)
        #expect(place(outside.play(100)[99]) == 4099)
    }

    @Test("a session resumes a little before a pause, never before the section, and exactly in a loop")
    func rewind() throws {
        let whole = PracticePlan(sections: [try Section(0..<16_000)], passes: .endless)
        let harness = try harness(SessionPlan(whole, resumeRewind: .seconds(0.25)))
        harness.play(5000)
        harness.session.pause()
        harness.play(500)
        harness.session.resume()
        #expect(place(harness.play(200)[199]) == 5000 - 2000 + 199)
        try harness.session.loop(3000..<6000)
        harness.play(800)
        harness.session.pause()
        harness.play(100)
        let paused = harness.player.status.clipFrame
        harness.session.resume()
        #expect(place(harness.play(100)[99]) == Int(paused) + 99)
        let early = try self.harness(SessionPlan(whole, resumeRewind: .seconds(5)))
        early.play(900)
        early.session.pause()
        early.play(100)
        early.session.resume()
        #expect(place(early.play(100)[99]) == 99)
        let automatic = ResumeRewind.automatic
        #expect([1, 5, 30, 600].map { automatic.seconds(afterPauseOf: $0) } == [0, 0.5, 2, 5])
        for seconds in [Double.infinity, .nan, -1, 1e300] {
            let all = try self.harness(SessionPlan(whole, resumeRewind: .seconds(seconds)))
            all.play(900)
            all.session.pause()
            all.play(100)
            all.session.resume()
            #expect(place(all.play(100)[99]) == (seconds > 0 ? 99 : 900 + 99))
        }
    }

    private final class Reader: Sendable {
        let isReleased = Atomic(false)
        let events = Mutex<[SessionEvent]>([])

        /// The events of the player that were read.
        var kinds: [PlayerEvent.Kind] {
            events.withLock { $0.compactMap { if case .player(let event) = $0 { event.kind } else { nil } } }
        }
    }

    @Test("passes that come faster than a session takes events are dropped and counted, and the last section is known")
    func crowded() async throws {
        let sections = try (0..<1000).map { try Section($0..<$0 + 1) } + [try Section(1000..<3000)]
        let plan = SessionPlan(PracticePlan(sections: sections, passes: .count(1), joint: .hard))
        let reader = Reader()
        let harness = try SessionHarness(ruler, rate: LoopTests.rate, plan: plan, mostWaiting: 100) { session in
            session.follow { event in
                guard let event else { return }
                if case .player = event { standStill { reader.isReleased.load(ordering: .acquiring) } }
                reader.events.withLock { $0.append(event) }
            }
        }
        harness.play(2000)
        harness.session.pause()
        harness.play(500)
        reader.isReleased.store(true, ordering: .releasing)
        #expect(await eventuallySuspended { reader.kinds.contains(.paused(.user)) })
        let (read, lost) = (reader.kinds.count, harness.session.takeLostEvents())
        // Sections and passes of a frame have four events each. The thread may have taken as many events as may wait.
        #expect(lost > 3000 && read < 300 && read + lost >= 4000, "\(read) read, \(lost) lost")
        #expect(harness.session.currentNumber == 1001)
        harness.session.resume()
        harness.play(3000)
        #expect(await eventuallySuspended { reader.events.withLock { $0.last == .completed } })
    }

    @Test("a session holds a frozen place for the requested time, also at a second start")
    func frozenAgain() throws {
        var plan = SessionPlan(PracticePlan(sections: [try Section(0..<16_000)]))
        plan.frozen = FrozenPlace(clipFrame: 4000, frameCount: 4000)
        let harness = try harness(plan)
        harness.play(6000)
        #expect(harness.player.status.state == .finished)
        harness.session.start()
        harness.play(3000)
        #expect(harness.player.status.state == .playing)
        harness.play(2000)
        #expect(harness.player.status.state == .finished)
    }

    @Test("a count-in has the requested clicks in time, the first one higher")
    func countIn() throws {
        let countIn = try #require(CountIn(clicks: 4, tempo: 120))
        let samples = countIn.samples(sampleRate: 8000)
        #expect(samples.count == 16_000)
        for click in 0..<4 {
            let part = samples[click * 4000..<(click + 1) * 4000]
            #expect(part.prefix(200).contains { abs($0) > 0.1 } && part.dropFirst(200).allSatisfy { $0 == 0 })
        }
        func crossings(_ click: Int) -> Int {
            let part = samples[click * 4000..<click * 4000 + 150]
            return zip(part, part.dropFirst()).count { ($0 < 0) != ($1 < 0) }
        }
        #expect(crossings(0) > crossings(1) && crossings(1) == crossings(3))
        #expect(CountIn(clicks: 0) == nil && CountIn(clicks: 4, tempo: 500) == nil && CountIn(clicks: 33) == nil)
    }
}
