// A program beside the tests, such as a server.
import Foundation
import Glibc
import ProcessHandles

/// A program with a single socket as standard input and output. The program must end when the input does: with the last
/// reference, or with the process of the tests, however the process ends.
///
/// The program gets no other descriptor of this process. Descriptors that close on `exec` are not enough: Foundation
/// makes pipes without the flag, and a program started by another test just then would wait for the end of a pipe held
/// by a server, for as long as the server runs.
package final class ServerProgram: Sendable {
    private let handle: ProcessHandle?
    private let socket: Int32
    private let ended = DispatchSemaphore(value: 0)

    /// Closes all other descriptors before the program begins. Swift's Glibc has no function for closing descriptors at
    /// the start.
    private static let closing = "import os, sys; os.closerange(3, 1 << 20); os.execvp(sys.argv[1], sys.argv[1:])"

    /// Starts a program; nil if the program cannot be started.
    ///
    /// - Parameters:
    ///   - arguments: The program, found in the folders of PATH, and its arguments.
    ///   - isQuiet: Whether its error output is discarded.
    package init?(_ arguments: [String], isQuiet: Bool = false) {
        var ends: [Int32] = [-1, -1]
        let kind = Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue)
        guard unsafe socketpair(AF_UNIX, kind, 0, &ends) == 0 else { return nil }
        defer { close(ends[1]) }
        var actions = unsafe posix_spawn_file_actions_t()
        unsafe posix_spawn_file_actions_init(&actions)
        defer { unsafe posix_spawn_file_actions_destroy(&actions) }
        for target: Int32 in 0...1 { unsafe posix_spawn_file_actions_adddup2(&actions, ends[1], target) }
        if isQuiet { unsafe posix_spawn_file_actions_addopen(&actions, 2, "/dev/null", O_WRONLY, 0) }
        var attributes = posix_spawnattr_t()
        unsafe posix_spawnattr_init(&attributes)
        defer { unsafe posix_spawnattr_destroy(&attributes) }
        let flags = attributes.setShellSignals()
        unsafe posix_spawnattr_setflags(&attributes, flags)
        var words = unsafe (["python3", "-IS", "-c", Self.closing] + arguments).map { unsafe strdup($0) } + [nil]
        defer { unsafe words.forEach { unsafe free($0) } }
        var number = pid_t()
        guard unsafe posix_spawnp(&number, "python3", &actions, &attributes, &words, environ) == 0 else {
            close(ends[0])
            return nil
        }
        // Opened before anything waits for the process.
        (handle, socket) = (ProcessHandle(number), ends[0])
        // A program that ended without a wait for it would keep tests with processes of their own waiting for ever.
        Thread.detachNewThread { [ended, number] in
            var status: Int32 = 0
            while unsafe waitpid(number, &status, 0) < 0, errno == EINTR {}
            ended.signal()
        }
        // A test fails instead of waiting for ever.
        var patience = timeval(tv_sec: 300, tv_usec: 0)
        unsafe setsockopt(socket, SOL_SOCKET, SO_RCVTIMEO, &patience, socklen_t(MemoryLayout<timeval>.size))
    }

    deinit {
        close(socket)
        guard ended.wait(timeout: .now() + 300) == .timedOut else { return }
        print("error: a server of the tests has not ended, and is killed")
        handle?.send(SIGKILL)
    }

    /// The next line of output, without the line feed; nil if the program has ended without another line, or has
    /// printed none for five minutes. For a single thread at a time.
    package func line() -> String? {
        var line: [UInt8] = []
        var byte: UInt8 = 0
        while true {
            let count = unsafe read(socket, &byte, 1)
            if count < 0, errno == EINTR { continue }
            if count <= 0 { return nil }
            if byte == UInt8(ascii: "\n") { return String(decoding: line, as: UTF8.self) }
            line.append(byte)
        }
    }
}

/// A server of the tests. The server prints the listening ports, a line each.
package struct PortServer: Sendable {
    package let ports: [Int]
    private let program: ServerProgram

    /// Starts a script and waits until the script listens; nil if the script does not.
    ///
    /// - Parameters:
    ///   - script: The path of a script in Python.
    ///   - portCount: The number of lines to expect.
    package init?(_ script: String, _ arguments: [String] = [], portCount: Int = 1) {
        guard let program = ServerProgram(["python3", script] + arguments) else { return nil }
        let ports = (0..<portCount).compactMap { _ in program.line().flatMap { Int($0) } }
        guard ports.count == portCount else { return nil }
        (self.program, self.ports) = (program, ports)
    }
}
