// `woodshed calibrate` from outside, on virtual cards.
import Glibc
import Terminal
import Testing
import VirtualCardSupport
import Woodshed

@testable import WoodshedCLI

@Suite("woodshed calibrate", .serialized)
struct CalibrateTests {
    private let folder = TestFolder()

    private func run(_ arguments: [String], act: ((RunningCommand) -> Void)? = nil) -> Finished {
        Command.run(
            ["calibrate"] + arguments,
            environment: [
                "ALSA_CONFIG_PATH": ALSAConfiguration.directory + "/asound.conf", "XDG_STATE_HOME": folder.path,
            ], act: act)
    }

    private func measure(_ output: String, _ arguments: [String] = [], act: ((RunningCommand) -> Void)? = nil)
        -> Finished
    {
        run(["--output", output, "--priority", "0"] + arguments, act: act)
    }

    private func card(delay: Int64 = 0, captureFaults: String = "") throws -> VirtualCardRig {
        var options = VirtualCardOptions()
        options.clock = .virtual
        options.loopbackDelayFrames = delay
        options.captureFaults = captureFaults
        return try VirtualCardRig(options)
    }

    private var file: String { folder.path + "/woodshed/calibrations.json" }

    private func clean() { _ = Command.tool("rm", ["-rf", folder.path + "/woodshed"]) }

    @Test("calibrate measures, stores, lists and removes round trips")
    func life() throws {
        defer { clean() }
        let empty = run(["--list"])
        #expect(empty.status == 0 && empty.output.isEmpty && empty.error.contains("Nothing"))
        #expect(folder.names.isEmpty, "a list made a folder")
        let rig = try card(delay: 123)
        let measured = measure(rig.name, ["--json"])
        #expect(measured.status == 0, "\(measured.error)")
        #expect(measured.lines.count == 1 && measured.text.hasPrefix(#"{"v":1,"output":""#))
        #expect(measured.text.contains(#""added_frames":123.0,"#) && measured.text.contains(#""period_frames":256,"#))
        #expect(measured.error.contains(file))
        let words = measure(rig.name, ["--period", "512"])
        #expect(words.lines.count == 5 && words.lines.allSatisfy { displayWidth($0) <= 79 })
        #expect(words.text.contains("123.00 frames     2.56 ms") && words.text.contains("over 5 chirps"))
        let list = run(["--list"])
        #expect(list.status == 0 && list.error.isEmpty && list.lines.count == 4)
        #expect(list.text.contains(rig.name) && list.text.contains("period 512") && list.text.contains("123.00 frames"))
        let listed = run(["--list", "--json"])
        #expect(listed.lines.count == 2 && listed.lines.contains { $0 == measured.lines[0] })
        #expect(run(["--forget", "--output", rig.name]).status == 0)
        let forgotten = run(["--forget", "--output", rig.name])
        #expect(forgotten.status == 66 && forgotten.error.contains("--list"))
        #expect(run(["--list", "--json"]).text.isEmpty)
    }

    @Test("calibrate ends with 69 and stores nothing if no sound comes back; a usage error is 64")
    func refuses() throws {
        let (one, other) = (try card(), try card())
        let refused = measure(one.name, ["--input", other.name, "--json"])
        #expect(refused.status == 69 && refused.output.isEmpty)
        #expect(refused.error.contains("cable") && refused.error.contains("unmute"))
        #expect(measure("no-such").status == 69 && measure("null").status == 64)
        for wrong in [["--list", "--forget"], ["--list", "--output", "a"], ["--forget", "--json"], ["--input", ""]] {
            #expect(run(wrong).status == 64, "\(wrong)")
        }
        #expect(folder.names.isEmpty)
    }

    @Test(
        "calibrate reports a result that cannot be stored, after the figures",
        arguments: ["later version", "no folder"])
    func cannotKeep(why: String) throws {
        defer { clean() }
        let rig = try card(delay: 5)
        _ = folder.write("woodshed", [])
        if why == "later version" {
            _ = unsafe unlink(folder["woodshed"])
            #expect(measure(rig.name).status == 0)
            let file = try unsafe #require(unsafe fopen(file, "w"))
            unsafe fputs(#"{"v":9}"#, file)
            unsafe fclose(file)
        }
        let run = measure(rig.name)
        #expect(run.status == 74 && run.text.contains("5.00 frames") && run.error.contains("calibrations.json"))
        #expect(why != "later version" || run.error.contains("later version"))
    }

    @Test("every verb reports a damaged calibration file, and a measurement sets the file aside")
    func damaged() throws {
        defer { clean() }
        try #require(unsafe mkdir(folder["woodshed"], 0o700) == 0)
        let file = try unsafe #require(unsafe fopen(file, "w"))
        unsafe fputs("{", file)
        unsafe fclose(file)
        let list = run(["--list"])
        #expect(list.status == 0 && list.output.isEmpty && list.error.contains("damaged"))
        let forgotten = run(["--forget"])
        #expect(forgotten.status == 66 && forgotten.error.contains("damaged"))
        let rig = try card()
        let measured = measure(rig.name)
        #expect(measured.status == 0 && measured.error.contains(self.file + ".damaged"))
        #expect(run(["--list"]).errorLines.isEmpty)
    }

    @Test("an interrupt ends calibrate with 130, stores nothing, and closes the device")
    func interrupt() throws {
        // The measurement never ends by itself, however late the interrupt comes.
        let rig = try card(captureFaults: "hang@20000")
        let stopped = measure(rig.name) { running in
            #expect(rig.waits { rig.truth(.capture).faults[.hang] == 1 })
            running.send(SIGINT)
        }
        #expect(stopped.status == 130 && stopped.output.isEmpty && folder.names.isEmpty)
        let request = try StreamRequest(sampleRate: 48_000, channelCount: 2)
        try openDuplex(output: .system(rig.name), input: .system(rig.name), request).stop()
    }
}
