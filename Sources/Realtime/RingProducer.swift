// The writing end of a ring. See Ring.swift for the design.
public import Synchronization

/// The writing end of a ring: one owner, one thread at a time.
///
/// Every operation is wait-free: it ends in a bounded number of steps whatever the consumer does, even if it stopped
/// half-way. Unread elements are never overwritten.
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

    /// Elements that can be written now; the consumer can only increase it.
    ///
    /// Real-time safe: yes.
    @inlinable public var writableCount: Int {
        // Acquire: partner is the consumer's releasing store in `advance`; what it freed has been read.
        let read = unsafe peer.pointee.load(ordering: .acquiring)
        return unsafe capacity - (own.pointee.position &- read)
    }

    /// Writes one element; `false`, with nothing written, if the ring is full.
    ///
    /// Real-time safe: yes.
    @inlinable @inline(__always)
    public mutating func push(_ element: Element) -> Bool {
        guard room(for: 1) > 0 else { return false }
        unsafe (slots + own.pointee.slot).initialize(to: element)
        advance(by: 1)
        return true
    }

    /// Writes one element that the consumer does not see before `showHeld()`, or before anything else is written; `false`, with
    /// nothing written, if the ring is full.
    ///
    /// For elements that must not be seen before something that is published later. Real-time safe: yes.
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
        // Release: as in `advance`. What this thread published before, in any other place, is seen with the elements too.
        unsafe shared.pointee.store(position, ordering: .releasing)
    }

    /// Writes as many of `elements` as fit, in order, from the first; returns how many (0 if full).
    ///
    /// The consumer sees them all at once or not yet. Real-time safe: yes.
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

    /// Lends up to `count` free slots, as two slices in order, and passes on as many as `body` says it filled.
    ///
    /// The slices contain old elements, not zeros; fill the first before the second. If `body` throws, nothing is passed on.
    /// Real-time safe: yes, if `body` is. In a function the compiler checks, let the closure only call another function:
    /// directly within a closure even a `for` loop or `min` is refused as a generic call.
    ///
    /// - Parameters:
    ///   - count: the most elements to lend; if the ring has less room, fewer are lent, and both slices may be empty.
    ///   - body: fills the slices and returns the elements filled, from 0 to the sum of their counts.
    /// - Returns: the elements passed on.
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

    /// The elements that fit, at most `count`; reads the consumer's line only if its cached position is not enough.
    @inlinable @inline(__always)
    mutating func room(for count: Int) -> Int {
        let position = unsafe own.pointee.position
        var free = unsafe capacity - (position &- own.pointee.peerPosition)
        if free < count {
            // Acquire: partner is the consumer's releasing store in `advance`; its reads of the slots we are about to
            // overwrite happened before it.
            unsafe own.pointee.peerPosition = peer.pointee.load(ordering: .acquiring)
            free = unsafe capacity - (position &- own.pointee.peerPosition)
        }
        return min(free, count)
    }

    /// Passes `count` written elements on to the consumer, and those that are held.
    @inlinable @inline(__always)
    mutating func advance(by count: Int) {
        let position = move(by: count)
        // Release: partner is the consumer's acquiring load in `available`; the elements are in their slots before it.
        unsafe shared.pointee.store(position, ordering: .releasing)
    }

    /// Goes on behind `count` written elements; returns how many were written since the beginning.
    @inlinable @inline(__always)
    mutating func move(by count: Int) -> Int {
        let next = unsafe own.pointee.slot + count
        unsafe own.pointee.slot = next >= capacity ? next - capacity : next
        // Not `&+=`: under the thread sanitizer the compiler (6.3.1) makes invalid code of it here.
        let position = unsafe own.pointee.position &+ count
        unsafe own.pointee.position = position
        return position
    }
}
