import AudioDevices
import Clips
import EngineHarness
import Realtime
import Samples
import Synchronization
import TestSupport
import Testing

@testable import Engine
@testable import Queue

/// An output that makes a block at each request of the test.
@safe
final class SteppedOutput: OutputStream, @unchecked Sendable {
    // Unchecked because only one thread renders; any thread may read the position.
    let clock = StreamClock.virtual
    let configuration: StreamConfiguration
    private var callbacks: StreamCallbacks?
    private let buffer: PlanarBuffer
    private let frameCount = Atomic<Int64>(0)
    private(set) var hasEnded = false

    init(rate: Int, channels: Int) {
        configuration = StreamConfiguration(
            sampleRate: rate, channelCount: channels, periodFrames: 8192, bufferFrames: 8192, formatName: "FLOAT_LE",
            accessName: "direct", deviceName: "test")
        buffer = PlanarBuffer(channelCount: channels, frameCount: 8192)
    }

    var frame: Int64 { frameCount.load(ordering: .acquiring) }
    var position: StreamPosition { StreamPosition(framesWritten: frame, delayFrames: 0) }
    var statistics: StreamStatistics {
        StreamStatistics(
            xruns: 0, lostFrames: 0, blocks: 0, framesRendered: frame,
            renderTime: RenderTime(medianMicroseconds: 0, p999Microseconds: 0, maximumMicroseconds: 0),
            scheduling: nil)
    }
    func start(_ callbacks: StreamCallbacks) throws(DeviceError) { self.callbacks = callbacks }
    func stop() {}
    func waitUntilFinished() throws(DeviceError) {}

    /// The next frames, in blocks; fewer at the end of the stream.
    func render(_ total: Int, block: Int = 512) -> [[Float]] {
        var output = [[Float]](repeating: [], count: configuration.channelCount)
        guard let callbacks else { return output }
        var left = total
        while left > 0 && !hasEnded {
            let count = min(block, left)
            callbacks.prepare(count)
            // As a device's thread does, for the real-time sanitizer.
            RealtimeScope.enter()
            let valid = unsafe callbacks.render(
                RenderBlock(
                    channels: buffer.channels, channelCount: configuration.channelCount, frameCount: count,
                    outputFrame: frame))
            RealtimeScope.leave()
            for channel in output.indices {
                unsafe output[channel] += UnsafeBufferPointer(start: buffer.channel(channel), count: valid)
            }
            frameCount.add(Int64(count), ordering: .releasing)
            left -= count
            hasEnded = valid < count
        }
        return output
    }
}

/// A queue of sounds in memory on an engine that the test steps. A source is a length in frames, with a number to
/// distinguish sounds: "4000#2"; "-" cannot be opened.
final class SteppedQueue {
    static let rate = 8000

    let output: SteppedOutput
    let engine: Engine
    let queue: PlayQueue
    private let mixer: MixerBox
    private var isLost = false
    private let told = Told()

    final class Told: Sendable {
        let events = Mutex<[QueueEvent]>([])
        let opened = Atomic<Int>(0)
        let clips = Mutex<[WeakClip]>([])
    }

    struct WeakClip { weak var clip: Clip? }

    struct NoSound: Error {}

    static func sound(_ source: String) throws -> [[Float]] {
        let parts = source.split(separator: "#")
        guard let first = parts.first, let frames = Int(first) else { throw NoSound() }
        let seed = parts.count > 1 ? UInt64(parts[1]) ?? 0 : 0
        return testClip(channels: 1, frames: frames, rate: rate, seed: seed + 1)
    }

    init(_ sources: [String], endsWithPlayers: Bool = true, decibels: Double = 0) throws {
        let output = SteppedOutput(rate: Self.rate, channels: 1)
        self.output = output
        var box: MixerBox?
        engine = Engine(endsWithPlayers: endsWithPlayers) { mixer, _ in
            box = mixer
            return output
        }
        mixer = try #require(box)
        queue = try PlayQueue(on: engine) { [told] item, _ in
            told.opened.add(1, ordering: .relaxed)
            let clip = try Clip.inMemory(try Self.sound(item.source), sampleRate: Self.rate)
            told.clips.withLock { $0.append(WeakClip(clip: clip)) }
            return QueueSound(clip, decibels: decibels)
        }
        queue.worker.broadcast.observe { [told] event in told.events.withLock { $0.append(event) } }
        queue.append(sources)
    }

    func start() throws {
        try queue.start()
        try engine.start()
    }

    func render(_ total: Int, block: Int = 512) -> [Float] {
        let sound = output.render(total, block: block)[0]
        settle()
        return sound
    }

    /// Waits until the queue knows everything rendered or requested.
    func settle() {
        engine.serve()
        queue.worker.inbox.waitUntilAtRest()
    }

    /// Removes the device, or brings it back, before the next block.
    func lose() {
        if !isLost { mixer.interrupt(Mixer.Loss(reason: Int64(PauseReason.deviceLost.rawValue), resumes: true)) }
        isLost = true
    }
    func regain() {
        if isLost { mixer.endInterruption(at: output.frame) }
        isLost = false
    }

    var clipsAlive: Int { told.clips.withLock { $0.count { $0.clip != nil } } }

    var opened: Int { told.opened.load(ordering: .relaxed) }

    /// The events in short: "start 0 @0", "end 1 @4000 completed", "chosen 2", "skip 3", "finished".
    func events() -> [String] {
        settle()
        return told.events.withLock { $0 }.compactMap { event in
            switch event {
            case .itemStarted(let item, _, let frame): "start \(item.source) @\(frame)"
            case .itemEnded(let item, let frame, let reason): "end \(item.source) @\(frame) \(reason)"
            case .itemChosen(let item, _): "chosen \(item.source)"
            case .skipped(let item, _): "skip \(item.source)"
            case .orderChanged: nil
            case .finished(.completed): "finished"
            case .finished(.stopped): "stopped"
            case .finished(.failed): "failed"
            }
        }
    }
}
