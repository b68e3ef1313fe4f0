import Glibc
import Realtime
import Synchronization
import TestSupport
import Testing

@testable import AudioDevices

/// Set once, by any thread.
private final class Flag: Sendable {
    private let value = Atomic(false)
    var isSet: Bool { value.load(ordering: .acquiring) }
    func set() { value.store(true, ordering: .releasing) }
    @discardableResult
    func wait() -> Bool { eventually { isSet } }
}

/// A duplex stream without threads: the test decides its start and end.
private final class ManualDuplex: DuplexStream {
    enum Start { case works, fails, waitsForStop }

    let clock = StreamClock.real
    let outputConfiguration = StreamConfiguration(
        sampleRate: 8000, channelCount: 1, periodFrames: 64, bufferFrames: 64, formatName: "FLOAT", accessName: "none",
        deviceName: "test")
    var inputConfiguration: StreamConfiguration { outputConfiguration }
    let isStarting = Flag()
    let isFinished = Flag()
    private let isStarted = Flag()
    private let kind: Start

    init(_ kind: Start = .works) { self.kind = kind }

    var position: StreamPosition { StreamPosition(framesWritten: 0, delayFrames: 0) }
    var inputPosition: CapturePosition { CapturePosition(nextFrame: 0, waitingFrames: 0) }
    var statistics: StreamStatistics {
        StreamStatistics(
            xruns: 0, lostFrames: 0, blocks: 0, framesRendered: 0,
            renderTime: RenderTime(medianMicroseconds: 0, p999Microseconds: 0, maximumMicroseconds: 0),
            scheduling: nil)
    }

    func start(_: DuplexCallbacks) throws(DeviceError) {
        isStarting.set()
        if kind == .waitsForStop { standStill { isFinished.isSet } }
        guard kind == .works else { throw DeviceError(kind: .io, message: "it does not start", remedy: "None.") }
        isStarted.set()
    }

    func stop() { isFinished.set() }

    func waitUntilFinished() throws(DeviceError) {
        guard isStarted.isSet else { return }
        standStill { isFinished.isSet }
    }
}

@Suite("The two halves of a linked stream")
struct LinkedHalvesTests {
    private let playing = StreamCallbacks(render: { $0.frameCount })
    private let recording = CaptureCallbacks(capture: { _ in true })

    @Test("the half of a linked stream that was started first gets the error of the start")
    func failedStart() throws {
        let first = LinkedStreams(ManualDuplex(.fails))
        try first.input.start(recording)
        #expect(throws: DeviceError.self) { try first.output.start(playing) }
        #expect(throws: DeviceError.self) { try first.input.waitUntilFinished() }
        let second = LinkedStreams(ManualDuplex(.fails))
        try second.output.start(playing)
        #expect(throws: DeviceError.self) { try second.input.start(recording) }
        #expect(throws: DeviceError.self) { try second.output.waitUntilFinished() }
    }

    @Test("the end of a linked output that waits for the input's start is the end of the device")
    func waitsForStart() throws {
        let duplex = ManualDuplex()
        let linked = LinkedStreams(duplex)
        try linked.output.start(playing)
        let waits = Flag()
        let recorder = PlainThread(name: "recorder") { [recording] in
            waits.wait()
            for _ in 0..<1000 { sched_yield() }
            try? linked.input.start(recording)
            duplex.stop()
        }
        waits.set()
        // Without the thread the wait would have no end.
        let thread = try #require(recorder)
        try linked.output.waitUntilFinished()
        let wasFinished = duplex.isFinished.isSet
        thread.join()
        #expect(wasFinished)
    }

    @Test("a stop of a linked input ends the output's wait for the input's start")
    func stoppedBefore() throws {
        let linked = LinkedStreams(ManualDuplex())
        try linked.output.start(playing)
        let stopper = PlainThread(name: "stopper") { linked.input.stop() }
        let thread = try #require(stopper)
        try linked.output.waitUntilFinished()
        thread.join()
    }

    @Test("a stop of a linked stream does not wait for a start that waits for the device")
    func stoppedWithin() throws {
        let duplex = ManualDuplex(.waitsForStop)
        let linked = LinkedStreams(duplex)
        try linked.output.start(playing)
        let thread = PlainThread(name: "recorder") { [recording] in try? linked.input.start(recording) }
        #expect(duplex.isStarting.wait())
        linked.output.stop()
        // Without the stop the start, too, would end at last.
        #expect(duplex.isFinished.isSet)
        thread?.join()
        #expect(throws: DeviceError.self) { try linked.input.waitUntilFinished() }
    }

    @Test("a stop before the start of a linked stream ends both halves for good")
    func stoppedFirst() {
        let linked = LinkedStreams(ManualDuplex())
        linked.output.stop()
        #expect(throws: DeviceError.self) { try linked.input.start(recording) }
        #expect(throws: DeviceError.self) { try linked.output.start(playing) }
    }
}
