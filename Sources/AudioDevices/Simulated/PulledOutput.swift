internal import Glibc
internal import Realtime
internal import Synchronization

/// An output without a device, for a program with its own audio thread: this thread takes the sound block by block.
///
///     let output = try PulledOutput(StreamRequest(sampleRate: 48_000, channelCount: 2))
///     let engine = Engine(pulled: output)
///     try engine.start()
///     // On the program's own audio thread:
///     _ = output.render(into: channels, frameCount: 64)
///
/// Under the real clock `render` never waits: sound not decoded in time is silent, and the players report `starved`.
/// Under the virtual clock `render` waits until everything is decoded and analysed, for programs that render to memory.
///
/// Threads: `render` on one thread at a time; everything else on any other thread.
@safe
public final class PulledOutput: OutputStream, @unchecked Sendable {
    // Unchecked because of the worker, used only by the rendering thread.
    /// The rate, the channels and the longest block rendered at once.
    public let configuration: StreamConfiguration
    /// The clock: under the virtual clock, rendering waits for everything that is not ready.
    public let clock: StreamClock
    private let ledger = StreamLedger()
    private let starting = Mutex(false)
    /// Written once, before `phase` becomes `running`.
    private var worker: BlockWorker?
    private let phase = Atomic(Phase.waiting)
    /// True while a thread is inside `render`. Sequentially consistent, as is `phase`: either the rendering thread sees
    /// the end, or the ending thread sees the rendering thread.
    private let isRendering = Atomic(false)
    /// True while the control side works between two blocks. Sequentially consistent for the same reason.
    private let isHeld = Atomic(false)

    private enum Phase: UInt8, AtomicRepresentable { case waiting, running, over }

    /// Makes an output not yet used by an engine.
    ///
    /// - Parameter request: the rate, the channels, the longest block rendered at once (`periodFrames`), and the clock.
    ///   The other settings are for devices, and have no effect.
    public init(_ request: StreamRequest) {
        clock = request.clock == .virtual ? .virtual : .real
        configuration = StreamConfiguration(
            sampleRate: request.sampleRate, channelCount: request.channelCount, periodFrames: request.periodFrames,
            bufferFrames: request.periodFrames, formatName: "FLOAT", accessName: "pulled", deviceName: "pulled")
    }

    /// Fills a block with sound. Before the start and after the end the block is silence.
    ///
    /// Threads: one at a time, not always the same. Real-time safe: yes under the real clock: no allocation, lock or
    /// system call; no under the virtual clock, which waits.
    ///
    /// - Parameters:
    ///   - channels: one pointer per channel of the configuration, each to `frameCount` samples, which `render`
    ///     overwrites. Full scale is −1...1.
    ///   - frameCount: frames of each channel, 0 or more. A block longer than the configuration's `periodFrames` is
    ///     rendered in parts.
    ///   - delayFrames: frames until the first frame of this block is heard, for `Engine.position`.
    /// - Returns: The number of frames with sound: fewer than `frameCount` once the engine has ended with its last
    ///   player, and 0 while the engine does not run. The rest of the block is silence.
    public func render(
        into channels: UnsafePointer<UnsafeMutablePointer<Float>>, frameCount: Int, delayFrames: Int64 = 0
    ) -> Int {
        isRendering.store(true, ordering: .sequentiallyConsistent)
        if clock == .virtual { waitUntilFree() }
        // Under the real clock only after a second without a block: the next block comes late already.
        if isHeld.load(ordering: .sequentiallyConsistent) {
            unsafe Self.clear(channels, configuration.channelCount, 0..<frameCount)
            let isRunning = phase.load(ordering: .sequentiallyConsistent) == .running
            isRendering.store(false, ordering: .sequentiallyConsistent)
            return isRunning ? frameCount : 0
        }
        // The thread belongs to the program, and keeps its mode; the sound is the same as on a device's thread.
        let mode = FlushToZero()
        let done = unsafe fill(channels, frameCount, delayFrames)
        mode.restore()
        isRendering.store(false, ordering: .sequentiallyConsistent)
        return done
    }

    /// The virtual clock stands still while the control side works.
    private func waitUntilFree() {
        while isHeld.load(ordering: .sequentiallyConsistent) {
            isRendering.store(false, ordering: .sequentiallyConsistent)
            usleep(50)
            isRendering.store(true, ordering: .sequentiallyConsistent)
        }
    }

    private static let longestDelay: Int64 = 1 << 44

    private func fill(
        _ channels: UnsafePointer<UnsafeMutablePointer<Float>>, _ frameCount: Int, _ delayFrames: Int64
    ) -> Int {
        var done = 0
        // No sound waits for a year, and a sum of greater numbers could overflow.
        let delayFrames = min(max(0, delayFrames), Self.longestDelay)
        if phase.load(ordering: .sequentiallyConsistent) == .running, let worker {
            while done < frameCount {
                let count = min(frameCount - done, configuration.periodFrames)
                let valid = worker.run(count)
                for channel in 0..<configuration.channelCount {
                    unsafe (channels[channel] + done).update(from: worker.outputChannels[channel], count: valid)
                }
                done += valid
                worker.publish(framesWritten: worker.outputFrame, delayFrames: delayFrames + Int64(done))
                guard valid == count else {
                    phase.store(.over, ordering: .sequentiallyConsistent)
                    break
                }
                guard phase.load(ordering: .relaxed) == .running else { break }
            }
        }
        if done < frameCount { unsafe Self.clear(channels, configuration.channelCount, done..<frameCount) }
        return done
    }

    private static func clear(
        _ channels: UnsafePointer<UnsafeMutablePointer<Float>>, _ channelCount: Int, _ frames: Range<Int>
    ) {
        for channel in 0..<channelCount {
            unsafe (channels[channel] + frames.lowerBound).update(repeating: 0, count: frames.count)
        }
    }

    // MARK: As a stream

    /// The position as of the last block. Real-time safe: no.
    public var position: StreamPosition { ledger.position }

    /// Counters of the rendered blocks. Real-time safe: no.
    public var statistics: StreamStatistics { ledger.statistics(scheduling: nil) }

    /// Connects `render` with the engine; `Engine.start()` calls it. Real-time safe: no.
    ///
    /// - Throws: `DeviceError` of kind `invalidRequest` if the output was started or stopped before.
    public func start(_ callbacks: StreamCallbacks) throws(DeviceError) {
        try starting.withLock { (isStarted) throws(DeviceError) in
            guard !isStarted, phase.load(ordering: .acquiring) == .waiting else {
                throw DeviceError(
                    kind: .invalidRequest, message: "the pulled output has been used already",
                    remedy: "Make a new pulled output for each run.")
            }
            isStarted = true
            worker = BlockWorker(
                StreamWork(callbacks), outputCount: configuration.channelCount, inputCount: 0,
                blockFrames: configuration.periodFrames, clock: clock, ledger: ledger)
            // Fails if the output was stopped in between.
            _ = phase.compareExchange(
                expected: .waiting, desired: .running, ordering: .sequentiallyConsistent)
        }
    }

    /// Carries out `body`, unless a block is being rendered. A block that begins during `body` waits under the virtual
    /// clock; under the real clock the block is silence, and is not counted. One call at a time. Real-time safe: no.
    package func betweenBlocks(_ body: () -> Void) {
        isHeld.store(true, ordering: .sequentiallyConsistent)
        defer { isHeld.store(false, ordering: .sequentiallyConsistent) }
        if !isRendering.load(ordering: .sequentiallyConsistent) { body() }
    }

    /// Makes `render` silent, and waits for the end of a block in progress. Do not call this on the rendering thread.
    /// Real-time safe: no.
    public func stop() {
        phase.store(.over, ordering: .sequentiallyConsistent)
        waitForBlock()
    }

    private func waitForBlock() { while isRendering.load(ordering: .sequentiallyConsistent) { usleep(200) } }

    /// Blocks until the last player has finished, if the engine ends with its players, or until the output is stopped.
    /// Another thread must call `render` during the wait. Real-time safe: no.
    public func waitUntilFinished() throws(DeviceError) {
        while phase.load(ordering: .sequentiallyConsistent) == .running { usleep(5000) }
        // Another thread may have stopped the output in the middle of a block.
        waitForBlock()
    }
}
