internal import Glibc
internal import RunLog

/// Locks of files, which keep other programs of ours out. A lock ends with its descriptor.
package enum FileLock {
    /// Tries to lock the file of a descriptor.
    ///
    /// Where the file system has no locks, as on some network disks, everything goes on without one, and the log of the run says so once: two
    /// programs may then disturb each other, but one can do its work.
    ///
    /// - Parameter waits: Whether to wait until no other program holds it.
    /// - Returns: False if another program holds it.
    package static func take(_ descriptor: Int32, waits: Bool = false) throws(FileFault) -> Bool {
        while flock(descriptor, waits ? LOCK_EX : LOCK_EX | LOCK_NB) != 0 {
            switch errno {
            case EINTR: continue
            case EWOULDBLOCK: return false
            case let code where unsupported.contains(code): return isTold
            default: throw FileFault(code: errno)
            }
        }
        return true
    }

    /// The errors of file systems that have no locks.
    private static let unsupported: Set = [ENOLCK, EOPNOTSUPP, ENOSYS, EINVAL]

    /// Tells it when it is first asked for.
    private static let isTold: Bool = {
        RunLog.note(
            .session, .warning,
            "the file system has no locks: other programs of ours at work at the same time are not noticed")
        return true
    }()
}
