// The writing end of a ring. See Ring.swift for the design.
public import Synchronization

/// The writing end of a ring: one owner, one thread at a time.
///
/// Every operation is wait-free: its number of steps is bounded, even if the consumer stopped half-way. Unread elements
/// are never overwritten.
@safe
@frozen
public struct RingProducer<Element: BitwiseCopyable & Sendable>: ~Copyable, @unchecked Sendable {
    /// Elements in a full ring.
    public let capacity: Int
    @usableFromInline let shared: UnsafeMutablePointer<Atomic<Int>>
    @usableFromInline let own: UnsafeMutablePointer<RingNotes>
    @usableFromInline let peer: UnsafeMutablePointer<Atomic<Int>>
    @usableFromInline let slots: UnsafeMutablePointer<Element>
    @usableFromInline let memory: SharedMemory

    init(_ storage: RingStorage<Element>) {
        capacity = storage.capacity
        unsafe shared = storage.written
        unsafe own = storage.producerNotes
        unsafe peer = storage.read
        unsafe slots = storage.slots
        memory = storage.memory
    }

    /// Elements that can be written now; the consumer can only increase the count.
    ///
    /// Real-time safe: yes.
    @inlinable public var writableCount: Int {
        // Acquire: partner is the consumer's releasing store in `advance`; the freed elements have been read.
        let read = unsafe peer.pointee.load(ordering: .acquiring)
        return unsafe capacity - (own.pointee.position &- read)
    }

    /// Writes one element. Returns `false`, with nothing written, if the ring is full.
    ///
    /// Real-time safe: yes.
    @inlinable @inline(__always)
    public mutating func push(_ element: Element) -> Bool {
        guard room(for: 1) > 0 else { return false }
        unsafe (slots + own.pointee.slot).initialize(to: element)
        advance(by: 1)
        return true
    }

    /// Writes one element, hidden from the consumer until `showHeld()` or the next other write. Returns `false`, with
    /// nothing written, if the ring is full.
    ///
    /// For elements that must not be seen before a later publication. Real-time safe: yes.
    @inlinable @inline(__always)
    public mutating func hold(_ element: Element) -> Bool {
        guard room(for: 1) > 0 else { return false }
        unsafe (slots + own.pointee.slot).initialize(to: element)
        _ = move(by: 1)
        return true
    }

    /// Passes the held elements on to the consumer.
    ///
    /// Real-time safe: yes.
    @inlinable @inline(__always)
    public mutating func showHeld() {
        let position = unsafe own.pointee.position
        // Release: as in `advance`. With the elements, the consumer also sees everything published before by this
        // thread, in any other place.
        unsafe shared.pointee.store(position, ordering: .releasing)
    }

    /// Writes as many of `elements` as fit, in order, from the first; returns their count (0 if full).
    ///
    /// The consumer sees all written elements at once or none yet. Real-time safe: yes.
    @inlinable @inline(__always)
    public mutating func write(from elements: UnsafeBufferPointer<Element>) -> Int {
        guard let source = elements.baseAddress else { return 0 }
        let count = room(for: elements.count)
        guard count > 0 else { return 0 }
        let slot = unsafe own.pointee.slot
        let first = min(count, capacity - slot)
        unsafe copyElements(from: source, to: slots + slot, count: first)
        if first < count { unsafe copyElements(from: source + first, to: slots, count: count - first) }
        advance(by: count)
        return count
    }

    /// Lends up to `count` free slots, as two slices in order, and passes on as many elements as `body` returns.
    ///
    /// The slices contain old elements, not zeros; fill the first before the second. If `body` throws, nothing is
    /// passed on. Real-time safe: yes, if `body` is. In a function checked by the compiler, let the closure only call
    /// another function: directly within a closure even a `for` loop or `min` is refused as a generic call.
    ///
    /// - Parameters:
    ///   - count: the most elements to lend; if the ring has less room, fewer are lent, and both slices may be empty.
    ///   - body: fills the slices and returns the number of filled elements, from 0 to the sum of the slices' counts.
    /// - Returns: number of elements passed on.
    @inlinable @inline(__always)
    public mutating func withWritable<Failure: Error>(
        _ count: Int,
        _ body: (_ first: UnsafeMutableBufferPointer<Element>, _ second: UnsafeMutableBufferPointer<Element>)
            throws(Failure) -> Int
    ) throws(Failure) -> Int {
        let lent = room(for: max(count, 0))
        let slot = unsafe own.pointee.slot
        let firstCount = min(lent, capacity - slot)
        let first = unsafe UnsafeMutableBufferPointer(start: slots + slot, count: firstCount)
        let second = unsafe UnsafeMutableBufferPointer(start: slots, count: lent - firstCount)
        let filled = try unsafe body(first, second)
        precondition(filled >= 0 && filled <= lent, "more elements reported as filled than were lent")
        advance(by: filled)
        return filled
    }

    /// Returns the number of elements that fit, at most `count`; reads the consumer's line only if the cached position
    /// is not enough.
    @inlinable @inline(__always)
    mutating func room(for count: Int) -> Int {
        let position = unsafe own.pointee.position
        var free = unsafe capacity - (position &- own.pointee.peerPosition)
        if free < count {
            // Acquire: partner is the consumer's releasing store in `advance`; the consumer's reads of the slots we are
            // about to overwrite happened before that store.
            unsafe own.pointee.peerPosition = peer.pointee.load(ordering: .acquiring)
            free = unsafe capacity - (position &- own.pointee.peerPosition)
        }
        return min(free, count)
    }

    /// Passes `count` written elements and all held elements on to the consumer.
    @inlinable @inline(__always)
    mutating func advance(by count: Int) {
        let position = move(by: count)
        // Release: partner is the consumer's acquiring load in `available`; the elements are in their slots before the
        // release.
        unsafe shared.pointee.store(position, ordering: .releasing)
    }

    /// Moves on behind `count` written elements; returns the number of elements written since the beginning.
    @inlinable @inline(__always)
    mutating func move(by count: Int) -> Int {
        let next = unsafe own.pointee.slot + count
        unsafe own.pointee.slot = next >= capacity ? next - capacity : next
        // Not `&+=`: under the thread sanitizer the compiler (6.3.1) makes invalid code of `&+=` here.
        let position = unsafe own.pointee.position &+ count
        unsafe own.pointee.position = position
        return position
    }
}
