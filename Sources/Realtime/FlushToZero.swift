// Flushes subnormal numbers to zero on the calling thread. A decaying tail of subnormals costs twenty times the running
// signal.
internal import CRealtime

/// Flush-to-zero on this thread, from `init()` to `restore()`.
///
/// Subnormal results become zero and subnormal operands count as zero (on x86-64 both MXCSR bits, on AArch64 FPCR.FZ).
/// The mode is a property of the thread: every thread that computes sound needs its own `FlushToZero`. Call both ends
/// on the same thread. A `RealtimeThread` sets the mode by itself.
package struct FlushToZero: ~Copyable, Sendable {
    private let previous: UInt64

    /// True if the processor is supported; otherwise, a `FlushToZero` changes nothing.
    package static var isSupported: Bool { realtime_flush_to_zero_is_supported() }

    /// Switches flush-to-zero on for this thread.
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
