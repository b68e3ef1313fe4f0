// The screen after the terminal was resized, or after another program used the terminal.
import Glibc
import Terminal
import TestSupport
import Testing

@testable import WoodshedCLI

@Suite("The screen after an interruption", .serialized)
struct RedrawTests {
    private let folder = TestFolder()
    private let song: String

    init() {
        // Five minutes: every test ends the run before, even on a busy machine.
        song = folder.write("song.wav", Wave.ramp(frames: 2_400_000, channels: 1, rate: 8000))
    }

    private var environment: [String: String] {
        ["XDG_CACHE_HOME": folder["cache"], "XDG_STATE_HOME": folder["state"], "LC_ALL": "C.UTF-8"]
    }

    /// Programs that draw several lines, a text on each drawn line, and the output at the run's end.
    static let programs: [(arguments: [String], mark: String, end: String)] = [
        (["play", "song.wav", "--output", "null", "--waveform"], "▲", "stopped after"),
        (["record", "take.wav", "--input", "null"], "● REC 0:0", "kept "),
    ]

    private func arguments(_ program: Int) -> [String] {
        Self.programs[program].arguments.map { $0.hasSuffix(".wav") ? folder[$0] : $0 }
    }

    /// Waits until the run has played or recorded for a second, even if the drawing is late: a take that is worth
    /// keeping.
    private func waitForASecond(_ run: TerminalRun) {
        #expect(
            eventually {
                run.read(seconds: 0.01)
                return run.text.contains(/(▶|REC) (0:(0[1-9]|[1-5])|[1-9])/)
            })
    }

    /// Expects that no redrawn line is left on the screen.
    private func expectNothingLeft(_ picture: TerminalPicture, _ program: Int) {
        let lines = picture.lines
        #expect(picture.count(Self.programs[program].end) == 1, "\(lines)")
        #expect(!lines.contains { $0.contains("▲") || $0.contains("pass 1") || $0.contains("REC") }, "\(lines)")
        // The picture, or a level meter.
        #expect(!lines.contains { $0.contains("▇") || $0.contains("▀") || $0.contains("█") || $0.contains("···") })
    }

    @Test(
        "a resize leaves no old copy of the status line, whether the terminal rewraps or cuts lines",
        .needsTerminal,
        arguments: [0, 1])
    func resize(program: Int) {
        let run = TerminalRun(Command.path, arguments(program), environment: environment, columns: 100)
        #expect(run.wait(for: Self.programs[program].mark))
        waitForASecond(run)
        let first = run.endOfDrawing
        run.resize(columns: 45)
        #expect(run.wait(for: Self.programs[program].mark, from: first))
        // Text that was already drawn has the old width.
        run.read(seconds: 0.01)
        let second = run.endOfDrawing
        run.resize(columns: 120)
        #expect(run.wait(for: Self.programs[program].mark, from: second))
        run.send("q")
        #expect(run.finish() == 0)
        for reflows in [true, false] {
            var picture = TerminalPicture(columns: 100, reflows: reflows)
            picture.show(run.seen[..<first])
            picture.resize(columns: 45)
            picture.show(run.seen[first..<second])
            picture.resize(columns: 120)
            picture.show(run.seen[second...])
            expectNothingLeft(picture, program)
        }
    }

    @Test(
        "the status line has one copy after Ctrl-Z and fg, and none after the end",
        .needsTerminal, arguments: [0, 1])
    func suspension(program: Int) {
        let shell = TerminalRun(
            "/bin/bash", ["--norc", "--noprofile", "-i"],
            environment: environment.merging(["PS1": "ready> "]) { $1 })
        #expect(shell.wait(for: "ready> "))
        shell.send("\(Command.path) \(arguments(program).joined(separator: " "))\n")
        #expect(shell.wait(for: Self.programs[program].mark))
        waitForASecond(shell)
        shell.send("\u{1A}")
        #expect(shell.wait(for: "Stopped"))
        var before = shell.seen.count
        shell.send("fg\n")
        #expect(shell.wait(for: Self.programs[program].mark, from: before))
        // Another redraw, so that the effects of the signal itself have been seen, too.
        before = shell.seen.count
        #expect(shell.wait(for: Self.programs[program].mark, from: before))
        before = shell.seen.count
        shell.send("q")
        #expect(shell.wait(for: "ready> ", from: before))
        var picture = TerminalPicture(columns: 80, reflows: true)
        picture.show(shell.seen)
        expectNothingLeft(picture, program)
        shell.send("exit\n")
        _ = shell.finish()
    }

    @Test("a pause by Ctrl-Z is neither counted nor reported as a dropout, and gives no advice", .needsTerminal)
    func suspensionIsNoDropout() {
        // A busy machine may cause a dropout of its own; a counted pause would show in every run.
        var text = ""
        for _ in 0..<10 {
            text = suspendedRun()
            if text.contains(#""xruns":0,"lost_frames":0"#) { break }
        }
        #expect(!text.contains(#""event":"xrun""#), "\(text)")
        #expect(text.contains(#""xruns":0,"lost_frames":0"#), "\(text)")
        #expect(text.contains("0 dropouts") && !text.contains("longer --period"))
    }

    /// Plays, pauses by Ctrl-Z for longer than the device's buffer lasts, goes on and quits.
    ///
    /// - Returns: The terminal's text.
    private func suspendedRun() -> String {
        let shell = TerminalRun(
            "/bin/bash", ["--norc", "--noprofile", "-i"],
            environment: environment.merging(["PS1": "ready> "]) { $1 })
        #expect(shell.wait(for: "ready> "))
        // Four seconds of buffer, the maximum, so that a busy machine causes no dropouts.
        shell.send("\(Command.path) play \(song) --output null --period 8192 --periods 4 --json\n")
        #expect(shell.wait(for: "pass.started"))
        shell.send("\u{1A}")
        #expect(shell.wait(for: "Stopped"))
        // Longer than the buffer lasts.
        shell.send("sleep 5; fg\n")
        #expect(shell.wait(for: #""event":"resumed""#))
        let before = shell.seen.count
        shell.send("q")
        #expect(shell.wait(for: "playback.finished", from: before))
        #expect(shell.wait(for: "ready> ", from: before))
        shell.send("exit\n")
        _ = shell.finish()
        return shell.text
    }

    @Test("the keys' help fits 40 columns", .needsTerminal, arguments: [0, 1])
    func help(program: Int) {
        let run = TerminalRun(Command.path, arguments(program), environment: environment, columns: 40)
        #expect(run.wait(for: program == 0 ? "▶" : "● REC"))
        let before = run.seen.count
        run.send("?")
        #expect(run.wait(for: program == 0 ? "waveform" : "throw away", from: before))
        run.send("q")
        #expect(run.finish() == 0)
        // If the terminal cut the line at the margin instead of wrapping, an overlong line would lose its end.
        var wide = TerminalPicture(columns: 400, reflows: false)
        wide.show(run.seen[before...])
        let help = wide.lines.prefix { !$0.contains("▶") && !$0.contains("REC") && !$0.contains("no file is left") }
        let others = ["kept ", "stopped after"]
        #expect(
            help.allSatisfy { line in displayWidth(line) <= 39 || others.contains { line.contains($0) } }, "\(help)")
    }
}
