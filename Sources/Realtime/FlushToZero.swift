// Flushes subnormal numbers to zero on the calling thread. A decaying tail of them costs twenty times the running signal.
internal import CRealtime

/// Flush-to-zero on this thread, from `init()` to `restore()`.
///
/// Subnormal results become zero and subnormal operands count as zero (on x86-64 both MXCSR bits, on AArch64 FPCR.FZ).
/// It is a property of the thread: every thread that computes sound needs its own, and both ends must be on the same
/// thread. A `RealtimeThread` does it by itself.
package struct FlushToZero: ~Copyable, Sendable {
    private let previous: UInt64

    /// Whether this is implemented for the processor; if not, a `FlushToZero` changes nothing.
    package static var isSupported: Bool { realtime_flush_to_zero_is_supported() }

    /// Switches it on for this thread.
    ///
    /// Real-time safe: yes.
    #if REALTIME_CHECKS
        @_noAllocation @_noLocks
    #endif
    package init() { previous = realtime_flush_to_zero_enable() }

    /// Restores the state that `init()` found on this thread.
    ///
    /// Real-time safe: yes.
    #if REALTIME_CHECKS
        @_noAllocation @_noLocks
    #endif
    package consuming func restore() { realtime_flush_to_zero_restore(previous) }
}
