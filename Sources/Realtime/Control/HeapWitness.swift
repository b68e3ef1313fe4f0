// Detects heap use by a piece of work, in a program with the system's own allocator. Tests count instead, with a
// replaced malloc; the shipped program replaces nothing.
internal import CRealtime

/// Detects work that allocates or frees memory, even if only for a moment.
///
/// At a thread's first call of `malloc` or `free`, the C library gives the thread a cache of its own. The cache stays
/// until the thread ends. So the work runs on a thread that has called neither. Afterwards the thread allocates once;
/// if the heap grows by more than the allocation, this allocation was the thread's first call. Before each use, the
/// method is tested on work that uses the heap and on work that does not. If a test fails (a sanitizer's allocator,
/// another C library, other threads that allocate all the time), the answer is nil.
package enum HeapWitness {
    /// Returns true if `work` used the heap; nil if the method is unreliable here.
    ///
    /// - Parameter work: Runs once, on a thread of its own, before this function returns. Use everything the work needs
    ///   once before this call, because the language allocates when it sets up types.
    ///
    /// Real-time safe: no.
    package static func touchesHeap(_ work: () -> Void) -> Bool? {
        // In a program with other threads that allocate all the time the method fails, but seldom ten times in a row.
        for _ in 0..<10 where isReliable() { return observe(work) }
        return nil
    }

    private static func isReliable() -> Bool {
        let known = unsafe realtime_heap_growth_after(realtime_touch_heap, nil)
        return observe({}) == false && answer(growth: known) == true
    }

    /// Lower limit for the size of a thread's cache, in bytes. The cache takes at least 576 bytes in every version of
    /// the C library that has a cache.
    private static let smallestCache = 512
    /// Largest growth in bytes caused by the thread's allocation without a new cache.
    private static let largestBlock = 64

    private static func observe(_ work: () -> Void) -> Bool? {
        let growth = withoutActuallyEscaping(work) { work in
            var work = work
            return unsafe withUnsafeMutablePointer(to: &work) { work in
                unsafe realtime_heap_growth_after(
                    { context in
                        unsafe context?.assumingMemoryBound(to: (() -> Void).self).pointee()
                    }, work)
            }
        }
        return answer(growth: growth)
    }

    /// Returns the answer for a growth of the heap by this many bytes after a small allocation. Any size except the two
    /// expected sizes comes from another thread between the two readings: the answer is nil.
    package static func answer(growth: Int) -> Bool? {
        if (0...largestBlock).contains(growth) { return true }
        return growth >= smallestCache ? false : nil
    }
}
