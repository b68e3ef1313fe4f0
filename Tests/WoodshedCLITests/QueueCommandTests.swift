// Several recordings in a row, and runs in the background, from a user's side.
import Glibc
import JSON
import TestSupport
import Testing

@testable import WoodshedCLI

@Suite("Several recordings in a row", .serialized)
struct QueueCommandTests {
    private let studio = Studio()
    private let folder: TestFolder

    init() {
        folder = studio.folder
        unsafe mkdir(folder["in"], 0o755)
        for (index, name) in ["one.wav", "two.wav", "three.wav"].enumerated() {
            folder.write("in/\(name)", Wave.ramp(frames: 4000 + 100 * index, channels: 2, rate: 8000))
        }
    }

    @discardableResult
    private func run(_ arguments: String..., act: @escaping (RunningCommand) -> Void = { _ in }) -> Finished {
        studio.run(arguments, act)
    }

    private func events(_ run: Finished, _ name: String) -> [JSONValue] {
        run.lines.compactMap { JSONValue(reading: Array($0.utf8)) }.filter { $0["event"]?.stringValue == name }
    }

    @Test("play ONE TWO plays both recordings, bit for bit and without a gap")
    func gapless() throws {
        let played = run(
            "play", "in/one.wav", "in/two.wav", "--output", "file:out.wav", "--clock", "virtual", "--json")
        #expect(played.status == 0, "\(played.error)")
        #expect(events(played, "track.started").compactMap { $0["frame"]?.integer(in: .counts) } == [0, 4000])
        #expect(events(played, "track.ended").compactMap { $0["frame"]?.integer(in: .counts) } == [4000, 8100])
        #expect(events(played, "queue.finished").first?["reason"] == .string("completed"))
        let heard = try #require(Wave.floats(of: folder.read("out.wav")))
        let samples = [4000, 4100].flatMap { frames in
            (0..<frames).flatMap { frame in (0..<2).map { Float(Wave.sample(frame, $0)) / 32768 } }
        }
        #expect(heard == samples)
    }

    @Test("a folder, a list of another player and a playlist of the library are played in their order")
    func lists() {
        folder.write("list.m3u8", Array("#EXTM3U\nin/two.wav\nin/one.wav\n".utf8))
        func names(_ words: String...) -> [String] {
            let played = studio.run(["play"] + words + ["--output", "null", "--clock", "virtual", "--json"]) { _ in }
            #expect(played.status == 0, "\(words): \(played.error)")
            return events(played, "track.started").compactMap { $0["title"]?.stringValue }
        }
        #expect(names("in") == ["one.wav", "three.wav", "two.wav"])
        #expect(names("list.m3u8") == ["two.wav", "one.wav"])
        #expect(run("playlist", "create", "Warm up").status == 0)
        #expect(run("playlist", "add", "Warm up", "in/three.wav", "in/one.wav", "in/three.wav").status == 0)
        #expect(names("Warm up") == ["three", "one", "three"] && names("warm", "up").count == 3)
        #expect(names("Warm up", "--shuffle").sorted() == ["one", "three", "three"])
        #expect(names("Warm up", "--crossfade", "0.1", "--level", "track").count == 3)
    }

    @Test("play skips and reports unplayable files and ends with 2; without a playable file it fails")
    func passedOver() {
        folder.write("in/page.wav", Array("<html></html>".utf8))
        let some = run("play", "in/page.wav", "in/one.wav", "--output", "null", "--clock", "virtual", "--json")
        #expect(some.status == 2 && events(some, "track.skipped").count == 1, "\(some.error)")
        let none = run("play", "in/page.wav", "in/page.wav", "--output", "null", "--clock", "virtual")
        #expect(none.status == 65 && !none.error.isEmpty)
        #expect(run("play", "in/one.wav", "in/gone.wav", "--output", "null").status == 66)
        #expect(run("play", "in/one.wav", "in/two.wav", "--from", "1", "--output", "null").status == 64)
        #expect(
            run("play", "in/one.wav", "in/two.wav", "--output", "file:in/two.wav", "--clock", "virtual").status == 64)
    }

    @Test("words over the socket go to the next recording and back, repeat, shuffle and seek")
    func steering() {
        let finished = studio.run([
            "play", "in", "--output", "null", "--json", "--plain", "--control", "socket", "--repeat", "all",
        ]) { run in
            guard let program = studio.connect() else { return }
            #expect(run.wait(for: "track.started"))
            _ = program.ask("pause")
            func status(_ name: String) -> JSONValue? {
                program.ask("status").flatMap { JSONValue(reading: Array($0.utf8))?[name] }
            }
            #expect(status("tracks") == .integer(3) && status("repeat") == .string("all"))
            for command in [
                "next", "previous", "shuffle on", "shuffle off", "repeat one", "speed 80%", "seek 50%", "tell",
            ] {
                let answer = program.ask(command)
                #expect(answer?.contains(#""ok":true"#) == true, "\(command): \(answer ?? "")")
            }
            for wrong in ["shuffle maybe", "repeat twice", "nonsense"] {
                #expect(program.ask(wrong)?.contains(#""ok":false"#) == true)
            }
            _ = program.ask("quit")
        }
        #expect(finished.status == 0, "\(finished.error)")
    }

    @Test("a run in the background outlives its command, is steered by ctl, and is the only run")
    func background() {
        let started = run("play", "in", "--output", "null", "--repeat", "all", "--detach", "--json")
        #expect(started.status == 0 && started.text.hasPrefix(#"{"v":1,"event":"detached","pid":"#), "\(started.error)")
        // A busy run may answer later than `ctl` waits.
        #expect(eventually { run("ctl").text.contains("of 3") })
        #expect(run("ctl", "list").lines.count == 1)
        #expect(run("ctl", "pause").status == 0)
        #expect(eventually { run("ctl", "status", "--json").text.contains(#""state":"paused""#) })
        #expect(eventually { run("ctl", "nonsense").status == 64 } && run("ctl", "--pid", "1").status == 66)
        let second = run("play", "in/one.wav", "--output", "null", "--detach")
        #expect(second.status == 69 && second.error.contains("--another"), "\(second.error)")
        #expect(run("ctl", "quit").status == 0)
        #expect(eventually { run("ctl", "list").lines.isEmpty })
        let none = run("ctl")
        #expect(none.status == 66 && none.error.contains("--detach"))
    }

    @Test("a run in the background that cannot begin reports the cause")
    func backgroundFails() {
        let gone = run("play", "in/gone.wav", "--output", "null", "--detach")
        #expect(gone.status == 66 && gone.error.contains("gone.wav"), "\(gone.error)")
        #expect(studio.sockets.isEmpty)
    }
}
