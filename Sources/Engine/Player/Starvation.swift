/// Counts frames that were silent because of late decoding. Trivial.
struct Starvation: BitwiseCopyable {
    /// Number of frames since the start.
    private(set) var total: Int64 = 0
    private var runStart: Int64 = 0
    private var runFrames: Int64 = 0

    /// Records missing frames from output frame `now` on.
    mutating func note(_ missing: Int, at now: Int64) {
        if runFrames == 0 { runStart = now }
        runFrames += Int64(missing)
        total += Int64(missing)
    }

    /// Returns and clears a run of missing frames that ended before output frame `now`.
    ///
    /// - Parameter always: true includes a run without an end.
    mutating func takeRun(before now: Int64, always: Bool) -> (start: Int64, frames: Int64)? {
        guard runFrames > 0, always || now > runStart + runFrames else { return nil }
        defer { runFrames = 0 }
        return (runStart, runFrames)
    }
}
