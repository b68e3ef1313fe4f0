// Addresses of a worker's results, readable by any thread at any moment: one atomic address each.
internal import Glibc
import Synchronization

/// One atomic word per index: the address of the published entry, or 0. Trivial, so that the render thread touches no
/// class.
///
/// The table keeps nothing alive: an entry is valid only between its `ReadEpoch`'s `enter` and `leave`, and only if the
/// writer frees nothing except the objects returned by ``RetiredList``.
@safe
package struct PublishedTable: BitwiseCopyable, @unchecked Sendable {
    private let entries: UnsafeMutablePointer<Atomic<UInt>>
    /// Number of indices, from 0.
    package let count: Int

    /// Makes an empty table. The system zeroes the table page by page at first use, so that a long table costs nothing
    /// at first.
    init?(count: Int) {
        // An Atomic<UInt> is a word, and a zeroed word is Atomic(0).
        guard let memory = unsafe calloc(max(count, 1), MemoryLayout<Atomic<UInt>>.stride) else { return nil }
        unsafe entries = memory.bindMemory(to: Atomic<UInt>.self, capacity: max(count, 1))
        self.count = count
    }

    func deallocate() { unsafe free(entries) }

    /// Returns the entry at an index, or nil.
    ///
    /// Real-time safe: yes, wait-free.
    #if REALTIME_CHECKS
        @_noAllocation @_noLocks
    #endif
    package func address(at index: Int) -> UnsafeRawPointer? {
        precondition(index >= 0 && index < count, "there is no such entry")
        // Acquire: partner is the release in `publish`; a reader that finds the address also finds the entry's
        // contents.
        return unsafe UnsafeRawPointer(bitPattern: entries[index].load(ordering: .acquiring))
    }

    /// Returns true if an entry is published at an index, at this moment.
    ///
    /// Real-time safe: yes, wait-free.
    #if REALTIME_CHECKS
        @_noAllocation @_noLocks
    #endif
    package func isPublished(_ index: Int) -> Bool { unsafe address(at: index) != nil }

    /// Returns true if entries are published at every index of a range.
    package func arePublished(_ indices: Range<Int>) -> Bool { indices.allSatisfy(isPublished) }

    /// Publishes a complete entry to the readers.
    func publish(_ index: Int, _ address: UnsafeRawPointer) {
        precondition(index >= 0 && index < count, "there is no such entry")
        // Release: partner is the acquire in `address(at:)`.
        unsafe entries[index].store(UInt(bitPattern: address), ordering: .releasing)
    }

    /// Removes an entry; readers inside their epoch may still hold the entry.
    func unpublish(_ index: Int) {
        precondition(index >= 0 && index < count, "there is no such entry")
        unsafe entries[index].store(0, ordering: .releasing)
    }
}
