// Whether a piece of work touches the heap, in a program whose allocator is the system's own. Tests count instead, with a
// malloc that is replaced; what ships replaces nothing.
internal import CRealtime

/// Tells whether work asks the heap for memory or gives some back, be it only for a moment.
///
/// The C library gives a thread a cache of its own when the thread first calls `malloc` or `free`, and keeps it until the
/// thread ends. So the work runs on a thread that has called neither; afterwards the thread allocates once, and if the
/// heap grows by more than was asked for, that was the first call. The method is tried before each use, on work that is
/// known to touch the heap and on work that is known not to; where it errs (a sanitizer's allocator, another C library, other
/// threads that allocate all the time) the answer is nil.
package enum HeapWitness {
    /// Whether `work` touched the heap; nil when that cannot be told here.
    ///
    /// - Parameter work: Runs once, on a thread of its own, before this returns. What it uses for the first time must have
    ///   been used before: the language sets up types by allocating.
    ///
    /// Real-time safe: no.
    package static func touchesHeap(_ work: () -> Void) -> Bool? {
        // In a program whose other threads are never still the method fails, but seldom ten times in a row.
        for _ in 0..<10 where isReliable() { return observe(work) }
        return nil
    }

    private static func isReliable() -> Bool {
        let known = unsafe realtime_heap_growth_after(realtime_touch_heap, nil)
        return observe({}) == false && answer(growth: known) == true
    }

    /// The cache of a thread takes 576 bytes at least in every version of the C library that has one.
    private static let smallestCache = 512
    /// What the thread asks for takes no more without it.
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

    /// What it says that the heap has grown by so many bytes when the thread asked for a few; nil for anything but these two, which is
    /// another thread's doing in the moment between two looks.
    package static func answer(growth: Int) -> Bool? {
        if (0...largestBlock).contains(growth) { return true }
        return growth >= smallestCache ? false : nil
    }
}
