// The command with a dying `ffmpeg`, and under a shell that ignores SIGCHLD.
import Glibc
import TestSupport
import Testing

@testable import WoodshedCLI

@Suite("Files that only ffmpeg reads")
struct ShortDecodingTests {
    private let folder = TestFolder()

    init() throws {
        let made = ["song.m4a", "song.mka"].allSatisfy {
            Command.tool(
                "ffmpeg",
                [
                    "-v", "error", "-f", "lavfi", "-i", "sine=440:duration=5:sample_rate=44100", "-c:a", "aac",
                    folder[$0],
                ])
        }
        try #require(made)
    }

    /// Runs the command with an `ffmpeg` in PATH that passes on the real program's first second, and then does
    /// something else.
    private func run(_ arguments: [String], ffmpegThen end: String) -> Finished {
        folder.write(
            "ffmpeg",
            Array(
                "#!/bin/sh\nPATH=/usr/local/bin:/usr/bin:/bin ffmpeg \"$@\" 2>/dev/null | head -c 176400\n\(end)\n".utf8
            ))
        _ = unsafe chmod(folder["ffmpeg"], 0o755)
        return Command.run(
            arguments,
            environment: ["PATH": folder.path + ":/usr/local/bin:/usr/bin:/bin", "XDG_CACHE_HOME": folder["cache"]])
    }

    private var keepsNothing: Bool { folder.names(in: "cache/woodshed/waveforms").allSatisfy { $0.hasPrefix(".") } }

    @Test(
        "an ffmpeg that is killed while it decodes is an error, and nothing is written or stored",
        arguments: ["song.m4a", "song.mka"])
    func killed(name: String) {
        for arguments in [["render", folder[name], "-o", folder["out.wav"]], ["waveform", folder[name], "--json"]] {
            let run = run(arguments, ffmpegThen: "kill -9 $$")
            #expect(run.status == 74 && run.error.contains("signal 9"), "\(run.error)")
        }
        #expect(!folder.names.contains("out.wav") && keepsNothing)
    }

    @Test("the sound decoded before ffmpeg fails is reported as incomplete, and its waveform is not stored")
    func partial() {
        let info = run(["info", folder["song.mka"]], ffmpegThen: "echo 'bad packet' >&2; exit 1")
        #expect(info.status == 0 && info.text.contains("bad packet") && info.text.contains("0:01.000"), "\(info.text)")
        let shown = run(["waveform", folder["song.mka"], "--json"], ffmpegThen: "echo 'bad packet' >&2; exit 1")
        #expect(shown.status == 0 && shown.error.contains("bad packet") && keepsNothing, "\(shown.error)")
    }

    @Test("a recording is decoded whole also under a shell that ignores SIGCHLD")
    func ignoredChildren() {
        for name in ["song.m4a", "song.mka"] {
            let info = Command.run(
                ["-c", "trap '' CHLD; exec \"$@\"", "sh", Command.path, "info", folder[name]], program: "/bin/sh")
            #expect(info.status == 0 && !info.text.contains("not whole"), "\(info.error)")
            let render = Command.run(
                [
                    "-c", "trap '' CHLD; exec \"$@\"", "sh", Command.path, "render", folder[name], "-o",
                    folder["out.wav"],
                ],
                program: "/bin/sh")
            #expect(render.status == 0, "\(render.error)")
        }
    }
}
