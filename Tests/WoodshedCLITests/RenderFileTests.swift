// Files from render, demo and the device `file:`: the formats, and the output about the files.
import Glibc
import Terminal
import TestSupport
import Testing
import Woodshed

@testable import WoodshedCLI

@Suite("Rendered files", .serialized)
struct RenderFileTests {
    private let folder = TestFolder()
    /// With crossfades, so that some samples do not fit 16 bits.
    private static let passage = ["--section", "0.2-0.25", "--section", "0.5-0.52", "-n", "2"]
    private static let frames = 2 * (2205 + 882)

    init() { folder.write("song.wav", Wave.ramp(frames: 60_000)) }

    private func render(_ name: String, _ arguments: [String] = []) -> Finished {
        Command.run(["render", folder["song.wav"]] + Self.passage + arguments + ["-o", folder[name]])
    }

    private func info(_ name: String) throws -> AudioFileInfo { try Clip(path: folder[name]).info }

    @Test(
        "a rendering has the file format that its name says",
        arguments: [
            ("a.wav", "wav", "pcm_f32", 44_100), ("a", "wav", "pcm_f32", 44_100), ("a.flac", "flac", "flac", 44_100),
            ("a.opus", "ogg", "opus", 48_000), ("a.ogg", "ogg", "vorbis", 44_100), ("a.mp3", "mp3", "mp3", 44_100),
        ])
    func kinds(name: String, container: String, codec: String, rate: Int) throws {
        let run = render(name)
        #expect(run.status == 0, "\(run.error)")
        let info = try info(name)
        #expect(info.container == container && info.codec == codec && info.sampleRate == rate)
        let frames = (Double(Self.frames) * Double(rate) / 44_100).rounded()
        #expect(abs(Double(info.frameCount) - frames) <= 1)
        #expect(folder.names == [name, "song.wav"].sorted())
    }

    @Test("a FLAC file has the samples of the WAV file with the same number of bits", arguments: ["16", "24"])
    func exact(bits: String) {
        for name in ["a.wav", "a.flac"] { #expect(render(name, ["--bits", bits]).status == 0) }
        for name in ["a.wav", "a.flac"] {
            #expect(Command.run(["render", folder[name], "--bits", "24", "-o", folder["\(name).wav"]]).status == 0)
        }
        let decoded = folder.read("a.flac.wav")
        #expect(decoded.count == 44 + Self.frames * 6 || Wave.data(of: decoded)?.count == Self.frames * 6)
        #expect(decoded == folder.read("a.wav.wav"))
        // Without an option, FLAC has the most bits that the format holds.
        #expect(render("b.flac").status == 0)
        #expect((folder.read("b.flac") == folder.read("a.flac")) == (bits == "24"))
    }

    @Test("the device file: and demo write the format that the file's name says")
    func otherVerbs() throws {
        let live = Command.run(
            ["practice", folder["song.wav"]] + Self.passage
                + ["--output", "file:" + folder["live.flac"], "--clock", "virtual", "-q"])
        #expect(live.status == 0, "\(live.error)")
        #expect(render("offline.flac").status == 0)
        #expect(folder.read("live.flac") == folder.read("offline.flac") && folder.read("live.flac").count > 1000)
        let real = Command.run([
            "play", folder["song.wav"], "--to", "0.1", "--output", "file:" + folder["real.opus"], "-q",
        ])
        #expect(real.status == 0, "\(real.error)")
        #expect(try info("real.opus").frameCount == 4800)
    }

    @Test(
        "render refuses an unsupported file or sample format before any work, and leaves no file",
        arguments: [
            ["-o", "a.m4a"], ["-o", "a.aiff"], ["-o", "a.flac", "--bits", "float"], ["-o", "a.flac", "--bits", "32"],
            ["-o", "a.mp3", "--bits", "16"], ["-o", "a.xyz"], ["-o", "a.wav.xyz", "--bits", "16"],
        ])
    func refused(arguments: [String]) {
        // A missing recording would be the next error.
        let run = Command.run(["render", "no-such.wav"] + arguments, folder: folder.path)
        #expect(run.status == 64, "\(run.error)")
        #expect(run.errorLines.count == 2 && run.error.contains(".wav"), "\(run.error)")
        #expect(folder.names == ["song.wav"])
    }

    @Test("the device file: refuses an unsupported format, and a format with too few channels")
    func refusedElsewhere() {
        let live = Command.run(
            ["play", "no-such.wav", "--output", "file:a.m4a", "--clock", "virtual"], folder: folder.path)
        #expect(live.status == 64 && live.error.contains("a.m4a"), "\(live.error)")
        // Every verb that writes sound refuses an unknown ending.
        let playing = ["play", "song.wav", "--output", "file:a.xyz", "--clock", "virtual"]
        for words in [["demo", "--out", "a.xyz"], playing] {
            let run = Command.run(words, folder: folder.path)
            #expect(run.status == 64 && run.error.contains("a.xyz: .xyz files cannot be written"), "\(run.error)")
        }
        #expect(folder.names == ["song.wav"])
        folder.write("three.wav", Wave.ramp(frames: 1000, channels: 3))
        let three = Command.run(["render", "three.wav", "-o", "a.mp3"], folder: folder.path)
        #expect(three.status == 69 && three.error.hasPrefix("woodshed: a.mp3: "), "\(three.error)")
        #expect(folder.names == ["song.wav", "three.wav"])
    }

    @Test(
        "an interrupted rendering leaves no file of any format, and does not change an existing one",
        arguments: ["flac", "mp3"])
    func interrupted(ending: String) {
        let name = "out.\(ending)"
        folder.write(name, [1, 2, 3])
        let run = Command.run(
            ["render", folder["song.wav"], "-n", "100000", "-o", folder[name]]
        ) { running in
            #expect(eventually { folder.names.contains { $0.hasSuffix(".part") } })
            running.send(SIGTERM)
        }
        #expect(run.status == 143, "\(run.error)")
        #expect(folder.names == [name, "song.wav"].sorted())
        #expect(folder.read(name) == [1, 2, 3])
    }

    @Test(
        "a rendering that cannot grow further is reported, and leaves no file",
        .disabled(if: Sanitizers.watchThreads, "the sanitizer's own files could not grow either"),
        arguments: ["wav", "flac", "opus", "ogg", "mp3"])
    func noRoom(ending: String) {
        let script = #"ulimit -f 8 && exec "$0" render song.wav -o out.\#(ending)"#
        let run = Command.run(["-c", "cd '\(folder.path)' && " + script, Command.path], program: "/bin/sh")
        #expect(run.status == 65 || run.status == 74, "\(run.error)")
        #expect(run.error.contains("woodshed: out.\(ending): ") && run.error.contains("larger"), "\(run.error)")
        #expect(folder.names == ["song.wav"])
    }

    @Test("the summary of a rendering names the file written, without dropouts and load")
    func words() {
        let run = render("a.flac")
        #expect(run.status == 0 && run.output.isEmpty)
        let size = folder.read("a.flac").count
        let expected =
            "\(folder["a.flac"]): FLAC, 24 bits, 44100 Hz, 2 channels, 0:00.1 (\(Self.frames) frames), "
            + sizeText(UInt64(size))
        #expect(run.errorLines.last == expected, "\(run.error)")
        for word in ["dropout", "load", "scheduling"] { #expect(!run.error.contains(word), "\(run.error)") }
        let piped = Command.run(["render", folder["song.wav"], "--to", "100f", "-o", "-"])
        #expect(
            piped.errorLines.last == "standard output: WAV, 32-bit float, 44100 Hz, 2 channels, 0:00.0 (100 frames)")
        #expect(Command.run(["render", folder["song.wav"], "--to", "100f", "-q", "-o", "-"]).error.isEmpty)
    }

    @Test("the last event of a rendering names the file written, with every figure")
    func event() {
        let run = render("a.mp3", ["--json"])
        #expect(run.status == 0, "\(run.error)")
        let size = folder.read("a.mp3").count
        #expect(
            run.lines.last
                == #"{"v":1,"event":"file.written","path":"\#(folder["a.mp3"])","container":"mp3","codec":"mp3","#
                + #""sample_rate":44100,"channels":2,"frames":\#(Self.frames),"seconds":0.14,"bits":null,"bytes":\#(size)}"#,
            "\(run.text)")
        let finish = run.lines.dropLast().last ?? ""
        #expect(finish.contains(#""event":"playback.finished""#) && finish.contains(#""frames":\#(Self.frames)"#))
        for key in ["xruns", "load_p50", "scheduling"] { #expect(!run.text.contains(key)) }
    }
}
