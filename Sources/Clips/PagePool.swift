// The memory of a clip's loaded pages: a bounded number of equal buffers, reused, oldest wish first.
internal import Realtime

/// Buffers for pages, and which page is in which. Used by the decode thread alone.
@safe
final class PagePool: @unchecked Sendable {
    /// How many pages may be loaded at once.
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
        // Sixteen at least: what is played, what comes next, and a little ahead of both.
        capacity = max(16, memoryBudget / geometry.pageBytes)
        pageSamples = geometry.pageSamples
        self.store = store
    }

    deinit {
        for page in loaded.values { unsafe page.samples.deallocate() }
        for page in retired.takeAll() { unsafe page.samples.deallocate() }
        while let buffer = unsafe free.popLast() { unsafe buffer.deallocate() }
    }

    /// Notes that these pages are wanted now; the pages longest unwanted go first.
    func touch(_ pages: [Int], at tick: UInt64) {
        for page in pages { loaded[page]?.lastWanted = tick }
    }

    /// A buffer to fill, or nil when all are in use: by pages wanted at `tick`, or by a reader inside a block.
    func takeBuffer(at tick: UInt64) -> UnsafeMutablePointer<Float>? {
        if let buffer = unsafe free.popLast() { return unsafe buffer }
        if allocated < capacity {
            allocated += 1
            return .allocate(capacity: pageSamples)
        }
        if let page = retired.takeFree() { return unsafe page.samples }
        // Hiding more and more pages while a reader stays inside its block would empty the clip.
        guard retired.count < 4, let oldest = loaded.min(by: { $0.value.lastWanted < $1.value.lastWanted }),
            oldest.value.lastWanted < tick
        else { return nil }
        loaded[oldest.key] = nil
        retired.retire(oldest.key, oldest.value, from: store)
        return unsafe retired.takeFree()?.samples
    }

    /// Shows a filled buffer as `page`.
    func publish(_ page: Int, _ samples: UnsafeMutablePointer<Float>, at tick: UInt64) {
        unsafe loaded[page] = Loaded(samples: samples, lastWanted: tick)
        unsafe store.publish(page, samples)
    }

    /// Takes back a buffer that could not be filled.
    func giveBack(_ samples: UnsafeMutablePointer<Float>) { unsafe free.append(samples) }
}
