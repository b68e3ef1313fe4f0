internal import Glibc

/// One piece of memory for all levels of a waveform that is read from a file.
@safe
final class LevelMemory: @unchecked Sendable {
    /// Written once, before any list lies in it.
    let bytes: UnsafeMutableRawBufferPointer
    let byteCount: Int

    /// What a page of memory takes where the system has large ones; it hands out one of them as fast as some three small ones.
    private static let largePageBytes = 2 << 20

    init(byteCount: Int) {
        self.byteCount = byteCount
        let isLarge = byteCount >= Self.largePageBytes
        unsafe bytes = .allocate(byteCount: byteCount, alignment: isLarge ? Self.largePageBytes : 16)
        // Where the system will not, pages are small.
        if isLarge { _ = unsafe madvise(bytes.baseAddress, byteCount, MADV_HUGEPAGE) }
    }

    deinit { unsafe bytes.deallocate() }
}
