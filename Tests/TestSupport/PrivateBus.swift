// A desktop's bus that one test has for itself.
import Foundation
import Glibc

/// A bus. It ends with the last reference, or with the process of the test, however that ends.
package final class PrivateBus {
    /// Where programs find it, as DBUS_SESSION_BUS_ADDRESS.
    package let address: String
    private let process: pid_t
    /// The bus ends when this is closed.
    private let input: Int32
    private let folder: String
    private var isOver = false

    /// Whether the machine has the programs.
    package static var isThere: Bool { find("dbus-run-session") != nil && find("dbus-daemon") != nil }
    /// Whether the machine has the program that presses media keys.
    package static var hasPlayerControl: Bool { find("playerctl") != nil }

    /// The path of a program.
    package static func find(_ program: String) -> String? {
        let folders = (ProcessInfo.processInfo.environment["PATH"] ?? "/usr/bin:/bin").split(separator: ":")
        return folders.map { "\($0)/\(program)" }.first { FileManager.default.isExecutableFile(atPath: $0) }
    }

    /// nil if it does not start.
    ///
    /// - Parameter listen: Where it listens; nil for a place of its own.
    package init?(listen: String? = nil) {
        folder = NSTemporaryDirectory() + "/woodshed-bus-" + UUID().uuidString
        try? FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        // Nothing of the machine: no services to start, no limits.
        let configuration = """
            <busconfig><type>session</type><listen>\(listen ?? "unix:tmpdir=/tmp")</listen><auth>EXTERNAL</auth>
            <policy context="default"><allow send_destination="*" eavesdrop="true"/><allow eavesdrop="true"/>
            <allow own="*"/></policy></busconfig>
            """
        let file = folder + "/bus.conf"
        guard let program = Self.find("dbus-run-session"),
            FileManager.default.createFile(atPath: file, contents: Data(configuration.utf8))
        else { return nil }
        // The bus ends when the shell does, and the shell when nobody holds its input open any more.
        let script = #"echo "$DBUS_SESSION_BUS_ADDRESS"; exec cat"#
        guard let started = Self.start([program, "--config-file=" + file, "--", "/bin/sh", "-c", script]) else {
            return nil
        }
        (process, input) = started
        var line: [UInt8] = []
        var byte: UInt8 = 0
        while unsafe read(input, &byte, 1) == 1, byte != 10 { line.append(byte) }
        address = String(decoding: line, as: UTF8.self)
        if address.isEmpty { return nil }
    }

    /// Starts a program whose input and output are one socket.
    private static func start(_ arguments: [String]) -> (pid_t, Int32)? {
        var ends: [Int32] = [-1, -1]
        let kind = Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue)
        guard unsafe socketpair(AF_UNIX, kind, 0, &ends) == 0 else { return nil }
        defer { close(ends[1]) }
        var actions = unsafe posix_spawn_file_actions_t()
        unsafe posix_spawn_file_actions_init(&actions)
        defer { unsafe posix_spawn_file_actions_destroy(&actions) }
        for target: Int32 in 0...1 { unsafe posix_spawn_file_actions_adddup2(&actions, ends[1], target) }
        unsafe posix_spawn_file_actions_addopen(&actions, 2, "/dev/null", O_WRONLY, 0)
        // A test runs on a pool's thread, which blocks the signal that ends the bus.
        var (attributes, mask) = (posix_spawnattr_t(), sigset_t())
        unsafe posix_spawnattr_init(&attributes)
        defer { unsafe posix_spawnattr_destroy(&attributes) }
        unsafe sigemptyset(&mask)
        unsafe posix_spawnattr_setsigmask(&attributes, &mask)
        unsafe posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGMASK))
        var words = unsafe arguments.map { unsafe strdup($0) } + [nil]
        defer { unsafe words.forEach { unsafe free($0) } }
        var process = pid_t()
        guard unsafe posix_spawn(&process, arguments[0], &actions, &attributes, &words, environ) == 0 else {
            close(ends[0])
            return nil
        }
        return (process, ends[0])
    }

    deinit { stop() }

    /// Ends the bus; its connections break.
    package func stop() {
        guard !isOver else { return }
        isOver = true
        close(input)
        var status: Int32 = 0
        while unsafe waitpid(process, &status, 0) < 0, errno == EINTR {}
        try? FileManager.default.removeItem(atPath: folder)
    }

    /// Runs a program on the bus.
    ///
    /// - Returns: What it wrote, without the line's end, and its exit code.
    package func run(_ arguments: [String]) -> (text: String, status: Int32) {
        let (program, output) = (Process(), Pipe())
        program.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        program.arguments = arguments
        program.environment = [
            "PATH": ProcessInfo.processInfo.environment["PATH"] ?? "/usr/bin:/bin",
            "DBUS_SESSION_BUS_ADDRESS": address, "LANG": "C.UTF-8",
        ]
        (program.standardOutput, program.standardError) = (output, output)
        guard (try? program.run()) != nil else { return ("", -1) }
        let bytes = (try? output.fileHandleForReading.readToEnd()) ?? Data()
        program.waitUntilExit()
        let text = String(decoding: bytes, as: UTF8.self)
        return (text.hasSuffix("\n") ? String(text.dropLast()) : text, program.terminationStatus)
    }
}
