// `woodshed sections` from a user's side.
import TestSupport
import Testing

@testable import WoodshedCLI

@Suite("The verb sections", .serialized)
struct SectionsCommandTests {
    private let folder = TestFolder()
    private let home: [String: String]

    init() {
        folder.write("song.wav", Wave.ramp(frames: 441_000, channels: 1))
        home = ["XDG_DATA_HOME": folder["data"], "XDG_CACHE_HOME": folder["cache"]]
    }

    @discardableResult
    private func sections(_ arguments: [String], file: String = "song.wav") -> Finished {
        Command.run(["sections", folder[file]] + arguments, environment: home)
    }

    /// The list as `number start-end name`, frames of the file.
    private func list(_ file: String = "song.wav") -> [String] {
        let run = sections(["--json"], file: file)
        #expect(run.status == 0, "\(run.error)")
        return run.lines.map { line in
            func value(_ key: String) -> String {
                line.split(separator: "\"\(key)\":", maxSplits: 1).last.map { String($0.prefix { !",}".contains($0) }) }
                    ?? ""
            }
            return "\(value("number")) \(value("start_frame"))-\(value("end_frame")) \(value("name"))"
        }
    }

    @Test("sections of a recording without sections lists nothing, ends well, and creates nothing")
    func empty() {
        for arguments in [[], ["--json"], ["list"]] {
            let run = sections(arguments)
            #expect(run.status == 0 && run.output.isEmpty, "\(run.error)")
        }
        #expect(sections(["rm", "1"]).status == 66)
        #expect(!folder.names.contains("data"))
    }

    @Test("the shell completes names of sections and of recipes")
    func completion() {
        sections(["add", "1-2", "--name", "Intro"])
        sections(["add", "2-3", "--name", "Interlude two"])
        sections(["add", "3-4", "--name", "Bridge"])
        let script = """
            shopt -s extglob
            source <(woodshed --generate-completion-script bash)
            try() {
                COMP_WORDS=("$@"); COMP_CWORD=$((${#COMP_WORDS[@]} - 1)); COMP_LINE="${COMP_WORDS[*]}"
                COMP_POINT=${#COMP_LINE}; COMPREPLY=()
                _woodshed woodshed "${COMP_WORDS[COMP_CWORD]}" "${COMP_WORDS[COMP_CWORD-1]}"
                (IFS=,; echo "${COMPREPLY[*]}")
            }
            try woodshed practice song.wav --section In
            try woodshed sections song.wav rm ''
            try woodshed practice song.wav --recipe s
            try woodshed practice missing.wav --section ''
            """
        let folderOfCommand = String(
            Command.path.prefix(upTo: Command.path.lastIndex(of: "/") ?? Command.path.startIndex))
        let shell = Command.run(
            ["-c", "cd '\(folder.path)'\n" + script],
            environment: home.merging(["PATH": folderOfCommand + ":/usr/bin:/bin"]) { $1 }, program: "/bin/bash")
        #expect(
            shell.text == "Intro,Interlude two\nIntro,Interlude two,Bridge\nshadow\n\n", "\(shell.text) \(shell.error)")
    }

    @Test("--snap moves typed times to the nearest zero crossing, and needs an action that takes times")
    func snap() {
        // The ramp crosses zero before frame 649, and falls back before frame 1298.
        sections(["mark", "700f", "--snap"])
        #expect(list() == ["1 0-649 \"\"", "2 649-441000 \"\""])
        sections(["add", "640f-1300f", "--snap", "--name", "Ramp"])
        #expect(list().contains { $0.hasSuffix("649-1298 \"Ramp\"") })
        sections(["move", "Ramp", "600f-610f", "--snap"])
        #expect(list().contains { $0.hasSuffix("600-610 \"Ramp\"") })
        #expect(sections(["rm", "1", "--snap"]).status == 64)
        // A time past the end is refused, as without the option.
        for words in [["mark", "60:00"], ["add", "60:00-70:00"], ["mark", "9223372036854775807f"]] {
            let (plain, snapped) = (sections(words), sections(words + ["--snap"]))
            #expect(plain.status != 0 && snapped.status == plain.status, "\(snapped.error)")
        }
    }

    @Test(
        "a copy in another encoding is offered the recording's sections, and adopts them until an undo",
        .needsTerminal)
    func copies() {
        folder.write("notes.wav", Self.notes)
        #expect(Command.run(["render", folder["notes.wav"], "-o", folder["copy.flac"]]).status == 0)
        sections(["mark", "2.0", "--name", "Solo"], file: "notes.wav")
        // The same samples in another container have another key, because the format is part of the key.
        let offer = sections([], file: "copy.flac")
        #expect(offer.status == 0 && offer.output.isEmpty)
        #expect(
            offer.error.contains("notes.wav sounds the same, and has 2 sections")
                && offer.error.contains("copy.flac adopt"))
        #expect(sections(["--json"], file: "copy.flac").error.isEmpty)
        let run = TerminalRun(
            Command.path, ["practice", folder["copy.flac"], "--output", "null"], environment: home)
        #expect(run.wait(for: "notes.wav sounds the same"))
        run.send("q")
        #expect(run.finish() == 0)
        #expect(sections(["adopt"], file: "copy.flac").status == 0)
        #expect(list("copy.flac") == ["1 0-16000 \"\"", "2 16000-32000 \"Solo\""])
        #expect(sections(["undo"], file: "copy.flac").status == 0 && list("copy.flac").isEmpty)
        let nothing = sections(["adopt"], file: "song.wav")
        #expect(nothing.status == 66 && nothing.error.contains("sounds like"), "\(nothing.error)")
    }

    /// Four seconds of notes that die away, each louder or softer than the last.
    private static let notes: [UInt8] = {
        var data: [UInt8] = []
        for frame in 0..<32_000 {
            let (note, place) = (frame / 3200, frame % 3200)
            let level = (4000 + note * 7919 % 20_000) * (3200 - place) / 3200
            data += Wave.little(UInt16(truncatingIfNeeded: frame % 16 < 8 ? level : -level))
        }
        return Wave.file(format: 1, channels: 1, rate: 8000, bits: 16, data: data)
    }()

    @Test("every action of sections makes its change, to the frame of the file")
    func actions() {
        sections(["add", "2.0-3.0", "--name", "Intro", "--text", "la\nla", "--hard"])
        sections(["mark", "5", "220501f"])
        #expect(
            list() == ["1 0-220500 \"\"", "2 88200-132300 \"Intro\"", "3 220500-220501 \"\"", "4 220501-441000 \"\""])
        sections(["rename", "4", "Bridge"])
        sections(["split", "bridge", "60%"])
        #expect(list().suffix(2) == ["4 220501-264600 \"Bridge\"", "5 264600-441000 \"Bridge\""])
        sections(["join", "4", "5"])
        sections(["move", "Intro", "2.5-3:0"])
        #expect(sections(["move", "Intro", "2.5-3.5"]).status == 0)
        #expect(list()[1] == "2 110250-154350 \"Intro\"")
        sections(["set", "Intro", "speed=70%", "passes=3"])
        sections(["easy", "Intro"])
        let line = sections(["list", "--json"]).lines[1]
        #expect(line.contains(#""text":"la\nla""#) && line.contains(#""hard":false"#))
        #expect(line.contains(#""settings":{"passes":"3","speed":"70%"}"#))
        sections(["text", "Intro", "lo"])
        sections(["hard", "1-2"])
        #expect(sections([]).lines[1].contains("Intro  (hard)  passes 3  speed 70%  \"lo\""))
        sections(["rm", "1", "3"])
        #expect(list() == ["1 110250-154350 \"Intro\"", "2 220501-441000 \"Bridge\""])
    }

    @Test("one command on sections is undone by one undo and redone by one redo, in other processes")
    func undo() {
        sections(["mark", "1", "2", "3"])
        sections(["set", "1", "speed=70%", "gap=1.0x"])
        #expect(sections(["undo"]).error.contains("undid: set speed and gap of section 1; 4 sections now"))
        #expect(!sections(["--json"]).text.contains("70%"))
        sections(["undo"])
        #expect(list().isEmpty)
        let nothing = sections(["undo"])
        #expect(nothing.status == 66 && nothing.error.contains("no change to undo"), "\(nothing.error)")
        sections(["redo"])
        sections(["redo"])
        #expect(sections(["--json"]).text.contains(#""speed":"70%""#))
        #expect(sections(["redo"]).status == 66)
    }

    @Test("sections stay with a renamed or moved file, and are not given to another file of that name")
    func identity() {
        sections(["add", "2.0-3.0", "--name", "Intro"])
        _ = Command.tool("/bin/mv", [folder["song.wav"], folder["moved.wav"]])
        folder.write("song.wav", Wave.ramp(frames: 400_000, channels: 1))
        #expect(list("moved.wav") == ["1 88200-132300 \"Intro\""])
        #expect(list().isEmpty)
    }

    /// A recording with cue points.
    private func marked(_ frames: [UInt32]) -> [UInt8] {
        var cues = Wave.little(UInt32(frames.count))
        for (number, frame) in frames.enumerated() {
            let id = Wave.little(UInt32(number + 1))
            cues += id + Wave.little(frame) + Array("data".utf8) + [UInt8](repeating: 0, count: 8) + Wave.little(frame)
        }
        var file = Wave.ramp(frames: 44_100, channels: 1)
        file += Array("cue ".utf8) + Wave.little(UInt32(cues.count)) + cues
        file.replaceSubrange(4..<8, with: Wave.little(UInt32(file.count - 8)))
        return file
    }

    @Test("marks in a file are the file's sections at once, and stay with the first change")
    func fileMarks() {
        folder.write("take.wav", marked([11_025, 22_050]))
        let first = list("take.wav")
        #expect(first == ["1 11025-22050 \"\"", "2 22050-44100 \"\""])
        #expect(!folder.names.contains("data"))
        sections(["add", "0-0.5", "--name", "own"], file: "take.wav")
        #expect(list("take.wav") == ["1 0-22050 \"own\"", "2 11025-22050 \"\"", "3 22050-44100 \"\""])
        sections(["undo"], file: "take.wav")
        #expect(list("take.wav") == first)
        sections(["undo"], file: "take.wav")
        #expect(list("take.wav").isEmpty)
    }

    @Test("subtitles and marks are imported as sections in one step, and every format is exported")
    func files() {
        folder.write(
            "talk.srt", Array("1\n00:00:01,000 --> 00:00:02,000\nHello\n\n2\n00:00:09,000 --> 00:00:19,000\nlong".utf8))
        let imported = sections(["import", folder["talk.srt"]])
        #expect(imported.status == 0 && imported.error.contains("imported 2 sections from SubRip; 2 sections now"))
        #expect(imported.error.contains("1 section lost the frames past the end"))
        #expect(sections([]).lines[0].hasSuffix(#""Hello""#))
        // Existing sections are not added again.
        #expect(sections(["import", folder["talk.srt"]]).error.contains("Nothing had to change"))
        for format in ["json", "srt", "vtt", "lrc", "txt", "cue", "csv", "edl"] {
            let run = sections(["export", folder["out." + format]])
            #expect(run.status == 0 && !folder.read("out." + format).isEmpty, "\(run.error)")
            #expect(sections(["export", "-", "--format", format]).output == folder.read("out." + format))
        }
        sections(["hard", "1"])
        sections(["export", folder["all.json"]])
        let before = list()
        sections(["rm", "1-2"])
        sections(["add", "5-6"])
        #expect(sections(["import", "--replace", folder["all.json"]]).status == 0)
        #expect(list() == before && sections(["--json"]).lines[0].contains(#""hard":true"#))
        sections(["undo"])
        #expect(list().count == 1)
        folder.write("marks.wav", marked([11_025, 22_050]))
        #expect(sections(["import", folder["marks.wav"]]).status == 0 && list().count == 3)
        for (arguments, status, words) in [
            (["import", folder["none.srt"]], 66, "Check the name"),
            (["import", folder["song.wav"]], 65, "has no marks"),
            (["export", folder["out.doc"]], 64, "--format, with one of"), (["export", "-"], 64, "--format"),
            (["export", folder["song.wav"], "--format", "srt"], 64, "song.wav"),
            (["export", folder["no/out.srt"]], 73, "cannot be created"), (["import", folder.path], 65, "irectory"),
        ] {
            let run = sections(arguments)
            #expect(
                run.status == Int32(status) && run.error.contains(words), "\(arguments): \(run.status) \(run.error)")
        }
    }

    @Test("sections auto finds phrases between pauses, and keeps the phrases only with --yes")
    func auto() {
        let rate = 8000
        var data: [UInt8] = []
        for second in 0..<7 {
            // A tone in every other second.
            for frame in 0..<rate {
                let sample = second % 2 == 1 ? (frame / 5 % 2 == 0 ? 6000 : -6000) : 0
                data += Wave.little(UInt16(truncatingIfNeeded: sample))
            }
        }
        folder.write("talk.wav", Wave.file(format: 1, channels: 1, rate: rate, bits: 16, data: data))
        let shown = sections(["auto"], file: "talk.wav")
        #expect(
            shown.status == 0 && shown.lines.count == 3 && shown.error.contains("Found 3 phrases"), "\(shown.error)")
        #expect(shown.error.contains("auto --yes") && !folder.names.contains("data"))
        #expect(sections(["auto", "--json"], file: "talk.wav").lines.count == 3)
        #expect(sections(["auto", "--yes"], file: "talk.wav").error.contains("found 3 phrases"))
        let frames = list("talk.wav").compactMap { $0.split(separator: " ").dropFirst().first }
        for (text, start) in zip(frames, [8000, 24_000, 40_000]) {
            let bounds = text.split(separator: "-").compactMap { Int($0) }
            #expect(abs(bounds[0] - start) <= 240 && abs(bounds[1] - start - rate) <= 240, "\(text)")
        }
        #expect(sections(["auto", "--yes", "--replace", "--min-pause", "1.5"], file: "talk.wav").status == 0)
        #expect(list("talk.wav").count == 1)
        let none = sections(["auto"])
        #expect(none.status == 66 && none.error.contains("mark points while the recording plays"), "\(none.error)")
        for words in [["auto", "--min-pause", "0"], ["auto", "--threshold", "5"], ["list", "--yes"]] {
            #expect(sections(words).status == 64)
        }
    }

    @Test("a refused action of sections states the cause and the remedy, and changes nothing")
    func refusals() {
        sections(["add", "2.0-3.0", "--name", "Intro"])
        for (arguments, status, words) in [
            (["lst"], 64, "Did you mean: list"), (["fold"], 64, "Choose one of: list, add"),
            (["split", "1"], 64, "split SECTION TIME"), (["list", "1"], 64, "takes no word '1'"),
            (["rm", "1", "--name", "x"], 64, "'rm' does not take --name"), (["add", "two"], 64, "is not a section"),
            (["add", "3-2"], 65, "Give a start that lies before the end"),
            (["add", "9-11"], 65, "the recording ends at 10.0 s"),
            (["split", "1", "4"], 65, "is not inside section 1"), (["hard", "Intr"], 66, "Did you mean 'Intro'?"),
            (["rm", "1-2"], 66, "Choose numbers from 1 to 1"), (["set", "1", "speed=700"], 64, "outside 25% to 400%"),
            (["set", "1", "colour=red"], 64, "Choose one of: speed"),
            (["set", "1", "speed"], 64, "speed= removes the setting"),
            (["rename", "1", "a\nb"], 64, "one line"), (["join", "1", "1"], 65, "one section cannot be joined"),
        ] {
            let run = sections(arguments)
            #expect(
                run.status == Int32(status) && run.error.contains(words), "\(arguments): \(run.status) \(run.error)")
        }
        #expect(list() == ["1 88200-132300 \"Intro\""])
        folder.write("text.wav", Array("not audio".utf8))
        #expect(sections([], file: "text.wav").status == 65)
        #expect(sections([], file: "none.wav").status == 66)
    }

    @Test("sections reports a missing home folder, and a home folder that is no folder")
    func homes() {
        // As if both variables were unset.
        let nowhere = ["HOME": "", "XDG_DATA_HOME": ""]
        let none = Command.run(["sections", folder["song.wav"], "mark", "1"], environment: nowhere)
        #expect(none.status == 69 && none.error.contains("no home folder"), "\(none.error)")
        folder.write("data", [1])
        let wrong = sections(["mark", "1"])
        #expect(wrong.status == 73, "\(wrong.error)")
    }
}
