// Immutable objects to the render thread and back, released on the control side only. The render thread never retains
// or releases; it borrows what the sender keeps alive. It does not copy, and does not say when to swap.
//
// The sender holds the one reference of each object in a table until the object came back. There are never more objects
// on the way than the capacity, so giving back always finds room and cannot fail.

/// Both ends of a new hand-over: take them apart and give each to its thread.
@frozen
public struct HandoverEnds<Object: AnyObject & Sendable>: ~Copyable, Sendable {
    /// The control side.
    public var sender: HandoverSender<Object>
    /// The render side.
    public var receiver: HandoverReceiver<Object>

    /// Makes a hand-over for at most `capacity` objects sent and not yet reclaimed: waiting, in use, or on the way back.
    ///
    /// Real-time safe: no (allocates).
    ///
    /// - Parameter capacity: objects, at least 1. Swapping one object for another needs 2.
    public init(capacity: Int) {
        let forth = RingEnds<HandoverItem>(capacity: capacity)
        let back = RingEnds<HandoverItem>(capacity: capacity)
        let table = HandoverTable<Object>(capacity: capacity)
        sender = HandoverSender(outgoing: forth.producer, returning: back.consumer, table: table)
        receiver = HandoverReceiver(incoming: forth.consumer, returning: back.producer, table: table)
    }
}

/// An object's address. Sendable because the table, not the item, owns the object.
@safe
@usableFromInline struct HandoverItem: BitwiseCopyable, @unchecked Sendable {
    @usableFromInline let address: UnsafeMutableRawPointer

    @usableFromInline init(address: UnsafeMutableRawPointer) { unsafe self.address = unsafe address }
}

/// The references to all objects on the way. Only the sender uses it; both ends keep it, so that what the render side
/// still holds outlives the sender and goes with whichever end goes last.
@usableFromInline final class HandoverTable<Object: AnyObject & Sendable>: @unchecked Sendable {
    private var objects: [Object] = []
    let capacity: Int

    init(capacity: Int) {
        self.capacity = capacity
        objects.reserveCapacity(capacity)
    }

    var count: Int { objects.count }

    func insert(_ object: Object) { objects.append(object) }

    func remove(_ address: UnsafeMutableRawPointer) {
        let index = objects.firstIndex { unsafe Unmanaged.passUnretained($0).toOpaque() == address }
        guard let index else { preconditionFailure("an object came back that was never sent, or twice") }
        objects.remove(at: index)
    }
}

/// The control side of a hand-over: sends objects and releases those that came back.
public struct HandoverSender<Object: AnyObject & Sendable>: ~Copyable, Sendable {
    private var outgoing: RingProducer<HandoverItem>
    private var returning: RingConsumer<HandoverItem>
    private let table: HandoverTable<Object>

    init(
        outgoing: consuming RingProducer<HandoverItem>, returning: consuming RingConsumer<HandoverItem>,
        table: HandoverTable<Object>
    ) {
        self.outgoing = outgoing
        self.returning = returning
        self.table = table
    }

    /// Objects sent and not yet reclaimed.
    ///
    /// Real-time safe: no.
    public var outstandingCount: Int { table.count }

    /// Sends `object` and keeps it alive until it came back; `false`, with nothing sent, when `capacity` objects are out.
    ///
    /// Reclaims first, so a release may happen here. Real-time safe: no.
    public mutating func send(_ object: Object) -> Bool {
        reclaim()
        guard table.count < table.capacity else { return false }
        table.insert(object)
        let sent = unsafe outgoing.push(HandoverItem(address: Unmanaged.passUnretained(object).toOpaque()))
        precondition(sent, "the ring holds as many objects as the table")
        return true
    }

    /// Releases the objects that came back. Call it now and then, or old objects live until the next `send`.
    ///
    /// Real-time safe: no.
    public mutating func reclaim() {
        while let item = returning.pop() { unsafe table.remove(item.address) }
    }
}

/// The render side of a hand-over: borrows objects and gives them back.
///
/// When both ends are gone the objects still out are released, those held by the render side included; end the life of
/// this end where releasing is allowed, never on the render thread.
@frozen
public struct HandoverReceiver<Object: AnyObject & Sendable>: ~Copyable, Sendable {
    @usableFromInline var incoming: RingConsumer<HandoverItem>
    @usableFromInline var returning: RingProducer<HandoverItem>
    @usableFromInline let table: HandoverTable<Object>

    init(
        incoming: consuming RingConsumer<HandoverItem>, returning: consuming RingProducer<HandoverItem>,
        table: HandoverTable<Object>
    ) {
        self.incoming = incoming
        self.returning = returning
        self.table = table
    }

    /// The next object sent, borrowed until it is given back; `nil` when there is none.
    ///
    /// Use it through `_withUnsafeGuaranteedRef`, which does not retain; `takeUnretainedValue()` would.
    /// Wait-free. Real-time safe: yes.
    @inlinable @inline(__always)
    public mutating func receive() -> Unmanaged<Object>? {
        guard let item = incoming.pop() else { return nil }
        return unsafe Unmanaged.fromOpaque(item.address)
    }

    /// Ends the loan of `object`: the control side may release it at once.
    ///
    /// Give back each received object exactly once. Wait-free, never fails. Real-time safe: yes.
    @inlinable @inline(__always)
    public mutating func giveBack(_ object: Unmanaged<Object>) {
        let returned = unsafe returning.push(HandoverItem(address: object.toOpaque()))
        precondition(returned, "an object was given back twice")
    }
}
