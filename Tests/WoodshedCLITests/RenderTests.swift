// The contract of render and practice, checked in their output files.
import TestSupport
import Testing

@testable import WoodshedCLI

@Suite("Rendering", .serialized)
struct RenderTests {
    private let folder = TestFolder()
    private static let frames = 60_000

    init() { folder.write("song.wav", Wave.ramp(frames: Self.frames)) }

    private func practice(_ arguments: [String], output: String, period: Int) -> Finished {
        Command.run(
            ["practice", folder["song.wav"]] + arguments
                + ["--output", "file:" + folder[output], "--clock", "virtual", "--period", "\(period)", "--json"])
    }

    @Test("info describes the decoded file as one JSON object")
    func info() {
        let run = Command.run(["info", folder["song.wav"], "--json"])
        #expect(run.status == 0)
        #expect(run.lines.count == 1)
        #expect(
            run.text.hasSuffix(
                #""codec":"pcm_s16","sample_rate":44100,"channels":2,"frames":60000,"seconds":1.3605442176870748,"bytes":240044,"bit_rate":1411459,"tags":{},"shortfall":null,"sections":[],"library":null,"documents":[]}"#
                    + "\n"),
            "\(run.text)")
        #expect(run.text.hasPrefix(#"{"v":1,"path":""# + folder["song.wav"] + #"","container":"wav""#))
    }

    @Test("every pass at 100 % with hard joints is the recording, bit for bit, and gaps are exact")
    func exact() throws {
        let run = Command.run([
            "render", folder["song.wav"], "--section", "0.5-0.75", "--section", "1000f-9001f", "-n", "3", "--gap",
            "0.1",
            "--joint", "hard", "-o", folder["out.wav"],
        ])
        #expect(run.status == 0, "\(run.error)")
        let samples = try #require(Wave.floats(of: folder.read("out.wav")))
        var expected: [Float] = []
        for (section, (start, end)) in [(22050, 33075), (1000, 9001)].enumerated() {
            for pass in 0..<3 {
                for frame in start..<end {
                    for channel in 0..<2 { expected.append(Float(Wave.sample(frame, channel)) / 32768) }
                }
                if section < 1 || pass < 2 { expected += [Float](repeating: 0, count: 2 * 4410) }
            }
        }
        #expect(samples.count == expected.count)
        #expect(samples == expected)
    }

    @Test(
        "the live run and the offline rendering are the same file, whatever the period",
        .enabled(if: Workload.isOptimised),
        arguments: cases([1, 63, 64, 512, 8192], few: [63]))
    func same(period: Int) {
        let arguments = [
            "--section", "0.2-0.25", "--section", "0.5-0.52", "-n", "2", "--speed", "80%", "--gap", "0.01",
        ]
        let offline = Command.run(["render", folder["song.wav"]] + arguments + ["-o", folder["out.wav"]])
        let live = practice(arguments, output: "live.wav", period: period)
        #expect(offline.status == 0 && live.status == 0, "\(offline.error)\(live.error)")
        #expect(folder.read("out.wav").count > 50_000)
        #expect(folder.read("out.wav") == folder.read("live.wav"))
    }

    @Test("the number of periods changes no bit, in a rendering and in a live run", arguments: [2, 3, 4])
    func periods(count: Int) {
        let arguments = ["--section", "0.2-0.4", "-n", "2", "--gap", "0.01"]
        let song = folder["song.wav"]
        #expect(Command.run(["render", song] + arguments + ["-o", folder["usual.wav"]]).status == 0)
        let periods = arguments + ["--periods", "\(count)"]
        #expect(Command.run(["render", song] + periods + ["-o", folder["out.wav"]]).status == 0)
        #expect(practice(periods, output: "live.wav", period: 64).status == 0)
        let usual = folder.read("usual.wav")
        let twoPassesAndTheGap: Int = 2 * 8820 + 441
        #expect(Wave.floats(of: usual)?.count == 2 * twoPassesAndTheGap)
        #expect(folder.read("out.wav") == usual && folder.read("live.wav") == usual)
    }

    @Test("a rendering on standard output is the same sound, through a pipe and into a file")
    func standardOutput() throws {
        let arguments = ["render", folder["song.wav"], "--section", "0.2-0.4", "-n", "2", "--joint", "hard", "-o"]
        #expect(Command.run(arguments + [folder["out.wav"]]).status == 0)
        let piped = Command.run(arguments + ["-"])
        #expect(piped.status == 0)
        let redirected = Command.run(arguments + ["-"], outputPath: folder["redirected.wav"])
        #expect(redirected.status == 0)
        let samples = try #require(Wave.floats(of: folder.read("out.wav")))
        #expect(samples.count == 4 * 8820)
        #expect(Wave.floats(of: piped.output) == samples)
        #expect(Wave.floats(of: folder.read("redirected.wav")) == samples)
    }

    @Test(
        "a file has the size that its sample format needs", arguments: [("16", 2), ("24", 3), ("32", 4), ("float", 4)])
    func bits(name: String, bytes: Int) {
        let run = Command.run(["render", folder["song.wav"], "--to", "1000f", "--bits", name, "-o", folder["out.wav"]])
        #expect(run.status == 0)
        #expect(Wave.data(of: folder.read("out.wav"))?.count == 1000 * 2 * bytes)
    }

    @Test(
        "slowed passes have the expected length, to within a frame over all passes",
        arguments: cases(["70%", "133%", "25%"], few: ["133%"]))
    func lengths(speed: String) throws {
        let factor = try SpeedText(parsing: speed).factor
        let run = practice(
            ["--section", "1001f-1502f", "-n", "7", "--speed", speed, "--joint", "hard"], output: "live.wav",
            period: 512)
        #expect(run.status == 0)
        let frames = Double(try #require(Wave.floats(of: folder.read("live.wav"))?.count)) / 2
        #expect(abs(frames - 7 * 501 / factor) <= 1)
    }

    @Test(
        "a rendering at another pitch is as long, sounds different, and reports the pitch",
        .enabled(if: Workload.isOptimised))
    func pitch() throws {
        let sections = ["--section", "1001f-3001f", "-n", "2"]
        let plain = practice(sections, output: "plain.wav", period: 512)
        let raised = practice(sections + ["--pitch", "+7"], output: "raised.wav", period: 512)
        #expect(plain.status == 0 && raised.status == 0)
        let before = try #require(Wave.floats(of: folder.read("plain.wav")))
        let after = try #require(Wave.floats(of: folder.read("raised.wav")))
        #expect(after.count == before.count && after != before)
        #expect(!raised.lines.isEmpty && raised.lines.allSatisfy { $0.contains(#""pitch":7.0,"#) })
    }

    @Test("the events of a run are JSON lines in order, with their frames")
    func events() throws {
        let run = practice(
            ["--section", "1000f-2000f", "--section", "5000f-5500f", "-n", "2", "--gap", "100f", "--joint", "hard"],
            output: "live.wav", period: 64)
        #expect(run.status == 0)
        #expect(run.error.isEmpty == false)
        let events = run.lines.compactMap(JSONEvent.init)
        #expect(events.count == run.lines.count)
        let expected: [(String, Int, Int, Int)] = [
            ("playback.started", 0, 1, 1), ("section.started", 0, 1, 1), ("pass.started", 0, 1, 1),
            ("pass.ended", 1000, 1, 1), ("pass.started", 1100, 1, 2), ("pass.ended", 2100, 1, 2),
            ("section.ended", 2100, 1, 2), ("section.started", 2200, 2, 1), ("pass.started", 2200, 2, 1),
            ("pass.ended", 2700, 2, 1), ("pass.started", 2800, 2, 2), ("pass.ended", 3300, 2, 2),
            ("section.ended", 3300, 2, 2), ("playback.finished", 3300, 2, 2),
        ]
        #expect(events.map(\.name) == expected.map(\.0))
        #expect(events.map(\.frame) == expected.map(\.1))
        #expect(events.map(\.section) == expected.map(\.2))
        #expect(events.map(\.pass) == expected.map(\.3))
        for key in [#""v":1,"#, #""passes":2,"#, #""speed":1.0,"#, #""pitch":0.0,"#, #""clip_frame":"#, #""seconds":"#]
        {
            #expect(run.lines.allSatisfy { $0.contains(key) })
        }
        let last = try #require(run.lines.last)
        for key in [
            #""frames":3300"#, #""xruns":0"#, #""lost_frames":0"#, #""starved_frames":0"#, #""reason":"completed""#,
        ] {
            #expect(last.contains(key), "\(last)")
        }
    }

    @Test("a ramp changes step by step, and keeps the last speed", .enabled(if: Workload.isOptimised))
    func ramp() {
        let run = practice(
            ["--section", "1000f-3000f", "-n", "4", "--ramp", "50%:100%:25%", "--joint", "hard"], output: "live.wav",
            period: 512)
        let speeds = run.lines.filter { $0.contains("pass.started") }.compactMap { JSONEvent($0)?.speed }
        #expect(speeds == [0.5, 0.75, 1, 1])
        // 4000 + 2666 2/3 + 2000 + 2000, rounded once.
        #expect(Wave.floats(of: folder.read("live.wav"))?.count == 2 * 10667)
    }

    @Test("piped output has neither carriage returns nor escape sequences")
    func plainOutput() {
        let run = Command.run(["practice", folder["song.wav"], "-n", "2", "--output", "null", "--clock", "virtual"])
        #expect(run.status == 0)
        #expect(!run.error.isEmpty)
        #expect(run.error.utf8.allSatisfy { $0 >= 0x20 || $0 == 0x0A })
        #expect(run.output.isEmpty)
        let quiet = Command.run(["play", folder["song.wav"], "-q", "--output", "null", "--clock", "virtual"])
        #expect(quiet.status == 0 && quiet.error.isEmpty && quiet.output.isEmpty)
    }

    @Test("render replaces an existing file whole, keeps its permissions, and a link stays a link")
    func replaced() {
        folder.write("old.wav", [1, 2, 3])
        #expect(Command.tool("chmod", ["600", folder["old.wav"]]))
        #expect(Command.tool("ln", ["-s", folder["old.wav"], folder["link.wav"]]))
        let run = Command.run(["render", folder["song.wav"], "--to", "100f", "-o", folder["link.wav"]])
        #expect(run.status == 0)
        #expect(Wave.floats(of: folder.read("old.wav"))?.count == 200)
        #expect(Command.tool("test", ["-L", folder["link.wav"]]))
        #expect(Command.tool("sh", ["-c", "test $(stat -c %a '\(folder["old.wav"])') = 600"]))
        #expect(folder.names == ["link.wav", "old.wav", "song.wav"])
    }
}

/// The fields of an event's line that the tests read.
struct JSONEvent {
    let name: String
    let frame: Int
    let section: Int
    let pass: Int
    let speed: Double

    init?(_ line: String) {
        func field(_ key: String) -> String? {
            guard let start = line.range(of: "\"\(key)\":") else { return nil }
            let rest = line.utf8.dropFirst(start + key.utf8.count + 3)
            return String(rest.prefix { $0 != UInt8(ascii: ",") && $0 != UInt8(ascii: "}") })
        }
        guard line.hasPrefix("{\"v\":1,"), line.hasSuffix("}"), let name = field("event"),
            let frame = field("frame").flatMap({ Int($0) }), let section = field("section").flatMap({ Int($0) }),
            let pass = field("pass").flatMap({ Int($0) }), let speed = field("speed").flatMap({ Double($0) })
        else { return nil }
        self.name = String(name.dropFirst().dropLast())
        (self.frame, self.section, self.pass, self.speed) = (frame, section, pass, speed)
    }
}
