import AudioDevices
import Clips
import Glibc
import Realtime
import Synchronization
import TestSupport
import Testing

@testable import Engine

/// An output that carries out a request before the output's start returns.
private final class SlowOutput: OutputStream, EndingStream {
    let clock = StreamClock.real
    let configuration = StreamConfiguration(
        sampleRate: 8000, channelCount: 1, periodFrames: 64, bufferFrames: 64, formatName: "FLOAT", accessName: "none",
        deviceName: "test")
    let beforeStarted = Mutex<(@Sendable () -> Void)?>(nil)
    let isOver = Atomic(false)
    private let starts: Bool

    init(starts: Bool) { self.starts = starts }

    var hasEnded: Bool { isOver.load(ordering: .acquiring) }
    var position: StreamPosition { StreamPosition(framesWritten: 0, delayFrames: 0) }
    var statistics: StreamStatistics {
        StreamStatistics(
            xruns: 0, lostFrames: 0, blocks: 0, framesRendered: 0,
            renderTime: RenderTime(medianMicroseconds: 0, p999Microseconds: 0, maximumMicroseconds: 0),
            scheduling: nil)
    }
    func start(_: StreamCallbacks) throws(DeviceError) {
        beforeStarted.withLock { $0 }?()
        if !starts { throw DeviceError(kind: .io, message: "it does not start", remedy: "None.") }
    }
    func stop() {}
    func waitUntilFinished() throws(DeviceError) {}
}

/// Waits for the end of an engine in a separate thread.
private final class Waiter: Sendable {
    let hasBegun = Atomic(false)
    let isOver = Atomic(false)
    let thread = Mutex<PlainThread?>(nil)

    func wait(for engine: Engine) {
        thread.withLock { thread in
            thread = PlainThread(name: "waiter") {
                self.hasBegun.store(true, ordering: .releasing)
                _ = try? engine.waitUntilFinished()
                self.isOver.store(true, ordering: .releasing)
            }
        }
    }
}

@Suite("An engine stopped before its start is over")
struct OverlappingStopTests {
    @Test("an engine stopped during its start removes players at once afterwards", arguments: [true, false])
    func removes(starts: Bool) throws {
        let output = SlowOutput(starts: starts)
        let engine = Engine { _, _ in output }
        let clip = try Clip.inMemory([[0.5]], sampleRate: 8000)
        let score = try Score(PracticePlan(sections: [try Section(0..<1)]), clipFrameCount: 1, sampleRate: 8000)
        let (first, second) = (
            try engine.makePlayer(clip, score: score), try engine.makePlayer(clip, score: score)
        )
        output.beforeStarted.withLock { before in
            before = { [weak engine] in
                engine?.stop()
                engine?.remove(first)
            }
        }
        if starts { try engine.start() } else { #expect(throws: DeviceError.self) { try engine.start() } }
        #expect(engine.playerCount == 1)
        engine.remove(second)
        #expect(engine.playerCount == 0)
        #expect(!engine.isServing)
    }

    @Test("an engine waited for during its start removes players at once when the wait is over")
    func waits() throws {
        let output = SlowOutput(starts: true)
        let engine = Engine { _, _ in output }
        let clip = try Clip.inMemory([[0.5]], sampleRate: 8000)
        let score = try Score(PracticePlan(sections: [try Section(0..<1)]), clipFrameCount: 1, sampleRate: 8000)
        let player = try engine.makePlayer(clip, score: score)
        let waiter = Waiter()
        output.beforeStarted.withLock { before in
            before = { [weak engine] in
                guard let engine else { return }
                waiter.wait(for: engine)
                #expect(eventually { waiter.hasBegun.load(ordering: .acquiring) })
                // A wait that does not wait for the start is over by then.
                for _ in 0..<50 where !waiter.isOver.load(ordering: .acquiring) { usleep(1000) }
            }
        }
        try engine.start()
        let thread = try #require(waiter.thread.withLock { $0 })
        thread.join()
        engine.remove(player)
        #expect(engine.playerCount == 0)
        #expect(!engine.isServing)
    }

    @Test("an engine whose device has failed frees removed players, even if no thread waits for its end")
    func failedDevice() throws {
        let output = SlowOutput(starts: true)
        let engine = Engine { _, _ in output }
        let clip = try Clip.inMemory([[0.5]], sampleRate: 8000)
        let score = try Score(PracticePlan(sections: [try Section(0..<1)]), clipFrameCount: 1, sampleRate: 8000)
        let player = try engine.makePlayer(clip, score: score)
        try engine.start()
        player.start()
        engine.remove(player)
        // The device may still ask for the fade.
        #expect(engine.playerCount == 1)
        output.isOver.store(true, ordering: .releasing)
        #expect(eventually { engine.playerCount == 0 })
        for _ in 0...Mixer.capacity { engine.remove(try engine.makePlayer(clip, score: score)) }
        #expect(engine.playerCount == 0)
        engine.stop()
    }
}
