import AudioDevices
import Clips
import Glibc
import Realtime
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
