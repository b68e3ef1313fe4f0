// A signal ends the program in every state of the program's threads.
import Glibc
import Terminal
import TestSupport
import Testing
import VirtualCardSupport
import WoodshedPractice

@testable import WoodshedCLI

@Suite("The end by a signal, when a device does not answer", .serialized)
struct EndingTests {
    private let folder = TestFolder()
    private let song: String

    init() {
        // More than a pipe holds.
        song = folder.write("song.wav", Wave.ramp(frames: 661_500, channels: 1, rate: 22050))
    }

    private var environment: [String: String] {
        ["ALSA_CONFIG_PATH": ALSAConfiguration.directory + "/asound.conf", "XDG_STATE_HOME": folder["state"]]
    }

    /// A card whose driver hangs after a while: the call never returns.
    private func stuckCard() throws -> VirtualCardRig {
        var options = VirtualCardOptions()
        (options.playbackFaults, options.captureFaults) = ("hang@20000", "hang@60000")
        return try VirtualCardRig(options)
    }

    private func isStuck(_ rig: VirtualCardRig, _ direction: VirtualDirection) -> Bool {
        rig.waits { rig.truth(direction).faults[.hang] == 1 }
    }

    @Test(
        "play and practice on an unresponsive device end with the status of a signal sent twice, and name the cause",
        arguments: [("play", SIGTERM, 143), ("practice", SIGINT, 130)] as [(String, Int32, Int32)])
    func playing(verb: String, number: Int32, status: Int32) throws {
        var run = Finished(status: 0, output: [], error: "")
        // If this test is held up between both signals, the second is a second Ctrl-C.
        for _ in 0..<10 where !run.error.contains("does not answer") {
            let rig = try stuckCard()
            run = Command.run(
                [verb, song, "--output", rig.name, "--priority", "0"], environment: environment, folder: folder.path
            ) { running in
                #expect(isStuck(rig, .playback))
                // As `timeout` does.
                running.send(number)
                #expect(running.waitUntilTaken(number))
                running.send(number)
            }
        }
        #expect(run.status == status, "\(run.error)")
        #expect(run.error.contains("does not answer"), "\(run.error)")
    }

    @Test(
        "an unresponsive device ends a run with a last event, in --json and for a follower, before the socket closes",
        arguments: [
            (["play", "song.wav"], "playback.finished"), (["play", "song.wav", "other.wav"], "queue.finished"),
            (["record", "take.wav"], "recording.stopped"),
        ])
    func lastEvent(words: [String], event: String) throws {
        folder.write("other.wav", Wave.ramp(frames: 661_500, channels: 1, rate: 22050))
        let (rig, studio, records) = (try stuckCard(), Studio(), words[0] == "record")
        var (followed, written): ([String], [Substring]) = ([], [])
        let run = Command.run(
            words + [records ? "--input" : "--output", rig.name, "--priority", "0", "--json", "--control", "socket"],
            environment: studio.environment.merging(environment) { $1 }, folder: folder.path,
            outputPath: folder["lines"]
        ) { running in
            guard let program = studio.connect() else { return }
            #expect(program.ask("follow")?.contains(#""ok":true"#) == true)
            #expect(isStuck(rig, records ? .capture : .playback))
            running.send(SIGTERM)
            while let line = program.line() { followed.append(line) }
            written = String(decoding: folder.read("lines"), as: UTF8.self).split(separator: "\n")
        }
        #expect(run.status == 143 && run.error.contains("does not answer"), "\(run.error)")
        #expect(written.last?.contains(#""event":"\#(event)""#) == true, "\(written)")
        #expect(followed.last == written.last.map(String.init), "\(followed)")
        #expect(studio.sockets.isEmpty)
    }

    @Test("the place is remembered although the device does not answer")
    func place() throws {
        let rig = try stuckCard()
        let home = environment.merging(["XDG_DATA_HOME": folder["data"]]) { $1 }
        let run = Command.run(
            ["practice", song, "--output", rig.name, "--priority", "0", "--speed", "90%"], environment: home,
            folder: folder.path
        ) { running in
            #expect(isStuck(rig, .playback))
            running.send(SIGHUP)
        }
        #expect(run.status == 129 && run.error.contains("does not answer"), "\(run.error)")
        let kept = try PracticeStore(.file(folder["data/woodshed/practice.db"])).recordings().first
        #expect(kept?.position != nil && kept?.settings["speed"] != nil, "\(run.error)")
    }

    @Test("a run that is suspended while it ends completes its ending when continued")
    func stopped() throws {
        let rig = try stuckCard()
        let run = Command.run(
            ["play", song, "--output", rig.name, "--priority", "0"], environment: environment, folder: folder.path
        ) { running in
            #expect(isStuck(rig, .playback))
            running.send(SIGTERM)
            #expect(running.waitUntilTaken(SIGTERM))
            running.send(SIGSTOP)
            // Longer than a running program may take to answer a signal.
            let begin = ContinuousClock.now
            #expect(eventually { ContinuousClock.now - begin > .seconds(Int64(Signals.patience) + 2) })
            running.send(SIGCONT)
        }
        // The run does not end at once, but prints the remaining lines.
        #expect(run.status == 143 && run.error.contains("does not answer"), "\(run.error)")
    }

    @Test("q on an unresponsive device ends with the device's exit status, and restores the terminal", .needsTerminal)
    func key() throws {
        let rig = try stuckCard()
        let run = TerminalRun(
            Command.path, ["play", song, "--output", rig.name, "--priority", "0"], environment: environment)
        #expect(isStuck(rig, .playback))
        run.send("q")
        #expect(run.finish() == 69, "\(run.text)")
        #expect(run.localFlags & tcflag_t(ICANON | ECHO) == tcflag_t(ICANON | ECHO))
        var picture = TerminalPicture(columns: 80, reflows: true)
        picture.show(run.seen)
        #expect(picture.count("does not answer") == 1 && picture.count("pass 1") == 0, "\(picture.lines)")
    }

    @Test("a take from a device that does not close is whole, saved and listed, and the device is named")
    func recording() throws {
        let rig = try stuckCard()
        let run = Command.run(
            ["record", "take.wav", "--input", rig.name, "--priority", "0"], environment: environment,
            folder: folder.path
        ) { running in
            #expect(isStuck(rig, .capture))
            running.send(SIGTERM)
        }
        #expect(run.status == 143, "\(run.error)")
        #expect(run.error.contains("does not answer") && run.error.contains("kept take.wav"), "\(run.error)")
        #expect(run.error.contains("woodshed takes play @1") && !run.error.contains("--recover"), "\(run.error)")
        let data = try #require(Wave.data(of: TestFolder.read(folder["take.wav"])))
        #expect(data.count % 6 == 0 && data.count > 40_000 * 6, "\(data.count)")
    }

    // The thread sanitizer withholds signals from a program waiting in the call that opens a pipe.
    @Test(
        "a signal ends a rendering into a pipe without a reader, or whose reader does not read",
        arguments: Sanitizers.watchThreads ? [1] : [0, 1])
    func rendering(reader: Int) throws {
        #expect(Command.tool("mkfifo", [folder["pipe"]]))
        let held = reader == 1 ? unsafe open(folder["pipe"], O_RDWR | O_CLOEXEC) : -1
        defer { if held >= 0 { close(held) } }
        let script = #"cd "$0" && echo $$ >number && exec "$1" render song.wav -o pipe"#
        let run = Command.run(["-c", script, folder.path, Command.path], program: "/bin/sh") { running in
            // Opening any other file, such as a library, looks the same.
            #expect(running.waitUntilHandled(SIGTERM))
            // A full pipe; without a reader the program waits in the call that opens the pipe.
            #expect(
                eventually {
                    if held >= 0 { return isFull(pipe: held) }
                    return isOpening(String(decoding: folder.read("number"), as: UTF8.self).filter(\.isNumber))
                })
            running.send(SIGTERM)
        }
        #expect(run.status == 143, "\(run.error)")
        #expect(folder.names == ["number", "pipe", "song.wav"])
    }

    /// Whether the system reports a process to be in the call `openat`.
    private func isOpening(_ process: String) -> Bool {
        let call = String(decoding: TestFolder.read("/proc/\(process)/syscall"), as: UTF8.self)
        #if arch(arm64)
            return call.hasPrefix("56 ")
        #else
            return call.hasPrefix("257 ")
        #endif
    }
}

/// An `ffmpeg` that decodes one second and then stalls for as long as the command runs, as can happen with network
/// input.
@Suite("The end by a signal, when decoding stalls", .serialized)
struct StalledDecodingTests {
    private let folder = TestFolder()

    init() throws {
        let isMade = Command.tool(
            "ffmpeg",
            [
                "-v", "error", "-f", "lavfi", "-i", "sine=440:duration=40:sample_rate=44100", "-c:a", "aac",
                folder["song.m4a"],
            ])
        try #require(isMade)
        folder.write(
            "ffmpeg",
            Array(
                """
                #!/bin/sh
                PATH=/usr/local/bin:/usr/bin:/bin ffmpeg "$@" 2>/dev/null | head -c 176400
                : >'\(folder["stalled"])'
                while [ -d /proc/$PPID ]; do sleep 0.1; done

                """.utf8))
        _ = unsafe chmod(folder["ffmpeg"], 0o755)
    }

    @Test(
        "a signal ends render and practice while decoding stalls, and leaves no file",
        arguments: [
            ["render", "song.m4a", "-o", "out.wav", "--json"],
            ["render", "song.m4a", "--speed", "75%", "--material", "music", "-o", "out.flac", "--json"],
            ["practice", "song.m4a", "--clock", "virtual", "--output", "null", "--json"],
        ])
    func ends(arguments: [String]) {
        // Without a store, so that playing needs no earlier knowledge of the recording.
        let environment = ["PATH": folder.path + ":/usr/local/bin:/usr/bin:/bin", "XDG_DATA_HOME": ""]
        let run = Command.run(arguments, environment: environment, folder: folder.path) { running in
            // The first block waits for nothing; only the slowed render waits for attacks, and reports nothing of this
            // wait.
            if arguments.contains("75%") {
                #expect(eventually { folder.names.contains { $0.hasSuffix(".part") } })
            } else {
                #expect(running.wait(for: "playback.started"))
            }
            #expect(eventually { folder.names.contains("stalled") })
            running.send(SIGTERM)
        }
        #expect(run.status == 143, "\(run.error)")
        #expect(!run.error.contains("does not answer"), "\(run.error)")
        #expect(!run.text.contains(#""event":"starved"#), "\(run.text)")
        #expect(folder.names == ["ffmpeg", "song.m4a", "stalled"])
    }
}
