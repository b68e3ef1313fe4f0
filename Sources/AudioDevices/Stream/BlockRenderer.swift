import Realtime

/// The device thread's way of making blocks: calls the callbacks in their order, and keeps the books.
final class BlockRenderer: @unchecked Sendable {
    // Unchecked because it is handed to the device thread once, which alone uses it from then on.
    private let callbacks: StreamCallbacks
    private let ledger: StreamLedger
    private let block: PlanarBlock
    private let callsPrepare: Bool
    private(set) var framesRendered: Int64 = 0

    init(
        _ callbacks: StreamCallbacks, configuration: StreamConfiguration, clock: StreamClock, ledger: StreamLedger
    ) {
        self.callbacks = callbacks
        self.ledger = ledger
        block = PlanarBlock(channelCount: configuration.channelCount, frameCapacity: configuration.periodFrames)
        callsPrepare = clock == .virtual
    }

    /// Where `render` leaves its frames.
    var channels: UnsafeMutablePointer<UnsafeMutablePointer<Float>> { unsafe block.channels }

    /// Has one block filled and returns how many of its frames are valid; fewer than `frameCount` is the end.
    func render(_ frameCount: Int) -> Int {
        if callsPrepare { callbacks.prepare(frameCount) }
        let request = unsafe RenderBlock(
            channels: block.channels, channelCount: block.channelCount, frameCount: frameCount,
            outputFrame: framesRendered)
        let begin = MonotonicTime.now()
        RealtimeScope.enter()
        let answer = callbacks.render(request)
        RealtimeScope.leave()
        let valid = min(max(0, answer), frameCount)
        framesRendered += Int64(valid)
        ledger.countBlock(frameCount: valid, nanoseconds: MonotonicTime.now() - begin)
        return valid
    }

    /// Publishes how far the device has come.
    func publish(framesWritten: Int64, delayFrames: Int64) {
        ledger.publish(StreamPosition(framesWritten: framesWritten, delayFrames: max(0, delayFrames)))
    }

    /// Counts and reports that the device ran dry before `frame`.
    func reportXrun(atFrame frame: Int64, lostFrames: Int64) {
        ledger.countXrun(lostFrames: lostFrames)
        RealtimeScope.enter()
        callbacks.xrun(frame, lostFrames)
        RealtimeScope.leave()
    }
}
