// Keys pressed at random, as by a child at the keyboard: the sound must equal the sound of a slow session.
import EngineHarness
import TestSupport
import Testing

@testable import Engine
@testable import Practice
@testable import Store

@Suite("Session under random keys")
struct RandomKeysTests {
    static let rate = 8000
    /// The samples are their own frame numbers, so that every place can be read off.
    static let frameCount = 240_000
    static let scale: Float = 262_144
    static let ruler = (0..<frameCount).map { Float($0) / scale }
    /// Crossfades last 5 ms. Three can meet: a joint's, and two from the requests of a key that leaves a loop.
    static let fade = 3 * 40

    enum Key: CaseIterable {
        case start, end, toggle, lastHeard, nudge, next, seek, toStart, passes, pause
    }

    static let lists: [[Range<Int64>]] = [
        [0..<240_000],
        [0..<9000, 9000..<20_000, 20_000..<21_000, 50_000..<90_000],
        // Overlapping, nested, and not in the order of time.
        [40_000..<60_000, 50_000..<52_000, 10_000..<45_000, 200_000..<240_000, 40_000..<60_000],
    ]

    @Test(
        "every frame under random keys is that of a slow session, and no key clicks",
        arguments: 0..<lists.count, [0, 700])
    func keys(list: Int, bufferFrames: Int) async throws {
        var random = SeededGenerator(printedFor: "keys of list \(list), buffer \(bufferFrames)")
        let ranges = Self.lists[list]
        let plan = PracticePlan(sections: try ranges.map { try Section($0) }, passes: 2, repeats: true)
        let harness = try SessionHarness(
            Self.ruler, rate: Self.rate, plan: SessionPlan(plan), bufferFrames: Int64(bufferFrames))
        let session = harness.session
        var model = SlowSession(sections: ranges, passes: 2, frameCount: Int64(Self.frameCount))
        var log: [String] = []
        let count = environmentCount("WOODSHED_KEYS", short: cases(1700, few: 500))
        for number in 0..<count {
            // Long enough for the fades of the last key to end; now and then long enough for several sections.
            var frames = 256 + Int.random(in: 0..<(number % 50 == 0 ? 25_000 : 800), using: &random)
            for _ in 0..<frames { model.step() }
            // The order of a key and a joint at the same frame is checked elsewhere.
            if model.isAtJoint {
                model.step()
                frames += 1
            }
            harness.play(frames)
            let isRight = check(harness, model, from: harness.frame - frames)
            // Events travel in a task.
            let isTold = await eventuallySuspended { session.currentNumber == model.section + 1 }
            #expect(isTold, "section \(session.currentNumber), not \(model.section + 1)")
            #expect(session.marks.isRunning == model.isLoop && session.marks.start == model.start)
            #expect(session.marks.end == model.end)
            guard isRight, isTold else {
                Issue.record("after key \(number): \(log.suffix(6)); \(model.place), paused \(model.isPaused)")
                return
            }
            let key = Key.allCases[Int.random(in: 0..<Key.allCases.count, using: &random)]
            log.append("\(harness.frame): \(press(key, session, harness, &model, bufferFrames, &random))")
        }
        #expect(model.jumpCount > count / 3)
    }

    /// Presses a key in the session and in the model.
    private func press(
        _ key: Key, _ session: PracticeSession, _ harness: SessionHarness, _ model: inout SlowSession, _ late: Int,
        _ random: inout SeededGenerator
    ) -> String {
        // A loop hardly longer than its crossfades has a joint at nearly every key.
        if model.shortestLoop(after: key == .nudge ? 80 : 0, heard: model.audible(late: late)) < 256 {
            guard key != .start, key != .end, key != .nudge else { return "too short" }
        }
        if key == .lastHeard, model.audible(late: late) ?? 0 < 256 { return "too early" }
        let heard = model.audible(late: late)
        if let heard {
            let told = try? session.audibleClipFrame()
            #expect(told == heard, "\(harness.frame), \(model.range), \(model.place)")
        }
        switch key {
        case .start:
            guard let heard else { return "nothing heard" }
            _ = try? session.setLoopStart()
            model.setStart(heard)
        case .end:
            guard let heard else { return "nothing heard" }
            let isTaken = (try? session.setLoopEnd()) != nil
            #expect(model.setEnd(heard) == isTaken)
        case .toggle:
            _ = try? session.toggleLoop()
            model.toggleLoop()
        case .lastHeard:
            guard let range = (try? session.loopLastHeard())?.range else { return "nothing heard" }
            let lengths = min(Self.rate, Int(range.upperBound))...32 * Self.rate + 1
            #expect(range.upperBound <= Self.frameCount && lengths.contains(range.count))
            model.setLoop(range)
        case .nudge:
            let isEnd = Bool.random(using: &random)
            let frames = [-80, -1, 1, 80][Int.random(in: 0..<4, using: &random)]
            let isTaken = (try? session.nudge(isEnd ? .end : .start, by: Int64(frames))) != nil
            #expect(model.nudge(end: isEnd, by: Int64(frames)) == isTaken)
            return "nudge \(isEnd ? "end" : "start") \(frames)"
        case .next where number(&random, below: 3) == 0:
            // From before the first to behind the last of any list.
            let target = number(&random, below: 7)
            session.go(toSection: target)
            model.skip(by: target - 1 - model.section)
            return "go to section \(target)"
        case .next:
            let count = Bool.random(using: &random) ? 1 : -1
            session.skip(by: count)
            model.skip(by: count)
            return "skip \(count)"
        case .seek:
            let range = model.range
            let target = model.place.frame + Int64.random(in: -3000...3000, using: &random)
            let frame = min(max(target, range.lowerBound), range.upperBound - 1)
            do { try session.player.seek(toClipFrame: frame) } catch { Issue.record("\(error)") }
            model.seek(to: frame)
            return "seek \(frame)"
        case .toStart:
            session.jumpToStart()
            model.seek(to: model.range.lowerBound)
        case .passes:
            let count = Int.random(in: 1...4, using: &random)
            do { try session.setPasses(.count(count)) } catch { Issue.record("\(error)") }
            model.setPasses(count)
            return "passes \(count)"
        case .pause:
            if model.isPaused { session.resume() } else { session.pause() }
            model.togglePause()
        }
        return "\(key)"
    }

    private func number(_ random: inout SeededGenerator, below count: Int) -> Int {
        Int.random(in: 0..<count, using: &random)
    }

    /// Compares the sound since a frame, outside of fades, and searches for steps that no crossfade makes.
    private func check(_ harness: SessionHarness, _ model: SlowSession, from first: Int) -> Bool {
        for frame in first..<harness.frame {
            if frame > 0 {
                // A crossfade of 40 frames between places of a recording with a peak-to-peak range below 1, and two
                // more crossfades at the same time.
                let step = abs(harness.output[frame] - harness.output[frame - 1])
                guard step < 0.08 else {
                    Issue.record("a step of \(step) at frame \(frame), last jump \(model.lastJumps[frame])")
                    return false
                }
            }
            if frame - model.lastJumps[frame] < Self.fade { continue }
            let found = Int64((harness.output[frame] * Self.scale).rounded())
            guard found == model.heard[frame] ?? 0 else {
                Issue.record(
                    "frame \(frame) is \(found), not \(model.heard[frame] ?? 0); last jump \(model.lastJumps[frame])")
                return false
            }
        }
        return true
    }
}
