// Realtime: exchange between a thread that may never wait and a thread that may.
//
// A bounded ring, a snapshot (the latest value wins), an epoch that tells when a reader can no longer see an object,
// tables published by a worker to readers, and a thread with real-time scheduling. Every exchange has exactly two
// parties; the halves are noncopyable, so the compiler checks "one producer, one consumer".
//
// This module does NOT know audio, log or retry. No call marked real-time safe allocates, locks, counts references or
// enters the kernel.

// Lets a program that catches an error of this module name the error's type.
@_exported public import Explanations

/// Distance in bytes between memory areas written by two threads.
///
/// Twice the usual cache line: Intel's adjacent-line prefetcher and Apple's and some Arm cores move 128 bytes at once.
@usableFromInline let lineBytes = 128

/// Memory shared by two halves, freed when the last half is released. Zeroed, so that every page is resident from the
/// start and the render thread takes no page fault at its first access.
///
/// The halves use raw pointers into the memory on their hot paths. This reference only keeps the memory alive: the
/// render thread never touches the reference, so no reference counting happens there.
@safe
@usableFromInline final class SharedMemory: @unchecked Sendable {
    @usableFromInline let base: UnsafeMutableRawPointer
    private let byteCount: Int

    /// Allocates at least `byteCount` bytes on a boundary of `alignment` or of a line, whichever is larger.
    @usableFromInline init(byteCount: Int, alignment: Int = 1) {
        let bytes = roundUpToLine(byteCount)
        self.byteCount = bytes
        unsafe base = RealtimeMemory.allocate(byteCount: bytes, alignment: max(alignment, lineBytes))
        unsafe base.initializeMemory(as: UInt8.self, repeating: 0, count: bytes)
    }

    deinit { unsafe RealtimeMemory.deallocate(base, byteCount: byteCount) }
}

/// Returns `byteCount` rounded up to a whole number of lines, so that no other data shares the last line.
@usableFromInline func roundUpToLine(_ byteCount: Int) -> Int {
    precondition(byteCount >= 0 && byteCount <= Int.max - lineBytes, "the memory asked for cannot be addressed")
    return (byteCount + lineBytes - 1) / lineBytes * lineBytes
}
