// The latest value, from one thread to another: a triple buffer. Wait-free on both sides, never torn, never blocks. A
// snapshot is not a queue: of several values written between two reads, only the last is read.
//
// Three slots: the writer's, the reader's and the middle slot. Writer and reader each swap their slot with the middle
// slot by a single atomic exchange. A bit beside the middle's number is set if the middle slot is newer than the
// reader's.
public import Synchronization

/// Both ends of a new snapshot: take the ends apart and give each end to its thread.
@frozen
public struct SnapshotEnds<Value: BitwiseCopyable & Sendable>: ~Copyable, Sendable {
    /// The writing end.
    public var writer: SnapshotWriter<Value>
    /// The reading end.
    public var reader: SnapshotReader<Value>

    /// Makes a snapshot that reads as `initial` until the first write.
    ///
    /// Real-time safe: no (allocates).
    public init(initial: Value) {
        let storage = SnapshotStorage(initial: initial)
        writer = SnapshotWriter(storage)
        reader = SnapshotReader(storage)
    }
}

/// Set in the middle word if the middle slot has a value not yet seen by the reader.
@usableFromInline let freshBit: UInt = 4
@usableFromInline let slotMask: UInt = 3

/// The layout of a snapshot: the middle word, the writer's and the reader's slot numbers, three slots,
/// each on lines of its own.
@safe
@usableFromInline struct SnapshotStorage<Value: BitwiseCopyable & Sendable> {
    let memory: SharedMemory
    let middle: UnsafeMutablePointer<Atomic<UInt>>
    let writing: UnsafeMutablePointer<UInt>
    let reading: UnsafeMutablePointer<UInt>
    let slots: UnsafeMutableRawPointer
    let slotStride: Int

    @usableFromInline init(initial: Value) {
        let alignment = max(MemoryLayout<Value>.alignment, lineBytes)
        let slotOffset = max(3 * lineBytes, alignment)
        slotStride = max(roundUpToLine(MemoryLayout<Value>.stride), alignment)
        memory = SharedMemory(byteCount: slotOffset + 3 * slotStride, alignment: alignment)
        unsafe middle = memory.base.bindMemory(to: Atomic<UInt>.self, capacity: 1)
        unsafe middle.initialize(to: Atomic(1))
        unsafe writing = (memory.base + lineBytes).bindMemory(to: UInt.self, capacity: 1)
        unsafe writing.initialize(to: 0)
        unsafe reading = (memory.base + 2 * lineBytes).bindMemory(to: UInt.self, capacity: 1)
        unsafe reading.initialize(to: 2)
        unsafe slots = memory.base + slotOffset
        for index in 0..<3 {
            unsafe (slots + index * slotStride).initializeMemory(as: Value.self, repeating: initial, count: 1)
        }
    }
}

/// The writing end of a snapshot: one owner, one thread at a time.
@safe
@frozen
public struct SnapshotWriter<Value: BitwiseCopyable & Sendable>: ~Copyable, @unchecked Sendable {
    @usableFromInline let middle: UnsafeMutablePointer<Atomic<UInt>>
    @usableFromInline let own: UnsafeMutablePointer<UInt>
    @usableFromInline let slots: UnsafeMutableRawPointer
    @usableFromInline let slotStride: Int
    @usableFromInline let memory: SharedMemory

    init(_ storage: SnapshotStorage<Value>) {
        unsafe middle = storage.middle
        unsafe own = storage.writing
        unsafe slots = storage.slots
        slotStride = storage.slotStride
        memory = storage.memory
    }

    /// Publishes `value`: the reader reads it from now on.
    ///
    /// Wait-free. Real-time safe: yes.
    @inlinable @inline(__always)
    public mutating func write(_ value: Value) {
        let slot = unsafe own.pointee
        unsafe (slots + Int(bitPattern: slot) &* slotStride).assumingMemoryBound(to: Value.self).pointee = value
        // Release: partner is the acquiring exchange in `read`; the value is whole before the reader can take the slot.
        // Acquire: partner is the releasing exchange in `read`; the reader is done with the slot we get back.
        let previous = unsafe middle.pointee.exchange(slot | freshBit, ordering: .acquiringAndReleasing)
        unsafe own.pointee = previous & slotMask
    }
}

/// The reading end of a snapshot: one owner, one thread at a time.
@safe
@frozen
public struct SnapshotReader<Value: BitwiseCopyable & Sendable>: ~Copyable, @unchecked Sendable {
    @usableFromInline let middle: UnsafeMutablePointer<Atomic<UInt>>
    @usableFromInline let own: UnsafeMutablePointer<UInt>
    @usableFromInline let slots: UnsafeMutableRawPointer
    @usableFromInline let slotStride: Int
    @usableFromInline let memory: SharedMemory

    init(_ storage: SnapshotStorage<Value>) {
        unsafe middle = storage.middle
        unsafe own = storage.reading
        unsafe slots = storage.slots
        slotStride = storage.slotStride
        memory = storage.memory
    }

    /// True if a value was written since the last `read()`.
    ///
    /// Real-time safe: yes.
    @inlinable public var hasNewValue: Bool {
        // Relaxed: only the answer is used; no memory is read on the strength of this load.
        unsafe middle.pointee.load(ordering: .relaxed) & freshBit != 0
    }

    /// Returns the value written last, or the previous value if nothing was written since.
    ///
    /// Wait-free; copies `Value` once, so keep the type small. Real-time safe: yes.
    @inlinable @inline(__always)
    public mutating func read() -> Value {
        // Only the reader clears the bit, so the bit is still set at the exchange.
        if hasNewValue {
            // Acquire: partner is the releasing exchange in `write`; the whole value is visible.
            // Release: partner is the acquiring exchange in `write`; our reads of the old slot are over.
            let previous = unsafe middle.pointee.exchange(own.pointee, ordering: .acquiringAndReleasing)
            unsafe own.pointee = previous & slotMask
        }
        let slot = unsafe Int(bitPattern: own.pointee)
        return unsafe (slots + slot &* slotStride).assumingMemoryBound(to: Value.self).pointee
    }
}
