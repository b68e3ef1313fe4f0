// The calling thread's heap requests, for claims like "renders without allocating".
internal import CAllocationCounter

/// Heap allocations and frees of the calling thread.
public struct HeapTraffic: Sendable, Equatable {
    /// Blocks obtained or grown.
    public var allocations: UInt64
    /// Bytes asked for, whether freed since or not.
    public var bytes: UInt64
    /// Blocks freed.
    public var frees: UInt64

    /// Whether this build counts heap traffic: not under a sanitizer that owns the allocator.
    ///
    /// For `.enabled(if:)`: a test without a count must not pass.
    public static var isCounted: Bool { allocation_counter_is_active() }

    /// Bytes of the heap in use by the whole process, with the allocator's reserve for each thread.
    public static var bytesInUse: Int { Int(allocation_counter_bytes_in_use()) }

    /// No traffic at all.
    public static let none = HeapTraffic(allocations: 0, bytes: 0, frees: 0)

    /// The heap requests of `body` on this thread. Run `body` once before: a type's first use allocates the type's
    /// metadata.
    public static func measure(_ body: () throws -> Void) rethrows -> HeapTraffic {
        let allocations = allocation_counter_allocations()
        let bytes = allocation_counter_bytes()
        let frees = allocation_counter_frees()
        try body()
        return HeapTraffic(
            allocations: allocation_counter_allocations() - allocations, bytes: allocation_counter_bytes() - bytes,
            frees: allocation_counter_frees() - frees)
    }
}
