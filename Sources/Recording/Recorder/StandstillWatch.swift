/// Tells when work stands still: nothing was done for longer than that may take. Slow work is waited for, however long it lasts.
package struct StandstillWatch {
    private let patience: Int64
    private var workCount: Int64
    private var deadline: Int64
    private var lastLook: Int64

    /// If nobody looked for longer, this program was stopped itself, and its writer with it.
    private static let longestPause: Int64 = 2_000_000_000

    /// - Parameters:
    ///   - patience: How long the work may stand still, in nanoseconds.
    ///   - workCount: A number that changes whenever something is done.
    ///   - now: The monotonic time, in nanoseconds.
    package init(patience: Int64, workCount: Int64, now: Int64) {
        self.patience = patience
        self.workCount = workCount
        deadline = now + patience
        lastLook = now
    }

    /// Whether the work stands still. Parameters as for the initialiser.
    package mutating func isOver(workCount: Int64, now: Int64) -> Bool {
        if workCount != self.workCount || now - lastLook > Self.longestPause {
            (self.workCount, deadline) = (workCount, now + patience)
        }
        lastLook = now
        return now >= deadline
    }
}
