internal import Explanations
internal import Files
internal import Glibc

/// The private folder of the sockets: `$XDG_RUNTIME_DIR/woodshed`, or `/tmp/woodshed-UID` if this user has no runtime
/// folder.
///
/// Opened once and then used by its descriptor, so nobody can substitute another folder, or a link.
final class SocketFolder: Sendable {
    let path: String
    let descriptor: Int32

    /// The greatest time for another program's search of the folder, and the polling interval, in ms.
    private static let (patience, pause) = (2000, 10)

    /// Opens the folder; creates a missing folder.
    ///
    /// - Parameters:
    ///   - runtime: The value of XDG_RUNTIME_DIR.
    ///   - fallback: The folder for everybody's files.
    init(runtime: String?, fallback: String = "/tmp") throws(ControlError) {
        if let runtime, runtime.hasPrefix("/"), let parent = try Self.openOwn(runtime) {
            defer { close(parent) }
            path = runtime + "/woodshed"
            descriptor = try Self.openPrivate("woodshed", in: parent, path: path)
            return
        }
        let name = "woodshed-\(geteuid())"
        path = fallback + "/" + name
        let parent = unsafe open(fallback, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard parent >= 0 else { throw Self.failure(path, errno) }
        defer { close(parent) }
        descriptor = try Self.openPrivate(name, in: parent, path: path)
    }

    /// Opens the folder if it exists and belongs to this user; creates nothing.
    ///
    /// - Throws: `ControlError` of kind `folder` if the system has no open file left for the answer.
    init?(existing runtime: String?, fallback: String = "/tmp") throws(ControlError) {
        if let runtime, runtime.hasPrefix("/"), let parent = try Self.openOwn(runtime) {
            close(parent)
            path = runtime + "/woodshed"
        } else {
            path = fallback + "/woodshed-\(geteuid())"
        }
        guard let folder = try Self.openOwn(path, flags: O_NOFOLLOW) else { return nil }
        descriptor = folder
    }

    deinit { close(descriptor) }

    /// Returns the path of a name in the folder for the socket calls, which take no descriptor. The path is short, even
    /// if the folder's own path is long.
    func reference(_ name: String) -> String { "/proc/self/fd/\(descriptor)/\(name)" }

    /// Opens a folder that belongs to this user. After `sudo` the variable may still name another user's folder.
    private static func openOwn(_ path: String, flags: Int32 = 0) throws(ControlError) -> Int32? {
        let folder = unsafe open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC | flags)
        guard folder >= 0 else {
            if let limit = SystemLimit(errno: errno) { throw exhausted(path, limit) }
            return nil
        }
        var status = stat()
        guard unsafe fstat(folder, &status) == 0, status.st_uid == geteuid() else {
            close(folder)
            return nil
        }
        return folder
    }

    private static func openPrivate(_ name: String, in parent: Int32, path: String) throws(ControlError) -> Int32 {
        guard unsafe mkdirat(parent, name, 0o700) == 0 || errno == EEXIST else {
            throw failure(path, errno)
        }
        let folder = unsafe openat(parent, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)
        guard folder >= 0 else {
            let code = errno
            let isLink = code == ELOOP || code == ENOTDIR
            throw isLink ? refused(path, "it is a link, or not a folder") : failure(path, code)
        }
        var status = stat()
        let isOwn = unsafe fstat(folder, &status) == 0 && status.st_uid == geteuid()
        guard isOwn, status.st_mode & 0o077 == 0 || fchmod(folder, 0o700) == 0 else {
            close(folder)
            throw refused(path, "it belongs to another user")
        }
        return folder
    }

    private static func failure(_ path: String, _ code: Int32) -> ControlError {
        SystemLimit(errno: code).map { exhausted(path, $0) } ?? refused(path, systemText(code))
    }

    private static func exhausted(_ path: String, _ limit: SystemLimit) -> ControlError {
        ControlError(.folder, limit, at: "\(path): ")
    }

    private static func refused(_ path: String, _ reason: String) -> ControlError {
        ControlError(
            .folder, "\(path): no folder for the control socket: \(reason)",
            remedy:
                "Remove \(path), set XDG_RUNTIME_DIR to a private folder of yours, or leave the socket out: --control none."
        )
    }

    // MARK: What is in it

    /// Runs `body` while no other program searches the folder or creates a socket in it.
    ///
    /// So a socket that refuses connections is stale: no other program is between creating its socket and listening.
    func exclusively<Result>(_ body: (_ isAlone: Bool) throws(ControlError) -> Result) throws(ControlError) -> Result {
        var waited = 0
        var isAlone = flock(descriptor, LOCK_EX | LOCK_NB) == 0
        while !isAlone, waited < Self.patience {
            usleep(UInt32(Self.pause) * 1000)
            waited += Self.pause
            isAlone = flock(descriptor, LOCK_EX | LOCK_NB) == 0
        }
        defer { if isAlone { _ = flock(descriptor, LOCK_UN) } }
        return try body(isAlone)
    }

    /// Returns the names of the sockets in the folder.
    func sockets() throws(ControlError) -> [String] {
        do throws(FileFault) {
            let names = try Folder.names(in: "/proc/self/fd/\(descriptor)")
            return names.filter { $0.hasPrefix("control-") && $0.hasSuffix(".sock") && isSocket($0) }
        } catch { throw unsearchable(error.code) }
    }

    /// True if a socket has no listener.
    func isDeserted(_ name: String) throws(ControlError) -> Bool {
        guard let isDeserted = SocketCalls.isDeserted(reference(name)) else { throw unsearchable(errno) }
        return isDeserted
    }

    private func unsearchable(_ code: Int32) -> ControlError {
        if let limit = SystemLimit(errno: code) { return Self.exhausted(path, limit) }
        return ControlError(
            .folder, "\(path): cannot be searched for runs (\(systemText(code)))", remedy: "Try again.")
    }

    private func isSocket(_ name: String) -> Bool { status(name).map { $0.st_mode & S_IFMT == S_IFSOCK } ?? false }

    /// Returns the status of a name, without following links.
    func status(_ name: String) -> stat? {
        var status = stat()
        return unsafe fstatat(descriptor, name, &status, AT_SYMLINK_NOFOLLOW) == 0 ? status : nil
    }

    func remove(_ name: String) { _ = unsafe unlinkat(descriptor, name, 0) }

    /// Removes sockets without a listener. Call within `exclusively`. A socket that may have a listener stays.
    func removeStale() {
        for name in (try? sockets()) ?? [] where (try? isDeserted(name)) == true { remove(name) }
    }
}
