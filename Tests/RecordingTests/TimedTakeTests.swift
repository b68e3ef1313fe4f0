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
    func tooManyTakes() async throws {
        let rig = CourseRig()
        let events = rig.timed.stream
        for id in 1...9 {
            let request = TimedTakeRequest(id: id, first: 0) { _ in .init(destination: .stream(fileDescriptor: -1)) }
            rig.commands.add(.openTimed(request)) { 0 }
        }
        rig.writer.step()
        rig.timed.end()
        var ends: [String] = []
        try await withPatience {
            for await event in events {
                if case .ended(let id, let end) = event { ends.append("\(id) \(end.failure?.kind.rawValue ?? "")") }
            }
        }
        #expect(ends == ["9 limitExceeded"])
    }

    @Test("a take from the smallest number on begins with the oldest frame still kept, and ends at once at that number")
    func smallestFrame() async throws {
        let scratch = try Scratch()
        let rig = CourseRig()
        let events = rig.timed.stream
        let path = scratch.file("take.wav")
        let request = TimedTakeRequest(id: 1, first: .min) { _ in
            TakeRequest(destination: .file(path: path, container: .wav), registry: nil)
        }
        rig.capture(0, 600)
        rig.writer.step()
        rig.commands.add(.openTimed(request)) { 600 }
        rig.commands.add(.closeTimed(1, end: .min)) { 600 }
        rig.writer.step()
        rig.timed.end()
        var (begins, lengths): ([Int64], [Int64]) = ([], [])
        try await withPatience {
            for await event in events {
                if case .began(_, _, let frame) = event { begins.append(frame) }
                if case .ended(_, let end) = event { lengths.append(end.frameCount) }
            }
        }
        #expect(begins == [600 - Int64(CourseRig.preRoll)] && lengths == [Int64(CourseRig.preRoll)])
        withExtendedLifetime(scratch) {}
    }

    @Test("a take of a channel that the input does not have is refused", arguments: [2, Int.max, Int.min])
    func missingChannel(channel: Int) {
        let error = #expect(throws: AudioFileError.self) {
            try InputChannels.chosen([channel]).check(inputChannels: 2, path: "take.wav")
        }
        #expect(error?.kind == .invalidRequest)
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
        try await withPatience { for await event in events { if case .ended(_, let end) = event { ends.append(end) } } }
        #expect(ends.map(\.frameCount) == [frames] && ends.map(\.reason) == [.limit])
        withExtendedLifetime(scratch) {}
    }
}
