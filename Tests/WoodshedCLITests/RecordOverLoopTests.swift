// `woodshed practice --record` from a user's side: takes in place, listed, compared, and found again after a crash.
import Glibc
import TestSupport
import Testing

@testable import WoodshedCLI

@Suite("Recording over the loop", .serialized)
struct RecordOverLoopTests {
    private let folder = TestFolder()
    private let home: [String: String]

    init() {
        folder.write("song.wav", Wave.ramp(frames: 48_000, channels: 1, rate: 8000))
        folder.write("in.wav", Wave.ramp(frames: 200_000, channels: 2, rate: 8000))
        home = ["XDG_DATA_HOME": folder["data"], "XDG_STATE_HOME": folder["state"], "TERM": "dumb"]
    }

    private func run(_ arguments: String..., act: ((RunningCommand) -> Void)? = nil) -> Finished {
        run(arguments: arguments, act: act)
    }

    private func run(arguments: [String], act: ((RunningCommand) -> Void)? = nil) -> Finished {
        Command.run(arguments, environment: home, folder: folder.path, act: act)
    }

    /// Practises two passes of a second each, with an answer after each, as fast as possible.
    private func practice(_ arguments: String...) -> Finished {
        Command.run(
            ["practice", "song.wav", "--section", "1-2", "-n", "2", "--output", "null", "--clock", "virtual"]
                + arguments,
            environment: home, folder: folder.path)
    }

    @Test("each pass becomes a take with its passage, pass and speed, which list and compare use")
    func passes() {
        let done = practice("--record", "passes", "--input", "file:in.wav", "--speed", "80%", "--json")
        #expect(done.status == 0, "\(done.error)")
        let ended = done.lines.filter { $0.contains(#""event":"take.ended""#) }
        #expect(ended.count == 2, "\(done.text)")
        for (number, line) in ended.enumerated() {
            #expect(line.contains(#""pass":\#(number + 1),"speed":0.8"#) && line.contains(#""start_frame":8000"#))
            #expect(line.contains(#""end_frame":16000"#) && line.contains(#""lost_frames":0,"reason":"asked""#))
        }
        // A pass of a second at 80 % is 10000 frames; the second take has a tenth of a second before the pass, both
        // takes a quarter of a second after the pass. The end of the first was known when three whole blocks of 4096
        // frames were there, and nothing is cut off.
        #expect(ended.first?.contains(#""frames":12288"#) == true && ended.last?.contains(#""frames":12800"#) == true)
        #expect(ended.first?.contains(#""model_start_frame":0.0"#) == true)
        #expect(ended.last?.contains(#""model_start_frame":800.0"#) == true)
        #expect(done.lines.contains { $0.contains(#""event":"input.ready""#) })
        let list = run("takes", "song.wav")
        #expect(list.lines.count == 2 && list.lines[0].contains("pass 2, 80 %"), "\(list.text)")
        let compared = run("compare", "song.wav", "--from", "1", "--to", "2", "--json")
        #expect(compared.status == 0 && compared.text.contains("offset_ms"), "\(compared.error)")
        // Without a range, the command compares the take's own passage, which is the same; so does the take alone.
        for words in [["song.wav"], ["song.wav", "@1"], ["@1"], ["song.wav", "2"]] {
            let same = run(arguments: ["compare"] + words + ["--json"])
            #expect(same.status == 0 && same.text == compared.text, "\(words): \(same.text) \(same.error)")
        }
    }

    @Test("compare without a number takes the newest take of the recording or section")
    func comparedTake() {
        #expect(run("sections", "song.wav", "add", "1-2", "--name", "A").status == 0)
        #expect(run("sections", "song.wav", "add", "3-4", "--name", "B").status == 0)
        func take(_ section: String) {
            let done = run(
                "practice", "song.wav", "--section", section, "-n", "1", "--output", "null", "--clock", "virtual",
                "--record", "passes", "--input", "file:in.wav")
            #expect(done.status == 0, "\(done.error)")
        }
        take("A")
        take("B")
        let first = run("compare", "song.wav", "1", "--json").text
        #expect(first.contains("offset_ms"))
        #expect(run("compare", "song.wav", "--section", "A", "--json").text == first)
        #expect(run("compare", "song.wav", "--json").text == run("compare", "song.wav", "2", "--json").text)
        // The section has moved since, but the take belongs to the passage heard then.
        #expect(run("sections", "song.wav", "move", "A", "1.2-2.2").status == 0)
        #expect(run("compare", "song.wav", "--section", "A", "--json").text == first)
        // Another recording has no takes of its own, and a take alone needs the recording's file.
        folder.write("other.wav", Wave.ramp(frames: 30_000, channels: 1, rate: 8000))
        let none = run("compare", "other.wav")
        #expect(none.status == 66 && none.error.contains("no take of other.wav"), "\(none.error)")
        _ = unsafe rename(folder["song.wav"], folder["moved.wav"])
        let gone = run("compare", "@1")
        #expect(gone.status == 66 && gone.error.contains("woodshed compare FILE @1"), "\(gone.error)")
        #expect(run("compare", "moved.wav", "@1", "--json").status == 0)
        #expect(run("compare", "@9").status == 66)
    }

    @Test("practice --record gaps makes a take of each gap, of the chosen channel of the input")
    func gaps() {
        let done = practice(
            "--record", "gaps", "--gap", "1", "--input", "file:in.wav", "--input-channel", "2", "--take-folder",
            folder.path)
        #expect(done.status == 0, "\(done.error)")
        // No gap follows the last pass.
        let list = run("takes", "--json")
        #expect(list.lines.count == 1 && list.text.contains(#""channels":1,"frames":"#), "\(list.text)")
        #expect(list.text.contains(#""path":"\#(folder.path)/song-"#) && done.error.contains("take 1: "))
    }

    @Test("--take-offset shifts the place of a take, whose alignment is then called manual")
    func offset() {
        let plain = practice("--record", "passes", "--input", "file:in.wav", "--json")
        let moved = practice("--record", "passes", "--input", "file:in.wav", "--json", "--take-offset", "12.5ms")
        func line(_ run: Finished) -> String { run.lines.last { $0.contains("take.ended") } ?? "" }
        #expect(line(plain).contains(#""input_frame":7200"#) && line(plain).contains(#""alignment":"reported""#))
        #expect(line(moved).contains(#""input_frame":7300"#) && line(moved).contains(#""alignment":"manual""#))
        #expect(line(moved).contains(#""model_start_frame":800.0"#), "\(line(moved))")
    }

    @Test("wrong requests to record over a loop have their exit statuses, and create nothing")
    func refused() {
        let wrong: [([String], Int32)] = [
            (["--record", "sometimes"], 64), (["--monitor"], 64), (["--record", "key", "--input-channel", "0"], 64),
            (["--record", "key", "--input-channel", "1,1"], 64), (["--record", "key", "--take-offset", "soon"], 64),
            (["--record", "key", "--input", "file:nothere.wav"], 66),
            (["--record", "key", "--input", "file:in.wav", "--input-channel", "3"], 69),
            (["--record", "key", "--input", "null", "--take-folder", "/nonexistent"], 73),
        ]
        for (arguments, status) in wrong {
            let run = Command.run(
                ["practice", "song.wav", "--output", "null", "--clock", "virtual"] + arguments, environment: home,
                folder: folder.path)
            #expect(run.status == status, "\(arguments): \(run.status), \(run.error)")
        }
        let output = run("practice", "song.wav", "--output", "file:out.wav", "--record", "key")
        #expect(output.status == 64 && output.error.contains("--input file:in.wav"), "\(output.error)")
        #expect(!folder.names.contains("out.wav"))
        #expect(run("takes", "--json").text.isEmpty)
    }

    @Test("a killed session leaves whole takes, and the next start lists the last take in its place")
    func killed() {
        let killed = run(
            "practice", "song.wav", "--section", "0-0.6", "--output", "null", "--record", "passes", "--json"
        ) { running in
            #expect(running.wait(for: #""event":"take.ended""#))
            #expect(running.wait(for: #""event":"take.started""#, count: 3))
            // In the middle of a pass.
            usleep(250_000)
            running.send(SIGKILL)
        }
        #expect(killed.status == -SIGKILL)
        let first = run("takes", "--json")
        #expect(first.lines.count >= 2, "\(first.text) \(first.error)")
        for line in first.lines {
            #expect(line.contains(#""start_frame":0,"end_frame":4800"#), "\(line)")
            #expect(!line.contains(#""frames":0,"#) && line.contains(#""missing":false"#), "\(line)")
        }
        let again = run("takes", "--json")
        #expect(again.text == first.text && !again.error.contains("was not finished"))
        #expect(run("record", "--recover").error.contains("No take is unfinished."))
    }

    @Test("r in a session opens the input, goes on in place, and then begins and ends takes", .needsTerminal)
    func key() {
        let run = TerminalRun(
            Command.path, ["practice", folder["song.wav"], "--section", "1-2", "--output", "null"], environment: home)
        #expect(run.wait(for: "pass 1"), "\(run.text)")
        run.send("[[")
        #expect(run.wait(for: "speed 90 %"), "\(run.text)")
        run.send("r")
        #expect(run.wait(for: "opening the input") && run.wait(for: "input: silence"), "\(run.text)")
        let place = run.seen.count
        run.send("r")
        #expect(run.wait(for: "recording", from: place), "\(run.text)")
        run.read(seconds: 0.5)
        // Even a take that began late is not empty.
        #expect(
            eventually {
                run.read(seconds: 0.01)
                return folder.names(in: "data/woodshed/takes").contains {
                    folder.read("data/woodshed/takes/\($0)").count > 8000
                }
            })
        run.send("r")
        #expect(run.wait(for: "take over", from: place) && run.wait(for: "take 1: ", from: place), "\(run.text)")
        run.send("q")
        #expect(run.finish() == 0, "\(run.text)")
        let list = self.run("takes")
        #expect(list.lines.count == 1 && list.text.contains("90 %"), "\(list.text)")
    }

    @Test("Ctrl-C while r opens the input ends practice at once, with the report of the session before", .needsTerminal)
    func keyThenSignal() {
        let settings = folder["asound.conf"]
        folder.write("asound.conf", Array("pcm.!default { type null }\nctl.!default { type hw card 0 }\n".utf8))
        let run = TerminalRun(
            Command.path, ["practice", folder["song.wav"], "--section", "1-2"],
            environment: home.merging(["ALSA_CONFIG_PATH": settings]) { $1 })
        #expect(run.wait(for: "pass 1"), "\(run.text)")
        // ALSA reads changed settings again, and then waits for a writer of this pipe.
        #expect(unsafe mkfifo(folder["pipe"], 0o600) == 0 && rename(folder["pipe"], settings) == 0)
        run.send("r")
        #expect(run.wait(for: "opening the input"), "\(run.text)")
        run.send(signal: SIGINT)
        #expect(run.finish() == 130 && run.text.contains("stopped after "), "\(run.text)")
    }

    @Test(
        "a program that follows practice gets a last event although Ctrl-C ends the run while r opens the input",
        .needsTerminal)
    func keyThenSignalForFollower() {
        let studio = Studio()
        let settings = studio.folder["asound.conf"]
        studio.folder.write("asound.conf", Array("pcm.!default { type null }\nctl.!default { type hw card 0 }\n".utf8))
        let run = TerminalRun(
            Command.path, ["practice", studio.folder["song.wav"], "--section", "1-2", "--control", "socket"],
            environment: studio.environment.merging(["ALSA_CONFIG_PATH": settings]) { $1 })
        #expect(run.wait(for: "pass 1"), "\(run.text)")
        // The null device has no clock, and passes would report more than a follower reads.
        run.send(" ")
        #expect(run.wait(for: "paused"), "\(run.text)")
        let follower = studio.connect()
        #expect(follower?.ask("follow")?.contains(#""ok":true"#) == true)
        // As above.
        #expect(unsafe mkfifo(studio.folder["pipe"], 0o600) == 0 && rename(studio.folder["pipe"], settings) == 0)
        run.send("r")
        #expect(run.wait(for: "opening the input"), "\(run.text)")
        run.send(signal: SIGINT)
        #expect(run.finish() == 130, "\(run.text)")
        var last: String?
        while let line = follower?.line() { last = line }
        #expect(last?.contains(#""event":"playback.finished""#) == true, "\(last ?? "") \(run.text)")
    }

    @Test(
        "r without a device any more ends practice with the report of the session before", .needsTerminal,
        arguments: [[], ["--json"]])
    func keyWithoutDevice(words: [String]) {
        let settings = folder["asound.conf"]
        folder.write("asound.conf", Array("pcm.!default { type null }\nctl.!default { type hw card 0 }\n".utf8))
        let run = TerminalRun(
            Command.path, ["practice", folder["song.wav"], "--section", "1-2"] + words,
            environment: home.merging(["ALSA_CONFIG_PATH": settings]) { $1 })
        #expect(run.wait(for: words.isEmpty ? "pass 1" : "playback.started"), "\(run.text)")
        // ALSA reads changed settings again, and finds no device.
        folder.write("other.conf", Array("pcm.!default { type nothere }\n".utf8))
        let isReplaced = unsafe rename(folder["other.conf"], settings) == 0
        #expect(isReplaced)
        run.send("r")
        #expect(run.finish() == 69, "\(run.text)")
        #expect(run.text.contains("stopped after ") && run.text.contains("opening the input"), "\(run.text)")
        #expect(words.isEmpty || run.text.contains(#""event":"playback.finished""#), "\(run.text)")
    }

    @Test("Ctrl-C while r still ends the session ends practice with the report of this session", .needsTerminal)
    func keyWithSignal() {
        let run = TerminalRun(
            Command.path, ["practice", folder["song.wav"], "--section", "1-2", "--output", "null"], environment: home)
        #expect(run.wait(for: "pass 1"), "\(run.text)")
        // Both come while the program is stopped. The program then takes the key first, and the signal next.
        run.send(signal: SIGSTOP)
        run.send("r")
        run.send(signal: SIGINT)
        run.send(signal: SIGCONT)
        #expect(run.finish() == 130 && run.text.contains("stopped after "), "\(run.text)")
    }

    @Test(
        "r right after q, or before q, does not begin another session", .needsTerminal, arguments: ["qr", "rq", "rQ"])
    func keyWithQuit(keys: String) {
        let run = TerminalRun(
            Command.path, ["practice", folder["song.wav"], "--section", "1-2", "--output", "null"], environment: home)
        #expect(run.wait(for: "pass 1"), "\(run.text)")
        run.send(keys)
        #expect(run.finish() == 0 && !run.text.contains("opening the input"), "\(run.text)")
    }

    @Test("r without a folder for takes reports the cause, and practising goes on", .needsTerminal)
    func keyWithoutFolder() {
        for name in ["data", "data/woodshed"] { _ = unsafe mkdir(folder[name], 0o700) }
        folder.write("data/woodshed/takes", [1])
        let run = TerminalRun(
            Command.path, ["practice", folder["song.wav"], "--section", "1-2", "--output", "null"], environment: home)
        #expect(run.wait(for: "pass 1"), "\(run.text)")
        run.send("r")
        #expect(run.wait(for: "data/woodshed/takes"), "\(run.text)")
        let place = run.seen.count
        run.send("[[")
        #expect(run.wait(for: "speed 90 %", from: place), "\(run.text)")
        run.send("q")
        #expect(run.finish() == 0 && !run.text.contains("opening the input"), "\(run.text)")
    }
}
