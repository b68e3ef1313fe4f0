// `woodshed ctl`: controls a run from another process, through its socket.
import ArgumentParser
import Files
import Glibc
import JSON
import RemoteControl
import Terminal
import WoodshedLibrary

struct CtlCommand: Verb {
    static let configuration = CommandConfiguration(
        commandName: "ctl",
        abstract: "Control a run in the background, or a run with --control socket.",
        discussion: """
            EXAMPLES
              woodshed play "Warm up" --detach
              woodshed ctl                      show the status
              woodshed ctl pause                pause, or resume
              woodshed ctl next                 next recording; in practice: section +1
              woodshed ctl "speed 80%; seek 0%"
              woodshed ctl status --follow      print a line for each change
              woodshed ctl events               print all events as JSON
              woodshed ctl list                 list the runs that can be controlled
              woodshed ctl help                 list all actions of the run
              woodshed ctl quit
            """)

    @Argument(
        help: .init("The words of an action; or status, events, list or help. (default: status)", valueName: "word"))
    var words: [String] = []

    @Flag(name: .long, help: "With status: print a line for each change.")
    var follow = false

    @Option(
        name: .long, parsing: .unconditional,
        help: .init("Process ID of the run. (default: the newest run)", valueName: "number"),
        transform: { try boundedInteger($0, in: 1...Int(Int32.max)) })
    var pid: Int?

    @Flag(name: .long, help: "Write the answers of the run as JSON.")
    var json = false

    mutating func validate() throws {
        if follow, !(words.isEmpty || words == ["status"]) { throw ValidationError("--follow belongs to status.") }
    }

    func perform() throws {
        let text = words.isEmpty ? "status" : words.joined(separator: " ")
        if text == "list" { return try tellRuns() }
        if follow { return try followStatus() }
        let connection = try ControlConnection(try run())
        if text == "events" { return try followEvents(connection) }
        for part in text.split(separator: ";").map({ $0.split(separator: " ").joined(separator: " ") }) {
            try tell(part, try connection.ask(part))
        }
    }

    // MARK: Runs

    private func runs() throws(ControlError) -> [ControlledRun] {
        try ControlledRun.all(runtime: environmentVariable("XDG_RUNTIME_DIR"))
    }

    /// Returns the named run, or the newest run without a number; nil if there is none.
    private func found() throws(ControlError) -> ControlledRun? {
        let runs = try runs()
        if let pid { return runs.first { $0.pid == pid } }
        return runs.last
    }

    private func run() throws -> ControlledRun {
        if let run = try found() { return run }
        if let pid {
            throw CommandFailure(
                .notFound, "there is no run with the number \(pid)", remedy: "List the runs with: woodshed ctl list")
        }
        throw CommandFailure(
            .notFound, "there is no run to control", remedy: "Start a run with: woodshed play RECORDING --detach")
    }

    private func tellRuns() throws {
        let runs = try runs()
        for run in runs {
            let answer = (try? ControlConnection(run).ask("status")).flatMap { JSONValue(reading: Array($0.utf8)) }
            if json {
                try StandardStream.output.line(
                    JSONValue.object([
                        .init("v", .integer(1)), .init("pid", .integer(run.pid)), .init("socket", .string(run.path)),
                        .init("verb", answer?["verb"] ?? .null),
                    ]).text)
            } else {
                try StandardStream.output.line(
                    "\(run.pid)  \(answer.map { StatusWords($0).line } ?? "does not answer")")
            }
        }
        if runs.isEmpty, !json { StandardStream.error.note("There is no run to control.") }
    }

    // MARK: Answers

    private func tell(_ command: String, _ answer: String) throws {
        let value = JSONValue(reading: Array(answer.utf8))
        if json { try StandardStream.output.line(answer) }
        guard value?["ok"]?.boolValue == true else {
            throw CommandFailure(
                .usage, value?["message"]?.stringValue ?? "the run does not understand '\(command)'",
                remedy: value?["remedy"]?.stringValue ?? "")
        }
        if json { return }
        if command == "status", let value { return try StandardStream.output.line(StatusWords(value).line) }
        if command == "help" {
            for word in value?["commands"]?.elements?.compactMap(\.stringValue) ?? [] {
                try StandardStream.output.line(printable(word))
            }
        }
        for word in value?["words"]?.elements?.compactMap(\.stringValue) ?? [] {
            StandardStream.error.note(printable(word))
        }
    }

    /// Prints a line whenever the status changes; an empty line while nothing plays.
    private func followStatus() throws {
        let watch = SignalWatch(Signals.install())
        var shown: String?
        var connection: ControlConnection?
        while !watch.isOver {
            var isKnown = true
            do throws(ControlError) {
                if connection == nil, let run = try found() { connection = try? ControlConnection(run) }
            } catch {
                // A status bar runs for days: the last line stays until the runs can be listed again.
                guard shown != nil, error.exitStatus == .tryAgain else { throw error }
                isKnown = false
            }
            var line = json ? JSONValue.object([.init("v", .integer(1)), .init("state", .string("none"))]).text : ""
            if let answer = try? connection?.ask("status", milliseconds: 2000) {
                line = answer
                if !json, let value = JSONValue(reading: Array(answer.utf8)) { line = StatusWords(value).line }
            } else {
                connection = nil
            }
            if isKnown, line != shown {
                shown = line
                try StandardStream.output.line(line)
            }
            // poll() reports a closed pipe only while waiting, so the pause between two requests polls the output.
            var output = pollfd(fd: STDOUT_FILENO, events: 0, revents: 0)
            if unsafe poll(&output, 1, 500) > 0, Int32(output.revents) & (POLLERR | POLLNVAL) != 0 {
                throw CommandFailure(.closedPipe)
            }
        }
        throw CommandFailure(watch.status)
    }

    private func followEvents(_ connection: ControlConnection) throws {
        let watch = SignalWatch(Signals.install())
        _ = try connection.ask("follow")
        while !watch.isOver {
            let line: String?
            // The end of the run ends this loop, too.
            do { line = try connection.nextLine(milliseconds: 200) } catch { return }
            guard let line else { continue }
            if !line.contains("\"ok\":") { try StandardStream.output.line(line) }
        }
        throw CommandFailure(watch.status)
    }
}

/// A run's status, in one line for people.
struct StatusWords {
    private let status: JSONValue

    init(_ status: JSONValue) { self.status = status }

    var line: String {
        let state = status["state"]?.stringValue ?? "unknown"
        let path = status["file"]?.stringValue ?? ""
        let title = status["title"]?.stringValue ?? ""
        var parts = [state, title.isEmpty ? fileName(path) : title].filter { !$0.isEmpty }
        if let place = status["clip_seconds"]?.number(in: .measures),
            let length = status["clip_length"]?.number(in: .measures)
        {
            parts.append("\(clockText(place, decimals: 0)) / \(clockText(length, decimals: 0))")
        }
        if let track = status["track"]?.integer(in: .counts), let count = status["tracks"]?.integer(in: .counts) {
            parts.append("\(track) of \(count)")
        }
        if let section = status["section"]?.integer(in: .counts), let count = status["sections"]?.integer(in: .counts),
            count > 1
        {
            parts.append("section \(section) of \(count)")
        }
        if let speed = status["speed"]?.number(in: .measures), speed != 1 { parts.append(percentText(speed)) }
        return printable(parts.joined(separator: "  "))
    }
}
