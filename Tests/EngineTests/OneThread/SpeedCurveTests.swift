import EngineHarness
import Explanations
import Samples
import TestSupport
import Testing

@testable import Engine

@Suite("A pass whose speed follows a curve")
struct SpeedCurveTests {
    static let rate = 8000
    static let frames: Int64 = 6000

    static func speed(_ factor: Double) throws -> Speed { try Speed(factor: factor) }

    static func score(
        _ range: Range<Int64>, _ speeds: SpeedSchedule, passes: Int = 1, joint: Joint = .hard
    ) throws -> Score {
        let plan = PracticePlan(sections: [try Section(range)], passes: .count(passes), speeds: speeds, joint: joint)
        return try Score(plan, clipFrameCount: frames, sampleRate: rate)
    }

    @Test("a pass on a speed curve has the length given by the integral, in any number of passes")
    func exactLength() throws {
        // A glide's mean speed is the mean of its ends: 4000 / 0.8.
        let glide = SpeedSchedule.glide(from: try Self.speed(0.6), to: .normal)
        #expect(try Self.score(1000..<5000, glide).frameCount == 5000)
        #expect(try Self.score(1000..<5000, glide, passes: 7).frameCount == 35_000)
        // 200 frames at 70 % and 200 at 130 % cover 400; 37 frames more take 52.86 at 70 %.
        let turns = SpeedSchedule.curve(
            [SpeedPoint(at: 0, try Self.speed(0.7)), SpeedPoint(at: 200, try Self.speed(1.3))], repeatingEvery: 400)
        #expect(try Self.score(0..<4000, turns).frameCount == 4000)
        #expect(try Self.score(0..<4037, turns).frameCount == 4053)
        #expect(try Self.score(0..<4037, turns, passes: 1000).frameCount == 4_052_857)
        // The last speed stays: 600 frames of glide cover 600, the other 3400 take 3400 / 1.5.
        let open = SpeedSchedule.curve(
            [SpeedPoint(at: 0, try Self.speed(0.5)), SpeedPoint(at: 600, try Self.speed(1.5), .glide)])
        #expect(try Self.score(0..<4000, open).frameCount == 600 + 2267)
    }

    @Test("a speed curve agrees with a sum over its pieces, and its times invert its positions")
    func closedForms() throws {
        var generator = SeededGenerator(printedFor: #function)
        for _ in 0..<50 {
            let schedule = try PlayerEditTests().randomSpeeds(&generator)
            let score = try Self.score(0..<2000, schedule)
            // The curve points into the score.
            defer { withExtendedLifetime(score) {} }
            let curve = score.parts[0].curve
            let slow = ReferenceCurve(schedule, pass: 0, distance: 2000)
            for _ in 0..<20 {
                let frame = Int64.random(in: 0..<Int64(score.length), using: &generator)
                let distance = curve.distance(after: frame)
                // Both sum numbers below 10 000; a few hundred additions of half a unit in the last place each.
                #expect(abs(distance - slow.distance(Double(frame))) < 1e-8, "\(schedule)")
                #expect(abs(curve.speed(after: frame) - slow.speed(Double(frame))) < 1e-12)
                #expect(abs(curve.time(toCover: distance) - Double(frame)) < 1e-8)
                #expect(curve.isCopy(at: frame) == slow.isCopy(Double(frame), shortest: 400), "\(schedule) \(frame)")
            }
        }
    }

    @Test("a speed curve is followed where its pitch makes the fastest part too fast for three bands")
    func fastAndLow() throws {
        // Two octaves down the voice itself goes from twice to eight times the clip's speed. After 16 000 frames of
        // this glide 18 000 frames of the clip are over, and the noise begins.
        var random = SeededGenerator(seed: 9)
        let clip = [(0..<24_000).map { $0 < 18_000 ? 0 : Float.random(in: -0.5...0.5, using: &random) }]
        let plan = PracticePlan(
            sections: [try Section(0..<24_000)], speeds: .glide(from: try Self.speed(0.5), to: try Self.speed(2)),
            pitch: try Pitch(semitones: -24), joint: .hard)
        let score = try Score(plan, clipFrameCount: 24_000, sampleRate: Self.rate)
        #expect(score.frameCount == 19_200)
        let harness = try Harness(clip, rate: Self.rate, score: score)
        harness.player.start(at: 0)
        let output = harness.render(19_200) { 64 }[0]
        func rms(_ range: Range<Int>) -> Float {
            (output[range].reduce(0) { $0 + $1 * $1 } / Float(range.count)).squareRoot()
        }
        // A window of eight times the clip's speed covers some thousand frames of the clip, 125 of the output.
        #expect(rms(0..<15_500) < 0.001)
        #expect(rms(16_500..<19_000) > 0.05)
    }

    @Test(
        "a pass on a speed curve is the clip itself, bit for bit, where the speed stays at 100 %",
        arguments: [1, 64, 700])
    func copiesInMidPass(block: Int) throws {
        let ramp = (0..<Int(Self.frames)).map { Float($0) }
        let points = [
            SpeedPoint(at: 0, try Self.speed(0.7)), SpeedPoint(at: 801, .normal),
            SpeedPoint(at: 1601, try Self.speed(1.3), .glide), SpeedPoint(at: 2000, .normal, .glide),
        ]
        let score = try Self.score(1000..<5000, .curve(points))
        let held = try Self.score(
            1000..<5000, .curve(Array(points.prefix(2)) + [SpeedPoint(at: 1601, try Self.speed(1.3))]))
        for (score, copies) in [(held, 801..<1601), (score, 2000..<4000)] {
            let harness = try Harness([ramp], rate: Self.rate, score: score)
            harness.player.start(at: 0)
            let output = harness.render(Int(score.length)) { block }[0]
            let cursor = ScoreCursor.start(of: score.parts[0], index: 0, at: 0)
            let first = (cursor.position(at: Int64(copies.lowerBound), in: score.parts[0]) + 0.5).rounded(.down)
            let differs = copies.dropFirst(40).first { (frame: Int) in
                frame < output.count && output[frame] != Float(first) + Float(frame - copies.lowerBound)
            }
            #expect(differs == nil)
            // The next section begins with the very next sample.
            #expect(abs(output[1601] - output[1600]) < 8 || score == held)
        }
    }

    @Test("a pass on a speed curve entered in its middle ends where the rest of the curve ends")
    func seeks() async throws {
        let turns = SpeedSchedule.curve(
            [SpeedPoint(at: 0, try Self.speed(0.5)), SpeedPoint(at: 400, try Self.speed(2))], repeatingEvery: 800)
        let clip = testClip(channels: 1, frames: Int(Self.frames), rate: Self.rate, seed: 2)
        let harness = try Harness(clip, rate: Self.rate, score: try Self.score(0..<4000, turns))
        let events = harness.player.events
        harness.player.start(at: 0)
        // Frame 2100 of the clip belongs to frame 1600 + 200 of the curve; 1900 more are covered in 1200 + 200 + 200.
        try harness.player.seek(toClipFrame: 2100, at: 100)
        _ = harness.render(3000) { 333 }
        var last: PlayerEvent?
        try await withPatience { for await event in events { last = event } }
        #expect(last?.kind == .finished(.completed))
        let end: Int64 = 100 + 200 + 800 + 400
        #expect(last?.frame == end)
    }

    @Test("a speed curve that cannot be followed is refused with cause and remedy")
    func refusals() throws {
        let (slow, fast) = (try Self.speed(0.5), try Self.speed(2))
        func refused(_ points: [SpeedPoint], _ period: Int64? = nil) -> Bool {
            do {
                _ = try Self.score(0..<4000, .curve(points, repeatingEvery: period))
                return false
            } catch {
                let error = error as? ScoreError
                return error?.kind == .curveOutOfRange && error?.message.isEmpty == false
                    && error?.remedy.isEmpty == false
            }
        }
        let start = SpeedPoint(at: 0, slow)
        #expect(!refused([start]))
        #expect(refused([]))
        #expect(refused([SpeedPoint(at: 1, slow)]))
        #expect(refused([SpeedPoint(at: 0, slow, .glide)]))
        // 20 ms are 160 frames here.
        #expect(!refused([start, SpeedPoint(at: 160, fast)]))
        #expect(refused([start, SpeedPoint(at: 159, fast)]))
        #expect(refused([start, SpeedPoint(at: -200, fast)]))
        #expect(refused([start, SpeedPoint(at: .max, fast)]))
        #expect(refused([start, SpeedPoint(at: 200, fast), SpeedPoint(at: .min, slow)]))
        #expect(refused([start, SpeedPoint(at: 200, fast)], 200))
        #expect(refused([start, SpeedPoint(at: 200, fast)], .min))
        #expect(!refused([start, SpeedPoint(at: 200, fast, .glide)], 200))
        #expect(refused([start], 0))
        #expect(refused([start], -1))
        #expect(refused((0...100_000).map { SpeedPoint(at: $0 * 160, slow) }))
    }
}

@Suite("A change of speed while playing")
struct SpeedChangeEventTests {
    @Test("a change of speed is heard from the frame in its event, and the pass ends at its exact frame")
    func exactFrames() async throws {
        let clip = testClip(channels: 1, frames: 40_000, rate: 44_100, seed: 2)
        var leads: Set<Int64> = []
        for (block, request) in [(1000, 5000), (64, 5000), (333, 7777)] as [(Int, Int64)] {
            let plan = PracticePlan(
                sections: [try Section(0..<30_000)], speeds: .constant(try Speed(factor: 0.5)), joint: .hard)
            let score = try Score(plan, clipFrameCount: 40_000, sampleRate: 44_100)
            let harness = try Harness(clip, rate: 44_100, score: score)
            let events = harness.player.events
            harness.player.start(at: 0)
            try harness.player.setSpeed(try Speed(factor: 0.75), over: 1000, at: request)
            _ = harness.render(70_000) { block }
            var all: [PlayerEvent] = []
            try await withPatience { for await event in events { all.append(event) } }
            let change = try #require(all.first { $0.kind == .speedChanged })
            leads.insert(change.frame - request)
            #expect(change.speed == 0.75)
            #expect(change.clipFrame == (change.frame + 1) / 2)
            // The rest after 1000 frames at 62.5 % in the mean takes its time at 75 %.
            let left = (30_000 - Double(change.frame) / 2 - 625) / 0.75
            #expect(all.last?.frame == change.frame + 1000 + Int64((left).rounded()))
        }
        #expect(leads.count == 1 && leads.allSatisfy { $0 > 0 && $0 < 8820 })
    }

    @Test("a change of speed from 100 % is heard at once, from the next sample on")
    func leavesTheCopy() throws {
        let ramp = (0..<6000).map { Float($0) }
        let plan = PracticePlan(sections: [try Section(0..<6000)], joint: .hard)
        let harness = try Harness(
            [ramp], rate: 8000, score: try Score(plan, clipFrameCount: 6000, sampleRate: 8000))
        harness.player.start(at: 0)
        try harness.player.setSpeed(try Speed(factor: 0.5), at: 1000)
        let output = harness.render(1100) { 64 }[0]
        #expect(Array(output[..<1000]) == Array(ramp[..<1000]))
        // The voice begins with the source's own frame, to its accuracy of some -100 dB.
        #expect(abs(output[1000] - 1000) < 0.5)
    }

    @Test("voices are created with the first score that needs voices; a player at 100 % has none")
    func voicesComeLater() throws {
        let clip = testClip(channels: 1, frames: 6000, rate: 8000, seed: 4)
        let plan = PracticePlan(sections: [try Section(0..<6000)], joint: .hard)
        let harness = try Harness(clip, rate: 8000, score: try Score(plan, clipFrameCount: 6000, sampleRate: 8000))
        harness.player.start(at: 0)
        let half = try Speed(factor: 0.5)
        var hadVoices: [Bool] = []
        let output = harness.render(1000) {
            hadVoices.append(unsafe harness.player.core.core.pointee.transport.stack.value.hasVoices)
            if hadVoices.count == 2 { try? harness.player.setSpeed(half) }
            return 100
        }[0]
        #expect(Array(hadVoices.prefix(4)) == [false, false, true, true])
        #expect(output[300...].contains { $0 != 0 })
    }
}
