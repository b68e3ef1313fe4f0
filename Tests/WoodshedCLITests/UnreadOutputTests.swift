// Runs whose machine-readable output nobody reads.
import Glibc
import JSON
import TestSupport
import Testing
import WoodshedLibrary

@Suite("Outputs that are not read", .serialized)
struct UnreadOutputTests {
    private let studio = Studio()
    /// Thousands of events a second.
    private let practice = [
        "practice", "song.wav", "--section", "0-4f", "-n", "1000000", "--output", "null", "--json", "--plain",
        "--control",
        "socket",
    ]

    private func field(_ name: String, _ line: String?) -> JSONValue? {
        line.flatMap { JSONValue(reading: Array($0.utf8)) }?[name]
    }

    @Test("the socket is answered while standard output is not read, and the last line is written")
    func unread() {
        var finished = Finished(status: -1, output: [], error: "")
        // The run waits five seconds for its reader at the end, and a busy machine may read later.
        for _ in 0..<10 {
            finished = studio.run(practice) { _ in
                guard let program = studio.connect() else { return }
                // Several times the capacity of a pipe.
                #expect(eventually { (field("pass", program.ask("status"))?.integer(in: .counts) ?? 0) > 5000 })
                #expect(field("ok", program.ask("quit")) == .bool(true))
            }
            if !finished.error.contains("its reader does not read") { break }
        }
        #expect(finished.status == 0, "\(finished.error)")
        // On a busy machine, events can come faster than the run makes lines of them.
        #expect(finished.lines.reduce(0) { $0 + (field("lines", $1)?.integer(in: .counts) ?? 1) } > 10_000)
        #expect(finished.lines.last?.contains("playback.finished") == true, "\(finished.lines.last ?? "")")
    }

    @Test("a run ends although its standard output is never read, and reports the lost lines")
    func neverRead() {
        #expect(Command.tool("mkfifo", [studio.folder["events"]]))
        // A reading end without any reader.
        let held = unsafe open(studio.folder["events"], O_RDWR | O_CLOEXEC)
        defer { close(held) }
        let script = #"cd "$0" && exec "$@" >events"#
        let arguments =
            ["-c", script, studio.folder.path, Command.path]
            + practice
        let run = Command.run(arguments, environment: studio.environment, program: "/bin/sh") { running in
            guard let program = studio.connect() else { return }
            #expect(eventually { (field("pass", program.ask("status"))?.integer(in: .counts) ?? 0) > 5000 })
            running.send(SIGTERM)
        }
        #expect(run.status == 143 && run.error.contains("its reader does not read"), "\(run.error)")
    }

    // MARK: The last line of a recording

    /// Makes a pipe for lines that only the test reads, and an `ffmpeg` that fails on request. The failing conversion
    /// lasts until all lines but the last were read and the pipe is full.
    ///
    /// - Returns: The pipe.
    private func heldPipe() -> Int32 {
        #expect(Command.tool("mkfifo", [studio.folder["lines"]]))
        let script = "#!/bin/sh\nwhile [ ! -e '\(studio.folder["go"])' ]; do sleep 0.05; done\nexit 1\n"
        _ = unsafe chmod(studio.folder.write("ffmpeg", Array(script.utf8)), 0o755)
        return unsafe open(studio.folder["lines"], O_RDWR | O_NONBLOCK | O_CLOEXEC)
    }

    private func record(_ number: Int) -> String {
        "record take\(number).m4a --input file:song.wav --clock virtual --json >lines"
    }

    private var environment: [String: String] {
        studio.environment.merging(["PATH": studio.folder.path + ":/usr/local/bin:/usr/bin:/bin"]) { $1 }
    }

    /// All bytes in a pipe.
    private func taken(from pipe: Int32) -> String {
        var (all, buffer): ([UInt8], [UInt8]) = ([], [UInt8](repeating: 0, count: 65_536))
        while true {
            let count = unsafe read(pipe, &buffer, buffer.count)
            if count <= 0 { return String(decoding: all, as: UTF8.self) }
            all += buffer.prefix(count)
        }
    }

    /// Prepares for the next recording: an empty pipe, and a conversion that waits.
    private func begin(_ pipe: Int32) {
        _ = unsafe unlink(studio.folder["go"])
        _ = taken(from: pipe)
    }

    /// Reads the lines before the conversion of a recording, fills the pipe, and lets the conversion continue.
    private func goOnUnread(_ pipe: Int32) -> Bool {
        var text = ""
        let isConverting = eventually {
            text += taken(from: pipe)
            return text.contains("recording.converting") && text.hasSuffix("\n")
        }
        fill(pipe)
        studio.folder.write("go", [])
        return isConverting
    }

    /// Writes line feeds until a pipe has no room.
    private func fill(_ pipe: Int32) {
        let feeds = [UInt8](repeating: UInt8(ascii: "\n"), count: 4096)
        for count in [feeds.count, 1] { while unsafe write(pipe, feeds, count) == count {} }
    }

    @Test(
        "a take is kept and listed although the last line is not read, with or without a signal",
        arguments: [0, SIGTERM])
    func unreadRecording(signal: Int32) {
        let pipe = heldPipe()
        defer { close(pipe) }
        var (number, run) = (0, Finished(status: 74, output: [], error: ""))
        // The run waits five seconds for a reader, in which a busy machine may not send the signal.
        repeat {
            number += 1
            begin(pipe)
            let words = ["-c", #"cd "$0" && exec "$1" \#(record(number))"#, studio.folder.path, Command.path]
            run = Command.run(words, environment: environment, program: "/bin/sh") { running in
                #expect(goOnUnread(pipe))
                #expect(running.wait(forError: "kept take\(number).wav"))
                if signal != 0 { running.send(signal) }
            }
        } while signal != 0 && run.status == 74 && number < 10
        #expect(run.status == (signal == 0 ? 74 : 128 + signal), "\(run.error)")
        #expect(run.error.contains("its reader does not read"), "\(run.error)")
        #expect(run.error.contains("take \(number); next: ") && !run.error.contains("not in the list"), "\(run.error)")
        let names = studio.folder.names
        #expect(names.contains("take\(number).wav") && !names.contains("take\(number).m4a"))
    }

    @Test("the signal that ended a recording gives the exit status although the last line is not read")
    func unreadAfterSignal() {
        let pipe = heldPipe()
        defer { close(pipe) }
        let script = #"cd "$0" && exec "$1" record take.m4a --input null --priority 0 --json >lines"#
        let words = ["-c", script, studio.folder.path, Command.path]
        let run = Command.run(words, environment: environment, program: "/bin/sh") { running in
            // A fifth of a second: a shorter take is not kept.
            #expect(eventually { studio.folder.read("take.wav").count > 57_600 })
            running.send(SIGTERM)
            #expect(goOnUnread(pipe))
        }
        #expect(run.status == 128 + SIGTERM, "\(run.error)")
        #expect(run.error.contains("its reader does not read") && run.error.contains("take 1; next: "), "\(run.error)")
    }

    @Test("Ctrl-Z stops a recording whose last line waits for its reader, and fg delivers the line", .needsTerminal)
    func stoppedAtTheEnd() {
        let pipe = heldPipe()
        defer { close(pipe) }
        let shell = TerminalRun(
            "/bin/bash", ["--norc", "--noprofile", "-i"], environment: environment.merging(["PS1": "ready> "]) { $1 })
        #expect(shell.wait(for: "ready> "))
        // The run waits five seconds for a reader, in which a busy machine may not deliver the key.
        let isStopped = (1...10).contains { number in
            begin(pipe)
            var place = shell.seen.count
            shell.send("cd \(studio.folder.path); \(Command.path) \(record(number))\n")
            #expect(goOnUnread(pipe))
            #expect(shell.wait(for: "kept take\(number).wav", from: place))
            place = shell.seen.count
            shell.send("\u{1A}")
            return shell.wait(for: "Stopped", "does not read", from: place)
                && String(decoding: shell.seen.dropFirst(place), as: UTF8.self).contains("Stopped")
        }
        #expect(isStopped, "\(shell.text)")
        let place = shell.seen.count
        shell.send("fg\n")
        var text = ""
        #expect(
            eventually {
                shell.read(seconds: 0.01)
                text += taken(from: pipe)
                return text.contains("recording.stopped") && text.hasSuffix("\n")
            })
        #expect(shell.wait(for: "ready> ", from: place))
        #expect(text.contains(#""outcome":"kept""#) && !shell.text.contains("not in the list"), "\(text)")
        shell.send("exit\n")
        _ = shell.finish()
    }

    /// Whether a message among this many finds no room, and each answer still comes.
    private func isAnswered(_ program: Program) -> Bool {
        (0..<200).allSatisfy { _ in field("ok", program.ask("tell")) == .bool(true) }
    }

    private func place() throws -> Int64? {
        try PracticeStore(.file(studio.folder["data/woodshed/practice.db"])).recordings().first?.position
    }

    @Test("unread outputs hold up neither the socket nor the end, and the place is remembered")
    func neverReadBoth() throws {
        #expect(Command.tool("mkfifo", [studio.folder["both"]]))
        let held = unsafe open(studio.folder["both"], O_RDWR | O_CLOEXEC)
        defer { close(held) }
        let script = #"cd "$0" && exec "$@" >both 2>&1"#
        let arguments = ["-c", script, studio.folder.path, Command.path] + practice
        let run = Command.run(arguments, environment: studio.environment, program: "/bin/sh") { running in
            guard let program = studio.connect() else { return }
            #expect(eventually { (field("pass", program.ask("status"))?.integer(in: .counts) ?? 0) > 5000 })
            #expect(isAnswered(program))
            running.send(SIGTERM)
        }
        #expect(run.status == 143)
        #expect(try place() != nil)
    }

    @Test(
        "a signal while the last messages wait for their reader gives the exit status",
        arguments: [
            (["play", "song.wav"], SIGINT), (["play", "song.wav", "song.wav"], SIGINT),
            (["practice", "song.wav", "-n", "1"], SIGTERM),
        ])
    func unreadMessages(words: [String], signal: Int32) {
        let run = runUnread(words + ["--clock", "virtual"]) { running in
            // The last line for programs comes before the last messages.
            #expect(running.wait(for: words.count > 2 && words[0] == "play" ? "queue.finished" : "playback.finished"))
            running.send(signal)
        }
        #expect(run.status == 128 + signal, "\(run.text)")
    }

    @Test("a signal while r waits for the reader of the messages ends practice with the report of this session")
    func unreadMessagesBeforeRecording() {
        let run = runUnread(["practice", "song.wav", "--section", "0-4", "--control", "socket"]) { running in
            guard let program = studio.connect() else { return }
            for key in ["tell", "record"] { #expect(field("ok", program.ask(key)) == .bool(true)) }
            // Control ends before the wait.
            while program.line() != nil {}
            running.send(SIGINT)
        }
        #expect(run.status == 130 && run.lines.last?.contains("playback.finished") == true, "\(run.text)")
    }

    /// Runs a command whose messages nobody reads.
    private func runUnread(_ words: [String], act: @escaping (RunningCommand) -> Void) -> Finished {
        #expect(Command.tool("mkfifo", [studio.folder["messages"]]))
        let pipe = unsafe open(studio.folder["messages"], O_RDWR | O_NONBLOCK | O_CLOEXEC)
        defer { close(pipe) }
        fill(pipe)
        let script = #"cd "$0" && exec "$@" 2>messages"#
        let arguments = ["-c", script, studio.folder.path, Command.path] + words
        return Command.run(
            arguments + ["--output", "null", "--json", "--plain"], environment: studio.environment,
            program: "/bin/sh", act: act)
    }

    @Test("a stopped terminal holds up neither the socket nor the end, and the place is remembered", .needsTerminal)
    func stoppedTerminal() throws {
        // Without keys the terminal is as the shell left the settings, and Ctrl-S stops the output.
        let script = #"cd "$0" && exec "$@" </dev/null"#
        let arguments = ["practice", "song.wav", "-n", "1000", "--output", "null", "--control", "socket"]
        let run = TerminalRun(
            "/bin/sh", ["-c", script, studio.folder.path, Command.path] + arguments, environment: studio.environment)
        let program = try #require(studio.connect())
        #expect(run.wait(for: "pass 1"), "\(run.text)")
        run.send("\u{13}")
        #expect(isAnswered(program))
        run.send(signal: SIGTERM)
        #expect(run.finish() == 143)
        #expect(try place() != nil)
    }
}
