/// Counts frames that were silent because they were not decoded in time. Trivial.
struct Starvation: BitwiseCopyable {
    /// Since the start.
    private(set) var total: Int64 = 0
    private var runStart: Int64 = 0
    private var runFrames: Int64 = 0

    /// Records that frames were missing from output frame `now` on.
    mutating func note(_ missing: Int, at now: Int64) {
        if runFrames == 0 { runStart = now }
        runFrames += Int64(missing)
        total += Int64(missing)
    }

    /// Returns and clears a run of missing frames that has ended by output frame `now`.
    ///
    /// - Parameter always: also if the run has not ended.
    mutating func takeRun(before now: Int64, always: Bool) -> (start: Int64, frames: Int64)? {
        guard runFrames > 0, always || now > runStart + runFrames else { return nil }
        defer { runFrames = 0 }
        return (runStart, runFrames)
    }
}
