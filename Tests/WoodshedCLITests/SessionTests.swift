// Signals, keys and the terminal during playing.
import Glibc
import Terminal
import TestSupport
import Testing

@testable import WoodshedCLI

@Suite("Playing on a terminal", .serialized)
struct SessionTests {
    private let folder = TestFolder()
    private let song: String

    init() {
        // Five minutes: every test ends the run before, even on a busy machine.
        song = folder.write("song.wav", Wave.ramp(frames: 2_400_000, channels: 1, rate: 8000))
    }

    private func play(_ arguments: [String] = [], environment: [String: String] = [:], columns: Int = 80) -> TerminalRun
    {
        TerminalRun(
            Command.path, ["play", song, "--output", "null"] + arguments, environment: environment, columns: columns)
    }

    /// The lines a terminal would have shown, one for each redraw.
    private func redraws(_ text: String) -> [String] {
        text.split(whereSeparator: { $0 == "\r" || $0 == "\n" || $0 == "\r\n" }).map { line in
            String(line.split(separator: "\u{1B}", omittingEmptySubsequences: false).first ?? "")
        }
    }

    @Test(
        "the status line is redrawn, fits its terminal and is removed when the run ends", .needsTerminal,
        arguments: [20, 40, 80, 200])
    func statusLine(columns: Int) {
        let begin = ContinuousClock.now
        let run = play(columns: columns)
        #expect(run.wait(for: "▶ 0:"))
        // A busy machine may need seconds for a few redraws.
        for _ in 0..<240 where redraws(run.text).count(where: { $0.contains("▶") }) < 6 { run.read(seconds: 0.5) }
        run.send("q")
        #expect(run.finish() == 0)
        let drawn = redraws(run.text).filter { $0.contains("▶") }
        #expect(drawn.count >= 5)
        // At most 30 a second.
        #expect(Double(drawn.count) <= 30 * ((ContinuousClock.now - begin) / .seconds(1)) + 5)
        #expect(drawn.allSatisfy { displayWidth($0) <= columns - 1 })
        #expect(run.text.contains("\r\u{1B}[K"))
    }

    @Test("the status line follows a resize", .needsTerminal)
    func resize() {
        let run = play(columns: 80)
        #expect(run.wait(for: "song.wav"))
        let before = run.seen.count
        run.resize(columns: 24)
        #expect(run.wait(for: "1/1  100 %", from: before))
        run.send("q")
        #expect(run.finish() == 0)
    }

    @Test("--plain, a dumb terminal and a piped standard error give lines without escape sequences", .needsTerminal)
    func plain() {
        for run in [play(["--plain"]), play(environment: ["TERM": "dumb"]), play(environment: ["WOODSHED_A11Y": "1"])] {
            #expect(run.wait(for: "pass 1 of 1"))
            run.send("q")
            #expect(run.finish() == 0)
            // The terminal itself turns line feeds into returns and line feeds.
            #expect(!run.text.contains("\u{1B}"))
            #expect(
                !run.text.unicodeScalars.enumerated().contains { index, scalar in
                    scalar == "\r" && !run.text.unicodeScalars.dropFirst(index + 1).starts(with: ["\n"])
                })
        }
    }

    @Test("NO_COLOR removes the colours from the waveform and keeps the status line", .needsTerminal)
    func noColour() {
        let cache = TestFolder()
        for isPlain in [false, true] {
            let run = play(
                ["--waveform"],
                environment: ["NO_COLOR": isPlain ? "1" : "", "XDG_CACHE_HOME": cache.path, "TERM": "xterm-256color"])
            #expect(run.wait(for: "▲") && run.text.contains("▶"))
            run.send("q")
            #expect(run.finish() == 0)
            // A sequence that sets only colours ends like all attributes, in an m.
            let isColoured = run.text.contains(/\u{1B}\[(\d+;)*(3|4|9|10)\d(;\d+)*m/)
            #expect(isColoured == !isPlain, "\(run.text.debugDescription)")
        }
    }

    @Test("keys pause, move, change the speed and the pitch, and show help", .needsTerminal)
    func keys() {
        let run = play(["--json"])
        #expect(run.wait(for: "pass.started"))
        run.send(" ")
        #expect(run.wait(for: #""event":"paused""#))
        #expect(run.text.contains(#""reason":"user""#))
        // Paused, so that only the key moves the place; to the beginning first, because the pause may have come late.
        var before = run.seen.count
        for _ in 0..<120 {
            run.send("\u{1B}[D")
            if run.wait(for: "⏸\u{FE0E} 0:00.0", from: before, seconds: 1) { break }
        }
        before = run.seen.count
        run.send("\u{1B}[C")
        #expect(run.wait(for: "0:05.", from: before))
        run.send(" ")
        #expect(run.wait(for: #""event":"resumed""#, from: before))
        before = run.seen.count
        run.send("[[")
        #expect(run.wait(for: "90 %", from: before))
        before = run.seen.count
        run.send("\u{7F}")
        #expect(run.wait(for: "100 %", from: before))
        before = run.seen.count
        run.send("((")
        #expect(run.wait(for: "-2 st", from: before))
        before = run.seen.count
        run.send("?")
        #expect(run.wait(for: "backspace", from: before))
        run.send("q")
        #expect(run.finish() == 0)
    }

    @Test("a loop is set by ear, moved, left and entered again, and each key is answered in a line", .needsTerminal)
    func loopByEar() {
        let run = TerminalRun(Command.path, ["practice", song, "--output", "null", "--json", "--plain"])
        #expect(run.wait(for: "pass.started"))
        func press(_ key: String, _ answer: String) {
            let before = run.seen.count
            run.send(key)
            #expect(run.wait(for: answer, from: before), "\(key): \(run.text.debugDescription)")
        }
        press("a", "loop starts at ")
        press(" ", #""event":"paused""#)
        press("\u{1B}[C", #""event":"moved""#)
        press("b", #""running":true"#)
        #expect(run.text.contains(/loop \d:\d\d\.\d{3} to \d:\d\d\.\d{3}, \d+\.\d\d s/))
        press("<", "loop ends at ")
        press("\u{1B}.", "loop starts at ")
        press(" ", #""event":"resumed""#)
        press("l", #""running":false"#)
        press("l", #""running":true"#)
        // A moment after the loop was entered there is sound to loop; on a busy machine the key may be faster.
        let entered = run.seen.count
        for _ in 0..<120 {
            run.send("L")
            if run.wait(for: " s\r\n", from: entered, seconds: 1) { break }
        }
        let words = String(decoding: run.seen.dropFirst(entered), as: UTF8.self)
        #expect(words.contains(/loop \d:\d\d\.\d{3} to \d:\d\d\.\d{3}, \d+\.\d\d s/), "\(run.text.debugDescription)")
        press("i", "loop, pass ")
        run.send("q")
        #expect(run.finish() == 0)
    }

    @Test("the right arrow in a short section ends the pass, not the section", .needsTerminal)
    func shortSection() {
        let run = TerminalRun(
            Command.path,
            [
                "practice", song, "--section", "0-1", "--section", "5-9", "-n", "1000", "--output", "null", "--json",
                "--plain",
            ])
        #expect(run.wait(for: "pass.started"))
        let before = run.seen.count
        run.send("\u{1B}[C")
        #expect(run.wait(for: #""section":1,"pass":2,"#, from: before))
        run.send("\u{03}")
        #expect(run.finish() == 130)
        #expect(!run.text.contains(#""section":2"#))
    }

    @Test("Escape alone does not swallow the next key", .needsTerminal)
    func escape() {
        let run = play()
        #expect(run.wait(for: "▶"))
        run.send("\u{1B}")
        run.send("q")
        #expect(run.finish() == 0)
    }

    @Test(
        "the status line announces the user's turn during a gap, and counts down", .needsTerminal,
        arguments: [[], ["--plain"]])
    func gap(arguments: [String]) {
        func practise(gap: String, passes: Int) -> TerminalRun {
            TerminalRun(
                Command.path,
                ["practice", song, "--section", "0-0.5", "-n", "\(passes)", "--gap", gap, "--output", "null"]
                    + arguments)
        }
        // One gap so long, or so many gaps, that the countdown is seen even if drawn late.
        let run = practise(gap: arguments.isEmpty ? "600" : "12", passes: 1000)
        #expect(run.wait(for: "pass 1 of 1000"))
        if arguments.isEmpty {
            func seconds() -> [Int] { run.text.matches(of: /your turn (\d+)\.\d s/).compactMap { Int($0.1) } }
            for _ in 0..<240 where Set(seconds()).count < 3 { run.read(seconds: 0.5) }
            #expect(Set(seconds()).count >= 3 && seconds() == seconds().sorted(by: >), "\(run.text)")
        } else {
            #expect(run.wait(for: "your turn: "))
            #expect(
                run.wait(
                    for: "\r\n10 s\r\n", "\r\n5 s\r\n", "\r\n4 s\r\n", "\r\n3 s\r\n", "\r\n2 s\r\n",
                    "\r\n1 s\r\n"))
        }
        run.send("q")
        #expect(run.finish() == 0, "\(run.text)")
        // The section after a gap starts by itself.
        let short = practise(gap: "2.5", passes: 2)
        #expect(short.finish() == 0, "\(short.text)")
    }

    @Test("the load is reported under the real clock only")
    func load() {
        let arguments = ["practice", song, "--section", "0-1", "-n", "1", "--output", "null", "--json", "--verbose"]
        let virtual = Command.run(arguments + ["--clock", "virtual"])
        #expect(virtual.status == 0 && !virtual.error.contains("load") && virtual.text.contains(#""load_p50":null"#))
        #expect(virtual.text.contains(#""load_max":null"#) && !virtual.error.contains("dropout"), "\(virtual.error)")
        let real = Command.run(arguments)
        #expect(real.status == 0 && real.error.contains("% (median, 99.9 %, worst)"))
        #expect(real.text.contains(#""load_p50":"#) && !real.text.contains(#""load_p50":null"#))
    }

    @Test("the terminal is in raw mode while playing, and restored at every kind of end", .needsTerminal)
    func terminalState() {
        let cooked = tcflag_t(ICANON | ECHO)
        for ending in ["q", "\u{03}"] {
            let run = play()
            #expect(run.wait(for: "▶"))
            #expect(run.localFlags & cooked == 0)
            run.send(ending)
            #expect(run.finish() == (ending == "q" ? 0 : 130))
            #expect(run.localFlags & cooked == cooked)
        }
        for (number, status) in [(SIGTERM, 143), (SIGHUP, 129), (SIGSEGV, -SIGSEGV)] as [(Int32, Int32)] {
            let run = play()
            #expect(run.wait(for: "▶"))
            run.send(signal: number)
            #expect(run.finish() == status)
            #expect(run.localFlags & cooked == cooked)
        }
    }

    @Test("a second Ctrl-C ends a rendering at once, even if its output is not read, and leaves no file")
    func secondInterrupt() throws {
        #expect(Command.tool("mkfifo", [folder["full"]]))
        let reader = unsafe open(folder["full"], O_RDONLY | O_NONBLOCK | O_CLOEXEC)
        defer { close(reader) }
        let run = Command.run(
            ["render", song, "--section", "0-10f", "-n", "100000", "-o", folder["out.wav"], "--json"],
            outputPath: folder["full"], seconds: 400
        ) { running in
            #expect(eventually { isFull(pipe: reader) })
            #expect(running.interruptUntilEnded())
        }
        #expect(run.status == 130)
        #expect(folder.names == ["full", "song.wav"])
    }

    @Test("a run in the background of a shell plays on, and leaves the terminal alone", .needsTerminal)
    func background() {
        let shell = TerminalRun("/bin/bash", ["--norc", "--noprofile", "-i"], environment: ["PS1": "ready> "])
        #expect(shell.wait(for: "ready> "))
        // The run continues until the test ends the run, even if the stop comes late.
        shell.send("\(Command.path) practice \(song) --section 0-0.5 --output null --json\n")
        #expect(shell.wait(for: "▶"))
        shell.send("\u{1A}")
        #expect(shell.wait(for: "Stopped"))
        let before = shell.seen.count
        shell.send("bg\n")
        for _ in 0..<2 { #expect(shell.wait(for: "pass.started", from: shell.seen.count)) }
        shell.send("kill -INT %1\n")
        #expect(shell.wait(for: "playback.finished", from: before))
        #expect(String(decoding: shell.seen.dropFirst(before), as: UTF8.self).range(of: "▶") == nil)
        shell.send("wait; exit\n")
        _ = shell.finish()
    }

    @Test("the waveform marks the position; w hides and shows it, and --no-waveform begins without it", .needsTerminal)
    func waveform() {
        let cache = TestFolder()
        let run = play(environment: ["XDG_CACHE_HOME": cache.path, "LC_ALL": "C.UTF-8"])
        #expect(run.wait(for: "▲"))
        let before = run.seen.count
        // The lines of the picture are cleared before the status line is drawn alone.
        run.send("w")
        #expect(run.wait(for: "\u{1B}[J", from: before))
        run.send("q")
        #expect(run.finish() == 0)
        let hidden = play(["--no-waveform"], environment: ["XDG_CACHE_HOME": cache.path, "LC_ALL": "C.UTF-8"])
        #expect(hidden.wait(for: "▶ 0:"))
        #expect(!hidden.text.contains("▲"))
        hidden.send("w")
        #expect(hidden.wait(for: "▲"))
        hidden.send("q")
        #expect(hidden.finish() == 0)
    }

    @Test("Ctrl-C ends the program with a message and 130", .needsTerminal)
    func interrupt() {
        let run = play()
        #expect(run.wait(for: "▶"))
        run.send("\u{03}")
        #expect(run.finish() == 130)
        #expect(run.text.contains("stopped after"))
    }

    @Test("an interrupted rendering leaves no file, and does not change an existing file")
    func interruptedRender() {
        folder.write("out.wav", [1, 2, 3])
        for number in [SIGINT, SIGTERM] {
            let run = Command.run(
                [
                    "render", song, "--section", "0-80", "-n", "10000", "--speed", "50%", "-o", folder["out.wav"],
                    "--json",
                ], seconds: 300
            ) { running in
                #expect(running.wait(for: #""event":"pass.started""#))
                running.send(number)
            }
            #expect(run.status == 128 + number, "\(run.error)")
            #expect(folder.names == ["out.wav", "song.wav"])
            #expect(folder.read("out.wav") == [1, 2, 3])
        }
    }

    @Test("a rendering interrupted as soon as its file exists leaves no file")
    func interruptedEarly() {
        for number in [SIGINT, SIGTERM] {
            let run = Command.run(
                ["render", song, "--section", "0-80", "-n", "10000", "--speed", "50%", "-o", folder["out.wav"]]
            ) { running in
                #expect(eventually { folder.names.contains { $0.hasSuffix(".part") } })
                running.send(number)
            }
            #expect(run.status == 128 + number, "\(run.error)")
            #expect(folder.names == ["song.wav"])
        }
    }

    @Test("Ctrl-Z restores the terminal and pauses; fg continues at the same position", .needsTerminal)
    func suspend() {
        let shell = TerminalRun("/bin/bash", ["--norc", "--noprofile", "-i"], environment: ["PS1": "ready> "])
        #expect(shell.wait(for: "ready> "))
        shell.send("\(Command.path) play \(song) --output null --json 2>/dev/null\n")
        #expect(shell.wait(for: "pass.started"))
        shell.send("\u{1A}")
        #expect(shell.wait(for: #""reason":"suspended""#))
        #expect(shell.wait(for: "Stopped"))
        var before = shell.seen.count
        shell.send("fg\n")
        #expect(shell.wait(for: #""event":"resumed""#, from: before))
        before = shell.seen.count
        shell.send("\u{03}")
        #expect(shell.wait(for: "playback.finished", from: before))
        shell.send("echo code $?\n")
        #expect(shell.wait(for: "code 130", from: before))
        shell.send("exit\n")
        _ = shell.finish()
    }

    @Test("a reader that closes the pipe ends the run without a message", .needsTerminal)
    func closedPipe() {
        // Events without end: a reader that closes late misses only some of them.
        let play = "practice '\(song)' --section 0-0.5 --output null --json -q"
        let script = "'\(Command.path)' \(play) | head -n 1; echo ${PIPESTATUS[0]}"
        let run = TerminalRun("/bin/bash", ["-c", script])
        #expect(run.finish() == 0)
        #expect(run.text.contains("141"))
        #expect(!run.text.contains("woodshed:"))
    }
}
