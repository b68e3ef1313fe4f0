// Detects whether a piece of work uses the heap, in a program with the system's own allocator. Tests count instead, with a
// replaced malloc; the shipped program replaces nothing.
internal import CRealtime

/// Tells whether work allocates or frees memory, even if only for a moment.
///
/// The C library gives a thread a cache of its own when the thread first calls `malloc` or `free`, and keeps it until the
/// thread ends. So the work runs on a thread that has called neither. Afterwards the thread allocates once; if the
/// heap grows by more than the allocation, that was the first call. The method is tested before each use, on work that
/// uses the heap and on work that does not. If it is wrong there (a sanitizer's allocator, another C library, other
/// threads that allocate all the time), the answer is nil.
package enum HeapWitness {
    /// Whether `work` used the heap; nil if this cannot be determined here.
    ///
    /// - Parameter work: Runs once, on a thread of its own, before this returns. Everything it uses must have
    ///   been used before, because the language allocates when it sets up types.
    ///
    /// Real-time safe: no.
    package static func touchesHeap(_ work: () -> Void) -> Bool? {
        // In a program whose other threads allocate all the time the method fails, but seldom ten times in a row.
        for _ in 0..<10 where isReliable() { return observe(work) }
        return nil
    }

    private static func isReliable() -> Bool {
        let known = unsafe realtime_heap_growth_after(realtime_touch_heap, nil)
        return observe({}) == false && answer(growth: known) == true
    }

    /// The cache of a thread takes 576 bytes at least in every version of the C library that has one.
    private static let smallestCache = 512
    /// Without a cache, the thread's allocation takes no more than this.
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

    /// The answer for a growth of the heap by this many bytes after a small allocation; nil for any size except the two expected ones, which
    /// another thread causes between the two readings.
    package static func answer(growth: Int) -> Bool? {
        if (0...largestBlock).contains(growth) { return true }
        return growth >= smallestCache ? false : nil
    }
}
