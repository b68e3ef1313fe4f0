import EngineHarness
import TestSupport
import Testing

@testable import Engine

@Suite("More requests than the rings hold")
struct ManyRequestTests {
    private static let rate = 8000
    private static let clip = testClip(channels: 1, frames: 9000, rate: rate, seed: 71)

    private static func score(_ range: Range<Int64>) throws -> Score {
        let plan = PracticePlan(sections: [try Section(range)], passes: 9, joint: .hard)
        return try Score(plan, clipFrameCount: 9000, sampleRate: rate)
    }

    /// The sound of a player in blocks of a length, after these requests.
    private static func sound(
        block: Int, frames: Int = 8192, _ ask: (Player) throws -> Void
    ) throws -> [[Float]] {
        let harness = try Harness(clip, rate: rate, score: try score(0..<9000))
        harness.player.start(at: 0)
        try ask(harness.player)
        return harness.render(frames) { block }
    }

    private static func expectOneSound(_ ask: (Player) throws -> Void) throws {
        // In these blocks the rings hold all requests.
        let expected = try sound(block: 1, ask)
        for block in [64, 999, 8192] {
            let isSame = try sound(block: block, ask) == expected
            #expect(isSame, "blocks of \(block)")
        }
    }

    @Test("more requests than the rings hold are carried out at their frames, however long the blocks")
    func timed() throws {
        try Self.expectOneSound { player in
            for index in 0..<2000 { player.setGain(decibels: Double(-(index % 5)), at: Int64(4 * index + 2)) }
        }
    }

    @Test("requests sent in any order are carried out at their frames, and in order within a frame")
    func unordered() throws {
        // Three requests for each frame. All are due later than the rings take requests, so the requests wait and are
        // sorted here.
        func send(_ groups: [Int], to player: Player) {
            for group in groups {
                for index in 0..<3 {
                    let decibels = -Double((group + 2 * index) % 5)
                    player.setGain(decibels: decibels, at: Int64(20_002 + 4 * group))
                }
            }
        }
        let expected = try Self.sound(block: 64, frames: 28_192) { send(Array(0..<2000), to: $0) }
        let descending = try Self.sound(block: 64, frames: 28_192) { send((0..<2000).reversed(), to: $0) }
        #expect(descending == expected)
        var generator = SeededGenerator(printedFor: "ManyRequestTests.unordered")
        let groups = (0..<2000).shuffled(using: &generator)
        let shuffled = try Self.sound(block: 64, frames: 28_192) { send(groups, to: $0) }
        #expect(shuffled == expected)
    }

    @Test("many requests for one frame are carried out there, and an excess at the next frames")
    func crowded() throws {
        try Self.expectOneSound { player in
            for index in 0..<200 { player.setGain(decibels: Double(-(index % 5)), at: 1500) }
            for index in 0..<1400 { player.setGain(decibels: Double(-(index % 7)), at: 3000) }
        }
    }

    @Test("more scores than the rings hold are carried out at their frames")
    func scores() throws {
        let scores = [try Self.score(500..<3000), try Self.score(0..<9000)]
        try Self.expectOneSound { player in
            for index in 0..<120 { try player.setScore(scores[index % 2], at: Int64(60 * index + 100)) }
        }
    }

    @Test("any number of requests before the first block apply to the first block")
    func immediate() throws {
        let expected = try Self.sound(block: 64) { $0.setGain(decibels: -9) }
        let all = try Self.sound(block: 64) { player in
            for index in 0..<300 { player.setGain(decibels: Double(index % 5)) }
            player.setGain(decibels: -9)
        }
        #expect(all == expected)
    }
}
