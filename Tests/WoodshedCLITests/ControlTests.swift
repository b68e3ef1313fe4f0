// Runs under the control of other programs and pedals, from start to end.
import Glibc
import JSON
import RemoteControl
import Terminal
import TestSupport
import Testing

@testable import WoodshedCLI

/// A folder with a recording of 96000 frames, a runtime folder, a pipe for a pedal and a configuration.
struct Studio {
    let folder = TestFolder()
    var pedal: String { folder["pedal"] }

    init() {
        let data = [UInt8](repeating: 0, count: 2 * 8000 * 12)
        folder.write("song.wav", Wave.file(format: 1, channels: 1, rate: 8000, bits: 16, data: data))
        _ = unsafe (mkdir(folder["run"], 0o700), mkfifo(pedal, 0o600))
    }

    var environment: [String: String] {
        [
            "XDG_RUNTIME_DIR": folder["run"], "XDG_CONFIG_HOME": folder["config"], "XDG_DATA_HOME": folder["data"],
            "XDG_CACHE_HOME": folder["cache"], "XDG_STATE_HOME": folder["state"], "TERM": "dumb",
        ]
    }

    var sockets: [String] { folder.names(in: "run/woodshed").filter { $0.hasSuffix(".sock") } }

    /// Connects to the run, and waits until the run listens.
    func connect() -> Program? {
        var program: Program?
        func isConnected() -> Bool {
            program = sockets.first.flatMap { Program(folder["run/woodshed/\($0)"]) }
            return program != nil
        }
        #expect(eventually(isConnected), "no socket")
        return program
    }

    /// - Parameter output: A file for standard output; a delayed test may leave a pipe full for too long.
    func run(
        _ arguments: [String], with more: [String: String] = [:], output: String? = nil,
        _ act: @escaping (RunningCommand) -> Void
    ) -> Finished {
        Command.run(
            arguments, environment: environment.merging(more) { $1 }, folder: folder.path,
            outputPath: output.map { folder[$0] }, act: act)
    }

    /// Presses the pedal, or moves another controller.
    func send(_ bytes: [UInt8]) {
        let writer = unsafe open(pedal, O_WRONLY | O_CLOEXEC)
        #expect(unsafe write(writer, bytes, bytes.count) == bytes.count)
        close(writer)
    }

    @discardableResult
    func config(_ arguments: String...) -> Finished {
        Command.run(["config"] + arguments, environment: environment)
    }
}

@Suite("Control socket of a run", .serialized)
struct ControlSocketTests {
    private let studio = Studio()
    private let practice = ["practice", "song.wav", "--output", "null", "--json", "--plain", "--control", "socket"]

    private func value(_ line: String?) -> JSONValue? { line.flatMap { JSONValue(reading: Array($0.utf8)) } }

    private func field(_ name: String, _ line: String?) -> JSONValue? {
        guard case .object(let fields)? = value(line) else { return nil }
        return fields.first { $0.key == name }?.value
    }

    @Test("the control socket carries out the words of keys, answers each, and is removed at the end")
    func practising() {
        let finished = studio.run(practice) { run in
            guard let program = studio.connect() else { return }
            #expect(run.wait(for: "pass.started"))
            let status = program.ask("status")
            #expect(field("ok", status) == .bool(true) && field("verb", status) == .string("practice"))
            #expect(field("state", status) == .string("playing") && field("file", status) == .string("song.wav"))
            #expect(field("section", status) == .integer(1) && field("speed", status) == .number(1))
            #expect(field("ok", program.ask("pause")) == .bool(true))
            #expect(run.wait(for: #""event":"paused""#))
            #expect(field("state", program.ask("status")) == .string("paused"))
            // The run may have been paused late.
            _ = program.ask("seek 10%")
            #expect(run.wait(for: #""event":"moved""#))
            #expect(field("words", program.ask("loop start")) != .array([]))
            _ = program.ask("seek +5")
            #expect(run.wait(for: #""event":"moved""#, count: 2))
            #expect(field("words", program.ask("  loop   end "))?.text.contains("loop 0:0") == true)
            #expect(field("words", program.ask("save"))?.text.contains("type a name") == true)
            #expect(field("typing", program.ask("status")) == .string("name"))
            _ = program.ask("type Søren's riff?")
            _ = program.ask("delete character")
            #expect(field("ok", program.ask("accept")) == .bool(true))
            #expect(run.wait(for: "sections.changed"))
            #expect(field("ok", program.ask("speed 80%; pitch +1; gap")) == .bool(true))
            for wrong in ["nonsense", "speed", "accept", "type x", "up", "speed 5000%;;;x", "yes", ""] {
                let answer = program.ask(wrong)
                #expect(field("ok", answer) == .bool(false), "\(wrong): \(answer ?? "")")
                #expect(field("message", answer) != nil && field("remedy", answer) != nil)
            }
            #expect(field("ok", program.ask("quit")) == .bool(true))
            #expect(program.line() == nil)
        }
        #expect(finished.status == 0, "\(finished.error)")
        #expect(studio.sockets.isEmpty)
        let list = Command.run(["sections", studio.folder["song.wav"]], environment: studio.environment)
        #expect(list.text.contains("Søren's riff") && !list.text.contains("riff?"), "\(list.text)")
        // The same as after keys.
        #expect(finished.errorLines.contains { $0.hasPrefix("loop 0:0") }, "\(finished.error)")
    }

    @Test("a follower of the control socket reads the lines of --json to the last, with --json or not")
    func following() {
        for writes in [true, false] {
            var followed: [String] = []
            let finished = studio.run(practice.filter { writes || $0 != "--json" }) { run in
                guard let program = studio.connect() else { return }
                #expect(program.ask("follow") == #"{"v":1,"ok":true,"command":"follow"}"#)
                program.send("pause\npause\nspeed 90%\nsection +1\n")
                while !followed.contains(where: { $0.contains("paused") }), let line = program.line() {
                    followed.append(line)
                }
                program.send("quit\n")
                while let line = program.line() { followed.append(line) }
            }
            #expect(finished.status == 0)
            let events = followed.filter { $0.hasPrefix(#"{"v":1,"event":"#) }
            #expect(events.contains { $0.contains(#""event":"paused""#) })
            #expect(events.last?.contains("playback.finished") == true)
            if writes { #expect(events.allSatisfy(finished.lines.contains)) } else { #expect(finished.output.isEmpty) }
        }
    }

    @Test("help on the control socket lists known words only, and the words of every key")
    func help() throws {
        var commands: [String] = []
        _ = studio.run(practice) { run in
            guard let program = studio.connect() else { return }
            if case .array(let words)? = field("commands", program.ask("help")) {
                commands = words.compactMap { if case .string(let word) = $0 { word } else { nil } }
            }
            _ = program.ask("quit")
        }
        #expect(Set(commands).count == commands.count)
        for row in KeyMap.standard.playing.rows { #expect(commands.contains(row.words), "\(row.words)") }
        let own: Set = ["status", "follow", "unfollow", "help", "type TEXT"]
        for words in commands where !own.contains(words) {
            let isKnown =
                (try? KeyAction(words: words)) != nil || (try? ListAction(words: words)) != nil
                || (try? InputAction(words: words)) != nil
            #expect(isKnown, "\(words)")
        }
    }

    @Test("a recording is paused, marked and discarded over the socket, and a discard needs a yes")
    func recording() {
        let arguments = ["record", "--input", "null", "take.wav", "--json", "--plain", "--control", "socket"]
        let finished = studio.run(arguments) { run in
            guard let program = studio.connect() else { return }
            #expect(field("verb", program.ask("status")) == .string("record"))
            #expect(field("ok", program.ask("yes")) == .bool(false))
            #expect(field("words", program.ask("discard"))?.text.contains("Throw this take away?") == true)
            #expect(field("asking", program.ask("status")) == .bool(true))
            #expect(field("words", program.ask("no"))?.text.contains("goes on") == true)
            _ = program.ask("mark")
            #expect(run.wait(for: #""event":"mark""#))
            _ = program.ask("pause")
            #expect(run.wait(for: #""event":"paused""#))
            // A recorder's status may follow the event.
            #expect(eventually { field("state", program.ask("status")) == .string("paused") })
            #expect(field("ok", program.ask("speed 80%")) == .bool(false))
            #expect(program.ask("follow") != nil)
            program.send("discard\nyes\n")
            var last: String?
            while let line = program.line() { last = line }
            #expect(last?.contains("recording.stopped") == true && last?.contains("discarded") == true)
        }
        #expect(finished.status == 0, "\(finished.error)")
        #expect(!studio.folder.names.contains("take.wav") && studio.sockets.isEmpty)
    }

    @Test("programs that flood or stall the control socket do not end a run or lock out others")
    func hostile() {
        let finished = studio.run(practice, output: "events") { _ in
            guard let program = studio.connect(), let name = studio.sockets.first else { return }
            let path = studio.folder["run/woodshed/\(name)"]
            var crowd: [Program] = []
            for index in 0..<60 {
                guard let other = Program(path) else { continue }
                switch index % 4 {
                case 0: _ = other.flood(Array(String(repeating: "speed +1%\nspeed -1%\nreverse\n", count: 500).utf8))
                case 1: other.send("quit")
                case 2: other.send([UInt8](repeating: 0x41, count: 20_000) + [0xFF, 0x0A])
                default: other.send("follow\n")
                }
                crowd.append(other)
                if index % 3 == 0 { crowd.removeFirst() }
            }
            for _ in 0..<20 { #expect(program.ask("tell") != nil) }
            crowd = []
            #expect(field("ok", program.ask("quit")) == .bool(true))
        }
        #expect(finished.status == 0, "\(finished.error)")
        let events = String(decoding: studio.folder.read("events"), as: UTF8.self).split(separator: "\n")
        #expect(events.last?.contains("playback.finished") == true)
    }

    @Test("the next run removes a killed run's socket, and --control none overrides the configuration")
    func staleAndConfigured() {
        studio.config("set", "control", "socket")
        // The run continues until the test ends the process.
        let arguments = ["practice", "song.wav", "--output", "null"]
        let killed = studio.run(arguments) { run in
            #expect(studio.connect() != nil)
            run.send(SIGKILL)
        }
        #expect(killed.status == -9 && studio.sockets.count == 1)
        let old = studio.sockets
        let next = studio.run(arguments) { run in
            // The killed run's socket refuses the connection.
            let program = studio.connect()
            #expect(field("ok", program?.ask("quit")) == .bool(true))
        }
        #expect(next.status == 0 && studio.sockets.isEmpty && old.count == 1)
        let none = Command.run(
            arguments + ["--control", "none", "--clock", "virtual", "--verbose"],
            environment: studio.environment, folder: studio.folder.path)
        #expect(none.status == 0 && !none.error.contains("control:"))
        #expect(studio.config("set", "control", "telepathy").status == 64)
    }

    @Test("an unknown or missing way of control is refused before the output is opened")
    func refused() {
        func play(_ way: String, with more: [String: String] = [:]) -> Finished {
            Command.run(
                ["play", "song.wav", "--output", "file:out.wav", "--control", way],
                environment: studio.environment.merging(more) { $1 }, folder: studio.folder.path)
        }
        #expect(play("carrier pigeon").status == 64)
        let missing = play("midi:/nonexistent/midi")
        #expect(missing.status == 66 && missing.errorLines.count == 2, "\(missing.error)")
        studio.folder.write("run/woodshed", [])
        #expect(play("socket").status == 73)
        #expect(!studio.folder.names.contains("out.wav"))
    }

    @Test("a list of ways of control is parsed into the socket and the MIDI ports")
    func ways() throws {
        func ways(_ text: String) throws -> ControlWays { try ControlWays(parsing: text) }
        var expected = ControlWays()
        #expect(try ways("none") == expected)
        expected.hasSocket = true
        #expect(try ways("socket") == expected)
        expected.ports = ["", "24:0", "FS-1"]
        #expect(try ways("socket, midi, midi:24:0 ,midi:FS-1") == expected)
        #expect(ControlWays([try ways("socket,midi"), try ways("midi:24:0"), try ways("midi:FS-1,midi")]) == expected)
        for wrong in ["", "none,socket", "midi;", "sockets", "socket,,midi"] {
            #expect(throws: ArgumentError.self) { try ways(wrong) }
        }
    }
}

@Suite("Pedals of a run", .serialized)
struct PedalTests {
    private let studio = Studio()

    @Test("MIDI pedals, pads and programs carry out the configured actions, reported as for a key")
    func pedals() {
        for (name, words) in [
            ("cc64", "pause"), ("cc64.up", "tell"), ("note60", "speed 80%; gain +1"), ("ch2.program5", "quit; stop"),
        ] {
            #expect(studio.config("set", "midi." + name, words).status == 0)
        }
        #expect(studio.config("midi").lines.count == 4)
        let finished = studio.run(
            ["practice", "song.wav", "--output", "null", "--plain", "--control", "midi:" + studio.pedal, "--json"]
        ) { run in
            #expect(run.wait(for: "pass.started"))
            studio.send([0xB0, 64, 127])
            #expect(run.wait(for: #""event":"paused""#))
            studio.send([0xB0, 64, 90, 64, 0, 64, 127])
            #expect(run.wait(for: #""event":"resumed""#))
            studio.send([0x90, 60, 100, 60, 0])
            #expect(run.wait(for: #""event":"speed.changed""#))
            studio.send([0xC0, 5, 0xC1, 5])
        }
        #expect(finished.status == 0, "\(finished.error)")
        #expect(finished.errorLines.contains { $0.hasPrefix("pass 1, ") }, "\(finished.error)")
        #expect(finished.errorLines.contains("controller: \(studio.pedal)"))
    }

    @Test("a pedal configured for playing pauses a recording too, and one line of actions ends either")
    func recording() {
        studio.config("set", "midi.cc64", "pause")
        studio.config("set", "midi.cc66", "quit; stop")
        let finished = studio.run(
            ["record", "--input", "null", "take.wav", "--json", "--control", "midi:" + studio.pedal]
        ) { run in
            #expect(run.wait(for: "recording.started"))
            studio.send([0xB0, 64, 127])
            #expect(run.wait(for: #""event":"paused""#))
            studio.send([0xB0, 66, 127])
        }
        #expect(finished.status == 0, "\(finished.error)")
        #expect(finished.lines.last?.contains("recording.stopped") == true)
    }

    @Test("a pedal is learned by pressing it and then a key, and kept", .needsTerminal)
    func learning() {
        let arguments = ["practice", studio.folder["song.wav"], "--output", "null"]
        let run = TerminalRun(
            Command.path, arguments + ["--control", "midi:" + studio.pedal], environment: studio.environment)
        #expect(run.wait(for: "pass 1"))
        func press(_ key: String, _ words: String) {
            let place = run.seen.count
            run.send(key)
            #expect(run.wait(for: words, from: place), "\(key): \(run.text.suffix(500))")
        }
        func step(_ bytes: [UInt8], _ words: String) {
            let place = run.seen.count
            studio.send(bytes)
            #expect(run.wait(for: words, from: place), "\(bytes): \(run.text.suffix(500))")
        }
        press("M", "press the pedal")
        press("\u{1B}", "nothing learned")
        press("M", "press the pedal")
        step([0xB3, 67, 127], "cc67: now the key")
        // A release is no press of its own, and a key without an action cannot be learned.
        step([0xB3, 67, 0], "")
        press("E", "does nothing")
        press("]", "learned: cc67 = speed +5%")
        step([0xB3, 67, 127], "speed 105 %")
        // A pedal with reversed polarity.
        press("M", "press the pedal")
        step([0xB0, 70, 0], "cc70.up: now the key")
        press("i", "learned: cc70.up = tell")
        step([0xB0, 70, 127, 70, 0], "105 %")
        run.send("q")
        #expect(run.finish() == 0)
        let kept = String(decoding: studio.folder.read("config/woodshed/woodshed.conf"), as: UTF8.self)
        #expect(kept == "midi.cc67 = speed +5%\nmidi.cc70.up = tell\n")
        let without = TerminalRun(Command.path, arguments, environment: studio.environment)
        #expect(without.wait(for: "pass 1"))
        without.send("M")
        #expect(without.wait(for: "no controller is used"))
        without.send("q")
        #expect(without.finish() == 0)
    }

    @Test("a configuration line with an unknown controller or action is refused with its place")
    func badLines() {
        #expect(studio.config("set", "midi.cc200", "pause").status == 64)
        #expect(studio.config("set", "midi.cc64", "dance").status == 64)
        #expect(studio.config("midi").error.contains("no pedal has an action yet"))
        unsafe mkdir(studio.folder["config"], 0o700)
        unsafe mkdir(studio.folder["config/woodshed"], 0o700)
        studio.folder.write("config/woodshed/woodshed.conf", Array("# mine\nmidi.pedal = pause\n".utf8))
        let run = Command.run(
            ["play", studio.folder["song.wav"], "--output", "null", "--control", "midi:" + studio.pedal],
            environment: studio.environment)
        #expect(
            run.status == 78 && run.error.contains("line 2") && run.error.contains("woodshed config unset midi.pedal"))
        // A user without a controller can still play.
        let quiet = Command.run(
            ["play", studio.folder["song.wav"], "--output", "null", "--clock", "virtual"],
            environment: studio.environment)
        #expect(quiet.status == 0)
        #expect(studio.config("unset", "midi.pedal").status == 0)
    }

    @Test("every action of a key can be bound to a pedal")
    func everyAction() throws {
        var map = ControllerMap()
        for row in KeyMap.standard.playing.rows + KeyMap.standard.recording.rows {
            try map.bind("cc1", to: row.words)
        }
        for words in KeyAction.plainWords { try map.bind("note1.up", to: words) }
        #expect(map.words(for: ControllerTrigger(.control(1), channel: 9)) != nil)
        try map.bind("cc1", to: "none")
        #expect(map.words(for: ControllerTrigger(.control(1), channel: 9)) == nil)
    }

    @Test(
        "a run without a MIDI sequencer ends with 69, and the error names the remedy",
        .enabled("this machine has a sequencer") { unsafe access("/dev/snd/seq", F_OK) != 0 })
    func noSequencer() {
        let run = Command.run(
            ["play", studio.folder["song.wav"], "--output", "null", "--control", "midi"],
            environment: studio.environment)
        #expect(run.status == 69 && run.error.contains("no MIDI sequencer") && run.error.contains("modprobe snd-seq"))
        #expect(run.errorLines.count == 2, "\(run.error)")
    }
}
