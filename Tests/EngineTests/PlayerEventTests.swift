import EngineHarness
import Synchronization
import TestSupport
import Testing

@testable import Engine

@Suite("A player's events")
struct PlayerEventTests {
    func events(_ score: Score, block: Int = 100, edit: (Player) throws -> Void = { _ in }) async throws
        -> [PlayerEvent]
    {
        let clip = testClip(channels: 1, frames: 4000, rate: 8000, seed: 3)
        let harness = try Harness(clip, rate: 8000, score: score)
        let stream = harness.player.events
        harness.player.start(at: 10)
        try edit(harness.player)
        _ = harness.render(Int(score.length) + 3000) { block }
        var all: [PlayerEvent] = []
        try await withPatience { for await event in stream { all.append(event) } }
        return all
    }

    func line(_ event: PlayerEvent) -> String {
        let passes = event.passes.map(String.init) ?? "endless"
        return "\(event.frame) \(event.kind) \(event.section) \(event.pass)/\(passes) \(event.clipFrame)"
    }

    @Test(
        "events report every section and pass at its exact output frame, for every block size",
        arguments: [1, 64, 999])
    func order(block: Int) async throws {
        let plan = PracticePlan(
            sections: [try Section(100..<300), try Section(1000..<1100)], passes: 2, gap: .frames(50), joint: .hard)
        let score = try Score(plan, clipFrameCount: 4000, sampleRate: 8000)
        let lines = try await events(score, block: block).map(line)
        #expect(
            lines == [
                "10 playbackStarted 1 1/2 100",
                "10 sectionStarted 1 1/2 100",
                "10 passStarted 1 1/2 100",
                "210 passEnded 1 1/2 300",
                "260 passStarted 1 2/2 100",
                "460 passEnded 1 2/2 300",
                "460 sectionEnded 1 2/2 300",
                "510 sectionStarted 2 1/2 1000",
                "510 passStarted 2 1/2 1000",
                "610 passEnded 2 1/2 1100",
                "660 passStarted 2 2/2 1000",
                "760 passEnded 2 2/2 1100",
                "760 sectionEnded 2 2/2 1100",
                "760 finished(Engine.FinishReason.completed) 2 2/2 1100",
            ])
    }

    @Test("a printed event names its frame, its kind and its pass, and the number of passes if the passes end")
    func text() async throws {
        let plan = PracticePlan(sections: [try Section(100..<300)], passes: 2, joint: .hard)
        let ending = try await events(try Score(plan, clipFrameCount: 4000, sampleRate: 8000))
        #expect(
            ending.filter { $0.kind == .passStarted }.map { "\($0)" } == [
                "frame 10: passStarted, pass 1 of 2", "frame 210: passStarted, pass 2 of 2",
            ])
        #expect(ending.last.map { "\($0)" } == "frame 410: finished(Engine.FinishReason.completed), pass 2 of 2")
        var endless = plan
        endless.passes = .endless
        let score = try Score(endless, clipFrameCount: 4000, sampleRate: 8000)
        let harness = try Harness(testClip(channels: 1, frames: 4000, rate: 8000, seed: 3), rate: 8000, score: score)
        let lines = Mutex<[String]>([])
        harness.player.observe { events in lines.withLock { $0 += events.map { "\($0)" } } }
        harness.player.start(at: 10)
        _ = harness.render(100) { 100 }
        #expect(lines.withLock { $0 }.last == "frame 10: passStarted, pass 1")
    }

    @Test("a dropout after the last block is reported before the end of the events")
    func lastDropout() async throws {
        let clip = testClip(channels: 1, frames: 4000, rate: 8000, seed: 3)
        let score = try Score(PracticePlan(sections: [try Section(0..<4000)]), clipFrameCount: 4000, sampleRate: 8000)
        let harness = try Harness(clip, rate: 8000, score: score)
        let (player, stream) = (harness.player, harness.player.events)
        player.start(at: 0)
        _ = harness.render(500) { 100 }
        unsafe player.core.core.pointee.noteXrun(at: 500, lostFrames: 7)
        // As at the end of an engine whose device is lost.
        player.serve()
        player.endEvents()
        var last: PlayerEvent?
        try await withPatience { for await event in stream { last = event } }
        #expect(last?.kind == .xrun(lostFrames: 7) && last?.frame == 500 && last?.clipFrame == 500)
    }

    @Test("an observer gets all events of a frame in one call, for every block size", arguments: [1, 64, 999])
    func together(block: Int) async throws {
        let plan = PracticePlan(
            sections: [try Section(100..<300), try Section(1000..<1100)], passes: 2, gap: .frames(50), joint: .hard)
        let score = try Score(plan, clipFrameCount: 4000, sampleRate: 8000)
        let calls = Mutex<[[Int64]]>([])
        let all = try await events(score, block: block) { player in
            player.observe { events in calls.withLock { $0.append(events.map(\.frame)) } }
        }
        let frames = calls.withLock { $0 }
        #expect(frames.joined().elementsEqual(all.map(\.frame)))
        #expect(frames.allSatisfy { !$0.isEmpty })
        #expect(zip(frames, frames.dropFirst()).allSatisfy { ($0.last ?? 0) < ($1.first ?? 0) })
    }

    @Test("events are not kept for an abandoned sequence, and the next sequence gets its own events")
    func abandoned() async throws {
        let plan = PracticePlan(sections: [try Section(0..<200)], passes: 3, joint: .hard)
        let clip = testClip(channels: 1, frames: 4000, rate: 8000, seed: 3)
        let harness = try Harness(clip, rate: 8000, score: try Score(plan, clipFrameCount: 4000, sampleRate: 8000))
        let player = harness.player
        Self.hold(player.events) { #expect(player.hasReaders) }
        #expect(!player.hasReaders)
        player.start(at: 0)
        Self.hold(player.events) { _ = harness.render(100) { 100 } }
        #expect(!player.hasReaders)
        let stream = player.events
        _ = harness.render(900, from: 100) { 100 }
        var frames: [Int64] = []
        try await withPatience { for await event in stream { frames.append(event.frame) } }
        #expect(frames.first == 200 && frames.last == 600)
    }

    /// Releases the stream at the return.
    private static func hold(_ stream: AsyncStream<PlayerEvent>, _ body: () -> Void) {
        body()
        withExtendedLifetime(stream) {}
    }

    @Test("the status counts a gap down to 0, stands still in a pause, and is 0 while a pass is heard")
    func rest() throws {
        let plan = PracticePlan(sections: [try Section(0..<200)], passes: 2, gap: .frames(500), joint: .hard)
        let clip = testClip(channels: 1, frames: 4000, rate: 8000, seed: 3)
        let harness = try Harness(clip, rate: 8000, score: try Score(plan, clipFrameCount: 4000, sampleRate: 8000))
        harness.player.start()
        harness.player.pause(reason: .user, at: 400)
        harness.player.resume(at: 600)
        var left: [Int64] = []
        _ = harness.render(1100) {
            left.append(harness.player.status.restFramesLeft)
            return 100
        }
        #expect(left == [0, 0, 0, 400, 300, 300, 300, 200, 100, 0, 0])
    }

    @Test("events report the position before and after a skip, a pause and a resume")
    func edits() async throws {
        let plan = PracticePlan(
            sections: [try Section(100..<1100), try Section(2000..<2100)], passes: 1, joint: .hard)
        let score = try Score(plan, clipFrameCount: 4000, sampleRate: 8000)
        let lines = try await events(score) { player in
            player.pause(reason: .suspended, at: 110)
            player.resume(at: 310)
            try player.skip(toSection: 2, at: 410)
        }.map(line)
        #expect(
            lines == [
                "10 playbackStarted 1 1/1 100",
                "10 sectionStarted 1 1/1 100",
                "10 passStarted 1 1/1 100",
                "110 paused(Engine.PauseReason.suspended) 1 1/1 200",
                "310 resumed(Engine.PauseReason.suspended) 1 1/1 200",
                "410 passEnded 1 1/1 300",
                "410 sectionEnded 1 1/1 300",
                "410 moved 2 1/1 2000",
                "410 sectionStarted 2 1/1 2000",
                "410 passStarted 2 1/1 2000",
                "510 passEnded 2 1/1 2100",
                "510 sectionEnded 2 1/1 2100",
                "510 finished(Engine.FinishReason.completed) 2 1/1 2100",
            ])
    }

    @Test("a repeating plan begins with the first section again after the last, with the gap between")
    func repeated() throws {
        let plan = PracticePlan(
            sections: [try Section(100..<400), try Section(0..<50, passes: .endless)], gap: .frames(20), joint: .hard,
            repeats: true)
        var once = plan
        once.sections[1].passes = nil
        let harness = try Harness(
            testClip(channels: 1, frames: 1000, rate: 8000, seed: 1), rate: 8000,
            score: try Score(once, clipFrameCount: 1000, sampleRate: 8000))
        harness.player.start(at: 0)
        let sound = harness.render(1000) { 77 }[0]
        // 300 frames, a gap, 50 frames, a gap, and again.
        for frame in 0..<300 {
            #expect(sound[frame] == sound[frame + 390] && sound[frame] == harness.clip[0][100 + frame])
        }
        for frame in 320..<370 { #expect(sound[frame] == harness.clip[0][frame - 320]) }
        #expect(sound[300..<320].allSatisfy { $0 == 0 } && sound[370..<390].allSatisfy { $0 == 0 })
        #expect(harness.player.status.state == .playing && harness.player.status.passes == 1)
        try harness.player.setScore(try Score(plan, clipFrameCount: 1000, sampleRate: 8000))
        try harness.player.skip(toSection: 2)
        _ = harness.render(1000, from: 1000) { 64 }
        #expect(harness.player.status.passes == nil && harness.player.status.pass > 10)
    }
}
