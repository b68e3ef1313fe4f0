// During playing, the device disappears and returns.
import Glibc
import TestSupport
import Testing
import VirtualCardSupport

@testable import WoodshedCLI

@Suite("Playing on a device that is lost", .serialized)
struct LossTests {
    private let folder = TestFolder()
    private let song: String

    init() {
        song = folder.write("song.wav", Wave.ramp(frames: 48_000, channels: 2, rate: 48_000))
    }

    /// A card that is unplugged after a fifth of a second, for this many milliseconds or until the test plugs the card
    /// in.
    private func card(awayFor milliseconds: Int? = nil) throws -> VirtualCardRig {
        try card("unplug@10000" + (milliseconds.map { ":\($0)" } ?? ""))
    }

    private func card(_ faults: String) throws -> VirtualCardRig {
        var options = VirtualCardOptions()
        options.playbackFaults = faults
        return try VirtualCardRig(options)
    }

    private var environment: [String: String] { ["ALSA_CONFIG_PATH": ALSAConfiguration.directory + "/asound.conf"] }

    private func arguments(_ policy: String, on rig: VirtualCardRig) -> [String] {
        ["play", song, "--output", rig.name, "--priority", "0", "--on-loss", policy]
    }

    private func run(_ policy: String, on rig: VirtualCardRig, _ more: [String] = []) -> Finished {
        // Otherwise the rig would be released before the run, as only the arguments use the rig.
        withExtendedLifetime(rig) {
            Command.run(arguments(policy, on: rig) + ["--json"] + more, environment: environment)
        }
    }

    @Test(
        "the policy wait plays on after a device loss, and events and the last line report the loss",
        .disabled(if: Sanitizers.watchThreads, "the sanitizer makes it late for the real clock"))
    func waits() throws {
        let run = run("wait", on: try card(awayFor: 300))
        #expect(run.status == 0)
        func lines(_ event: String) -> [String] { run.lines.filter { $0.contains(#""event":"\#(event)""#) } }
        #expect(lines("interrupted").count == 1 && lines("device.resumed").count == 1)
        #expect(lines("interrupted").first?.contains(#""reason":"device_lost""#) == true)
        #expect(lines("paused").count == 1 && lines("resumed").count == 1)
        #expect((lines("paused") + lines("resumed")).allSatisfy { $0.contains(#""reason":"device_lost""#) })
        let finish = lines("playback.finished").first ?? ""
        #expect(finish.contains(#""interruptions":1"#) && finish.contains(#""load_p999":"#))
        #expect(finish.contains(#""scheduling":"ordinary""#) && finish.contains(#""reason":"completed""#))
        #expect(run.error.contains("was unplugged") && run.error.contains("device lost once"))
    }

    @Test(
        "a device that stalls or is suspended, and continues, is reported once with the silent time",
        .disabled(if: Sanitizers.watchThreads, "the sanitizer makes it late for the real clock"),
        arguments: [
            ("freeze@10000:300", "device.stalled", "stood still"),
            ("suspend@10000", "device.suspended", "was suspended"),
        ])
    func disturbed(faults: String, event: String, words: String) throws {
        func reports(of run: Finished) -> [String] { run.lines.filter { $0.contains(#""event":"device."#) } }
        var run: Finished
        var attempts = 0
        repeat {
            // A third of a second of buffer. If a busy machine underruns in the same moment, the run also reports the
            // underrun, or only the underrun, or nothing if the device thread slept through the fault: then the test
            // repeats the run.
            run = self.run("wait", on: try card(faults), ["--period", "4096", "--periods", "4"])
            attempts += 1
        } while attempts < 10
            && (reports(of: run).isEmpty || reports(of: run).contains { !$0.contains(#""event":"\#(event)""#) })
        #expect(run.status == 0)
        let told = reports(of: run)
        #expect(told.count == 1 && told[0].contains(#""event":"\#(event)""#) && told[0].contains(#""lost_frames":"#))
        #expect(run.error.split(separator: "\n").count { $0.contains("the device \(words) and goes on") } == 1)
    }

    @Test(
        "the policies pause and fallback end a run without a terminal with 69",
        arguments: [true, false])
    func givesUp(pauses: Bool) throws {
        let run = run(pauses ? "pause" : "fallback", on: try card())
        #expect(run.status == 69)
        #expect(run.text.contains(#""event":"interrupted""#))
        // The tests have no default device.
        #expect(run.text.contains(#""event":"device.missing""#) == !pauses)
        #expect(run.lines.last?.contains(#""event":"playback.finished""#) == true)
    }

    @Test(
        "the policy pause with a control socket waits for the words that resume playing",
        .disabled(if: Sanitizers.watchThreads, "the sanitizer makes it late for the real clock"),
        arguments: [false, true])
    func waitsForWords(isQueue: Bool) throws {
        let (rig, studio) = (try card(), Studio())
        let list = isQueue ? ["--repeat", "all"] : []
        let words = arguments("pause", on: rig) + ["--json", "--control", "socket", "--no-mpris"] + list
        let run = studio.run(words, with: environment) { run in
            guard let program = studio.connect() else { return }
            #expect(run.wait(for: #""event":"interrupted""#))
            rig.plugIn()
            _ = program.ask("pause")
            #expect(run.wait(for: #""event":"device.resumed""#))
            _ = program.ask("quit")
        }
        #expect(run.status == 0 && run.error.contains("woodshed ctl pause looks for the device again"), "\(run.error)")
    }

    @Test(
        "the policy pause on a terminal looks for the device at the space bar, and playing continues",
        .needsTerminal,
        .disabled(if: Sanitizers.watchThreads, "the sanitizer makes it late for the real clock"))
    func pauses() throws {
        let rig = try card()
        let run = TerminalRun(Command.path, arguments("pause", on: rig), environment: environment, columns: 100)
        #expect(run.wait(for: "was unplugged"))
        #expect(run.wait(for: "no device (device_lost)"))
        let before = run.seen.count
        run.send(" ")
        // The second, where no card exists at all. If the key were pressed again before the answer, the key would pause
        // the sound that has just returned.
        #expect(run.wait(for: "is not connected", "has no sound card", from: before))
        rig.plugIn()
        run.send(" ")
        #expect(run.wait(for: "is back"))
        #expect(run.wait(for: "finished after"), "\(run.text)")
        #expect(run.finish() == 0)
    }
}
