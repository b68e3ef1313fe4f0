internal import Glibc
internal import RunLog

/// Locks of files, which keep other programs of ours out. A lock ends with its descriptor.
package enum FileLock {
    /// The result of asking for a lock.
    package enum Outcome: Sendable {
        case taken
        /// Another program holds it.
        case held
        /// The file system has no locks.
        case unsupported
    }

    /// Tries to lock the file of a descriptor.
    ///
    /// Where the file system has no locks, as on some network disks, everything goes on without one, and the log of the run says so once: two
    /// programs may then disturb each other, but one can do its work.
    ///
    /// - Parameter waits: Whether to wait until no other program holds it.
    package static func take(_ descriptor: Int32, waits: Bool = false) throws(FileFault) -> Outcome {
        while flock(descriptor, waits ? LOCK_EX : LOCK_EX | LOCK_NB) != 0 {
            switch errno {
            case EINTR: continue
            case EWOULDBLOCK: return .held
            case let code where unsupported.contains(code): return withoutLocks
            default: throw FileFault(code: errno)
            }
        }
        return .taken
    }

    /// Whether a process is a running program of ours, by its name. Where there are no locks, the noted number of a file's holder tells whether
    /// the file is in use.
    package static func isRunning(_ process: Int32) -> Bool {
        guard process > 0, let name = programName("\(process)") else { return false }
        return name == programName("self") || name == Array("woodshed\n".utf8)
    }

    private static func programName(_ process: String) -> [UInt8]? {
        do throws(FileFault) {
            let file = try unsafe RegularFile("/proc/\(process)/comm")
            return try FileBytes.bytes(of: file.descriptor, count: 64)
        } catch { return nil }
    }

    /// The errors of file systems that have no locks.
    private static let unsupported: Set = [ENOLCK, EOPNOTSUPP, ENOSYS, EINVAL]

    /// Tells it when it is first asked for.
    private static let withoutLocks: Outcome = {
        RunLog.note(
            .session, .warning,
            "the file system has no locks: other programs of ours at work at the same time are not noticed")
        return .unsupported
    }()
}
