import Realtime
import Synchronization

/// What the device thread tells everyone else, wait-free on its side.
final class StreamLedger: @unchecked Sendable {
    // Unchecked because of the writer, which the device thread alone uses.
    let renderTimes = RenderTimeHistogram()
    // All relaxed, in both directions: figures to look at, on which no other memory depends. One writer.
    private let xruns = Atomic<Int64>(0)
    private let lostFrames = Atomic<Int64>(0)
    private let blocks = Atomic<Int64>(0)
    private let framesRendered = Atomic<Int64>(0)
    private var positionWriter: SnapshotWriter<StreamPosition>
    private let positionReader: Mutex<SnapshotReader<StreamPosition>>

    init() {
        let ends = SnapshotEnds(initial: StreamPosition(framesWritten: 0, delayFrames: 0))
        positionWriter = ends.writer
        positionReader = Mutex(ends.reader)
    }

    /// Device thread only. Real-time safe: yes.
    #if REALTIME_CHECKS
        @_noAllocation @_noLocks
    #endif
    func publish(_ position: StreamPosition) { positionWriter.write(position) }

    /// Device thread only. Real-time safe: yes.
    #if REALTIME_CHECKS
        @_noAllocation @_noLocks
    #endif
    func countXrun(lostFrames lost: Int64) {
        xruns.store(xruns.load(ordering: .relaxed) &+ 1, ordering: .relaxed)
        lostFrames.store(lostFrames.load(ordering: .relaxed) &+ lost, ordering: .relaxed)
    }

    /// Device thread only. Real-time safe: yes.
    #if REALTIME_CHECKS
        @_noAllocation @_noLocks
    #endif
    func countBlock(frameCount: Int, nanoseconds: Int64) {
        blocks.store(blocks.load(ordering: .relaxed) &+ 1, ordering: .relaxed)
        framesRendered.store(framesRendered.load(ordering: .relaxed) &+ Int64(frameCount), ordering: .relaxed)
        renderTimes.record(nanoseconds: UInt64(max(0, nanoseconds)))
    }

    var position: StreamPosition { positionReader.withLock { $0.read() } }

    func statistics(scheduling: RealtimeReport?) -> StreamStatistics {
        StreamStatistics(
            xruns: xruns.load(ordering: .relaxed), lostFrames: lostFrames.load(ordering: .relaxed),
            blocks: blocks.load(ordering: .relaxed), framesRendered: framesRendered.load(ordering: .relaxed),
            renderTime: renderTimes.summary(), scheduling: scheduling)
    }
}
