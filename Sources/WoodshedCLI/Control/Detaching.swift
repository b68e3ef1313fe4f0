// Runs without a terminal: the same command is started once more, in its own session, controlled through its socket.
import Explanations
import Files
import Glibc
import JSON
import RemoteControl
import Terminal
import UserState
import WoodshedLibrary

enum Detaching {
    /// Timeout for the start of a background run, in seconds: a long recording may need an analysis first.
    private static let patience = 120

    /// Starts this command once more in the background, and waits until its socket answers.
    ///
    /// - Throws: The exit status of a run that ends early, after printing its messages.
    static func start(_ options: DetachOptions, messages: MessageOptions) throws {
        let (log, output) = try Self.log("background.log")
        defer { close(output) }
        let arguments = ProgramArguments.all().filter { !["--detach", "--another"].contains($0) }
        let process: DetachedProcess
        do throws(ChildFailure) {
            process = try DetachedProcess(
                "/proc/self/exe", arguments.map { FileName.systemName($0) },
                variables: ["\(BackgroundRun.variable)=\(options.another ? "another" : "one")"], output: output)
        } catch {
            throw unstarted(error)
        }
        try wait(for: process, output, log: log, messages)
    }

    /// Fetches the list of downloads in the background.
    ///
    /// - Parameter options: Fetch options, as typed.
    static func startFetching(_ options: [String], messages: MessageOptions) throws {
        let (log, output) = try log("fetches.log")
        defer { close(output) }
        do throws(ChildFailure) {
            let process = try DetachedProcess(
                "/proc/self/exe", (["woodshed", "get", "--plain"] + options).map { FileName.systemName($0) },
                variables: ["\(BackgroundRun.variable)=fetch"], output: output)
            if messages.json {
                try? StandardStream.output.line(event(process.number))
            } else if !messages.quiet {
                StandardStream.error.note("fetching in the background (\(process.number)); its messages: \(log)")
                StandardStream.error.note("next: woodshed get --list, or woodshed recent")
            }
        } catch {
            throw unstarted(error)
        }
    }

    private static func unstarted(_ failure: ChildFailure) -> CommandFailure {
        if case .cannotStart(let code) = failure, let limit = SystemLimit(startErrno: code) {
            return CommandFailure(limit, at: "the run in the background: ")
        }
        return CommandFailure(.unavailable, "the run in the background cannot be started", remedy: "Try again.")
    }

    /// Returns the event of a run in the background, a line of JSON.
    private static func event(_ pid: Int) -> String {
        JSONValue.event("detached", [.init("pid", .integer(pid))]).text
    }

    /// Creates a new log in the state folder. An earlier run keeps writing to its own unlinked file.
    private static func log(_ name: String) throws(CommandFailure) -> (path: String, descriptor: Int32) {
        guard let folder = StateFolder.path else {
            throw CommandFailure(
                .unavailable, "there is no home folder for the log of a run in the background",
                remedy: "Set HOME or XDG_STATE_HOME to a folder of yours.")
        }
        let log = folder + "/" + name
        do throws(LockedFile.Fault) { try StateFolder.makeFolders(above: log) } catch {
            throw CommandFailure(.cannotCreate, "\(log): \(error.text)", remedy: "Check the folder's permissions.")
        }
        _ = unsafe unlink(log)
        let output = unsafe open(log, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
        guard output >= 0 else {
            if let limit = SystemLimit(errno: errno) { throw CommandFailure(limit, at: "\(log): ") }
            throw CommandFailure(.cannotCreate, "\(log): cannot be created", remedy: "Check the folder's permissions.")
        }
        return (log, output)
    }

    private static func wait(
        for process: borrowing DetachedProcess, _ output: Int32, log: String, _ messages: MessageOptions
    ) throws {
        let watch = SignalWatch(Signals.install())
        for _ in 0..<patience * 20 {
            if let end = process.end(within: 50) {
                if let text = try? FileBytes.bytes(of: output, at: 0, count: 1 << 16) {
                    try? StandardStream.error.write(String(decoding: text, as: UTF8.self))
                }
                guard case .exited(let code) = end else { throw CommandFailure(.software, "the run has ended") }
                if code == 0 { return }
                throw CommandFailure(ExitStatus(rawValue: code) ?? .software)
            }
            // Without an answer now, asks again.
            let runs = try? ControlledRun.all(runtime: environmentVariable("XDG_RUNTIME_DIR"))
            if let run = runs?.first(where: { $0.pid == process.number }),
                (try? ControlConnection(run).ask("status")) != nil
            {
                if messages.json {
                    try StandardStream.output.line(event(process.number))
                } else if !messages.quiet {
                    StandardStream.error.note("playing in the background (\(process.number)); its messages: \(log)")
                    StandardStream.error.note("next: woodshed ctl pause, or woodshed ctl quit")
                }
                return
            }
            if watch.isOver {
                throw CommandFailure(watch.status, "the run in the background goes on; end it with: woodshed ctl quit")
            }
        }
        throw CommandFailure(
            .tryAgain, "the run in the background does not answer", remedy: "Read the messages of the run: \(log)")
    }

    /// Returns the slot held by a background run; nil for a run with a terminal.
    ///
    /// - Throws: A `CommandFailure` if another run is in the background.
    static func place() throws -> BackgroundPlace? {
        guard environmentVariable(BackgroundRun.variable) == "one" else { return nil }
        return try BackgroundPlace(runtime: environmentVariable("XDG_RUNTIME_DIR"))
    }
}
