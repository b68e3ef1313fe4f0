import AudioDevices
import Clips
import EngineHarness
import Glibc
import Realtime
import Samples
import Synchronization
import TestSupport
import Testing

@testable import Engine

@Suite("Events without room")
struct LostEventTests {
    /// A host's view of a run.
    private struct Report: Equatable {
        var told: [PlayerEvent] = []
        var lost: Int64 = 0
    }

    /// Passes of one frame, which have far more events in a block than there is room for.
    ///
    /// - Parameter isRead: Whether another thread reads the events all the time.
    private func report(isRead: Bool) throws -> Report {
        let request = try StreamRequest(
            sampleRate: 8000, channelCount: 1, periodFrames: 8192, clock: .virtual, realtimePriority: nil)
        let engine = try Engine(output: .null, request: request)
        let plan = PracticePlan(sections: [try Section(0..<1)], passes: 20_000, joint: .hard)
        let player = try engine.makePlayer(
            try Clip.inMemory([[0.5]], sampleRate: 8000),
            score: try Score(plan, clipFrameCount: 1, sampleRate: 8000))
        let told = Mutex<[PlayerEvent]>([])
        player.observe { events in told.withLock { $0 += events } }
        player.start(at: 0)
        let isOver = Atomic(false)
        let reader = PlainThread(name: "reader") {
            while isRead, !isOver.load(ordering: .relaxed) {
                engine.serve()
                // Leaves the lock to the device's thread.
                usleep(20)
            }
        }
        defer {
            isOver.store(true, ordering: .relaxed)
            reader?.join()
        }
        try engine.start()
        try engine.waitUntilFinished()
        return Report(told: told.withLock { $0 }, lost: player.status.droppedEvents)
    }

    @Test("the newest of thousands of ends within a block is told once, and every other event is told or counted")
    func manyEnds() throws {
        let plan = PracticePlan(sections: [try Section(0..<1)], passes: 1, joint: .hard)
        let score = try Score(plan, clipFrameCount: 1, sampleRate: 8000)
        let harness = try Harness([[0.5]], rate: 8000, score: score)
        let told = Mutex<[PlayerEvent]>([])
        let endCount = Atomic(0)
        harness.player.observe { events in told.withLock { $0 += events } }
        harness.player.follow { if $0 == nil { endCount.add(1, ordering: .relaxed) } }
        for number in 0..<4000 { harness.player.start(at: Int64(2 * number)) }
        _ = harness.render(8192) { 8192 }
        // The beginning and the end of the score, of its section and of its pass.
        let (first, lost) = (told.withLock { $0 }, harness.player.status.droppedEvents)
        #expect(first.last?.kind == .finished(.completed) && first.last?.frame == 7999)
        #expect(Int64(first.count) + lost == 24_000 && lost > 16_000 && endCount.load(ordering: .relaxed) == 1)
        harness.player.start()
        _ = harness.render(100, from: 8192) { 64 }
        let second = told.withLock { $0 }.dropFirst(first.count)
        #expect(second.count == 6 && second.last?.frame == 8193 && harness.player.status.droppedEvents == lost)
    }

    @Test("an end is counted if another start follows before the delivery of the end")
    func supersededEnd() throws {
        let plan = PracticePlan(sections: [try Section(0..<1)], passes: 1, joint: .hard)
        let score = try Score(plan, clipFrameCount: 1, sampleRate: 8000)
        let harness = try Harness([[0.5]], rate: 8000, score: score)
        let told = Mutex<[PlayerEvent]>([])
        harness.player.observe { events in told.withLock { $0 += events } }
        for number in 0..<4000 { harness.player.start(at: Int64(2 * number)) }
        harness.player.serve(isBetweenBlocks: true)
        let block = PlanarBuffer(channelCount: 1, frameCount: 8192)
        var lost: [Int64] = []
        for first in [0, 8192] as [Int64] {
            _ = unsafe harness.player.core.core.pointee.render(
                into: block.channels, outputChannels: 1, frameCount: 8192, adds: false, at: first)
            lost.append(harness.player.status.droppedEvents)
            // Without a delivery before the next block.
            if first == 0 { harness.player.start() }
        }
        // The end before the second start, and all events of the second start but the end.
        #expect(lost[1] == lost[0] + 6)
        harness.player.serve()
        let events = told.withLock { $0 }
        #expect(events.last?.kind == .finished(.completed) && events.last?.frame == 8193)
        #expect(harness.player.status.droppedEvents == lost[1] && Int64(events.count) + lost[1] == 24_006)
    }

    @Test("lost events are the same in each run under the virtual clock, and the end is never lost")
    func virtualClock() throws {
        let report = try report(isRead: false)
        // The beginning and the end of each pass, of the section and of the score.
        #expect(Int64(report.told.count) + report.lost == 40_004 && report.lost > 20_000)
        #expect(report.told.last?.kind == .finished(.completed))
        for _ in 0..<cases(20, few: 3) {
            let other = try self.report(isRead: true)
            #expect(other.lost == report.lost)
            #expect(other.told == report.told)
        }
    }
}
