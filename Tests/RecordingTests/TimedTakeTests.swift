import AudioFiles
import Realtime
import SoundFileSupport
import Takes
import TestSupport
import Testing

@testable import AudioDevices
@testable import Recording

@Suite("Takes at named frames of the input")
struct TimedTakeTests {
    @Test("a ninth take at once is refused with the cause")
    func tooManyTakes() async {
        let rig = CourseRig()
        let events = rig.timed.stream
        for id in 1...9 {
            let request = TimedTakeRequest(id: id, first: 0) { _ in .init(destination: .stream(fileDescriptor: -1)) }
            rig.commands.add(.openTimed(request)) { 0 }
        }
        rig.writer.step()
        rig.timed.end()
        var ends: [String] = []
        for await event in events {
            if case .ended(let id, let end) = event { ends.append("\(id) \(end.failure?.kind.rawValue ?? "")") }
        }
        #expect(ends == ["9 limitExceeded"])
    }

    @Test("a timed take with a limit ends by itself, in a block or in lost frames", arguments: [500, 700])
    func limit(frames: Int64) async throws {
        let scratch = try Scratch()
        let rig = CourseRig()
        let events = rig.timed.stream
        let path = scratch.file("take.wav")
        let request = TimedTakeRequest(id: 1, first: 0) { _ in
            TakeRequest(destination: .file(path: path, container: .wav), frameLimit: frames, registry: nil)
        }
        rig.commands.add(.openTimed(request)) { 0 }
        rig.capture(0, 600)
        rig.capture(800, 100)
        rig.writer.step()
        rig.timed.end()
        var ends: [TimedTakeEnd] = []
        for await event in events { if case .ended(_, let end) = event { ends.append(end) } }
        #expect(ends.map(\.frameCount) == [frames] && ends.map(\.reason) == [.limit])
        withExtendedLifetime(scratch) {}
    }
}
