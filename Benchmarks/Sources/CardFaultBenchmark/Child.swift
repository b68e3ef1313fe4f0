import Foundation
import ProcessHandles

/// A program in a process of its own: its output, its processor time, and its end.
final class Child {
    private let process = Process()
    private let handle: ProcessHandle?
    private let said: URL

    init(_ command: [String], configuration: URL, folder: URL) throws {
        said = folder.appendingPathComponent("said")
        _ = FileManager.default.createFile(atPath: said.path, contents: nil)
        let sink = try FileHandle(forWritingTo: said)
        process.executableURL = URL(fileURLWithPath: command[0])
        process.arguments = Array(command.dropFirst())
        // arecord's recording is discarded; the other programs print to standard output.
        process.standardOutput = command[0].hasSuffix("arecord") ? FileHandle.nullDevice : sink
        process.standardError = sink
        process.standardInput = try FileHandle(forReadingFrom: URL(fileURLWithPath: "/dev/zero"))
        process.environment = ProcessInfo.processInfo.environment.merging(
            ["ALSA_CONFIG_PATH": configuration.path, "JACK_NO_START_SERVER": "1"]) { $1 }
        try process.run()
        handle = ProcessHandle(process.processIdentifier)
    }

    var isRunning: Bool { process.isRunning }
    /// Nil while the process runs.
    var exitCode: Int32? { process.isRunning ? nil : process.terminationStatus }

    /// Seconds of processor time, of all threads; nil when the process has ended.
    var processorSeconds: Double? {
        guard let line = try? String(contentsOfFile: "/proc/\(process.processIdentifier)/stat", encoding: .utf8),
            // The name in brackets may hold blanks.
            let fields = line.split(separator: ")").last?.split(separator: " "), fields.count > 12,
            let user = Double(fields[11]), let system = Double(fields[12])
        else { return nil }
        return (user + system) / Double(sysconf(Int32(_SC_CLK_TCK)))
    }

    /// Ends the process as Ctrl-C does, and after two seconds by force. Returns whether Ctrl-C sufficed.
    func end() -> Bool {
        if process.isRunning { process.interrupt() }
        for _ in 0..<200 where process.isRunning { usleep(10_000) }
        guard process.isRunning else { return true }
        handle?.send(SIGKILL)
        process.waitUntilExit()
        return false
    }

    /// The beginning of the output; some programs print without end.
    var output: String {
        guard let file = try? FileHandle(forReadingFrom: said) else { return "" }
        return String(decoding: (try? file.read(upToCount: 1 << 20)) ?? Data(), as: UTF8.self)
    }
}
