// Beginnings and ends of takes, as a function of events and presses.
import Testing

@testable import Engine
@testable import Practice
@testable import Store

@Suite("Take planner")
struct TakePlannerTests {
    /// An event of section 1, frames 1000 ..< 3000 of the clip.
    private func event(
        _ kind: PlayerEvent.Kind, _ frame: Int64, clip: Int64 = 1000, pass: Int = 1, speed: Double = 1,
        reversed: Bool = false
    ) -> PlayerEvent {
        PlayerEvent(
            kind: kind, frame: frame, section: 1, sectionFrames: 1000..<3000, pass: pass, passes: nil, speed: speed,
            semitones: 0, clipFrame: clip, sound: .copy, isReversed: reversed)
    }

    private func planner(_ mode: TakeMode, isOn: Bool = true) -> TakePlanner {
        TakePlanner(mode: mode, isOn: isOn, sampleRate: 1000)
    }

    private func target(pass: Int = 1, speed: Double = 1, zero: Double) -> TakeTarget {
        TakeTarget(frames: 1000..<3000, pass: pass, speed: speed, semitones: 0, zero: zero)
    }

    /// The steps of a whole list of events.
    private func steps(_ planner: inout TakePlanner, _ events: [PlayerEvent]) -> [TakePlanner.Step] {
        TakePlanner.withoutMoments(events.flatMap { planner.take($0) })
    }

    @Test("each pass is a take, whether passes follow one another or not")
    func passes() {
        var plan = planner(.passes)
        let found = steps(
            &plan,
            [
                event(.playbackStarted, 0), event(.sectionStarted, 0), event(.passStarted, 0),
                event(.passEnded, 2000, clip: 3000), event(.passStarted, 2000, pass: 2),
                event(.passEnded, 4000, clip: 3000, pass: 2), event(.passStarted, 4500, pass: 3),
                event(.finished(.stopped), 5000, clip: 1500, pass: 3),
            ])
        #expect(
            found == [
                .begin(id: 2, frame: 0, target(zero: 0)), .end(id: 2, frame: 2000),
                .begin(id: 3, frame: 2000, target(pass: 2, zero: 2000)), .end(id: 3, frame: 4000),
                .begin(id: 4, frame: 4500, target(pass: 3, zero: 4500)), .end(id: 4, frame: 5000),
            ])
        #expect(plan.isOver && plan.press(at: 6000).isEmpty)
    }

    @Test("each gap is a take of the answer that begins with the gap, and without gaps there is none")
    func gaps() {
        var plan = planner(.gaps)
        let found = steps(
            &plan,
            [
                event(.playbackStarted, 0), event(.passStarted, 0), event(.passEnded, 2000, clip: 3000),
                event(.passStarted, 3000, pass: 2), event(.passEnded, 5000, clip: 3000, pass: 2),
                event(.passStarted, 5000, pass: 3), event(.finished(.completed), 7000, clip: 3000, pass: 3),
            ])
        #expect(found == [.begin(id: 1, frame: 2000, target(zero: 2000)), .end(id: 1, frame: 3000)])
    }

    @Test(
        "a pass entered in its middle has its place as from the start, and a pass left early is kept"
    )
    func moved() {
        var plan = planner(.passes)
        let found = steps(
            &plan,
            [
                event(.passStarted, 0, speed: 0.5), event(.moved, 1000, clip: 2000, speed: 0.5),
                event(.paused(.user), 1500, clip: 2250, speed: 0.5),
                event(.resumed(.user), 9000, clip: 2250, speed: 0.5),
                event(.speedChanged, 9400, clip: 2450, speed: 2), event(.passEnded, 9675, clip: 3000, speed: 2),
            ])
        #expect(
            found == [
                .begin(id: 1, frame: 0, target(speed: 0.5, zero: 0)), .end(id: 1, frame: 1000),
                .begin(id: 2, frame: 1000, target(speed: 0.5, zero: -1000)), .end(id: 2, frame: 1500),
                .begin(id: 3, frame: 9000, target(speed: 0.5, zero: 6500)), .end(id: 3, frame: 9400),
                .begin(id: 4, frame: 9400, target(speed: 2, zero: 8675)), .end(id: 4, frame: 9675),
            ])
    }

    @Test("a move in a pause takes effect at the resume, and a gap keeps its place through a pause")
    func pauses() {
        var plan = planner(.passes)
        #expect(
            steps(
                &plan,
                [
                    event(.passStarted, 0), event(.paused(.user), 500, clip: 1500), event(.moved, 600, clip: 1200),
                    event(.speedChanged, 700, clip: 1200), event(.resumed(.user), 1000, clip: 1200),
                ]) == [
                    .begin(id: 1, frame: 0, target(zero: 0)), .end(id: 1, frame: 500),
                    .begin(id: 2, frame: 1000, target(zero: 800)),
                ])
        var answers = planner(.gaps)
        #expect(
            steps(
                &answers,
                [
                    event(.passStarted, 0), event(.passEnded, 2000, clip: 3000),
                    event(.paused(.user), 2300, clip: 3000),
                    event(.resumed(.user), 5300, clip: 3000), event(.passStarted, 6000, pass: 2),
                ]) == [
                    .begin(id: 1, frame: 2000, target(zero: 2000)), .end(id: 1, frame: 2300),
                    .begin(id: 2, frame: 5300, target(zero: 5000)), .end(id: 2, frame: 6000),
                ])
    }

    @Test("a key begins and ends a take at the audible frame, over any number of passes")
    func key() {
        var plan = planner(.key)
        #expect(!plan.isOn)
        _ = steps(
            &plan, [event(.passStarted, 0), event(.passEnded, 2000, clip: 3000), event(.passStarted, 2000, pass: 2)])
        // The player is ahead of the ear: the audible pass is still the first.
        #expect(plan.press(at: 1900) == [.begin(id: 1, frame: 1900, target(zero: 0))])
        #expect(plan.isOn && steps(&plan, [event(.passEnded, 4000, clip: 3000, pass: 2)]).isEmpty)
        // Meanwhile nearly all of the second pass was heard, and next to nothing of the first.
        #expect(plan.press(at: 3800) == [.place(id: 1, target(pass: 2, zero: 2000)), .end(id: 1, frame: 3800)])
        // In a gap the answer begins with the gap, in a pause with the press.
        #expect(plan.press(at: 4100) == [.begin(id: 2, frame: 4100, target(pass: 2, zero: 4000))])
        _ = plan.press(at: 4300)
        _ = steps(&plan, [event(.passStarted, 4400, pass: 3), event(.paused(.user), 5000, clip: 1600, pass: 3)])
        #expect(plan.press(at: 8000) == [.begin(id: 3, frame: 8000, target(pass: 3, zero: 8000))])
        #expect(plan.press(at: 8050) == [.drop(id: 3)])
        #expect(plan.press(at: 9000) == [.begin(id: 4, frame: 9000, target(pass: 3, zero: 9000))])
        #expect(steps(&plan, [event(.finished(.stopped), 9500, clip: 1600)]) == [.end(id: 4, frame: 9500)])
    }

    @Test(
        "a take by key lies on the pass or gap heard most, or on the first one if nearly equal",
        arguments: [
            // Pressed a little late: the pass in which the key was pressed.
            (150, 4000, 1, 0), (150, 6900, 1, 0),
            // Pressed early in a pass, for the next pass; at the end of a pass, for the answer in the gap.
            (500, 5000, 2, 3000), (1900, 2900, 1, 2000), (1200, 3600, 1, 2000),
            // In the middle of a pass and no further.
            (500, 1500, 1, 0), (3700, 4900, 2, 3000),
        ])
    func places(first: Int64, end: Int64, pass: Int, zero: Int64) {
        var plan = planner(.key)
        _ = steps(
            &plan,
            [
                event(.passStarted, 0), event(.passEnded, 2000, clip: 3000), event(.passStarted, 3000, pass: 2),
                event(.passEnded, 5000, clip: 3000, pass: 2), event(.passStarted, 6000, pass: 3),
            ])
        var place: TakeTarget?
        for step in plan.press(at: first) + plan.press(at: end) {
            switch step {
            case .begin(_, _, let target): place = target
            case .place(_, let target): place = target
            case .end(_, let frame): #expect(frame == end)
            case .drop: Issue.record("dropped")
            }
        }
        #expect(place == target(pass: pass, zero: Double(zero)))
    }

    @Test("a key before any sound means the first pass, and in a pause no sound counts")
    func early() {
        var plan = planner(.key)
        #expect(plan.press(at: 0) == [.begin(id: 1, frame: 0, nil)])
        _ = steps(&plan, [event(.passStarted, 100), event(.paused(.user), 600, clip: 1500)])
        #expect(plan.press(at: 9000) == [.place(id: 1, target(zero: 100)), .end(id: 1, frame: 9000)])
    }

    @Test("the key switches takes of passes off and on, and a pass played backwards has no model")
    func switching() {
        var plan = planner(.passes)
        _ = steps(&plan, [event(.passStarted, 0)])
        #expect(plan.press(at: 800) == [.end(id: 1, frame: 800)])
        #expect(plan.press(at: 1000) == [.begin(id: 2, frame: 1000, target(zero: 0))])
        #expect(plan.press(at: 1050) == [.drop(id: 2)])
        #expect(steps(&plan, [event(.passStarted, 2000, pass: 2)]).isEmpty)
        #expect(plan.press(at: 1900) == [.begin(id: 3, frame: 2000, target(pass: 2, zero: 2000))])
        #expect(
            steps(&plan, [event(.moved, 2500, clip: 2999, pass: 2, reversed: true)])
                == [.end(id: 3, frame: 2500), .begin(id: 4, frame: 2500, nil)])
    }
}
