// The reading end of a ring. See Ring.swift for the design.
public import Synchronization

/// The reading end of a ring: one owner, one thread at a time.
///
/// Every operation is wait-free: its number of steps is bounded, even if the producer stopped half-way. Elements arrive
/// in the order of writing, each exactly once.
@safe
@frozen
public struct RingConsumer<Element: BitwiseCopyable & Sendable>: ~Copyable, @unchecked Sendable {
    /// Elements in a full ring.
    public let capacity: Int
    @usableFromInline let shared: UnsafeMutablePointer<Atomic<Int>>
    @usableFromInline let own: UnsafeMutablePointer<RingNotes>
    @usableFromInline let peer: UnsafeMutablePointer<Atomic<Int>>
    @usableFromInline let slots: UnsafeMutablePointer<Element>
    @usableFromInline let memory: SharedMemory

    init(_ storage: RingStorage<Element>) {
        capacity = storage.capacity
        unsafe shared = storage.read
        unsafe own = storage.consumerNotes
        unsafe peer = storage.written
        unsafe slots = storage.slots
        memory = storage.memory
    }

    /// Elements that can be read now; the producer can only increase the count.
    ///
    /// Real-time safe: yes.
    @inlinable public var readableCount: Int {
        // Acquire: partner is the producer's releasing store in `advance`; the counted elements have been written.
        let written = unsafe peer.pointee.load(ordering: .acquiring)
        return unsafe written &- own.pointee.position
    }

    /// Takes the oldest element; `nil` when the ring is empty.
    ///
    /// Real-time safe: yes.
    @inlinable @inline(__always)
    public mutating func pop() -> Element? {
        guard available(1) > 0 else { return nil }
        let element = unsafe slots[own.pointee.slot]
        advance(by: 1)
        return element
    }

    /// Takes the available elements that fit into `destination`, oldest first; returns their count (0 when empty).
    ///
    /// The rest of `destination` is not changed. Real-time safe: yes.
    @inlinable @inline(__always)
    public mutating func read(into destination: UnsafeMutableBufferPointer<Element>) -> Int {
        guard let target = destination.baseAddress else { return 0 }
        let count = available(destination.count)
        guard count > 0 else { return 0 }
        let slot = unsafe own.pointee.slot
        let first = min(count, capacity - slot)
        unsafe copyElements(from: slots + slot, to: target, count: first)
        if first < count { unsafe copyElements(from: slots, to: target + first, count: count - first) }
        advance(by: count)
        return count
    }

    /// Lends up to `count` elements, as two slices in order, and frees the oldest, as many as `body` returns.
    ///
    /// If `body` throws, nothing is freed: the next call lends the same elements. Real-time safe: yes, if `body` is. In
    /// a function checked by the compiler, let the closure only call another function: directly within a closure even a
    /// `for` loop or `min` is refused as a generic call.
    ///
    /// - Parameters:
    ///   - count: the most elements to lend; if the ring has fewer, fewer are lent, and both slices may be empty.
    ///   - body: uses the slices and returns the number of used elements, from 0 to the sum of the slices' counts.
    /// - Returns: number of freed elements.
    @inlinable @inline(__always)
    public mutating func withReadable<Failure: Error>(
        _ count: Int,
        _ body: (_ first: UnsafeBufferPointer<Element>, _ second: UnsafeBufferPointer<Element>)
            throws(Failure) -> Int
    ) throws(Failure) -> Int {
        let lent = available(max(count, 0))
        let slot = unsafe own.pointee.slot
        let firstCount = min(lent, capacity - slot)
        let first = unsafe UnsafeBufferPointer(start: slots + slot, count: firstCount)
        let second = unsafe UnsafeBufferPointer(start: slots, count: lent - firstCount)
        let used = try unsafe body(first, second)
        precondition(used >= 0 && used <= lent, "more elements reported as used than were lent")
        advance(by: used)
        return used
    }

    /// Returns the number of available elements, at most `count`; reads the producer's line only if the cached position
    /// is not enough.
    @inlinable @inline(__always)
    mutating func available(_ count: Int) -> Int {
        let position = unsafe own.pointee.position
        var filled = unsafe own.pointee.peerPosition &- position
        if filled < count {
            // Acquire: partner is the producer's releasing store in `advance`; the counted elements are in their slots.
            unsafe own.pointee.peerPosition = peer.pointee.load(ordering: .acquiring)
            filled = unsafe own.pointee.peerPosition &- position
        }
        return min(filled, count)
    }

    /// Gives `count` read slots back to the producer.
    @inlinable @inline(__always)
    mutating func advance(by count: Int) {
        let next = unsafe own.pointee.slot + count
        unsafe own.pointee.slot = next >= capacity ? next - capacity : next
        let position = unsafe own.pointee.position &+ count
        unsafe own.pointee.position = position
        // Release: partner is the producer's acquiring load in `room`; we have read the slots before the producer may
        // refill them.
        unsafe shared.pointee.store(position, ordering: .releasing)
    }
}
