// Runs controlled by media keys, over a private bus, by playerctl.
import Glibc
import TestSupport
import Testing
import WoodshedPractice

@testable import WoodshedCLI

@Suite(
    "Media keys and the command", .serialized,
    .enabled(if: PrivateBus.isThere && PrivateBus.hasPlayerControl, "dbus-daemon or playerctl is missing"))
struct MediaKeyTests {
    private let studio = Studio()
    private let bus: PrivateBus

    init() throws { bus = try #require(PrivateBus(), "no private bus starts") }

    private var session: [String: String] { ["DBUS_SESSION_BUS_ADDRESS": bus.address] }

    private func playerctl(_ arguments: String...) -> String { bus.run(["playerctl"] + arguments).text }

    private func becomes(_ wanted: String, _ arguments: String...) -> Bool {
        eventually { bus.run(["playerctl"] + arguments).text == wanted }
    }

    @Test("media keys control practice as named, and next and previous mean the section")
    func practising() {
        let finished = studio.run(
            [
                "practice", "song.wav", "--output", "null", "--json", "--plain", "--section", "0-4", "--section",
                "6-10",
            ], with: session
        ) { run in
            #expect(run.wait(for: "pass.started"))
            #expect(becomes("Playing", "status"))
            #expect(
                playerctl("metadata", "--format", "{{title}} {{mpris:length}} {{xesam:comment}}")
                    == "song.wav 12000000 section 1 of 2")
            #expect(playerctl("metadata", "xesam:url") == "file://\(studio.folder["song.wav"])")
            _ = playerctl("pause")
            #expect(becomes("Paused", "status"))
            _ = playerctl("position", "2")
            #expect(becomes("2.000000", "position"))
            _ = playerctl("position", "1+")
            #expect(becomes("3.000000", "position"))
            _ = playerctl("next")
            #expect(becomes("section 2 of 2", "metadata", "xesam:comment"))
            _ = playerctl("previous")
            #expect(becomes("section 1 of 2", "metadata", "xesam:comment"))
            _ = playerctl("volume", "0.5")
            #expect(becomes("0.500000", "volume"))
            _ = playerctl("play-pause")
            #expect(becomes("Playing", "status"))
            // To the frame, although the sound goes on meanwhile.
            _ = playerctl("position", "1")
            #expect(run.wait(for: #""clip_frame":8000}"#))
            _ = playerctl("stop")
            #expect(becomes("Stopped", "status"))
            _ = playerctl("play")
            #expect(becomes("Playing", "status"))
            run.send(SIGTERM)
        }
        #expect(finished.status == 143, "\(finished.error)")
        #expect(playerctl("--list-all") == "No players found")
    }

    @Test("the command Quit over the bus ends a run that asks for a rating", .needsTerminal)
    func quitAtTheQuestion() throws {
        let words = ["sections", studio.folder["song.wav"], "add", "1-7", "--name", "Solo"]
        #expect(Command.run(words, environment: studio.environment).status == 0)
        let store = try PracticeStore(.file(studio.folder["data/woodshed/practice.db"]))
        let recording = try store.recording(of: try AudioFileInfo(path: studio.folder["song.wav"]))
        try store.review(section: 1, of: recording, .good, at: Int64(time(nil)) - 864_000)
        let run = TerminalRun(
            Command.path, ["practice", "--due", "--output", "null"],
            environment: studio.environment.merging(session) { $1 })
        #expect(run.wait(for: "pass 2"), "\(run.text)")
        let quit = [
            "dbus-send", "--session", "--print-reply", "--dest=org.mpris.MediaPlayer2.woodshed",
            "/org/mpris/MediaPlayer2", "org.mpris.MediaPlayer2.Quit",
        ]
        #expect(bus.run(quit).status == 0)
        #expect(run.finish() == 0 && !run.text.contains("not rated"), "\(run.text)")
        #expect(try store.reviews().count == 1)
    }

    @Test("media keys pause and end a recording") func recording() {
        let finished = studio.run(["record", "--input", "null", "take.wav", "--json", "--plain"], with: session) {
            run in
            #expect(run.wait(for: "recording.started"))
            #expect(becomes("Playing", "status"))
            _ = playerctl("pause")
            #expect(becomes("Paused", "status"))
            _ = playerctl("play")
            #expect(becomes("Playing", "status"))
            _ = playerctl("stop")
        }
        #expect(finished.status == 0, "\(finished.error)")
    }

    @Test("media keys are off by option or configuration, and playing outlasts the session bus")
    func without() {
        // Long enough to outlast every delay of the test, and the bus; most of the recording is then skipped.
        let data = [UInt8](repeating: 0, count: 2 * 8000 * 600)
        studio.folder.write("long.wav", Wave.file(format: 1, channels: 1, rate: 8000, bits: 16, data: data))
        for (arguments, more) in [(["--no-mpris"], [:]), ([], ["WOODSHED_MPRIS": "no"])] {
            let finished = studio.run(
                ["play", "long.wav", "--output", "null", "--json", "--plain"] + arguments,
                with: session.merging(more) { $1 }
            ) { run in
                #expect(run.wait(for: "pass.started"))
                #expect(playerctl("--list-all") == "No players found")
                run.send(SIGTERM)
            }
            #expect(finished.status == 143, "\(finished.error)")
        }
        let finished = studio.run(
            ["play", "long.wav", "--output", "null", "--json", "--plain", "--control", "socket"], with: session
        ) { run in
            guard let program = studio.connect() else { return }
            #expect(becomes("woodshed", "--list-all"))
            bus.stop()
            #expect(run.wait(forError: "the connection with the session bus is lost"))
            #expect(program.ask("seek 98%")?.contains(#""ok":true"#) == true)
            #expect(run.wait(for: "playback.finished"))
        }
        #expect(finished.status == 0)
    }

    @Test("doctor tests media keys over the bus; without a bus doctor fails only with --mpris")
    func doctor() {
        let arguments = ["doctor", "--output", "null", "--plain"]
        let good = Command.run(arguments + ["--mpris"], environment: session)
        #expect(good.status == 0 && good.text.contains("org.mpris.MediaPlayer2.woodshed_test"), "\(good.text)")
        let bad = Command.run(arguments + ["--mpris"], environment: ["XDG_RUNTIME_DIR": studio.folder["run"]])
        #expect(bad.status == 69 && bad.text.contains("there is no session bus"), "\(bad.text)")
        #expect(Command.run(arguments, environment: ["XDG_RUNTIME_DIR": studio.folder["run"]]).status == 0)
    }
}
