// The memory of a clip's loaded pages: a bounded number of equal buffers, reused, oldest wish first.
internal import Realtime

/// Buffers for pages, and which page is in which. Used by the decode thread alone.
@safe
final class PagePool: @unchecked Sendable {
    /// How many pages may be loaded at once.
    let capacity: Int
    private let table: PageTable
    private let pageSamples: Int
    private var loaded: [Int: Loaded] = [:]
    private var free: [UnsafeMutablePointer<Float>] = unsafe []
    private var retired: [Retired] = []
    private var allocated = 0

    @safe
    private struct Loaded {
        let samples: UnsafeMutablePointer<Float>
        var lastWanted: UInt64
    }

    /// A buffer hidden from the readers, which a reader inside its block may still be reading.
    @safe
    private struct Retired {
        let samples: UnsafeMutablePointer<Float>
        let marks: [(ReadEpoch, ReadEpoch.Mark)]

        var hasPassed: Bool { marks.allSatisfy { $0.0.hasPassed($0.1) } }
    }

    init(_ geometry: PageGeometry, table: PageTable, memoryBudget: Int) {
        // Sixteen at least: what is played, what comes next, and a little ahead of both.
        capacity = max(16, memoryBudget / geometry.pageBytes)
        pageSamples = geometry.pageSamples
        self.table = table
    }

    deinit {
        for page in loaded.values { unsafe page.samples.deallocate() }
        for hidden in retired { unsafe hidden.samples.deallocate() }
        while let buffer = unsafe free.popLast() { unsafe buffer.deallocate() }
    }

    /// Notes that these pages are wanted now; the pages longest unwanted go first.
    func touch(_ pages: [Int], at tick: UInt64) {
        for page in pages { loaded[page]?.lastWanted = tick }
    }

    /// A buffer to fill, or nil when all are in use: by pages wanted at `tick`, or by a reader inside a block.
    func takeBuffer(at tick: UInt64, readers: [ReadEpoch]) -> UnsafeMutablePointer<Float>? {
        if let buffer = unsafe free.popLast() { return unsafe buffer }
        if allocated < capacity {
            allocated += 1
            return .allocate(capacity: pageSamples)
        }
        if let index = retired.firstIndex(where: \.hasPassed) {
            return unsafe retired.remove(at: index).samples
        }
        // Hiding more and more pages while a reader stays inside its block would empty the clip.
        guard retired.count < 4, let oldest = loaded.min(by: { $0.value.lastWanted < $1.value.lastWanted }),
            oldest.value.lastWanted < tick
        else { return nil }
        loaded[oldest.key] = nil
        table.unpublish(oldest.key)
        // After the unpublishing: a reader that enters later cannot find the page any more.
        let hidden = unsafe Retired(samples: oldest.value.samples, marks: readers.map { ($0, $0.mark()) })
        if hidden.hasPassed { return unsafe hidden.samples }
        retired.append(hidden)
        return nil
    }

    /// Shows a filled buffer as `page`.
    func publish(_ page: Int, _ samples: UnsafeMutablePointer<Float>, at tick: UInt64) {
        unsafe loaded[page] = Loaded(samples: samples, lastWanted: tick)
        unsafe table.publish(page, samples)
    }

    /// Takes back a buffer that could not be filled.
    func giveBack(_ samples: UnsafeMutablePointer<Float>) { unsafe free.append(samples) }
}
