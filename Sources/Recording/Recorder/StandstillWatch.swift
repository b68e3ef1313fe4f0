/// Detects a standstill of work: no progress for longer than permitted. Slow work may continue for any time.
package struct StandstillWatch {
    private let patience: Int64
    private var workCount: Int64
    private var deadline: Int64
    private var lastLook: Int64

    /// Longest time between two looks, in ns. After a longer time, this program was stopped itself, and its writer too.
    private static let longestPause: Int64 = 2_000_000_000

    /// - Parameters:
    ///   - patience: Longest permitted standstill, in nanoseconds.
    ///   - workCount: A number that changes with every progress.
    ///   - now: The monotonic time, in nanoseconds.
    package init(patience: Int64, workCount: Int64, now: Int64) {
        self.patience = patience
        self.workCount = workCount
        deadline = now + patience
        lastLook = now
    }

    /// Returns true if the work stands still. Parameters as for the initialiser.
    package mutating func isOver(workCount: Int64, now: Int64) -> Bool {
        if workCount != self.workCount || now - lastLook > Self.longestPause {
            (self.workCount, deadline) = (workCount, now + patience)
        }
        lastLook = now
        return now >= deadline
    }
}
