internal import Glibc
internal import Synchronization

/// Allocates memory for real-time threads, and locks the memory while such a thread runs in a host's process.
///
/// Blocks of a page and more lie in pages of their own. So locking and unlocking never changes the memory of the host,
/// whose blocks lie beside ours on the heap. Smaller blocks come from the heap and are never locked.
///
/// Real-time safe: no.
package enum RealtimeMemory {
    private struct State {
        /// Lengths in bytes of all blocks with pages of their own, by address.
        var lengths: [UInt: Int] = [:]
        /// Number of threads that need locked blocks.
        var holders = 0
        /// The system's error number if a block could not be locked for the holders.
        var failure: Int32 = 0
    }

    private static let state = Mutex(State())
    private static let pageBytes = Int(sysconf(Int32(_SC_PAGESIZE)))
    /// Offset of the next block within its first page. Blocks that all began at the start of a page would compete for
    /// the same lines of the processor's cache. So each block begins some lines further than the block before.
    private static let nextOffset = Atomic<Int>(0)
    private static let offsetStep = 5 * lineBytes
    /// `MADV_DONTNEED_LOCKED`, since Linux 5.18; `MADV_DONTNEED` refuses locked memory.
    private static let dropLocked: Int32 = 24

    /// Allocates at least `byteCount` bytes; not initialised.
    ///
    /// - Parameter alignment: A power of two.
    package static func allocate(byteCount: Int, alignment: Int) -> UnsafeMutableRawPointer {
        guard byteCount >= pageBytes else { return .allocate(byteCount: byteCount, alignment: alignment) }
        let step = nextOffset.wrappingAdd(offsetStep, ordering: .relaxed).oldValue
        let offset = alignment > lineBytes ? 0 : Int(UInt(bitPattern: step) % UInt(pageBytes))
        precondition(alignment <= pageBytes && byteCount <= Int.max - 2 * pageBytes, "no such memory can be addressed")
        let length = (offset + byteCount + pageBytes - 1) / pageBytes * pageBytes
        // Makes all pages resident at once, in one call instead of a page fault for each page.
        let flags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_POPULATE
        guard let start = unsafe mmap(nil, length, PROT_READ | PROT_WRITE, flags, -1, 0), unsafe start != MAP_FAILED
        else {
            preconditionFailure("the system has no memory for a block of \(byteCount) bytes")
        }
        state.withLock { state in
            state.lengths[UInt(bitPattern: start)] = length
            if state.holders > 0, unsafe mlock(start, length) != 0 { state.failure = errno }
        }
        return unsafe start + offset
    }

    /// Frees a block of ``allocate(byteCount:alignment:)``, given the same count.
    package static func deallocate(_ block: UnsafeMutableRawPointer, byteCount: Int) {
        guard byteCount >= pageBytes else { return unsafe block.deallocate() }
        let start = unsafe block - Int(UInt(bitPattern: block) % UInt(pageBytes))
        let length = state.withLock { $0.lengths.removeValue(forKey: UInt(bitPattern: start)) }
        guard let length else { preconditionFailure("a block was freed twice, or with another length") }
        guard unsafe munmap(start, length) != 0 else { return }
        // At the limit on mappings, a process cannot split a mapping. Then the addresses stay taken, and the memory
        // goes back to the system.
        if unsafe madvise(start, length, dropLocked) != 0 { _ = unsafe madvise(start, length, MADV_DONTNEED) }
    }

    /// Locks all blocks, present and future, until ``unlock()``. Calls count.
    ///
    /// - Returns: 0, or the system's error number if a block could not be locked.
    static func lock() -> Int32 {
        state.withLock { state in
            state.holders += 1
            guard state.holders == 1 else { return state.failure }
            state.failure = 0
            for (start, length) in state.lengths {
                if unsafe mlock(UnsafeRawPointer(bitPattern: start), length) != 0 { state.failure = errno }
            }
            return state.failure
        }
    }

    /// Undoes ``lock()``.
    ///
    /// - Parameter keepsLocks: true if the program itself has locked all of its memory.
    static func unlock(keepsLocks: Bool) {
        state.withLock { state in
            state.holders -= 1
            guard state.holders == 0, !keepsLocks else { return }
            for (start, length) in state.lengths { _ = unsafe munlock(UnsafeRawPointer(bitPattern: start), length) }
        }
    }
}

extension RealtimeMemory {
    /// Allocates memory for values; not initialised.
    package static func allocate<Value: ~Copyable>(_ type: Value.Type, capacity: Int) -> UnsafeMutablePointer<Value> {
        unsafe allocate(byteCount: capacity * MemoryLayout<Value>.stride, alignment: MemoryLayout<Value>.alignment)
            .bindMemory(to: Value.self, capacity: capacity)
    }

    /// Frees memory of ``allocate(_:capacity:)``, given the same capacity, after its values were deinitialised.
    package static func deallocate<Value: ~Copyable>(_ values: UnsafeMutablePointer<Value>, capacity: Int) {
        unsafe deallocate(UnsafeMutableRawPointer(values), byteCount: capacity * MemoryLayout<Value>.stride)
    }
}
