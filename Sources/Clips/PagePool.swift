// The memory of a clip's loaded pages: a limited number of equal buffers. The page unwanted for the longest time is
// replaced first.
internal import Realtime

/// Buffers for pages, and the page in each buffer. Used by the decode thread only.
@safe
final class PagePool: @unchecked Sendable {
    /// The most pages loaded at once.
    let capacity: Int
    private let store: PublishedStore
    private let pageSamples: Int
    private var loaded: [Int: Loaded] = [:]
    private var free: [UnsafeMutablePointer<Float>] = unsafe []
    private var retired = RetiredList<Loaded>()
    private var allocated = 0

    @safe
    private struct Loaded {
        let samples: UnsafeMutablePointer<Float>
        var lastWanted: UInt64
    }

    init(_ geometry: PageGeometry, store: PublishedStore, memoryBudget: Int) {
        // At least sixteen: the current page, the next place, and a little ahead of both.
        capacity = max(16, memoryBudget / geometry.pageBytes)
        pageSamples = geometry.pageSamples
        self.store = store
    }

    deinit {
        for page in loaded.values { unsafe RealtimeMemory.deallocate(page.samples, capacity: pageSamples) }
        for page in retired.takeAll() { unsafe RealtimeMemory.deallocate(page.samples, capacity: pageSamples) }
        while let buffer = unsafe free.popLast() { unsafe RealtimeMemory.deallocate(buffer, capacity: pageSamples) }
    }

    /// Marks these pages as wanted now; the page unwanted for the longest time is replaced first.
    func touch(_ pages: [Int], at tick: UInt64) {
        for page in pages { loaded[page]?.lastWanted = tick }
    }

    /// Returns a buffer to fill, or nil if all are in use: by pages wanted at `tick`, or by a reader inside a block.
    func takeBuffer(at tick: UInt64) -> UnsafeMutablePointer<Float>? {
        if let buffer = unsafe free.popLast() { return unsafe buffer }
        if allocated < capacity {
            allocated += 1
            return unsafe RealtimeMemory.allocate(Float.self, capacity: pageSamples)
        }
        if let page = retired.takeFree() { return unsafe page.samples }
        // Removing more and more pages while a reader stays inside its block would empty the clip.
        guard retired.count < 4, let oldest = loaded.min(by: { $0.value.lastWanted < $1.value.lastWanted }),
            oldest.value.lastWanted < tick
        else { return nil }
        loaded[oldest.key] = nil
        retired.retire(oldest.key, oldest.value, from: store)
        return unsafe retired.takeFree()?.samples
    }

    /// Publishes a filled buffer as `page`.
    func publish(_ page: Int, _ samples: UnsafeMutablePointer<Float>, at tick: UInt64) {
        unsafe loaded[page] = Loaded(samples: samples, lastWanted: tick)
        unsafe store.publish(page, samples)
    }

    /// Takes back a buffer after a failed `fill`.
    func giveBack(_ samples: UnsafeMutablePointer<Float>) { unsafe free.append(samples) }
}
