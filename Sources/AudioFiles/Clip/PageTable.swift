// Where each page of a clip is, readable by any thread at any moment.
internal import Glibc
import Synchronization

/// One atomic word per page: the address of its samples, or 0. Trivial, so that the render thread touches no class.
@safe
struct PageTable: BitwiseCopyable, @unchecked Sendable {
    let entries: UnsafeMutablePointer<Atomic<UInt>>
    let shift: Int64
    let frameCount: Int64
    let channelCount: Int

    /// Allocates the table: zeroed by the system page by page as it is used, so that a long clip costs nothing at first.
    init?(_ geometry: PageGeometry) {
        let count = max(geometry.pageCount, 1)
        // An Atomic<UInt> is a word, and a zeroed word is Atomic(0).
        guard let memory = unsafe calloc(count, MemoryLayout<Atomic<UInt>>.stride) else { return nil }
        unsafe entries = memory.bindMemory(to: Atomic<UInt>.self, capacity: count)
        shift = Int64(geometry.shift)
        frameCount = geometry.frameCount
        channelCount = geometry.channelCount
    }

    func deallocate() { unsafe free(entries) }

    func isLoaded(_ page: Int) -> Bool { unsafe entries[page].load(ordering: .acquiring) != 0 }

    func areLoaded(_ pages: Range<Int>) -> Bool { pages.allSatisfy(isLoaded) }

    /// Shows a filled page to the readers.
    func publish(_ page: Int, _ samples: UnsafeMutablePointer<Float>) {
        // Release: partner is the acquire in `samples(of:)`; a reader that finds the page finds its samples.
        unsafe entries[page].store(UInt(bitPattern: samples), ordering: .releasing)
    }

    /// Hides a page; readers inside a block may still hold it.
    func unpublish(_ page: Int) { unsafe entries[page].store(0, ordering: .releasing) }

    /// The samples of a page, or nil while it is not loaded.
    #if REALTIME_CHECKS
        @_noAllocation @_noLocks
    #endif
    func samples(of page: Int) -> UnsafePointer<Float>? {
        unsafe UnsafePointer(bitPattern: entries[page].load(ordering: .acquiring))
    }
}
