internal import CLinux
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
    /// - Parameters:
    ///   - isShared: Whether several programs can hold the lock at once, each of which asks for it in this way.
    ///   - waits: Whether to wait until no other program holds it.
    package static func take(
        _ descriptor: Int32, isShared: Bool = false, waits: Bool = false
    ) throws(FileFault) -> Outcome {
        while flock(descriptor, (isShared ? LOCK_SH : LOCK_EX) | (waits ? 0 : LOCK_NB)) != 0 {
            switch errno {
            case EINTR: continue
            case EWOULDBLOCK: return .held
            case let code where unsupported.contains(code): return withoutLocks
            default: throw FileFault(code: errno)
            }
        }
        return .taken
    }

    /// Asks for the lock of a folder, and carries out `body` with the result. A lock that was taken is held meanwhile.
    ///
    /// On a network disk the lock of a folder tells nothing of other computers, so such a disk counts as one without locks.
    package static func asking<Value, Failure: Error>(
        forFolder path: String, _ body: (Outcome) throws(Failure) -> Value
    ) throws(Failure) -> Value {
        let descriptor = unsafe open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard descriptor >= 0 else { return try body(.unsupported) }
        defer { release(descriptor) }
        let isOnNetwork = unsafe networkSystems.contains(linux_file_system(descriptor, ""))
        return try body(isOnNetwork ? .unsupported : (try? take(descriptor)) ?? .unsupported)
    }

    /// Gives a lock back, and closes its descriptor. -1 stands for none.
    package static func release(_ descriptor: Int32) {
        guard descriptor >= 0 else { return }
        // A program that another thread starts at this moment has the descriptor, too, until it runs.
        flock(descriptor, LOCK_UN)
        close(descriptor)
    }

    /// NFS, SMB in three forms, FUSE, 9P, AFS and Ceph (linux/magic.h).
    private static let networkSystems: Set<UInt32> = [
        0x6969, 0x517B, 0xFF53_4D42, 0xFE53_4D42, 0x6573_5546, 0x0102_1997, 0x5346_414F, 0x00C3_6400,
    ]

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
