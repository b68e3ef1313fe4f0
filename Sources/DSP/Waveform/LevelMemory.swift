internal import Glibc

/// One piece of memory for all levels of a waveform that is read from a file.
@safe
final class LevelMemory: @unchecked Sendable {
    /// Written once, before any list uses it.
    let bytes: UnsafeMutableRawBufferPointer
    let byteCount: Int

    /// The size of a large page of memory; the system provides one as fast as some three small ones.
    private static let largePageBytes = 2 << 20

    init(byteCount: Int) {
        self.byteCount = byteCount
        let isLarge = byteCount >= Self.largePageBytes
        unsafe bytes = .allocate(byteCount: byteCount, alignment: isLarge ? Self.largePageBytes : 16)
        // If the system refuses, pages are small.
        if isLarge { _ = unsafe madvise(bytes.baseAddress, byteCount, MADV_HUGEPAGE) }
    }

    deinit { unsafe bytes.deallocate() }
}
