import Glibc
import Realtime
import Synchronization
import Testing

@testable import AudioDevices
@testable import Recording

/// An input without a device, whose start the test decides.
private final class ManualInput: InputStream {
    enum Start { case works, fails, waitsForStop }

    let configuration = StreamConfiguration(
        sampleRate: 8000, channelCount: 1, periodFrames: 64, bufferFrames: 64, formatName: "FLOAT", accessName: "none",
        deviceName: "test")
    let isStarting = Atomic(false)
    let startCount = Atomic(0)
    private let isStarted = Atomic(false)
    private let isStopped = Atomic(false)
    private let kind: Start

    init(_ kind: Start) { self.kind = kind }

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
        if kind == .waitsForStop { while !isStopped.load(ordering: .acquiring) { usleep(100) } }
        guard kind == .works else { throw DeviceError(kind: .io, message: "it does not start", remedy: "None.") }
        isStarted.store(true, ordering: .releasing)
    }

    func stop() { isStopped.store(true, ordering: .releasing) }

    func waitUntilFinished() throws(DeviceError) {
        guard isStarted.load(ordering: .acquiring) else { return }
        while !isStopped.load(ordering: .acquiring) { usleep(100) }
    }
}

@Suite("The start of a recorder")
struct RecorderStartTests {
    @Test("leaves no thread if it fails, and is not tried again", arguments: [true, false])
    func fails(isVirtual: Bool) {
        let input = ManualInput(.fails)
        let core = RecorderCore(input, isVirtual: isVirtual)
        for _ in 0..<2 {
            #expect(throws: DeviceError.self) { try core.start() }
            #expect(!core.isServing)
        }
        #expect(input.startCount.load(ordering: .relaxed) == 1)
    }

    @Test("is refused while it captures, and after its end, without another thread")
    func twice() throws {
        let input = ManualInput(.works)
        let core = RecorderCore(input, isVirtual: false)
        try core.start()
        #expect(throws: DeviceError.self) { try core.start() }
        #expect(core.isServing)
        core.shutDown()
        #expect(!core.isServing)
        #expect(throws: DeviceError.self) { try core.start() }
        #expect(!core.isServing && input.startCount.load(ordering: .relaxed) == 1)
    }

    @Test("leaves no thread if another thread stops the recorder meanwhile")
    func stoppedWithin() {
        let input = ManualInput(.waitsForStop)
        let core = RecorderCore(input, isVirtual: false)
        let thread = PlainThread(name: "starter") { try? core.start() }
        while thread != nil, !input.isStarting.load(ordering: .acquiring) { usleep(100) }
        core.shutDown()
        thread?.join()
        #expect(thread != nil && !core.isServing)
    }
}
