import AudioFiles
import Glibc
import Realtime
import Synchronization
import TestSupport
import Testing

@testable import AudioDevices
@testable import Recording

/// An input without a device: the test decides the start.
final class ManualInput: InputStream {
    enum Start { case works, fails, waitsForStop }

    let clock: StreamClock
    let configuration = StreamConfiguration(
        sampleRate: 8000, channelCount: 1, periodFrames: 64, bufferFrames: 64, formatName: "FLOAT", accessName: "none",
        deviceName: "test")
    let isStarting = Atomic(false)
    let startCount = Atomic(0)
    private let isStarted = Atomic(false)
    let isStopped = Atomic(false)
    private let kind: Start

    init(_ kind: Start, clock: StreamClock = .real) { (self.kind, self.clock) = (kind, clock) }

    var position: CapturePosition { CapturePosition(nextFrame: 0, waitingFrames: 0) }
    var statistics: StreamStatistics {
        StreamStatistics(
            xruns: 0, lostFrames: 0, blocks: 0, framesRendered: 0,
            renderTime: RenderTime(medianMicroseconds: 0, p999Microseconds: 0, maximumMicroseconds: 0),
            scheduling: nil)
    }

    func start(_: CaptureCallbacks) throws(DeviceError) {
        startCount.add(1, ordering: .relaxed)
        isStarting.store(true, ordering: .releasing)
        if kind == .waitsForStop { standStill { isStopped.load(ordering: .acquiring) } }
        guard kind == .works else { throw DeviceError(kind: .io, message: "it does not start", remedy: "None.") }
        isStarted.store(true, ordering: .releasing)
    }

    func stop() { isStopped.store(true, ordering: .releasing) }

    func waitUntilFinished() throws(DeviceError) {
        guard isStarted.load(ordering: .acquiring) else { return }
        standStill { isStopped.load(ordering: .acquiring) }
    }
}

/// A file whose removal takes longer than samples may wait for a checkpoint.
private final class SlowlyRemovedSink: TakeSink {
    private(set) var isDiscarded = false
    private(set) var isUsedAfterwards = false

    private func use() { if isDiscarded { isUsedAfterwards = true } }

    var frameCount: Int64 { 0 }
    func write(_ channels: UnsafePointer<UnsafeMutablePointer<Float>>, frameCount: Int) throws(AudioFileError) { use() }
    func writeSilence(frameCount: Int64) throws(AudioFileError) { use() }
    func addMark(_ name: String, atFrame frame: Int64) throws(AudioFileError) { use() }
    func checkpoint() throws(AudioFileError) { use() }
    func synchronise() throws(AudioFileError) { use() }
    func finish() throws(AudioFileError) { use() }

    func discard() throws(AudioFileError) {
        isDiscarded = true
        usleep(600_000)
    }
}

@Suite("The start of a recorder")
struct RecorderStartTests {
    @Test(
        "a failed start of a recorder leaves no thread, and is not tried again",
        arguments: [StreamClock.virtual, .real])
    func fails(clock: StreamClock) {
        let input = ManualInput(.fails, clock: clock)
        let core = RecorderCore(input)
        for _ in 0..<2 {
            #expect(throws: DeviceError.self) { try core.start() }
            #expect(!core.isServing)
        }
        #expect(input.startCount.load(ordering: .relaxed) == 1)
    }

    @Test(
        "a failed start of a recorder removes the take, and does not use the removed file",
        arguments: [StreamClock.virtual, .real])
    func removesTake(clock: StreamClock) {
        let sink = SlowlyRemovedSink()
        let request = TakeRequest(destination: .stream(fileDescriptor: -1), registry: nil)
        do {
            let idle = IdleRecorder(RecorderCore(ManualInput(.fails, clock: clock)))
            _ = try idle.record(TakeDraft(sink: sink, request: request))
            Issue.record("the recorder has started")
        } catch {}
        // The recorder has ended here, with all threads.
        #expect(sink.isDiscarded && !sink.isUsedAfterwards)
    }

    @Test("a recorder is not started again while it captures or after its end")
    func twice() throws {
        let input = ManualInput(.works)
        let core = RecorderCore(input)
        try core.start()
        #expect(throws: DeviceError.self) { try core.start() }
        #expect(core.isServing)
        core.shutDown()
        #expect(!core.isServing)
        #expect(throws: DeviceError.self) { try core.start() }
        #expect(!core.isServing && input.startCount.load(ordering: .relaxed) == 1)
    }

    @Test("a recorder stopped by another thread during its start leaves no thread")
    func stoppedWithin() {
        let input = ManualInput(.waitsForStop)
        let core = RecorderCore(input)
        let thread = PlainThread(name: "starter") { try? core.start() }
        #expect(thread != nil && eventually { input.isStarting.load(ordering: .acquiring) })
        core.shutDown()
        // Without the stop the start, too, would end at last.
        let isStopped = input.isStopped.load(ordering: .acquiring)
        #expect(isStopped)
        thread?.join()
        #expect(!core.isServing)
    }
}
