// `measure`, `info`, `waveform` and `render` with several recordings.
import ArgumentParser
import Glibc
import TestSupport
import Testing

@testable import WoodshedCLI

@Suite("Several recordings at once", .serialized)
struct ManyFilesTests {
    private let home = LibraryHome()
    private static let names = ["c.wav", "a.wav", "b.wav", "d.wav"]

    init() {
        for (number, name) in Self.names.enumerated() { home.song(name, number, frames: 3000 + 1000 * number) }
        home.folder.write("bad.wav", Array("This is no recording at all.\n".utf8))
        _ = unsafe mkdir(home.folder["out"], 0o755)
    }

    private func results(_ run: Finished) -> [String?] { run.json.map { $0.text("path") } }

    /// The command of each verb for several recordings.
    private static let commands: [[String]] = [
        ["measure"], ["info"], ["waveform", "--width", "20"], ["render", "-q", "-o", "out/{}.wav"],
    ]

    @Test(
        "results for several recordings are JSON lines in the order of the names, for any --jobs",
        arguments: commands)
    func order(command: [String]) {
        let key = command[0] == "render" ? "recording" : "path"
        var outputs: [[UInt8]] = []
        for jobs in ["1", "3", "9"] {
            let run = home.run(command + Self.names + ["--json", "--jobs", jobs])
            #expect(run.status == 0 && run.error.isEmpty, "\(run.error)")
            #expect(run.json.map { $0.text(key) } == Self.names)
            outputs.append(run.output)
        }
        #expect(Set(outputs).count == 1)
        #expect(home.run(command + Self.names + ["--json"]).output == outputs[0])
    }

    @Test(
        "a failed recording is reported with its remedy, other recordings go on, and the status is 2",
        arguments: commands)
    func oneBad(command: [String]) throws {
        let names = ["c.wav", "bad.wav", "missing.wav", "a.wav"]
        let run = home.run(command + names + ["--json", "--jobs", "2"])
        #expect(run.status == 2 && run.json.count == 4)
        #expect(run.errorLines.filter { $0.hasPrefix("woodshed: ") }.count == 2 && run.errorLines.count == 4)
        for (line, name, status) in [(run.json[1], "bad.wav", 65), (run.json[2], "missing.wav", 66)] {
            #expect(line.text("event") == "file.failed" && line.text("path") == name && line.number("status") == status)
            #expect(run.error.contains(try #require(line.text("message"))) && line.text("remedy")?.isEmpty == false)
        }
        #expect(run.json[3].text("event") != "file.failed")
        // Without JSON the errors are the same, and standard output has only the completed items.
        let words = home.run(command + names)
        #expect(words.status == 2 && words.error == run.error)
        #expect(!words.text.contains("bad.wav"))
        #expect(home.run(command + ["bad.wav", "missing.wav"]).status == 2)
    }

    @Test(
        "plain text for several recordings is the text of each, with blank lines between",
        arguments: commands.prefix(3))
    func words(command: [String]) {
        let single = Self.names.map { home.run(command + [$0]).text }
        #expect(home.run(command + Self.names + ["--jobs", "2"]).text == single.joined(separator: "\n"))
    }

    @Test("one recording gives the usual output, unless --jobs asks for the form of several")
    func single() {
        #expect(home.run("measure", "a.wav", "--json").json.first?.text("path") == nil)
        let one = home.run("measure", "a.wav", "--json", "--jobs", "1")
        #expect(results(one) == ["a.wav"])
        #expect(
            home.run("measure", "bad.wav").status == 65 && home.run("measure", "bad.wav", "--jobs", "1").status == 2)
    }

    @Test("--files-from reads more names, each on a line or ended by a zero byte", arguments: commands)
    func lists(command: [String]) {
        let all = home.run(command + Self.names + ["--json"])
        for (name, end) in [("lines", "\n"), ("zeros", "\0")] {
            home.folder.write(name, Array(Self.names.dropFirst().map { $0 + end }.joined().utf8))
            let run = home.run(command + [Self.names[0], "--json", "--jobs", "2", "--files-from", name])
            #expect(run.status == 0 && run.output == all.output)
        }
        let words = command.map { "'\($0)'" }.joined(separator: " ")
        let input = home.shell("printf 'c.wav\\0a.wav\\0b.wav\\0d.wav' | \"$1\" \(words) --files-from - --json")
        #expect(input.status == 0 && input.output == all.output)
    }

    @Test("names of --files-from may contain line feeds and begin with a dash; empty lines are no names")
    func listedNames() {
        home.song("two\nlines.wav", 1)
        home.song("-dash.wav", 2)
        home.folder.write("zeros", Array("two\nlines.wav\0./-dash.wav\0".utf8))
        #expect(results(home.run("measure", "--files-from", "zeros", "--json")) == ["two\nlines.wav", "./-dash.wav"])
        home.folder.write("lines", Array("\na.wav\n\n-dash.wav".utf8))
        #expect(results(home.run("measure", "--files-from", "lines", "--json")) == ["a.wav", "-dash.wav"])
    }

    @Test("an unreadable --files-from list, or a run without any name, ends with an error")
    func badLists() {
        let missing = home.run("measure", "a.wav", "--files-from", "nowhere")
        #expect(missing.status == 66 && missing.output.isEmpty && missing.error.contains("nowhere: "))
        home.folder.write("none", [])
        #expect(home.run("measure", "--files-from", "none").status == 64)
        #expect(home.run("measure", "a.wav", "--files-from", "none", "--json").json.count == 1)
        #expect(home.run("measure").status == 64 && home.run("measure").error.contains("<file>"))
        home.folder.write("one", Array("a.wav\n".utf8))
        let one = home.run("render", "--files-from", "one", "-o", "x.wav")
        #expect(one.status == 64 && one.error.contains("{}"))
    }

    @Test("measure --series puts each series into the line of its recording")
    func series() {
        let run = home.run(["measure"] + Self.names + ["--json", "--series", "--jobs", "2"])
        #expect(run.status == 0 && results(run) == Self.names)
        #expect(run.json.allSatisfy { ($0["series"] as? [Any])?.isEmpty == false })
    }

    @Test("files written for several recordings have the recordings' names, and the bytes of single runs")
    func files() {
        let rendering = ["--section", "0.1-0.2", "-n", "2", "--speed", "80%", "-q"]
        #expect(home.run(["render"] + Self.names + rendering + ["-o", "out/{}.flac", "--jobs", "3"]).status == 0)
        #expect(home.run(["waveform"] + Self.names + ["-o", "out/wave-{}.png", "--jobs", "3"]).status == 0)
        #expect(home.run(["waveform"] + Self.names + ["-o", "out/{}.dat", "--jobs", "3"]).status == 0)
        let stems = Self.names.map { String($0.prefix(1)) }
        #expect(
            home.folder.names(in: "out")
                == (stems.map { $0 + ".dat" } + stems.map { $0 + ".flac" } + stems.map { "wave-\($0).png" }).sorted())
        for stem in stems {
            let json = home.run(["render", stem + ".wav"] + rendering + ["-o", "one.flac", "--json"])
            #expect(json.status == 0 && home.folder.read("one.flac") == home.folder.read("out/\(stem).flac"))
            home.run("waveform", stem + ".wav", "-o", "one.png", "--title", stem + ".wav")
            #expect(home.folder.read("one.png") == home.folder.read("out/wave-\(stem).png"))
        }
    }

    @Test("render reports the same frames and bytes for a recording alone and among several")
    func rendered() {
        let many = home.run(["render"] + Self.names + ["--speed", "80%", "-o", "out/{}.wav", "--json", "-q"])
        for line in many.json {
            let name = line.text("recording") ?? ""
            let one = home.run("render", name, "--speed", "80%", "-o", "one.wav", "--json", "-q").json.last ?? [:]
            #expect(line.number("frames") == one.number("frames") && line.number("bytes") == one.number("bytes"))
        }
    }

    @Test("a pattern that would write two recordings to one file, or replace a recording, is refused")
    func collisions() {
        _ = unsafe mkdir(home.folder["other"], 0o755)
        home.song("other/a.wav", 9)
        for command in [["render", "-o", "out/{}.flac"], ["waveform", "-o", "out/{}.png"]] {
            let same = home.run(command + ["a.wav", "b.wav", "other/a.wav"])
            #expect(same.status == 64 && same.error.contains("a.wav and other/a.wav would both be written to out/a."))
            #expect(home.run(command + ["a.wav", "a.wav"]).status == 64)
        }
        let itself = home.run("render", "a.wav", "b.wav", "-o", "{}.wav")
        #expect(itself.status == 64 && itself.error.contains("the output is the recording itself"))
        // The first recording's output would be the second recording.
        home.song("xa.wav", 5)
        #expect(home.run("render", "a.wav", "xa.wav", "-o", "x{}.wav").status == 64)
        #expect(home.folder.names(in: "out").isEmpty)
    }

    @Test(
        "options for one file are refused for several files",
        arguments: [
            ["render", "-o", "out/x.wav"], ["render", "-o", "-"], ["render", "-o", "{}/x.wav"],
            ["waveform", "-o", "out/x.png"], ["waveform", "-o", "out/{}.png", "--title", "x"],
            ["measure", "--jobs", "0"],
            ["measure", "--jobs", "x"], ["info", "--jobs"], ["measure", "--jobs", "257"],
        ])
    func refused(command: [String]) {
        let run = home.run([command[0], "a.wav", "b.wav"] + command.dropFirst())
        #expect(run.status == 64 && run.output.isEmpty && (1...2).contains(run.errorLines.count), "\(run.error)")
        #expect(home.folder.names(in: "out").isEmpty)
    }

    @Test("a missing output folder is reported once for several recordings")
    func noFolder() {
        let run = home.run("waveform", "a.wav", "b.wav", "-o", "nowhere/{}.png")
        #expect(run.status == 73 && run.errorLines.count == 2)
    }

    @Test("recordings of the library are named by place, and written under their titles")
    func library() {
        // For Swift, a slash with a combining mark behind is a single character, but not for the system.
        home.add("Blue/Bossa", "Alma", "Low/\u{301}Up")
        let run = home.run("measure", "@2", "@9", "@1", "--json")
        #expect(run.status == 2 && run.json.count == 3 && run.json[1].text("path") == "@9")
        #expect(home.run("waveform", "@1", "@2", "@3", "-o", "out/{}.svg").status == 0)
        #expect(home.folder.names(in: "out") == ["Alma.svg", "Blue-Bossa.svg", "Low-\u{301}Up.svg"])
    }

    @Test("an interrupt ends a run over several recordings with 130, and leaves no unfinished file")
    func interrupt() {
        home.folder.writeHours("long.wav")
        // If the test is delayed, the run may end before the interrupt comes.
        var run: Finished
        var attempts = 0
        repeat {
            run = home.run(["measure", "a.wav", "long.wav", "b.wav", "--json", "--jobs", "1"]) { running in
                #expect(running.wait(for: "\n"))
                running.send(SIGINT)
            }
            attempts += 1
        } while attempts < 10 && results(run).count > 1
        #expect(run.status == 130 && results(run) == ["a.wav"], "\(run.status) \(run.error)")
        let rendering = home.run(["render", "a.wav", "long.wav", "b.wav", "-o", "out/{}.wav", "--jobs", "3"]) {
            running in
            #expect(eventually { home.folder.names(in: "out").contains { $0.hasPrefix(".woodshed-") } })
            running.send(SIGINT)
        }
        #expect(rendering.status == 130)
        #expect(Set(home.folder.names(in: "out")).isSubset(of: ["a.wav", "b.wav"]))
    }

    @Test("thousands of names in a row reach the verb unchanged, with options among them or not")
    func merging() throws {
        let names = (0..<300).map { "\($0).wav" }
        let rows: [[[String]]] = [
            [names], [["--json"], names], [names, ["--json", "--jobs", "2"]], [["--jobs", "2"], names],
            [Array(names.prefix(150)), ["--json"], Array(names.suffix(150))], [["--json", "--"], names],
        ]
        for row in rows {
            let merged = RecordingArguments.merged(["measure"] + row.flatMap { $0 })
            #expect(merged.count < 10)
            let measure = try #require(try Woodshed.parseAsRoot(merged) as? Measure)
            #expect(measure.recordings.files == names)
        }
        #expect(RecordingArguments.merged(["add"] + names).count == 301)
    }
}
