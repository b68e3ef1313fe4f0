internal import Explanations
internal import Files
internal import Glibc
internal import JSON

/// A run with a control socket.
package struct ControlledRun: Equatable, Sendable {
    /// The process ID.
    package let pid: Int
    /// The socket's path.
    package let path: String

    /// Returns the runs of this user, the oldest process first. Creates nothing.
    ///
    /// - Parameter runtime: The value of XDG_RUNTIME_DIR.
    /// - Throws: `ControlError` of kind `folder` if the system has no open file left for the answer, or if the folder
    ///   cannot be read.
    package static func all(runtime: String?) throws(ControlError) -> [ControlledRun] {
        guard let folder = try SocketFolder(existing: runtime) else { return [] }
        var found: [(run: ControlledRun, age: Int)] = []
        for name in try folder.sockets() {
            guard
                let pid = Int(digits: name.dropFirst("control-".count).prefix { $0.isNumber }, in: 1...Int(Int32.max)),
                try !folder.isDeserted(name), let status = folder.status(name)
            else { continue }
            found.append((ControlledRun(pid: pid, path: folder.path + "/" + name), Int(status.st_mtim.tv_sec)))
        }
        return found.sorted { ($0.age, $0.run.pid) < ($1.age, $1.run.pid) }.map(\.run)
    }
}

/// A connection to a run: sends and receives lines. One thread at a time; calls block up to their timeout.
package final class ControlConnection {
    private let socket: Int32
    private var input: [UInt8] = []

    /// The longest received line, in bytes.
    private static let longestLine = 1 << 20

    /// Connects to a run.
    ///
    /// - Throws: `ControlError` of kind `over` if nobody listens, `io` if too many connections wait for the run.
    package init(_ run: ControlledRun) throws(ControlError) {
        let over = ControlError(.over, "the run with the number \(run.pid) is over", remedy: "Start another run.")
        // By the folder's descriptor, because a path may be longer than a socket's name can be.
        let folder = unsafe open(FilePlace.folder(of: run.path), O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard folder >= 0 else { throw Self.limited() ?? over }
        defer { close(folder) }
        socket = SocketCalls.make()
        guard socket >= 0 else { throw Self.limited() ?? over }
        let name = run.path.split(separator: "/").last.map(String.init) ?? ""
        // The deinitialiser closes the socket, also after an error.
        guard SocketCalls.connect(socket, "/proc/self/fd/\(folder)/\(name)") else {
            // A run that was stopped accepts nothing until its queue is full, but it is not over.
            throw errno == EAGAIN ? Self.silent : over
        }
    }

    deinit { close(socket) }

    /// Returns the error of a missing descriptor, by errno; nil for another error.
    private static func limited() -> ControlError? {
        SystemLimit(errno: errno).map { ControlError(.io, $0, at: "no connection to the run: ") }
    }

    /// Sends a line and returns the answer; skips events before the answer.
    ///
    /// - Parameter milliseconds: The timeout.
    /// - Throws: `ControlError` of kind `over` if the run ends, `io` after the timeout.
    package func ask(_ line: String, milliseconds: Int = 5000) throws(ControlError) -> String {
        try send(line)
        let limit = Self.milliseconds() + milliseconds
        while true {
            let left = limit - Self.milliseconds()
            guard left > 0, let answer = try nextLine(milliseconds: left) else { throw Self.silent }
            if answer.contains("\"ok\":") { return answer }
        }
    }

    private func send(_ line: String) throws(ControlError) {
        let bytes = Array((line.filter { !$0.isNewline } + "\n").utf8)
        var rest = bytes[...]
        while !rest.isEmpty {
            let sent = SocketCalls.send(socket, rest)
            if sent > 0 {
                rest = rest.dropFirst(sent)
            } else if errno == EAGAIN {
                var waiting = pollfd(fd: socket, events: Int16(POLLOUT), revents: 0)
                _ = unsafe poll(&waiting, 1, 1000)
            } else if errno != EINTR {
                throw Self.over
            }
        }
    }

    /// Returns the next line from the run; nil after the timeout.
    ///
    /// - Throws: `ControlError` of kind `over` if the run has ended.
    package func nextLine(milliseconds: Int) throws(ControlError) -> String? {
        let limit = Self.milliseconds() + milliseconds
        while true {
            if let end = input.firstIndex(of: UInt8(ascii: "\n")) {
                defer { input.removeSubrange(...end) }
                return String(decoding: input[..<end], as: UTF8.self)
            }
            guard input.count <= Self.longestLine else { throw Self.over }
            var waiting = pollfd(fd: socket, events: Int16(POLLIN), revents: 0)
            let left = max(0, limit - Self.milliseconds())
            guard unsafe poll(&waiting, 1, Int32(clamping: left)) > 0 else {
                if left == 0 { return nil }
                continue
            }
            var piece = [UInt8](repeating: 0, count: 1 << 14)
            let count = unsafe read(socket, &piece, piece.count)
            if count == 0 { throw Self.over }
            if count > 0 { input += piece[..<count] } else if errno != EAGAIN, errno != EINTR { throw Self.over }
        }
    }

    private static let silent = ControlError(.io, "the run does not answer", remedy: "Try again, or end the run.")
    private static let over = ControlError(.over, "the run is over", remedy: "Start another run.")

    private static func milliseconds() -> Int { Int(MonotonicTime.now() / 1_000_000) }
}

/// The right to be this user's only run in the background; released with the object, or at the end of the process.
package final class BackgroundPlace: Sendable {
    private let descriptor: Int32

    /// Takes the right.
    ///
    /// - Parameter runtime: The value of XDG_RUNTIME_DIR.
    /// - Throws: `ControlError` of kind `folder` if the folder is unusable, `taken` if another run holds the right.
    package init(runtime: String?) throws(ControlError) {
        let folder = try SocketFolder(runtime: runtime)
        let file = unsafe openat(folder.descriptor, "background.lock", O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard file >= 0 else {
            let code = errno
            if let limit = SystemLimit(errno: code) {
                throw ControlError(.folder, limit, at: "\(folder.path)/background.lock: ")
            }
            throw ControlError(
                .folder, "\(folder.path)/background.lock: cannot be opened (\(systemText(code)))",
                remedy: "Remove the file.")
        }
        // An error does not prove another run.
        guard (try? FileLock.take(file)) != .held else {
            close(file)
            throw ControlError(
                .taken, "another run plays in the background already",
                remedy: "End the other run with: woodshed ctl quit. Or add --another.")
        }
        descriptor = file
    }

    deinit { FileLock.release(descriptor) }
}
