import EngineHarness
import Samples
import TestSupport
import Testing

@testable import Engine

@Suite("A pass that comes again")
struct PassRecordingTests {
    static let rate = 8000
    static let clip = testClip(channels: 2, frames: 6000, rate: rate, seed: 11)

    static func score(
        _ ranges: [Range<Int64>], passes: Int, speeds: SpeedSchedule, gap: Gap = .none, joint: Joint = .crossfade
    ) throws -> Score {
        let plan = PracticePlan(
            sections: try ranges.map { try Section($0) }, passes: .count(passes), speeds: speeds, gap: gap, joint: joint
        )
        return try Score(plan, clipFrameCount: 6000, sampleRate: rate)
    }

    static func harness(_ score: Score, keeps: Bool) throws -> Harness {
        let harness = try Harness(
            clip, rate: rate, score: score, recordingLimit: keeps ? ScoreStorage.recordingLimit : 0)
        harness.player.start(at: 0)
        return harness
    }

    static func isRecorded(_ harness: Harness) -> Bool {
        guard case .recorded = unsafe harness.player.core.core.pointee.transport.stack.value.topSource else {
            return false
        }
        return true
    }

    @Test(
        "a kept pass has the bits of a pass rendered anew, for any joint, gap and block lengths",
        // Every start of a voice is expensive in unoptimised builds: there only the overlapping joint.
        arguments: cases(Joint.allCases, few: [.crossfade]),
        cases([Gap.none, .frames(7), .frames(400)], few: [.frames(7)]))
    func sameBits(joint: Joint, gap: Gap) throws {
        var generator = SeededGenerator(printedFor: #function)
        // Lengths of 857.14 and 58.57 frames: passes of two lengths, and passes hardly longer than a crossfade.
        let score = try Self.score(
            [300..<900, 2000..<2041, 5400..<6000], passes: 5,
            speeds: .ramp(from: try Speed(factor: 0.6), to: try Speed(factor: 0.7), step: 0.1), gap: gap, joint: joint)
        let total = Int(score.length) + 100
        let anew = try Self.harness(score, keeps: false).render(total) { 512 }
        #expect(try Self.harness(score, keeps: true).render(total) { 512 } == anew)
        let random = try Self.harness(score, keeps: true)
            .render(total) { Int.random(in: 1...700, using: &generator) }
        #expect(random == anew, "\(generator)")
    }

    @Test("a kept pass has the same bits after a thousand passes", .enabled(if: Workload.isWhole))
    func thousandPasses() throws {
        let speed = try Speed(factor: 0.73)
        let score = try Self.score([1000..<1500], passes: 1000, speeds: .constant(speed))
        let total = Int(score.length)
        let kept = try Self.harness(score, keeps: true).render(total) { 333 }
        #expect(try Self.harness(score, keeps: false).render(total) { 333 } == kept)
    }

    @Test(
        "a kept pass has the bits of a pass rendered anew after any changes during playing",
        arguments: 0..<cases(40, few: 2))
    func edits(run: Int) throws {
        let edits = PlayerEditTests()
        func render(keeps: Bool) throws -> [[Float]] {
            var generator = SeededGenerator(seed: UInt64(run) &* 104_729 &+ 5)
            let first = try Self.score(
                [300..<700, 2000..<2041], passes: 4, speeds: .constant(try Speed(factor: 0.8)),
                joint: Joint.allCases[run % 3])
            let harness = try Self.harness(first, keeps: keeps)
            var frame: Int64 = 0
            for _ in 0..<30 {
                frame += Int64.random(in: 0...(Bool.random(using: &generator) ? 60 : 900), using: &generator)
                if Int.random(in: 0..<6, using: &generator) == 0 {
                    let semitones = [-12, -3, 0, 0, 4][Int.random(in: 0..<5, using: &generator)]
                    try harness.player.setPitch(try Pitch(semitones: Double(semitones)), at: frame)
                } else {
                    _ = try edits.randomEdit(&generator, harness, at: frame)
                }
                if Bool.random(using: &generator) { harness.player.resume(at: frame + 50) }
            }
            return harness.render(Int(frame) + 600) { 1 + Int(frame) % 97 }
        }
        #expect(try render(keeps: true) == render(keeps: false))
    }

    @Test("a kept pass is copied: from the second pass on no voice renders")
    func usesNoVoice() throws {
        let score = try Self.score([1000..<1700], passes: 4, speeds: .constant(try Speed(factor: 0.7)))
        let harness = try Self.harness(score, keeps: true)
        var recorded: [Bool] = []
        _ = harness.render(4000) {
            recorded.append(Self.isRecorded(harness))
            return 1000
        }
        // Each pass is 1000 frames long; requests are sent before each block.
        #expect(recorded == [false, false, true, true])
    }

    @Test("a pass that was cut short is rendered anew, and then kept")
    func cutShort() throws {
        let score = try Self.score([1000..<1700], passes: 5, speeds: .constant(try Speed(factor: 0.7)))
        let harness = try Self.harness(score, keeps: true)
        try harness.player.seek(toClipFrame: 1350, at: 200)
        var recorded: [Bool] = []
        // The seek leaves 500 frames of the first pass: the second begins at 700, the third at 1700.
        _ = harness.render(2700) {
            recorded.append(Self.isRecorded(harness))
            return 300
        }
        #expect(recorded == [false, false, false, false, false, false, true, true, true])
    }

    @Test("a kept pass keeps its memory until its last sound has been played")
    func memoryOutlivesItsScore() throws {
        let score = try Self.score([1000..<1700], passes: 5, speeds: .constant(try Speed(factor: 0.7)))
        let harness = try Self.harness(score, keeps: true)
        try harness.player.setSpeed(try Speed(factor: 0.9), at: 1500)
        var retired: [Int] = []
        _ = harness.render(1600) {
            retired.append(unsafe harness.player.core.core.pointee.transport.retired.count)
            return retired.count == 1 ? 1520 : 40
        }
        #expect(retired == [0, 1, 0])
    }

    @Test("a pass longer than the memory a player may take is not kept")
    func bounded() throws {
        let score = try Self.score([0..<6000], passes: 3, speeds: .constant(try Speed(factor: 0.5)))
        let needed = 12_000 + 2 + 40
        let bytes = needed * 2 * MemoryLayout<Float>.stride
        func kept(_ score: Score, limit: Int, _ current: PassStorage? = nil) -> PassStorage? {
            PassStorage.fitting(score, channelCount: 2, limit: limit, current: current)
        }
        let enough = try #require(kept(score, limit: bytes))
        #expect(enough.memory.frameCount == needed)
        #expect(kept(score, limit: bytes - 1) == nil)
        // Existing memory is reused while large enough, and then replaced by a larger one within the limit.
        let short = try Self.score([0..<1000], passes: 3, speeds: .constant(try Speed(factor: 0.5)))
        #expect(kept(short, limit: bytes, enough) === enough)
        let small = try #require(kept(short, limit: bytes))
        #expect(small.memory.frameCount < needed && kept(score, limit: bytes, small)?.memory.frameCount == needed)
    }
}
