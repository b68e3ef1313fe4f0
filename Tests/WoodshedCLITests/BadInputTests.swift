// Bad input of every kind: the exit status, one or two lines of error, and no files left behind.
import Glibc
import Testing

@testable import WoodshedCLI

@Suite("Bad input", .serialized)
struct BadInputTests {
    private let folder = TestFolder()

    /// Renders a file that cannot be rendered, and checks that nothing is left behind.
    private func refused(
        _ path: String, _ arguments: [String] = [], status: Int32, sourceLocation: SourceLocation = #_sourceLocation
    ) {
        let before = folder.names
        let run = Command.run(["render", path] + arguments + ["-o", folder["out.wav"]])
        #expect(run.status == status, "\(run.error)", sourceLocation: sourceLocation)
        #expect((1...2).contains(run.errorLines.count), "\(run.error)", sourceLocation: sourceLocation)
        #expect(run.error.hasPrefix("woodshed: "), "\(run.error)", sourceLocation: sourceLocation)
        #expect(run.output.isEmpty, sourceLocation: sourceLocation)
        #expect(folder.names == before, sourceLocation: sourceLocation)
    }

    private func song(frames: Int = 10_000) -> String { folder.write("song.wav", Wave.ramp(frames: frames)) }

    @Test("a file without audio is bad data")
    func notAudio() {
        refused(folder.write("text.wav", Array("This is no recording at all.\n".utf8)), status: 65)
        refused(
            folder.write("noise.mp3", (0..<5000).map { UInt8(truncatingIfNeeded: $0 &* 73 ^ $0 >> 3) | 1 }), status: 65)
        refused("/proc/self/status", status: 65)
    }

    @Test("an empty file and a recording without a frame are bad data")
    func empty() {
        refused(folder.write("empty.wav", []), status: 65)
        refused(folder.write("frameless.wav", Wave.ramp(frames: 0)), status: 65)
    }

    @Test("a header cut short is bad data; a recording cut short is played as far as it goes")
    func truncated() {
        refused(folder.write("header.wav", Array(Wave.ramp(frames: 10).prefix(30))), status: 65)
        let whole = Wave.ramp(frames: 10_000)
        folder.write("short.wav", Array(whole.prefix(44 + 4 * 5000)))
        let run = Command.run(["info", folder["short.wav"], "--json"])
        #expect(run.status == 0)
        #expect(run.text.contains(#""frames":5000,"#))
        refused(folder["short.wav"], ["--section", "4000f-6000f"], status: 65)
    }

    @Test("a missing file is not found, a folder is bad data, a pipe is refused without waiting for it")
    func noFile() {
        refused(folder["missing.wav"], status: 66)
        refused("", status: 66)
        refused(folder.path, status: 65)
        #expect(Command.tool("mkfifo", [folder["pipe.wav"]]))
        refused(folder["pipe.wav"], status: 65)
    }

    @Test("standard input and addresses are refused with the remedy")
    func noNames() {
        refused("-", status: 65)
        refused("https://example.org/song.mp3", status: 65)
        let run = Command.run(["play", "https://example.org/song.mp3"])
        #expect(run.error.contains("this is an address") && run.error.contains("Download"), "\(run.error)")
    }

    @Test("a recording whose name is not UTF-8 is played; nothing is written under such a name")
    func otherBytes() {
        let path = song()
        // The shell passes the byte on unchanged.
        func shell(_ text: String) -> Finished {
            Command.run(
                [
                    "-c", "name=$(printf '%s/caf\\351.wav' \"$1\"); cp \"$2\" \"$name\" && exec \"$0\" \(text)",
                    Command.path, folder.path, path,
                ],
                program: "/bin/sh")
        }
        let info = shell("info \"$name\"")
        #expect(info.status == 0 && info.text.contains("/caf\\xe9.wav\n"), "\(info.text)\(info.error)")
        #expect(shell("measure \"$name\"").status == 0)
        #expect(shell("render \"$name\" --speed 80% -o \"$1/out.wav\"").status == 0)
        let missing = shell("info \"$name.flac\"")
        #expect(
            missing.status == 66 && missing.error.contains("caf\\xe9.wav.flac: there is no such file"),
            "\(missing.error)")
        for command in [
            "render \"$2\" -o \"$name.wav\"", "render \"$2\" -o\"$name.wav\"", "record \"$name.wav\"",
            "sections \"$2\" add 0-0.1 --name \"$name\"", "sections \"$2\" rename 1 \"$name\"",
            "sections \"$2\" text 1 \"$name\"", "sections \"$2\" export \"$name.srt\"",
        ] {
            let run = shell(command)
            #expect(run.status == 64 && run.error.contains("is not UTF-8"), "\(command): \(run.error)")
        }
        #expect(!folder.names.contains { $0.hasSuffix(".wav.wav") })
    }

    @Test("a file without read permission has the exit status for permissions")
    func unreadable() {
        let path = song()
        #expect(unsafe chmod(path, 0) == 0)
        // Root may read any file, unless deprived of this capability.
        let asRoot = ["setpriv", "--bounding-set", "-dac_override,-dac_read_search"]
        let words = (geteuid() == 0 ? asRoot : []) + [Command.path, "render", path, "-o", folder["out.wav"]]
        let run = Command.run(Array(words.dropFirst()), program: words[0])
        #expect(run.status == 77 && (1...2).contains(run.errorLines.count), "\(run.error)")
        #expect(run.error.hasPrefix("woodshed: ") && run.output.isEmpty && folder.names == ["song.wav"])
    }

    @Test("false headers are recognised: 0 and 65 channels, rate 0, 2^63 frames, a size beyond the file")
    func lyingHeaders() {
        let data = [UInt8](repeating: 1, count: 4000)
        refused(
            folder.write("c0.wav", Wave.file(format: 1, channels: 0, rate: 44100, bits: 16, data: data)), status: 65)
        refused(
            folder.write("c65.wav", Wave.file(format: 1, channels: 65, rate: 44100, bits: 16, data: data)), status: 65)
        refused(folder.write("r0.wav", Wave.file(format: 1, channels: 2, rate: 0, bits: 16, data: data)), status: 65)
        folder.write(
            "huge.wav", Wave.file(format: 1, channels: 2, rate: 44100, bits: 16, data: data, claimed: 0x7FFF_FFF0))
        let run = Command.run(["info", folder["huge.wav"], "--json"])
        #expect(run.status == 0)
        #expect(run.text.contains(#""frames":1000,"#), "\(run.text)\(run.error)")
        let rf64 =
            Array("RF64".utf8) + [255, 255, 255, 255] + Array("WAVEds64".utf8) + Wave.little(UInt32(28))
            + [UInt8](repeating: 255, count: 23) + [127] + [UInt8](repeating: 0, count: 4)
            + Wave.file(format: 1, channels: 2, rate: 44100, bits: 16, data: data, claimed: 0xFFFF_FFFF).dropFirst(12)
        folder.write("rf64.wav", rf64)
        let long = Command.run(["info", folder["rf64.wav"], "--json"])
        #expect(long.status == 65 || long.text.contains(#""frames":1000,"#), "\(long.text)\(long.error)")
    }

    @Test("samples that are not finite are rendered as silence")
    func notANumber() throws {
        let samples: [Float] = [0.5, .nan, .infinity, -.infinity, 0.25, .signalingNaN]
        let data = (0..<1000).flatMap { Wave.little(samples[$0 % samples.count].bitPattern) }
        folder.write("nan.wav", Wave.file(format: 3, channels: 1, rate: 44100, bits: 32, data: data))
        let run = Command.run(["render", folder["nan.wav"], "-o", folder["out.wav"]])
        #expect(run.status == 0)
        let rendered = try #require(Wave.floats(of: folder.read("out.wav")))
        #expect(rendered.count == 1000)
        #expect(rendered.allSatisfy { $0.isFinite })
        #expect(rendered.contains(0.5) && rendered.contains(0.25))
    }

    @Test("a section outside the recording, or reversed, or empty, is bad data")
    func sections() {
        let path = song()
        refused(path, ["--section", "0.1-5"], status: 65)
        refused(path, ["--section", "9000f-10001f"], status: 65)
        refused(path, ["--section", "0.2-0.1"], status: 65)
        refused(path, ["--section", "0.1-0.1"], status: 65)
        refused(path, ["--from", "1:00"], status: 65)
        refused(path, ["--section", "9223372036854775807f-"], status: 65)
    }

    @Test("impossible numbers are usage errors")
    func numbers() {
        let path = song()
        refused(path, ["--speed", "0"], status: 64)
        refused(path, ["-n", "0"], status: 64)
        refused(path, ["-n", "99999999999999999999"], status: 64)
        refused(path, ["--gap", "99999"], status: 64)
        refused(path, ["--bits", "12"], status: 64)
    }

    @Test("a device that is missing, or does not support the request, is unavailable")
    func devices() {
        let path = song()
        for (arguments, status) in [
            (["--output", "hw:9"], 69), (["--output", "no-such-device"], 69), (["--output", ""], 64),
            (["--output", "file:"], 64), (["--output", "default", "--clock", "virtual"], 64),
        ] as [([String], Int32)] {
            let run = Command.run(["play", path] + arguments)
            #expect(run.status == status, "\(arguments): \(run.error)")
            #expect((1...2).contains(run.errorLines.count), "\(run.error)")
        }
    }

    @Test("an output that cannot be created has its own exit status, and the old file stays")
    func outputs() {
        let path = song()
        for (output, status) in [
            (folder["no/folder/out.wav"], 73), (folder.path, 73), (folder.path + "/", 73), ("/dev/full", 74),
            (path, 64),
            ("/proc/out.wav", 73),
        ] as [(String, Int32)] {
            let run = Command.run(["render", path, "-q", "-o", output])
            #expect(run.status == status, "\(output): \(run.error)")
            #expect((1...4).contains(run.errorLines.count), "\(run.error)")
        }
        #expect(folder.names == ["song.wav"])
        #expect(folder.read("song.wav").count == 44 + 40_000)
        let live = Command.run(["play", path, "--output", "file:/dev/full", "--clock", "virtual"])
        #expect(live.status == 74)
        let itself = Command.run(["play", path, "--output", "file:" + path, "--clock", "virtual"])
        #expect(itself.status == 64)
        #expect(folder.read("song.wav").count == 44 + 40_000)
    }

    @Test("a wrong invocation of any verb is refused in a line of causes, and with the permitted values")
    func remedies() {
        let file = song()
        folder.write("empty", [])
        for (arguments, status, remedy) in [
            (["practice", file, "--speed", "9"], 64, ". Write a speed from 25% to 400%."),
            (["practice", file, "--pitch", "--gap"], 64, ". Write a value before '--gap'."),
            (["practice", file, "--gap", "200x"], 64, ". Write a gap of at most 100x."),
            (["practice", file, "--from", "9999999999"], 64, ". Write a time within the recording."),
            (["practice", file, "--curve", "0=70%,4=repeat,5=1"], 64, ". Write the repetition last."),
            (["practice", file, "--clock", "wall"], 64, "Write one of: real, virtual."),
            (["practice", file, "--quality", "best"], 64, "Write one of: full, light."),
            (["practice", file, "--on-loss", "cry"], 64, "Write one of: wait, pause, fallback."),
            (["waveform", file, "--width", "nan"], 64, "Write a whole number from 1 to 16384."),
            (["waveform", file, "--width", "5000"], 64, "from 1 to 4096"),
            (["waveform", file, "--zoom", "-1"], 64, "Write a whole number from 1 to"),
            (["waveform", file, "--zoom", "2", "--to", "1"], 64, "Use only one of --zoom and --to."),
            (["waveform", file, "--channels", "9"], 65, "Choose a channel from 1 to 2."),
            (
                ["waveform", file, "-o", folder["a.png"], "--spectrogram", "--window", "1000"], 64,
                "1000 frames. Permitted is a power of two"
            ),
            (["waveform", file, "-o", folder["a.png"], "--spectrogram", "--range", "q"], 64, "from 10 to 200"),
            (["waveform", file, "-o", folder["a.dat"], "--bits", "9"], 64, "Write one of: 8, 16."),
            (["measure", "--files-from", folder.path], 65, "Name a file in it."),
            (["measure", "--files-from", folder["none"]], 66, "Check the name."),
            (["sections", file, "import", folder.path], 65, "Name a file in it."),
            (["sections", file, "rename", "1", "A"], 66, "Add a section first"),
            (["get", "--pause", "x"], 64, "Write a whole number from 1 to"),
            (["ctl", "--pid", "-1"], 64, "Write a whole number from 1 to"),
            (["add", ""], 66, "the name of the file is empty"),
            (["play", folder.path + "/no"], 66, "Check the name."),
        ] {
            let run = Command.run(arguments, environment: ["XDG_DATA_HOME": folder["data"]])
            #expect(run.status == Int32(status) && run.error.contains(remedy), "\(arguments): \(run.error)")
            #expect(run.errorLines.count == 2 && !run.error.contains(#"\u{"#), "\(arguments): \(run.error)")
        }
    }

    @Test("a recording that shrinks while it is played ends with an error, not with a crash")
    func shrinking() {
        let data = [UInt8](repeating: 0, count: 2 * 44_100 * 300)
        let path = folder.write("long.wav", Wave.file(format: 1, channels: 1, rate: 44_100, bits: 16, data: data))
        // The second section is longer than the read-ahead, so that part of the section is not in memory when the file
        // shrinks.
        let run = Command.run(
            ["practice", path, "--section", "0-1", "--section", "20-299", "--output", "null", "--json"]
        ) { running in
            #expect(running.wait(for: #""event":"pass.started""#))
            _ = unsafe truncate(path, 400_000)
        }
        #expect(run.status == 74 || run.status == 65, "\(run.error)")
    }

    @Test("a recording that vanishes while it is played is played to its end")
    func vanishing() {
        let path = folder.write("gone.wav", Wave.ramp(frames: 44100))
        let run = Command.run(["play", path, "--output", "null", "--json"]) { running in
            #expect(running.wait(for: #""event":"pass.started""#))
            _ = unsafe unlink(path)
        }
        #expect(run.status == 0)
        #expect(run.lines.last?.contains(#""frames":44100"#) == true)
    }
}
