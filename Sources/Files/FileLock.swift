internal import CLinux
internal import Explanations
internal import Glibc
internal import RunLog

/// File locks, which exclude other programs of ours. A lock ends with its descriptor.
package enum FileLock {
    /// The result of a lock request.
    package enum Outcome: Sendable {
        case taken
        /// Another program holds the lock.
        case held
        /// The file system has no locks.
        case unsupported
    }

    /// Tries to lock the file of a descriptor.
    ///
    /// If the file system has no locks, as on some network disks, the work continues without a lock, and the log says
    /// so once per run. Two programs may then disturb each other, but a single program can work.
    ///
    /// - Parameters:
    ///   - isShared: True if several programs may hold the lock at once; each must request a shared lock.
    ///   - waits: True to wait until no other program holds the lock.
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

    /// Requests the lock of a folder, and runs `body` with the result. A taken lock is held during `body`.
    ///
    /// On a network disk, the lock of a folder tells nothing of other computers. Such a disk therefore counts as a disk
    /// without locks. If the system has no open file left for the request, another program may hold the lock.
    package static func asking<Value, Failure: Error>(
        forFolder path: String, _ body: (Outcome) throws(Failure) -> Value
    ) throws(Failure) -> Value {
        let descriptor = unsafe open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard descriptor >= 0 else { return try body(SystemLimit(errno: errno) == nil ? .unsupported : .held) }
        defer { release(descriptor) }
        let isOnNetwork = unsafe networkSystems.contains(linux_file_system(descriptor, ""))
        return try body(isOnNetwork ? .unsupported : (try? take(descriptor)) ?? .unsupported)
    }

    /// Releases a lock, and closes its descriptor. -1 stands for no lock.
    package static func release(_ descriptor: Int32) {
        guard descriptor >= 0 else { return }
        unlock(descriptor)
        close(descriptor)
    }

    /// Releases the lock of a descriptor. Closing the descriptor is not enough: a program being started by another
    /// thread shares the descriptor until it runs.
    package static func unlock(_ descriptor: Int32) { flock(descriptor, LOCK_UN) }

    /// Magic numbers of NFS, SMB in three forms, FUSE, 9P, AFS and Ceph (linux/magic.h).
    private static let networkSystems: Set<UInt32> = [
        0x6969, 0x517B, 0xFF53_4D42, 0xFE53_4D42, 0x6573_5546, 0x0102_1997, 0x5346_414F, 0x00C3_6400,
    ]

    /// Errors of file systems without locks.
    private static let unsupported: Set = [ENOLCK, EOPNOTSUPP, ENOSYS, EINVAL]

    /// Result without locks. The first use writes a warning to the log.
    private static let withoutLocks: Outcome = {
        RunLog.note(
            .session, .warning,
            "the file system has no locks: other programs of ours at work at the same time are not noticed")
        return .unsupported
    }()
}
