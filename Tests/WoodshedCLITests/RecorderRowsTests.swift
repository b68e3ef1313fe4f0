// Rows of docs/requirements.md without another test: the requirements of recording, from a user's side.
import ArgumentParser
import Glibc
import JSON
import Terminal
import TestSupport
import Testing
import VirtualCardSupport
import Woodshed
import WoodshedLibrary

@testable import WoodshedCLI

@Suite("Requirements for recording", .serialized)
struct RecorderRowsTests {
    private let folder = TestFolder()
    private let home: [String: String]

    init() {
        home = [
            "ALSA_CONFIG_PATH": ALSAConfiguration.directory + "/asound.conf", "XDG_DATA_HOME": folder["data"],
            "XDG_STATE_HOME": folder["state"], "XDG_CACHE_HOME": folder["cache"], "TERM": "dumb",
        ]
    }

    @discardableResult
    private func run(_ arguments: String...) -> Finished {
        Command.run(arguments, environment: home, folder: folder.path)
    }

    /// Rate, channels and bits of a WAV file, read without the code under test.
    private func format(of file: [UInt8]) throws -> [Int] {
        var place = 12
        func number(_ at: Int, _ bytes: Int) -> Int { (0..<bytes).reduce(0) { $0 | Int(file[at + $1]) << (8 * $1) } }
        while place + 24 <= file.count, file[place..<place + 4] != Array("fmt ".utf8)[...] {
            place += 8 + number(place + 4, 4)
        }
        try #require(place + 24 <= file.count)
        return [number(place + 12, 4), number(place + 10, 2), number(place + 22, 2)]
    }

    @Test("ten seconds of recording are 480000 frames and 0:10.0, however long the run takes")
    func timer() {
        let done = run("record", "a.wav", "--input", "null", "--clock", "virtual", "--duration", "10", "--json")
        #expect(done.status == 0 && done.error.contains("kept a.wav: 0:10.0"), "\(done.error)")
        let last = done.lines.last ?? ""
        #expect(last.contains(#""frames":480000,"#) && last.contains(#""seconds":10.0,"#), "\(last)")
        #expect(run("takes").lines.first?.contains(" 0:10.0 ") == true)
    }

    @Test(
        "a quality preset is printed, and true of the file and of the list of takes",
        arguments: RecordQuality.allCases)
    func presets(quality: RecordQuality) throws {
        let (rate, bits, channels, words) =
            switch quality {
            case .low: (22_050, 16, 1, "22050 Hz, 16 bit, mono")
            case .medium: (44_100, 16, 2, "44100 Hz, 16 bit, stereo")
            case .high: (48_000, 24, 2, "48000 Hz, 24 bit, stereo")
            }
        let arguments = ["--input", "null", "--clock", "virtual", "--duration", "0.2", "--quality", quality.rawValue]
        for name in ["take.wav", "other.flac"] {
            let done = Command.run(["record", name] + arguments, environment: home, folder: folder.path)
            #expect(done.status == 0 && done.error.contains(words), "\(done.error)")
        }
        #expect(try format(of: folder.read("take.wav")) == [rate, channels, bits])
        let info = try AudioFileInfo(path: folder["other.flac"])
        #expect(info.sampleRate == rate && info.channelCount == channels && info.frameCount == Int64(rate / 5))
        let listed = run("takes", "--json").lines
        #expect(listed.count == 2)
        for line in listed { #expect(line.contains(#""sample_rate":\#(rate),"channels":\#(channels),"#), "\(line)") }
        // The defaults are the best values.
        #expect(try Record.parse([]).source.quality == .high)
    }

    @Test("the events of a recording come in order, and the last follows loudness and conversion")
    func order() throws {
        folder.write("song.wav", Wave.ramp(frames: 48_000, channels: 2, rate: 48_000))
        let done = run("record", "a.flac", "--input", "file:song.wav", "--clock", "virtual", "--json")
        #expect(done.status == 0, "\(done.error)")
        let names = done.lines.compactMap { line -> String? in
            guard case .object(let fields)? = JSONValue(reading: Array(line.utf8)) else { return nil }
            return fields.first { $0.key == "event" }?.value.text
        }
        let kinds = names.reduce(into: [String]()) { if $0.last != $1 { $0.append($1) } }
        #expect(kinds.first == #""recording.started""# && kinds.last == #""recording.stopped""#, "\(kinds)")
        #expect(Array(kinds.suffix(2)) == [#""recording.converting""#, #""recording.stopped""#], "\(kinds)")
        #expect(done.lines.contains { $0.contains(#""take":"a.wav","path":"a.flac","format":"flac""#) }, "\(done.text)")
        #expect(names.count { $0 == #""recording.stopped""# } == 1 && kinds.contains(#""level""#))
        let last = try #require(done.lines.last)
        #expect(last.contains(#""path":"a.flac""#) && !last.contains(#""integrated":null"#), "\(last)")
        #expect(folder.names.contains("a.flac") && !folder.names.contains("a.wav"))
    }

    @Test("a microphone that may not be opened is named with the remedy, and the exit status is 77")
    func permission() throws {
        let rig = try VirtualCardRig()
        rig.refuse(.open, .capture, error: EACCES, count: nil)
        for arguments in [["record", "a.wav"], ["doctor", "--output", "null"]] {
            let run = Command.run(arguments + ["--input", rig.name], environment: home, folder: folder.path)
            #expect(run.status == 77, "\(arguments): \(run.error)")
            let words = run.error + run.text
            #expect(words.contains("audio") && words.contains("log in again"), "\(words)")
            if arguments[0] == "record" { #expect(run.error.contains(rig.name)) }
        }
        #expect(!folder.names.contains("a.wav"))
    }

    @Test("doctor --privacy lists every place in which data is kept")
    func privacy() throws {
        folder.write("song.wav", Wave.ramp(frames: 48_000, channels: 1, rate: 8000))
        _ = unsafe mkdir(folder["home"], 0o700)
        _ = unsafe mkdir(folder["run"], 0o700)
        var home = home.filter { !$0.key.hasPrefix("XDG") }
        // By the rules, an empty variable counts as unset.
        for name in ["XDG_DATA_HOME", "XDG_STATE_HOME", "XDG_CACHE_HOME", "XDG_CONFIG_HOME"] { home[name] = "" }
        (home["HOME"], home["XDG_RUNTIME_DIR"]) = (folder["home"], folder["run"])
        func run(_ arguments: String...) -> Finished {
            Command.run(arguments, environment: home, folder: folder.path)
        }
        let note = run("doctor", "--privacy")
        #expect(note.status == 0 && note.text.contains("stays on this computer"))
        #expect(folder.names(in: "home").isEmpty)
        guard case .object(let fields)? = JSONValue(reading: run("doctor", "--privacy", "--json").output),
            case .array(let places)? = fields.first(where: { $0.key == "places" })?.value
        else {
            Issue.record("no JSON")
            return
        }
        let paths = places.compactMap { place -> String? in
            guard case .object(let fields) = place, case .string(let path)? = fields.first?.value else { return nil }
            return path
        }
        #expect(paths.count == 13 && paths.allSatisfy { note.text.contains($0) }, "\(paths)")
        for words in [
            ["add", "song.wav"], ["sections", "song.wav", "add", "1-2"], ["config", "set", "speed", "80%"],
            ["waveform", "song.wav"],
            ["record", "a.wav", "--input", "null", "--clock", "virtual", "--duration", "0.2"],
            [
                "practice", "song.wav", "--section", "1", "-n", "1", "--record", "passes", "--input", "null",
                "--output", "null", "--clock", "virtual",
            ],
        ] {
            let done = Command.run(words, environment: home, folder: folder.path)
            #expect(done.status == 0, "\(words): \(done.error)")
        }
        func files(_ path: String) -> [String] {
            let names = folder.names(in: path)
            return names.isEmpty ? [folder[path]] : names.flatMap { files(path + "/" + $0) }
        }
        let made = files("home") + files("run").filter { $0 != folder["run"] }
        #expect(made.count >= 4, "\(made)")
        for file in made { #expect(paths.contains { file.hasPrefix($0) || $0.hasPrefix(file) }, "\(file)") }
    }

    @Test("doctor on a bare machine names every cause with a remedy, and ends with 69")
    func bareMachine() throws {
        let poor: [String: String?] = [
            "proc/self/limits": """
            Limit                     Soft Limit           Hard Limit           Units
            Max locked memory         8388608              8388608              bytes
            Max nice priority         0                    0
            Max realtime priority     0                    0
            Max realtime timeout      unlimited            unlimited            us

            """,
            "proc/self/status": "Uid:\t1001\t1001\t0\t0\nGid:\t1001\t1001\t0\t0\nGroups:\t1001 \n",
            "dev/snd/controlC0": nil, "dev/snd/pcmC0D0p": nil,
        ]
        let diagnosis = MadeUpMachine(poor).diagnosis(
            .failing(.noDevice), source: .failing(.noDevice, .input), mustRecord: true, grantsRealTime: false)
        #expect(diagnosis.status == .unavailable)
        let wrong = diagnosis.checks.filter { $0.grade != .good && !["ffmpeg", "disk"].contains($0.name) }
        #expect(wrong.map(\.name).starts(with: ["output", "input"]), "\(wrong)")
        #expect(Set(wrong.map(\.name)).isSuperset(of: ["priority", "nice", "memory"]), "\(wrong)")
        #expect(wrong.allSatisfy { !$0.finding.isEmpty && !$0.remedy.isEmpty })
        // The program: no card has the number 31.
        let doctor = run("doctor", "--input", "default")
        #expect([69, 77].contains(doctor.status), "\(doctor.text)")
        #expect(doctor.text.contains("output") && doctor.text.contains("input") && doctor.text.contains("mend: "))
    }

    @Test("wide characters and emoji in names of takes stay in their column, and within the line", .needsTerminal)
    func wideNames() throws {
        let names = [
            "练习曲第一号：慢板", "🎸🎸 riff 👩‍🎤 very late in the evening, and once more with feeling", "ギターのソロ（夜）",
            "plain", "e\u{301}tude",
        ]
        for (number, name) in names.enumerated() {
            let done = run(
                "record", "t\(number).wav", "--input", "null", "--clock", "virtual", "--duration",
                number == 0 ? "12" : "0.2")
            #expect(done.status == 0 && run("takes", "rename", "@1", name).status == 0)
        }
        #expect(run("takes", "rate", "2", "4").status == 0)
        for columns in [24, 40, 58, 79] {
            let terminal = TerminalRun(Command.path, ["takes"], environment: home, columns: columns)
            #expect(terminal.finish() == 0)
            let lines = terminal.text.split(whereSeparator: \.isNewline).map(String.init)
            // The heading comes first, a line about the remaining space last.
            let rows = lines.dropFirst().prefix(names.count)
            #expect(rows.count == names.count, "\(terminal.text)")
            var places: Set<Int> = []
            for (row, name) in zip(rows, names.reversed()) {
                #expect(displayWidth(row) <= columns - 1, "\(displayWidth(row)) of \(columns): \(row)")
                // As much of the name as fits, in whole characters only.
                guard let first = name.first, let place = row.firstIndex(of: first) else { continue }
                places.insert(displayWidth(String(row[..<place])))
                #expect(row.hasSuffix("...") || row.hasSuffix(name), "\(row)")
            }
            #expect(columns < 40 || places.count == 1, "\(places): \(terminal.text)")
        }
        let view = RecordView(
            state: .recording, seconds: 1, file: names[0] + names[1] + ".wav", device: "hw:0", loudness: -18,
            secondsLeft: 60, channels: [RecordView.Channel(peak: -20, held: -9, overs: 0)], history: [])
        for columns in 20...120 {
            for line in RecordPanel(glyphs: .unicode).lines(view, columns: columns) {
                #expect(displayWidth(line) <= columns - 1)
            }
        }
    }
}

@Suite("Half of a recording", .serialized)
struct SeekShareTests {
    private func frame(_ line: String?) -> Int64? {
        guard let line, case .object(let fields)? = JSONValue(reading: Array(line.utf8)),
            case .integer(let frame)? = fields.first(where: { $0.key == "clip_frame" })?.value
        else { return nil }
        return Int64(frame)
    }

    @Test("50 % of a recording is frame n/2, as an option and as a seek during playing")
    func half() throws {
        let studio = Studio()
        studio.folder.write("ramp.wav", Wave.ramp(frames: 9000, channels: 1, rate: 8000))
        let played = Command.run(
            ["play", "ramp.wav", "--from", "50%", "--output", "file:out.wav", "--clock", "virtual"],
            environment: studio.environment, folder: studio.folder.path)
        #expect(played.status == 0, "\(played.error)")
        let info = try AudioFileInfo(path: studio.folder["out.wav"])
        #expect(info.frameCount == 4500)
        let finished = studio.run(
            ["practice", "song.wav", "--output", "null", "--json", "--control", "socket"]
        ) { run in
            guard let program = studio.connect() else { return }
            #expect(run.wait(for: "pass.started"))
            _ = program.ask("pause")
            #expect(run.wait(for: #""event":"paused""#))
            for (number, share) in [("50%", 48_000), ("0%", 0), ("12.5%", 12_000), ("100%", 95_999)].enumerated() {
                _ = program.ask("seek \(share.0)")
                #expect(run.wait(for: #""event":"moved""#, count: number + 1))
                #expect(frame(program.ask("status")) == Int64(share.1), "\(share)")
            }
            for wrong in ["seek 101%", "seek %", "seek 0.5"] {
                #expect(program.ask(wrong)?.contains(#""ok":false"#) == true, "\(wrong)")
            }
            _ = program.ask("quit")
        }
        #expect(finished.status == 0, "\(finished.error)")
        #expect(try KeyAction(words: "seek 50%").words == "seek 50%")
    }
}
