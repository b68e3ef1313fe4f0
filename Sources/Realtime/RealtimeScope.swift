// Marks where real time begins and ends, for the real-time sanitizer. Costs two calls per block; without the
// sanitizer's runtime the calls do nothing.
internal import CRealtime

/// Tells the real-time sanitizer, when its runtime is linked, that this thread must not allocate, lock or block.
///
/// A violation between `enter()` and `leave()` ends the process with a report and exit code 43. Nesting is allowed;
/// every `enter()` needs its `leave()` on the same thread.
package enum RealtimeScope {
    /// True if the sanitizer's runtime is linked into this process: if not, nothing is checked.
    package static var isChecked: Bool { realtime_sanitizer_is_linked() }

    /// Begins real time.
    ///
    /// Real-time safe: yes.
    #if REALTIME_CHECKS
        @_noAllocation @_noLocks
    #endif
    package static func enter() { realtime_scope_enter() }

    /// Ends real time.
    ///
    /// Real-time safe: yes.
    #if REALTIME_CHECKS
        @_noAllocation @_noLocks
    #endif
    package static func leave() { realtime_scope_leave() }

    /// Runs `work` with both checks switched off: for a thread that runs render code under a virtual clock, is not in
    /// real time, and may therefore wait.
    ///
    /// Nothing checks the calling thread; on a render thread this call would hide the very fault that the checks look
    /// for.
    ///
    /// - Parameters:
    ///   - work: the work, which may wait.
    ///   - context: passed to `work`.
    ///
    /// Real-time safe: no.
    #if REALTIME_CHECKS
        @_noAllocation @_noLocks
    #endif
    static func stepOutside(
        _ work: @convention(c) (UnsafeMutableRawPointer?) -> Void, _ context: UnsafeMutableRawPointer
    ) {
        unsafe realtime_step_outside(work, context)
    }
}
