// The output of `devices`, on a machine made of virtual cards.
import Testing
import VirtualCardSupport
import Woodshed

@testable import WoodshedCLI

@Suite("The list of devices", .serialized)
struct DeviceListTests {
    private let folder = TestFolder()
    private let ready: VirtualCardRig
    private let held: VirtualCardRig
    private let dead: VirtualCardRig

    init() throws {
        var options = VirtualCardOptions()
        options.formats = ["S16_LE"]
        options.channels = 2...2
        options.rates = [44_100, 48_000]
        ready = try VirtualCardRig(options)
        (held, dead) = (try VirtualCardRig(), try VirtualCardRig())
        for direction in VirtualDirection.allCases { dead.silence(direction, true) }
        let cards = [("ready", ready), ("held", held), ("dead", dead)].map { name, rig in
            "pcm.\(name) { type virtual_card card \"\(rig.cardName)\" hint { show on description \"The \(name) one\" } }"
        }
        let configuration = "<\(ALSAConfiguration.directory)/asound.conf>\n" + cards.joined(separator: "\n") + "\n"
        folder.write("asound.conf", Array(configuration.utf8))
    }

    private func run(_ arguments: [String]) -> Finished {
        Command.run(arguments, environment: ["ALSA_CONFIG_PATH": folder["asound.conf"]])
    }

    /// Lists the devices. On a busy machine even a device that answers may come too late for the list: then the list is
    /// made again.
    private func list(_ arguments: String...) -> Finished {
        var run: Finished
        var attempts = 0
        repeat {
            run = self.run(["devices"] + arguments)
            attempts += 1
        } while attempts < 20 && ["ready", "held"].contains { run.text.contains("the device \($0) does not answer") }
        return run
    }

    private func hold() throws -> any OutputStream {
        try openOutput(.system(held.name), try StreamRequest(sampleRate: 48_000, channelCount: 2))
    }

    @Test("devices lists both directions, with each device's abilities or why they are unknown")
    func words() throws {
        let stream = try hold()
        defer { stream.stop() }
        let run = list()
        #expect(run.status == 0, "\(run.error)")
        let titles = run.lines.indices.filter { !run.lines[$0].hasPrefix(" ") && !run.lines[$0].hasPrefix("*") }
        #expect(titles.map { run.lines[$0] } == ["Outputs (--output)", "Inputs (--input)"])
        let inputs = Array(run.lines[(titles.last ?? 0)...])
        let outputs = Array(run.lines[..<(titles.last ?? 0)])
        func details(_ name: String, _ lines: [String]) -> String {
            guard let place = lines.firstIndex(where: { $0.contains("The \(name) one") }) else { return "" }
            return lines[place + 1]
        }
        for lines in [outputs, inputs] {
            #expect(details("ready", lines) == "    44100, 48000 Hz; 2 channels; S16_LE")
            #expect(details("dead", lines) == "    the device dead does not answer")
            #expect(lines.suffix(2).map { $0.contains("null") || $0.contains("file:PATH") } == [true, true])
        }
        #expect(details("held", outputs) == "    another program is using the device held")
        #expect(details("held", inputs).contains("8000 to 768000 Hz; 1 to 8 channels; "))
    }

    @Test("devices --json has an object for each device")
    func json() throws {
        let stream = try hold()
        defer { stream.stop() }
        let run = list("--json")
        #expect(run.status == 0 && run.lines.count == 1 && run.text.hasPrefix(#"{"v":1,"devices":[{"name":"#))
        for direction in ["output", "input"] {
            #expect(
                run.text.contains(
                    #"{"name":"ready","description":"The ready one","default":false,"kind":"system","direction":"#
                        + #""\#(direction)","state":"ready","formats":["S16_LE"],"channels_min":2,"channels_max":2,"#
                        + #""sample_rate_min":44100,"sample_rate_max":48000,"sample_rates":[44100,48000]}"#),
                "\(run.text)")
            #expect(
                run.text.contains(
                    #""name":"dead","description":"The dead one","default":false,"kind":"system","direction":"#
                        + #""\#(direction)","state":"unresponsive","message":"the device dead does not answer""#))
        }
        #expect(run.text.contains(#""direction":"output","state":"busy","message":"another program is using"#))
    }

    @Test("doctor ends and reports the cause when a device does not answer")
    func doctor() {
        let run = run(["doctor", "--output", "dead", "--input", "ready", "--plain"])
        #expect(run.status == 69, "\(run.text)")
        #expect(run.text.contains("the device dead does not answer"), "\(run.text)")
    }
}
