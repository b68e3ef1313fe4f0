internal import Glibc

/// Checks from time to time how long the free disk space will last.
struct DiskWatch {
    /// Limit for a warning, in seconds of recording time.
    static let warningSeconds = 60.0

    private let path: String
    private let bytesPerSecond: Double
    private var nextLook: Int64 = 0
    private var hasWarned = false

    /// Interval between checks, in ns.
    private static let interval: Int64 = 500_000_000

    init(path: String, bytesPerSecond: Int) {
        self.path = path
        self.bytesPerSecond = Double(bytesPerSecond)
    }

    /// Returns the seconds of recording time on the free disk space, if a check is due; nil in between, and if the
    /// system does not tell.
    mutating func look(now: Int64) -> Double? {
        guard now >= nextLook else { return nil }
        nextLook = now + Self.interval
        var status = statvfs()
        guard unsafe statvfs(path, &status) == 0 else { return nil }
        return Double(status.f_bavail) * Double(status.f_frsize) / bytesPerSecond
    }

    /// Returns true if a warning is due: once each time the room falls below the limit, and again only after the room
    /// was twice the limit.
    mutating func isLow(_ secondsLeft: Double) -> Bool {
        if secondsLeft > 2 * Self.warningSeconds { hasWarned = false }
        guard secondsLeft < Self.warningSeconds, !hasWarned else { return false }
        hasWarned = true
        return true
    }
}
