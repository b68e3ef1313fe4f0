import Realtime
import Synchronization

/// What the device thread tells everyone else, wait-free on its side.
final class StreamLedger: Sendable {
    let renderTimes = RenderTimeHistogram()
    // All relaxed, in both directions: figures to look at, on which no other memory depends. One writer each.
    private let xruns = Atomic<Int64>(0)
    private let lostFrames = Atomic<Int64>(0)
    private let blocks = Atomic<Int64>(0)
    private let framesRendered = Atomic<Int64>(0)
    private let positionReader: Mutex<SnapshotReader<StreamPosition>>

    /// Makes an empty ledger and the writing end of its position, which belongs to the device thread.
    static func make() -> (ledger: StreamLedger, position: PositionWriter) {
        let ends = SnapshotEnds(initial: StreamPosition(framesWritten: 0, delayFrames: 0))
        let (writer, reader) = ends.split()
        return (StreamLedger(reader), PositionWriter(writer))
    }

    private init(_ reader: consuming sending SnapshotReader<StreamPosition>) { positionReader = Mutex(reader) }

    func countXrun(lostFrames lost: Int64) {
        xruns.store(xruns.load(ordering: .relaxed) &+ 1, ordering: .relaxed)
        lostFrames.store(lostFrames.load(ordering: .relaxed) &+ lost, ordering: .relaxed)
    }

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
