import AudioFiles
import Glibc
import Realtime
import SoundFileSupport
import Synchronization
import Takes
import TestSupport
import Testing

@testable import AudioDevices
@testable import Recording

/// A disk that stands still until released.
private final class StuckSink: TakeSink {
    let goesOn = Atomic<Bool>(false)
    private(set) var frameCount: Int64 = 0

    private func wait() { standStill { goesOn.load(ordering: .acquiring) } }

    func write(_ channels: UnsafePointer<UnsafeMutablePointer<Float>>, frameCount: Int) throws(AudioFileError) {
        wait()
        self.frameCount += Int64(frameCount)
    }

    func writeSilence(frameCount: Int64) throws(AudioFileError) {
        wait()
        self.frameCount += frameCount
    }

    func addMark(_ name: String, atFrame frame: Int64) throws(AudioFileError) {}
    func checkpoint() throws(AudioFileError) {}
    func synchronise() throws(AudioFileError) { wait() }
    func finish() throws(AudioFileError) {}
    func discard() throws(AudioFileError) {}
}

/// A disk that takes longer to synchronise samples than samples may wait.
private final class SlowSink: TakeSink {
    private(set) var frameCount: Int64 = 0
    private(set) var safeCount = 0
    /// The times from the end of a synchronisation to the beginning of the next.
    private(set) var pauses: [Duration] = []
    private var lastEnd: ContinuousClock.Instant?

    func write(_ channels: UnsafePointer<UnsafeMutablePointer<Float>>, frameCount: Int) throws(AudioFileError) {
        self.frameCount += Int64(frameCount)
    }

    func writeSilence(frameCount: Int64) throws(AudioFileError) { self.frameCount += frameCount }

    func synchronise() throws(AudioFileError) {
        if let lastEnd { pauses.append(ContinuousClock.now - lastEnd) }
        safeCount += 1
        usleep(600_000)
        lastEnd = .now
    }

    func addMark(_ name: String, atFrame frame: Int64) throws(AudioFileError) {}
    func checkpoint() throws(AudioFileError) {}
    func finish() throws(AudioFileError) {}
    func discard() throws(AudioFileError) {}
}

@Suite("A late writer")
struct LateWriterTests {
    @Test("a writer held up for ten times as long as the tape lasts has every frame")
    func memory() {
        let rig = CourseRig(period: 480, seconds: 1)
        rig.commands.add(.record(rig.draft())) { 0 }
        rig.writer.step()
        for block in 0..<20 {
            rig.capture(Int64(block) * 480, 480)
            rig.capture.backlog.relieve()
        }
        // A mark in the part waiting in memory, and frames lost by the device behind the mark.
        rig.commands.add(.mark("here")) { 5000 }
        rig.capture(10_000, 480)
        rig.commands.add(.stop(.asked)) { rig.capture.capturedFrame }
        rig.writer.step()
        let expected = (0..<Int64(10_480)).map { frame in
            (9600..<10_000).contains(frame) ? 0 : CourseRig.sample(frame, 0)
        }
        #expect(rig.sink.frames.first == expected)
        #expect(rig.sink.marks == ["here": 5000] && rig.capture.droppedFrames == 0)
        #expect(rig.progress.result?.lostFrames == 400)
    }

    @Test("a late writer with full memory loses the newest frames, and writes silence in their place")
    func fullMemory() {
        // Three pieces of memory, and two blocks on the tape.
        let rig = CourseRig(period: 480, seconds: 1, backlogBytes: 3 * 4096 * 2 * 4)
        rig.commands.add(.record(rig.draft())) { 0 }
        rig.writer.step()
        for block in 0..<8 {
            rig.capture(Int64(block) * 480, 480)
            rig.capture.backlog.relieve()
        }
        #expect(rig.capture.droppedFrames == 3 * 480)
        rig.writer.step()
        rig.capture(8 * 480, 480)
        rig.commands.add(.stop(.asked)) { rig.capture.capturedFrame }
        rig.writer.step()
        let expected = (0..<Int64(9 * 480)).map { frame in
            (5 * 480..<8 * 480).contains(frame) ? 0 : CourseRig.sample(frame, 1)
        }
        #expect(rig.sink.frames.last == expected)
        #expect(rig.progress.result?.lostFrames == 1440)
    }

    @Test("another thread relieves the writer while the disk stands still for longer than the tape lasts")
    func stuckDisk() throws {
        // A busy machine may keep the other thread waiting for longer than the tape lasts, but not in each recording.
        let isRelieved = try (0..<10).contains { _ in try recordToStuckDisk() == 0 }
        #expect(isRelieved, "10 recordings, and each lost frames")
    }

    /// Records while the disk stands still for longer than the tape lasts; returns the number of frames without room.
    private func recordToStuckDisk() throws -> Int64 {
        let request = try StreamRequest(
            sampleRate: 8000, channelCount: 2, periodFrames: 256, periodCount: 4, clock: .real, realtimePriority: nil)
        let core = try RecorderCore(.null, request)
        let sink = StuckSink()
        let take = TakeRequest(destination: .stream(fileDescriptor: -1), format: .float32, registry: nil)
        core.record(TakeDraft(sink: sink, request: take))
        try core.start()
        #expect(eventually { core.shared.capture.capturedFrame > 6 * 8000 })
        sink.goesOn.store(true, ordering: .releasing)
        let end = core.stop()
        #expect(end.reason == .asked && end.frameCount > 6 * 8000 && end.frameCount == sink.frameCount)
        return core.shared.capture.droppedFrames
    }

    @Test("the device stays open as long as the disk stands still, until the take is handed on")
    func order() async {
        let (input, sink) = (ManualInput(.works), StuckSink())
        let core = RecorderCore(input)
        core.record(
            TakeDraft(
                sink: sink,
                request: TakeRequest(destination: .stream(fileDescriptor: -1), format: .float32, registry: nil)))
        #expect(throws: Never.self) { try core.start() }
        let wasOpen = Atomic(false)
        let ending = PlainThread(name: "ending") {
            core.stop { _ in wasOpen.store(!input.isStopped.load(ordering: .acquiring), ordering: .releasing) }
        }
        // A limit of 30 s once made the recorder close the device first.
        for _ in 0..<cases(35, few: 1) where !input.isStopped.load(ordering: .acquiring) {
            try? await Task.sleep(for: .seconds(1))
        }
        let isClosed = input.isStopped.load(ordering: .acquiring)
        sink.goesOn.store(true, ordering: .releasing)
        ending?.join()
        let wasHandedOn = wasOpen.load(ordering: .acquiring)
        #expect(!isClosed && wasHandedOn)
    }

    @Test("a late writer makes its backlog safe in fewer calls than the backlog has parts")
    func slowDisk() throws {
        let sink = SlowSink()
        let request = TakeRequest(destination: .stream(fileDescriptor: -1), format: .float32, registry: nil)
        let take = OpenTake(TakeDraft(sink: sink, request: request), sampleRate: 8000, inputChannels: 1)
        let blocks = TakeBlocks(channelCount: 1)
        // The first part must have waited long enough.
        usleep(500_000)
        for _ in 0..<12 {
            try unsafe take.append(blocks.interleaved, count: 4096, through: blocks)
            try take.secure()
        }
        #expect(sink.frameCount == 12 * 4096 && sink.safeCount > 0)
        // A busy machine may take half a second for each part, and then permits a call after each.
        #expect(sink.pauses.allSatisfy { $0 >= .milliseconds(500) }, "\(sink.pauses)")
    }

    @Test("a late writer is relieved of many jumps in the frame numbers before the tape is full")
    func manyJumps() {
        let rig = CourseRig(period: 10, seconds: 4)
        rig.commands.add(.record(rig.draft())) { 0 }
        rig.writer.step()
        for block in 0..<70 {
            rig.capture(Int64(block) * 20, 10)
            if block % 10 == 9 { rig.capture.backlog.relieve() }
        }
        #expect(rig.capture.droppedFrames == 0)
        rig.commands.add(.stop(.asked)) { rig.capture.capturedFrame }
        rig.writer.step()
        let expected = (0..<Int64(69 * 20 + 10)).map { frame in
            frame % 20 < 10 ? CourseRig.sample(frame, 0) : 0
        }
        #expect(rig.sink.frames.first == expected)
    }

    @Test("a writer is at work as long as it processes anything, also a minute of lost frames")
    func work() {
        let rig = CourseRig()
        rig.commands.add(.record(rig.draft())) { 0 }
        rig.writer.step()
        #expect(rig.progress.workCount == 0)
        rig.capture(0, 1000)
        rig.writer.step()
        let before = rig.progress.workCount
        #expect(before > 0)
        rig.capture(1000 + 60 * 960, 1)
        rig.writer.step()
        #expect(rig.progress.workCount >= before + 60)
        #expect(rig.sink.frames[0].count == 1001 + 60 * 960)
    }

    @Test("a writer is at work during lost frames of takes over a loop, and reports them once for a take")
    func workOfTimedTakes() async throws {
        let scratch = try Scratch()
        let rig = CourseRig()
        let events = rig.timed.stream
        for id in 1...2 {
            let path = scratch.file("\(id).wav")
            let request = TimedTakeRequest(id: id, first: 0) { _ in
                TakeRequest(destination: .file(path: path, container: .wav), registry: nil)
            }
            rig.commands.add(.openTimed(request)) { 0 }
        }
        rig.capture(0, 1000)
        rig.writer.step()
        let before = rig.progress.workCount
        rig.capture(1000 + 60 * 960, 1)
        rig.writer.step()
        #expect(rig.progress.workCount >= before + 2 * 60)
        let open = rig.progress.workCount
        rig.commands.add(.stop(.asked)) { rig.capture.capturedFrame }
        rig.writer.step()
        // No frames came: each end is a separate piece of work.
        #expect(rig.progress.workCount == open + 2)
        rig.timed.end()
        var (lost, lengths): ([Int64], [Int64]) = ([], [])
        try await withPatience {
            for await event in events {
                if case .lost(_, _, let frames) = event { lost.append(frames) }
                if case .ended(_, let end) = event { lengths.append(end.frameCount) }
            }
        }
        #expect(lost == [57_600, 57_600] && lengths == [58_601, 58_601])
        withExtendedLifetime(scratch) {}
    }

    @Test("a writer is waited for as long as it works, and given up after a long standstill")
    func patience() {
        var watch = StandstillWatch(patience: 30, workCount: 5, now: 100)
        let looks: [(work: Int64, time: Int64)] = [(5, 129), (6, 140), (6, 169), (7, 1000), (7, 1029), (7, 1030)]
        let answers = looks.map { watch.isOver(workCount: $0.work, now: $0.time) }
        #expect(answers == [false, false, false, false, false, true])
        // The system stopped the program, with the writer, for a minute.
        let second: Int64 = 1_000_000_000
        watch = StandstillWatch(patience: 3 * second, workCount: 5, now: 0)
        #expect(!watch.isOver(workCount: 5, now: second) && !watch.isOver(workCount: 5, now: 60 * second))
        #expect(!watch.isOver(workCount: 5, now: 62 * second) && watch.isOver(workCount: 5, now: 63 * second))
    }
}
