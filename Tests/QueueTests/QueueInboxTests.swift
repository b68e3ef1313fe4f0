import AudioDevices
import Clips
import SoundFileSupport
import Synchronization
import TestSupport
import Testing

@testable import Engine
@testable import Queue

@Suite("End of a queue's events")
struct QueueInboxTests {
    @Test("a note before the end is taken once after the end, and then none is left")
    func notes() {
        let inbox = QueueInbox()
        let event = PlayerEvent(
            kind: .finished(.completed), frame: 1, section: 0, sectionFrames: 0..<1, pass: 1, passes: 1, speed: 1,
            semitones: 0, clipFrame: 1, sound: .copy, isReversed: false)
        inbox.add(QueueInbox.Note(serial: 7, event: event))
        inbox.close()
        #expect(inbox.take()?.map(\.serial) == [7])
        #expect(inbox.take() == nil)
    }

    @Test(
        "the end of the events follows the events of all played items, however early it is requested", arguments: 0..<20
    )
    func lastEvents(seed: Int) throws {
        let scratch = try Scratch()
        let request = try StreamRequest(
            sampleRate: SteppedQueue.rate, channelCount: 1, periodFrames: 200, clock: .real, realtimePriority: nil)
        let engine = try Engine(output: .file(path: scratch.file("out.wav")), request: request)
        let queue = try PlayQueue(on: engine) { item, _ in
            QueueSound(try Clip.inMemory(try SteppedQueue.sound(item.source), sampleRate: SteppedQueue.rate))
        }
        let told = Told()
        queue.follow { told.add($0.map { "\($0)" }) }
        queue.append(["300#1", "\(200 + seed)#2"])
        try queue.start()
        try engine.start()
        try engine.waitUntilFinished()
        queue.endEvents()
        let names = told.all()
        #expect(names.count { $0.hasPrefix("itemStarted") } == 2, "\(names)")
        #expect(names.count { $0.hasPrefix("itemEnded") } == 2, "\(names)")
        #expect(names.last?.hasPrefix("finished(") == true && names.last?.contains("completed") == true, "\(names)")
    }

    /// Events until their end.
    private final class Told: Sendable {
        private let state = Mutex((names: [String](), isOver: false))

        func add(_ name: String?) {
            state.withLock { state in
                if let name { state.names.append(name) } else { state.isOver = true }
            }
        }

        func all() -> [String] {
            _ = eventually { state.withLock { $0.isOver } }
            return state.withLock { $0.names }
        }
    }
}
