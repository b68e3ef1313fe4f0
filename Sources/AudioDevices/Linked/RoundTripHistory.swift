internal import Realtime
internal import Synchronization

/// The round trips of a running stream: one for each start of a device, so that frames recorded before a restart keep
/// their place. A better measurement replaces the earlier round trip of the same start.
final class RoundTripHistory: @unchecked Sendable {
    // Unchecked because the device thread alone uses `writer` and `last`.
    private struct Change: Sendable, BitwiseCopyable {
        let outputFrame: Int64
        let frames: Int64
    }

    private struct Known: ~Copyable {
        var changes: [Change] = []
        var reader: RingConsumer<Change>
    }

    private var writer: RingProducer<Change>
    private var last: Int64?
    private let known: Mutex<Known>

    private static let mostChanges = 64

    init() {
        let ring = RingEnds<Change>(capacity: 256)
        writer = ring.producer
        known = Mutex(Known(reader: ring.consumer))
    }

    /// Notes the round trip for all frames from an output frame on; up to 256 changes wait for the next query. Device
    /// thread. Real-time safe: yes.
    #if REALTIME_CHECKS
        @_noAllocation @_noLocks
    #endif
    func note(_ frames: Int64, atOutputFrame frame: Int64) {
        if last == frames { return }
        // If the ring is full, the next block tries again.
        if writer.push(Change(outputFrame: frame, frames: frames)) { last = frames }
    }

    /// Returns the round trip of the block with an output frame; nil before the first block. Any other thread.
    func frames(ofOutputFrame frame: Int64) -> Int64? {
        known.withLock { known in
            while let change = known.reader.pop() {
                if known.changes.last?.outputFrame == change.outputFrame { known.changes.removeLast() }
                known.changes.append(change)
            }
            if known.changes.count > Self.mostChanges {
                known.changes.removeFirst(known.changes.count - Self.mostChanges)
            }
            return (known.changes.last { $0.outputFrame <= frame } ?? known.changes.first)?.frames
        }
    }
}
