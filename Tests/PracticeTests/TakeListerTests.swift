// The events of takes that wait while the store stands still.
import AudioDevices
import Realtime
import Sections
import SoundFileSupport
import Synchronization
import TestSupport
import Testing

@testable import Practice
@testable import Recording
@testable import Store

@Suite("Events of takes that wait for the store")
struct TakeListerTests {
    private let scratch: Scratch
    private let lister: TakeLister
    private let told = Told()

    private final class Told: Sendable {
        let events = Mutex<[String]>([])
    }

    init() throws {
        scratch = try Scratch()
        var settings = PracticeRecorder.Settings(folder: scratch.path)
        settings.store = nil
        let configuration = StreamConfiguration(
            sampleRate: 48_000, channelCount: 1, periodFrames: 64, bufferFrames: 192, formatName: "FLOAT_LE",
            accessName: "direct", deviceName: "test")
        // The thread never starts, so all events wait until `finish()`.
        lister = TakeLister(settings, configuration) { _ in 0 }
        lister.events.observe { [told] event in
            let text =
                switch event {
                case .began(let take): "began \(take.id)"
                case .lost(let take, let frames): "lost \(take.id): \(frames)"
                case .ended(let take, _): "ended \(take.id)"
                case .dropped(let take): "dropped \(take.id)"
                case .failed(let take, _), .unlisted(let take, _): "failed \(take.id)"
                }
            told.events.withLock { $0.append(text) }
        }
    }

    private func begin(_ id: Int) {
        let take = lister.take(id, first: 0)
        lister.put(.began(id: id, path: take.path, inputFrame: 0))
    }

    private func end(_ id: Int) {
        lister.put(.ended(id: id, TimedTakeEnd(path: "take", frameCount: 1, reason: .asked)))
    }

    private func finish() -> [String] {
        lister.finish()
        return told.events.withLock { $0 }
    }

    @Test("waiting reports of lost frames of a take become one report")
    func losses() {
        begin(1)
        begin(2)
        for frame in 1...1000 {
            lister.put(.lost(id: 1, frame: Int64(frame), lostFrames: 2))
            lister.put(.lost(id: 2, frame: Int64(frame), lostFrames: 3))
        }
        end(1)
        end(2)
        #expect(finish() == ["began 1", "began 2", "lost 1: 2000", "lost 2: 3000", "ended 1", "ended 2"])
    }

    @Test("takes dropped before the report of their beginning have a bound, and every other take is reported")
    func drops() {
        let count = 3 * TakeLister.mostDropped
        for id in 1...count {
            begin(id)
            if id % 100 == 0 { end(id) } else { lister.put(.dropped(id: id, path: nil)) }
        }
        let events = finish()
        let reported = events.filter { $0.hasPrefix("dropped") }.count
        #expect(reported <= TakeLister.mostDropped && events.filter { $0.hasPrefix("began") }.count >= reported)
        #expect(events.filter { $0.hasPrefix("ended") } == (1...count / 100).map { "ended \($0 * 100)" })
    }
}
