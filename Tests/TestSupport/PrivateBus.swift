// A desktop's bus for a single test.
import Foundation

/// A bus. The bus ends with the last reference, or with the process of the test, however the process ends.
package final class PrivateBus {
    /// The address for programs, as DBUS_SESSION_BUS_ADDRESS.
    package let address: String
    /// Nil once stopped.
    private var server: ServerProgram?
    private let folder: String

    /// Whether the machine has the programs.
    package static var isThere: Bool { find("dbus-run-session") != nil && find("dbus-daemon") != nil }
    /// Whether the machine has the program for media keys.
    package static var hasPlayerControl: Bool { find("playerctl") != nil }

    /// The path of a program.
    package static func find(_ program: String) -> String? {
        let folders = (ProcessInfo.processInfo.environment["PATH"] ?? "/usr/bin:/bin").split(separator: ":")
        return folders.map { "\($0)/\(program)" }.first { FileManager.default.isExecutableFile(atPath: $0) }
    }

    /// Nil if the bus does not start.
    ///
    /// - Parameter listen: The listening address; nil for a new address in /tmp.
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
        // The bus ends when the shell does, and the shell when no process holds the shell's input open any more.
        let script = #"echo "$DBUS_SESSION_BUS_ADDRESS"; exec cat"#
        let arguments = [program, "--config-file=" + file, "--", "/bin/sh", "-c", script]
        guard let server = ServerProgram(arguments, isQuiet: true), let line = server.line(), !line.isEmpty else {
            return nil
        }
        (self.server, address) = (server, line)
    }

    deinit { stop() }

    /// Ends the bus; its connections break.
    package func stop() {
        guard server != nil else { return }
        server = nil
        try? FileManager.default.removeItem(atPath: folder)
    }

    /// Runs a program on the bus, for at most five minutes.
    ///
    /// - Returns: The output, without the line's end, and the exit code; 124 after the five minutes.
    package func run(_ arguments: [String]) -> (text: String, status: Int32) {
        let (program, output) = (Process(), Pipe())
        program.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        program.arguments = ["timeout", "--kill-after=10", "300"] + arguments
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
