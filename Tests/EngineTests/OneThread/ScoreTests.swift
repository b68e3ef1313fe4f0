import EngineHarness
import Explanations
import TestSupport
import Testing

@testable import Engine

@Suite("A score")
struct ScoreTests {
    func score(
        _ ranges: [Range<Int64>], passes: Int = 1, speeds: SpeedSchedule = .constant(.normal), gap: Gap = .none,
        joint: Joint = .hard, clip: Int64 = 1_000_000
    ) throws -> Score {
        let sections = try ranges.map { try Section($0) }
        let plan = PracticePlan(sections: sections, passes: .count(passes), speeds: speeds, gap: gap, joint: joint)
        return try Score(plan, clipFrameCount: clip, sampleRate: 44_100)
    }

    /// Every span of a score, in the render thread's order and manner: one by one.
    func spans(of score: Score) -> [ScoreCursor] {
        var cursor = ScoreCursor.start(of: score.parts[0], index: 0, at: 0)
        var all = [cursor]
        while !(cursor.part + 1 == score.parts.count && cursor.isLast(of: score.parts[cursor.part])) || cursor.isRest {
            let next = min(cursor.part + 1, score.parts.count - 1)
            cursor.advance(in: score.parts[cursor.part], next: (score.parts[next], next))
            all.append(cursor)
        }
        return all
    }

    @Test("a score at 100 % has the exact length of its passes and gaps, without a gap at the end")
    func exactLength() throws {
        #expect(try score([100..<1100], passes: 5).frameCount == 5000)
        #expect(try score([100..<1100], passes: 5, gap: .frames(441)).frameCount == 5000 + 4 * 441)
        #expect(try score([100..<1100, 0..<10], passes: 3, gap: .frames(7)).frameCount == 3000 + 30 + 5 * 7)
        #expect(try score([100..<1100], passes: 3, gap: .passLengths(1)).frameCount == 5000)
    }

    @Test("a score plays a plan's steps in a row, each with its speed and gap, and counts all passes")
    func steps() throws {
        let half = try Speed(factor: 0.5)
        var plan = PracticePlan(
            sections: [try Section(100..<1100), try Section(5000..<5500, passes: 9)], passes: .endless,
            gap: .frames(10), joint: .hard,
            steps: [PassStep(passes: 2, speed: half), PassStep(passes: 3, gap: .passLengths(1))])
        let score = try Score(plan, clipFrameCount: 10_000, sampleRate: 44_100)
        let sounds = spans(of: score).filter { !$0.isRest }
        #expect(sounds.map { score.parts[$0.part].section } == [0, 0, 0, 0, 0, 1, 1, 1, 1, 1])
        #expect(sounds.map(\.pass) == [0, 1, 2, 3, 4, 0, 1, 2, 3, 4])
        #expect(sounds.map { $0.spanEnd - $0.spanStart } == [2000, 2000, 1000, 1000, 1000, 1000, 1000, 500, 500, 500])
        let gaps: Int64 = 4 * 10 + 3 * 1000 + 2 * 500
        #expect(score.frameCount == 10_500 + gaps)
        #expect(score.parts.allSatisfy { $0.sectionPasses == 5 && !$0.isEndless })
        // A speed set by the user counts for every step; a section's own steps count for the section.
        #expect(try score.atSpeed(half).parts.allSatisfy { $0.curve.initialSpeed == 0.5 })
        plan.sections[1].steps = []
        let own = try Score(plan, clipFrameCount: 10_000, sampleRate: 44_100)
        #expect(own.passes(ofSection: 1) == 9 && own.passes(ofSection: 0) == 5)
        plan.steps = [PassStep(passes: 0)]
        #expect(throws: ScoreError.self) { try Score(plan, clipFrameCount: 10_000, sampleRate: 44_100) }
        plan.steps = [PassStep(passes: .max), PassStep(passes: .max)]
        #expect(throws: ScoreError.self) { try Score(plan, clipFrameCount: 10_000, sampleRate: 44_100) }
        plan.speeds = .ramp(from: half, to: .normal, step: 0.1)
        plan.steps = [PassStep(passes: .max), PassStep(passes: 9)]
        #expect(throws: ScoreError.self) { try Score(plan, clipFrameCount: 10_000, sampleRate: 44_100) }
    }

    @Test(
        "a score never drifts more than half a frame from the exact sum, over any number of passes",
        arguments: [0.25, 0.333, 0.6, 0.7, 0.75, 0.999, 1.3, 4.0], [1, 2, 3, 1000, 2_000_000])
    func noDrift(factor: Double, passes: Int) throws {
        let speed = try Speed(factor: factor)
        let score = try score([7..<44_108, 3..<1000], passes: passes, speeds: .constant(speed))
        let exact = (44_101.0 + 997.0) / factor * Double(passes)
        #expect(abs(Double(score.length) - exact) <= 0.5 + exact * 1e-15)
    }

    @Test("the spans of a score add up to its length")
    func walkEqualsLength() throws {
        var generator = SeededGenerator(seed: 20_261_121)
        for _ in 0..<200 {
            let ranges = (0..<Int.random(in: 1...4, using: &generator)).map { _ -> Range<Int64> in
                let start = Int64.random(in: 0..<10_000, using: &generator)
                return start..<start + Int64.random(in: 4...5000, using: &generator)
            }
            let gap: Gap = [.none, .frames(33), .passLengths(0.37)][Int.random(in: 0..<3, using: &generator)]
            let low = try Speed(factor: Double.random(in: 0.25...1, using: &generator))
            let high = try Speed(factor: Double.random(in: 1...4, using: &generator))
            let speeds: SpeedSchedule =
                Bool.random(using: &generator) ? .constant(low) : .ramp(from: low, to: high, step: 0.13)
            let score = try score(
                ranges, passes: Int.random(in: 1...9, using: &generator), speeds: speeds, gap: gap)
            let spans = spans(of: score)
            #expect(spans.last?.spanEnd == score.frameCount, "seed \(generator.seed)")
            for (before, after) in zip(spans, spans.dropFirst()) {
                #expect(before.spanEnd == after.spanStart)
                #expect(after.spanEnd > after.spanStart)
            }
        }
    }

    @Test("a score entered in the middle of a pass continues with whole passes")
    func enteredMidway() throws {
        let score = try score([1000..<2000], passes: 4, speeds: .constant(try Speed(factor: 0.7)), gap: .frames(10))
        var cursor = ScoreCursor.entering(score.parts[0], index: 0, pass: 1, clipFrame: 1500, at: 77)
        #expect(cursor.spanEnd == 77 + 714)
        var exact = 500 / 0.7
        for _ in 2..<4 {
            cursor.advance(in: score.parts[0], next: (score.parts[0], 0))
            #expect(cursor.isRest)
            cursor.advance(in: score.parts[0], next: (score.parts[0], 0))
            exact += 1000 / 0.7
            #expect(!cursor.isRest)
        }
        #expect(abs(Double(cursor.spanEnd - 77 - 20) - exact) <= 0.5)
        #expect(cursor.pass == 3)
    }

    @Test("an endless or repeating score has no length, and its parts last for centuries")
    func endless() throws {
        let endless = try Section(0..<1000, passes: .endless, gap: .frames(5))
        let plan = PracticePlan(sections: [endless, try Section(0..<10, passes: 2)], passes: 3, joint: .hard)
        let score = try Score(plan, clipFrameCount: 1000, sampleRate: 44_100)
        #expect(score.frameCount == nil && score.parts.map(\.reportedPasses) == [0, 2])
        #expect(score.parts.map(\.gapFrames) == [5, 0])
        let years = Double(score.parts[0].passCount) * 1005 / 44_100 / 3600 / 24 / 365
        #expect(years > 500)
        var many = PracticePlan(sections: Array(repeating: try Section(0..<1000), count: 20_000), passes: .endless)
        #expect(try Score(many, clipFrameCount: 1000, sampleRate: 384_000).parts[19_999].passCount > 1_000_000)
        many = PracticePlan(sections: [try Section(0..<1000)], passes: 2, repeats: true)
        #expect(try Score(many, clipFrameCount: 1000, sampleRate: 44_100).frameCount == nil)
        many.passes = .count(0)
        #expect(throws: ScoreError.self) { try Score(many, clipFrameCount: 1000, sampleRate: 44_100) }
    }

    @Test("an endless section with a ramp keeps the last speed, and a section's own speeds win")
    func endlessRamp() throws {
        let ramp = SpeedSchedule.ramp(from: try Speed(factor: 0.6), to: .normal, step: 0.1)
        let section = try Section(0..<1000, passes: .endless, speeds: ramp)
        let plan = PracticePlan(sections: [section, try Section(0..<1000)], speeds: .constant(try Speed(factor: 2)))
        let score = try Score(plan, clipFrameCount: 1000, sampleRate: 44_100)
        #expect(score.parts.map(\.speed) == [0.6, 0.7, 0.8, 0.9, 1, 2])
        #expect(score.parts.dropLast().allSatisfy { $0.isEndless } && score.parts[4].passCount > 1_000_000)
        let faster = try score.atSpeed(try Speed(factor: 0.5))
        #expect(faster.parts.map(\.speed) == [0.5, 0.5] && faster.parts[0].isEndless)
    }

    @Test("a ramp steps once a pass and keeps its last speed")
    func ramp() throws {
        let speeds = SpeedSchedule.ramp(from: try Speed(factor: 0.6), to: .normal, step: 0.1)
        #expect(speeds.passesToReachLast == 5)
        #expect((0..<7).map { speeds.factor(ofPass: $0) } == [0.6, 0.7, 0.8, 0.9, 1, 1, 1])
        let down = SpeedSchedule.ramp(from: .normal, to: try Speed(factor: 0.85), step: 0.1)
        #expect((0..<4).map { down.factor(ofPass: $0) } == [1, 0.9, 0.85, 0.85])
    }

    @Test("a score refuses a plan that cannot be played, with cause and remedy")
    func refusals() throws {
        func kind(_ body: () throws -> Score) -> ScoreError.Kind? {
            do {
                _ = try body()
                return nil
            } catch let error as ScoreError {
                #expect(!error.message.isEmpty && !error.remedy.isEmpty)
                return error.kind
            } catch {
                return nil
            }
        }
        #expect(kind { try score([]) } == .noSections)
        #expect(kind { try score([0..<10], passes: 0) } == .passesOutOfRange)
        #expect(kind { try score([0..<10], passes: -3) } == .passesOutOfRange)
        #expect(kind { try score([5..<5]) } == .emptySection)
        #expect(kind { try score([-5..<5]) } == .sectionOutsideClip)
        #expect(kind { try score([0..<1001], clip: 1000) } == .sectionOutsideClip)
        #expect(kind { try score([0..<10], gap: .frames(-1)) } == .gapOutOfRange)
        #expect(kind { try score([0..<10], gap: .passLengths(.nan)) } == .gapOutOfRange)
        #expect(kind { try score([0..<10], gap: .passLengths(.infinity)) } == .gapOutOfRange)
        #expect(kind { try score([0..<100_000], passes: .max) } == .tooLong)
        let creeping = SpeedSchedule.ramp(from: try Speed(factor: 0.5), to: .normal, step: 0.000_01)
        #expect(kind { try score([0..<1000], passes: 100_000, speeds: creeping) } == .tooLong)
        #expect(kind { try score([0..<1000], passes: 100, speeds: creeping) } == nil)
        #expect(kind { try score([Range<Int64>](repeating: 0..<10, count: 20_001)) } == .tooLong)
        let four = SpeedSchedule.constant(try Speed(factor: 4))
        #expect(kind { try score([0..<3], speeds: four) } == .sectionTooShort)
        // Refused before any part is made: the speed at which this section gives no sound comes after 200,000 parts.
        let endless = SpeedSchedule.ramp(from: .normal, to: try Speed(factor: 4), step: 0.000_01)
        #expect(kind { try score([0..<3], passes: .max, speeds: endless) } == .tooLong)
        let stuck = SpeedSchedule.ramp(from: .normal, to: .normal, step: 0)
        #expect(kind { try score([0..<30], speeds: stuck) } == .rampStepOutOfRange)
        for factor in [0, -1, 0.2499, 4.001, .nan, .infinity] {
            #expect(throws: ScoreError.self) { try Speed(factor: factor) }
        }
    }
    @Test("the part of a frame, of a pass and of a last pass equals that of a search through all parts")
    func search() throws {
        var random = SeededGenerator(printedFor: "ScoreTests.search")
        for _ in 0..<200 {
            let ranges = (0..<Int.random(in: 1...12, using: &random)).map { _ in
                let start = Int64.random(in: 0...900, using: &random)
                return start..<start + Int64.random(in: 100...300, using: &random)
            }
            let passes = PassCount.count(Int.random(in: 1...7, using: &random))
            var plan = PracticePlan(sections: try ranges.map { try Section($0) }, passes: passes)
            if Bool.random(using: &random) {
                plan.speeds = .ramp(from: try Speed(factor: 0.5), to: .normal, step: 0.1)
            }
            plan.reversed = Bool.random(using: &random)
            let score = try Score(plan, clipFrameCount: 1200, sampleRate: 44_100)
            let storage = ScoreStorage(score, Preparation(unknownPartsOf: score))
            let (found, parts) = (storage.renderScore, score.parts)
            let edges = ranges.flatMap { [$0.lowerBound - 1, $0.lowerBound, $0.upperBound - 1, $0.upperBound] }
            for frame in Array(stride(from: -1, through: 1201, by: 7)) + edges + [.min, .max] {
                #expect(found.partIndex(holding: frame) == parts.firstIndex { $0.clipRange.contains(frame) })
            }
            for section in -1...ranges.count {
                for pass in -1...8 {
                    let expected = parts.firstIndex {
                        $0.section == section && ($0.firstPass..<$0.firstPass + $0.passCount).contains(pass)
                    }
                    #expect(found.partIndex(section: section, pass: pass) == expected)
                }
                #expect(found.lastPartIndex(section: section) == parts.lastIndex { $0.section == section })
            }
            withExtendedLifetime(storage) {}
        }
    }
}
