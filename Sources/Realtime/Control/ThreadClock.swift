internal import CRealtime

/// The calling thread's processor time.
package enum ThreadClock {
    /// Nanoseconds of processor time used by this thread since its beginning, without the time of other threads.
    ///
    /// Real-time safe: yes, but a system call of about 0.3 µs.
    #if REALTIME_CHECKS
        @_noAllocation @_noLocks
    #endif
    package static func nanoseconds() -> Int64 { realtime_thread_nanoseconds() }

    /// Time in nanoseconds that reading the clock twice adds to a measurement: the shortest of a thousand empty
    /// measurements.
    ///
    /// Real-time safe: no, because the call takes time.
    package static func overhead() -> Int64 {
        (0..<1000).reduce(Int64.max) { shortest, _ in
            let begin = nanoseconds()
            return min(shortest, nanoseconds() - begin)
        }
    }
}
