// A recorder that a program releases without stopping the recorder.
import Foundation
import Sections
import SoundFileSupport
import Synchronization
import TestSupport
import Testing
import VirtualCardSupport

@testable import Engine
@testable import Practice
@testable import Store

@Suite("Loop recorder released without finish()")
struct ReleasedRecorderTests {
    private final class Ending: Sendable {
        let isOver = Mutex(false)
    }

    /// Plays a session to its end, and releases session, engine and recorder.
    private func playAndRelease(_ ending: Ending) async throws -> (folder: Scratch, store: PracticeStore) {
        let plan = PracticePlan(sections: [try Section(8000..<14_000)], passes: .count(2))
        let rig = try LoopRig(VirtualCardOptions(), plan: plan)
        let stream = rig.recorder.events
        Task {
            for await _ in stream {}
            ending.isOver.withLock { $0 = true }
        }
        rig.session.start()
        try rig.recorder.start()
        try rig.engine.start()
        let engine = rig.engine
        await withCheckedContinuation { (done: CheckedContinuation<Void, Never>) in
            Thread.detachNewThread {
                try? engine.waitUntilFinished()
                done.resume()
            }
        }
        let store = try #require(rig.store)
        return withExtendedLifetime(rig) { (rig.folder, store) }
    }

    @Test("a loop recorder that is released lists its takes and ends its events and its thread")
    func released() async throws {
        let ending = Ending()
        let (folder, store) = try await playAndRelease(ending)
        #expect(await eventuallySuspended { ending.isOver.withLock { $0 } })
        let takes = try store.takes()
        #expect(takes.count == 2 && takes.allSatisfy { $0.sound.frameCount > 0 })
        withExtendedLifetime(folder) {}
    }
}
