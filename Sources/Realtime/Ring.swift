// A bounded, wait-free, single-producer single-consumer ring. It never overwrites, drops or blocks: full and empty are
// values the caller gets back. It does not wake anyone up.
//
// Positions count elements for ever and are compared by wrapping subtraction, so all `capacity` slots are usable and
// full differs from empty. Each side stores its slot beside its position and wraps it with a comparison, so any capacity
// works without a division. Each side also stores the last peer position it saw and reads it again only when that is not
// enough: within a block no cache line moves between cores. (The cached peer index is from Torquati, "Single-Producer/Single-
// Consumer Queues on Shared Cache Multi-Core Systems", 2010.) These notes are apart from the position that the peer reads: on
// the same line, every read by the peer slowed the owner down, by a third at blocks of one frame.
import Synchronization

/// Both ends of a new ring: take them apart and give each to its thread.
///
/// The ends are noncopyable. The memory is freed when both are gone, on whichever thread that happens, so release them on a
/// thread that may free memory.
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

/// Data of one side alone, on a line of its own, so that no other core ever takes it away.
@usableFromInline struct RingNotes {
    /// Elements that this side has read, or written, since the beginning. The peer was shown this value, but for what a producer
    /// holds.
    @usableFromInline var position = 0
    /// The peer's position as last seen.
    @usableFromInline var peerPosition = 0
    /// The slot of `position`: always `position` modulo capacity.
    @usableFromInline var slot = 0
}

/// The layout of a ring: the positions that the sides show each other, the notes that each keeps to itself, then the slots. Each
/// has lines of its own.
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

/// Copies elements as bytes. `initialize(from:count:)` says the same of bitwise-copyable elements, but `@_noLocks`
/// takes it for reference counting.
@inlinable @inline(__always)
func copyElements<Element: BitwiseCopyable>(
    from source: UnsafePointer<Element>, to target: UnsafeMutablePointer<Element>, count: Int
) {
    unsafe UnsafeMutableRawPointer(target).copyMemory(from: source, byteCount: count &* MemoryLayout<Element>.stride)
}
