import AudioDevices
import AudioFiles
import EngineHarness
import TestSupport
import Testing

@testable import Clips
@testable import Engine

@Suite("A restarted player")
struct RestartTests {
    static let rate = 8000
    static let ramp = (0..<5000).map { Float($0) }

    static func score() throws -> Score {
        let plan = PracticePlan(sections: [try Section(0..<1000)], joint: .hard)
        return try Score(plan, clipFrameCount: 5000, sampleRate: rate)
    }

    static func engine(endsWithPlayers: Bool = true) throws -> Engine {
        let request = try StreamRequest(
            sampleRate: rate, channelCount: 1, periodFrames: 256, clock: .virtual, realtimePriority: nil)
        return try Engine(output: .null, request: request, endsWithPlayers: endsWithPlayers)
    }

    static func player(of engine: Engine) throws -> Player {
        try engine.makePlayer(try Clip.inMemory([ramp], sampleRate: rate), score: try score())
    }

    @Test(
        "a player started while its stop fades out plays from the beginning after the fade",
        arguments: [1, 64, 999])
    func whileItStops(block: Int) throws {
        let harness = try Harness([Self.ramp], rate: Self.rate, score: try Self.score())
        harness.player.start(at: 0)
        harness.player.stop(at: 700)
        harness.player.start(at: 700)
        let output = harness.render(2000) { block }[0]
        #expect(output[699] == 699 && output[739] != 0)
        let firstWrong = (0..<1000).first { output[740 + $0] != Self.ramp[$0] }
        #expect(firstWrong == nil)
        #expect(output[1740...].allSatisfy { $0 == 0 })
    }

    @Test("a player started before its end was reported keeps its readers of events to the last end")
    func keepsReaders() async throws {
        let harness = try Harness([Self.ramp], rate: Self.rate, score: try Self.score())
        let events = harness.player.events
        harness.player.start(at: 0)
        harness.player.stop(at: 700)
        harness.player.start(at: 700)
        // Without effect, as the player plays: no reason to continue after the end.
        harness.player.start(at: 900)
        var asked = false
        _ = harness.render(3100) {
            if !asked, harness.player.status.outputFrame >= 1500 {
                harness.player.start(at: 2040)
                asked = true
            }
            return 500
        }
        var ends: [String] = []
        try await withPatience {
            for await event in events {
                switch event.kind {
                case .playbackStarted: ends.append("start \(event.frame)")
                case .finished(let reason): ends.append("\(reason) \(event.frame)")
                default: break
                }
            }
        }
        #expect(ends == ["start 0", "stopped 740", "start 740", "completed 1740", "start 2040", "completed 3040"])
    }

    @Test("a restarted last player keeps an engine running that ends with its players")
    func keepsEngine() async throws {
        let engine = try Self.engine()
        let player = try Self.player(of: engine)
        let events = player.events
        player.start(at: 0)
        player.stop(at: 300)
        player.start(at: 300)
        try engine.start()
        try engine.waitUntilFinished()
        var kinds: [PlayerEvent.Kind] = []
        try await withPatience { for await event in events { kinds.append(event.kind) } }
        #expect(kinds.last == .finished(.completed))
        #expect(kinds.filter { $0 == .playbackStarted }.count == 2)
    }

    @Test("a reader of events ends after the end of the engine, and after the removal of the player")
    func eventsAfterTheEnd() async throws {
        let engine = try Self.engine()
        let player = try Self.player(of: engine)
        player.start(at: 0)
        try engine.start()
        // The last player's end is the engine's, also before anybody waits for the end.
        try await withPatience { for await _ in player.events {} }
        try engine.waitUntilFinished()
        try await withPatience {
            for await event in player.events { Issue.record("\(event)") }
            for await event in engine.events { Issue.record("\(event)") }
        }

        let other = try Self.engine(endsWithPlayers: false)
        let removed = try Self.player(of: other)
        let events = removed.events
        removed.start(at: 0)
        try other.start()
        try await withPatience { for await _ in events {} }
        other.remove(removed)
        try await withPatience { for await _ in removed.events {} }
        other.stop()
    }

    @Test("a restarted player of an unreadable recording fails again, and plays no silence to the end")
    func failsAgain() async throws {
        let engine = try Self.engine(endsWithPlayers: false)
        let decoder = ShortDecoder([Self.ramp], sampleRate: Self.rate, readableFrames: 0)
        let clip = try Clip(decoder, sampleRate: nil, memoryBudget: 0)
        let player = try engine.makePlayer(clip, score: try Self.score())
        try engine.start()
        for _ in 0..<100 {
            let events = player.events
            player.start()
            var last: PlayerEvent.Kind?
            try await withPatience { for await event in events { last = event.kind } }
            #expect(last == .finished(.failed) && player.failure?.kind == .io)
        }
        engine.stop()
    }
}
