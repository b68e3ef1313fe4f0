import EngineHarness
import TestSupport
import Testing

@testable import Engine

@Suite("A player paused for a reason")
struct PauseReasonTests {
    /// The reported pauses and resumptions of a player with changes 100 frames apart.
    static func told(_ deeds: [(Player, Int64) -> Void]) async throws -> [String] {
        let plan = PracticePlan(sections: [try Section(0..<4000)], joint: .hard)
        let harness = try Harness(
            [[Float](repeating: 0.5, count: 4000)], rate: 8000,
            score: try Score(plan, clipFrameCount: 4000, sampleRate: 8000))
        let events = harness.player.events
        harness.player.start(at: 0)
        for (index, deed) in deeds.enumerated() { deed(harness.player, Int64(100 * (index + 1))) }
        _ = harness.render(100 * (deeds.count + 2)) { 64 }
        harness.player.endEvents()
        var told: [String] = []
        try await withPatience {
            for await event in events {
                switch event.kind {
                case .paused(let reason): told.append("\(event.frame) paused \(reason)")
                case .resumed(let reason): told.append("\(event.frame) resumed \(reason)")
                default: break
                }
            }
        }
        return told
    }

    @Test("a player paused for a reason resumes when that reason ends, and not when another one does")
    func sameCause() async throws {
        let told = try await Self.told([
            { $0.pause(reason: .suspended, at: $1) }, { $0.resume(after: .deviceLost, at: $1) },
            { $0.resume(after: .user, at: $1) }, { $0.resume(after: .suspended, at: $1) },
        ])
        #expect(told == ["100 paused suspended", "400 resumed suspended"])
    }

    @Test("a player paused by its user, too, is not resumed by the end of another reason")
    func userTakesOver() async throws {
        let told = try await Self.told([
            { $0.pause(reason: .suspended, at: $1) }, { $0.pause(at: $1) }, { $0.resume(after: .suspended, at: $1) },
            { $0.resume(at: $1) },
        ])
        #expect(told == ["100 paused suspended", "200 paused user", "400 resumed user"])
    }

    @Test("a pause by the user hides later reasons, and the user can resume from any reason")
    func userStays() async throws {
        let told = try await Self.told([
            { $0.pause(at: $1) }, { $0.pause(reason: .suspended, at: $1) }, { $0.resume(after: .suspended, at: $1) },
            { $0.resume(at: $1) }, { $0.pause(reason: .suspended, at: $1) }, { $0.resume(at: $1) },
        ])
        #expect(told == ["100 paused user", "400 resumed user", "500 paused suspended", "600 resumed suspended"])
    }
}
