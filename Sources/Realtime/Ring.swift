// A bounded, wait-free, single-producer single-consumer ring. The ring never overwrites, drops or blocks: the caller
// gets full and empty back as values. The ring does not wake any thread.
//
// Positions count elements for ever and are compared by wrapping subtraction, so all `capacity` slots are usable and
// full differs from empty. Each side stores its slot beside its position and wraps the slot with a comparison, so any
// capacity works without a division. Each side also stores the last peer position seen and reads the shared position
// again only when the stored value is not enough: within a block no cache line moves between cores. (The cached peer
// index is from Torquati, "Single-Producer/Single-Consumer Queues on Shared Cache Multi-Core Systems", 2010.) These
// private notes are apart from the position read by the peer: on the same line, every read by the peer slowed the owner
// down, by a third at blocks of one frame.
import Synchronization

/// Both ends of a new ring: take the ends apart and give each end to its thread.
///
/// The ends are noncopyable. The release of the second end frees the memory, on the releasing thread, so release both
/// ends on a thread that may free memory.
///
///     var ends = RingEnds<Float>(capacity: 4096)
///     let producer = ends.producer      // to one thread
///     let consumer = ends.consumer      // to another
@frozen
public struct RingEnds<Element: BitwiseCopyable & Sendable>: ~Copyable, Sendable {
    /// The writing end.
    public var producer: RingProducer<Element>
    /// The reading end.
    public var consumer: RingConsumer<Element>

    /// Makes an empty ring with room for exactly `capacity` elements; every slot is usable.
    ///
    /// Real-time safe: no (allocates and touches all memory).
    ///
    /// - Parameter capacity: elements, at least 1, of any size (not only powers of two).
    public init(capacity: Int) {
        let storage = RingStorage<Element>(capacity: capacity)
        producer = RingProducer(storage)
        consumer = RingConsumer(storage)
    }
}

/// Data of one side alone, on a line of its own, so that no other core ever takes the line away.
@usableFromInline struct RingNotes {
    /// Elements read, or written, by this side since the beginning. The peer was shown this value, except for elements
    /// held by a producer.
    @usableFromInline var position = 0
    /// The peer's position as last seen.
    @usableFromInline var peerPosition = 0
    /// Slot of `position`: always `position` modulo capacity.
    @usableFromInline var slot = 0
}

/// The layout of a ring: the position shown by each side to its peer, each side's private notes, then the slots. Each
/// part has lines of its own.
@safe
@usableFromInline struct RingStorage<Element: BitwiseCopyable & Sendable> {
    let capacity: Int
    let memory: SharedMemory
    let written: UnsafeMutablePointer<Atomic<Int>>
    let producerNotes: UnsafeMutablePointer<RingNotes>
    let read: UnsafeMutablePointer<Atomic<Int>>
    let consumerNotes: UnsafeMutablePointer<RingNotes>
    let slots: UnsafeMutablePointer<Element>

    @usableFromInline init(capacity: Int) {
        precondition(capacity >= 1, "a ring needs room for at least one element")
        let stride = MemoryLayout<Element>.stride
        let (slotBytes, overflows) = capacity.multipliedReportingOverflow(by: stride)
        precondition(!overflows && slotBytes < Int.max / 2, "the ring is too large to address")
        let slotOffset = max(4 * lineBytes, MemoryLayout<Element>.alignment)
        self.capacity = capacity
        memory = SharedMemory(byteCount: slotOffset + slotBytes, alignment: MemoryLayout<Element>.alignment)
        unsafe written = memory.base.bindMemory(to: Atomic<Int>.self, capacity: 1)
        unsafe written.initialize(to: Atomic(0))
        unsafe producerNotes = (memory.base + lineBytes).bindMemory(to: RingNotes.self, capacity: 1)
        unsafe producerNotes.initialize(to: RingNotes())
        unsafe read = (memory.base + 2 * lineBytes).bindMemory(to: Atomic<Int>.self, capacity: 1)
        unsafe read.initialize(to: Atomic(0))
        unsafe consumerNotes = (memory.base + 3 * lineBytes).bindMemory(to: RingNotes.self, capacity: 1)
        unsafe consumerNotes.initialize(to: RingNotes())
        unsafe slots = (memory.base + slotOffset).bindMemory(to: Element.self, capacity: capacity)
    }
}

/// Copies elements as bytes. `initialize(from:count:)` does the same for bitwise-copyable elements, but `@_noLocks`
/// refuses the call as reference counting.
@inlinable @inline(__always)
func copyElements<Element: BitwiseCopyable>(
    from source: UnsafePointer<Element>, to target: UnsafeMutablePointer<Element>, count: Int
) {
    unsafe UnsafeMutableRawPointer(target).copyMemory(from: source, byteCount: count &* MemoryLayout<Element>.stride)
}
