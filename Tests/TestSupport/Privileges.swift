// Rights needed by a test, and rights forbidden to a test: root may do anything, so a test run by root would show
// nothing.
internal import Glibc

/// The rights of a test's process.
public enum Privileges {
    /// Whether threads may be scheduled before all ordinary threads, tried for a moment on this thread.
    public static var allowRealTime: Bool {
        var parameters = sched_param(sched_priority: 80)
        guard unsafe sched_setscheduler(0, SCHED_FIFO, &parameters) == 0 else { return false }
        parameters.sched_priority = 0
        return unsafe sched_setscheduler(0, SCHED_OTHER, &parameters) == 0
    }

    /// Gives up root's rights for good, if any; for separate processes of a test.
    ///
    /// - Returns: Whether the process is an ordinary user's now.
    @discardableResult
    public static func giveUp() -> Bool {
        guard geteuid() == 0 else { return true }
        // "nobody", on every system with a name for this user.
        let nobody: UInt32 = 65_534
        return setgroups(0, nil) == 0 && setgid(nobody) == 0 && setuid(nobody) == 0
    }
}
