internal import Glibc

/// One piece of memory for all levels of a waveform read from a file.
@safe
final class LevelMemory: @unchecked Sendable {
    /// Written once, before any list uses it.
    let bytes: UnsafeMutableRawBufferPointer
    let byteCount: Int

    /// The size of a large page of memory; the system provides a large page as fast as some three small pages.
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
