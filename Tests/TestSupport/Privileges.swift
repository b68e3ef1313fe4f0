// Rights that a test must not have: to root nothing is forbidden, and a test that is run by root would show nothing.
internal import Glibc

/// What the process of a test may do.
public enum Privileges {
    /// Gives up root's rights for good, where there are any; for processes that a test has of its own.
    ///
    /// - Returns: Whether the process is an ordinary user's now.
    @discardableResult
    public static func giveUp() -> Bool {
        guard geteuid() == 0 else { return true }
        // "nobody", on every system that has a name for it.
        let nobody: UInt32 = 65_534
        return setgroups(0, nil) == 0 && setgid(nobody) == 0 && setuid(nobody) == 0
    }
}
