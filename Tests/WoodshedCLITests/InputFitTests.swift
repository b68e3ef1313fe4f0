// `record` with an input different from the request.
import TestSupport
import Testing
import VirtualCardSupport
import Woodshed

@testable import WoodshedCLI

@Suite("Inputs that differ from the request")
struct InputFitTests {
    private let folder = TestFolder()

    private func record(_ arguments: [String], act: ((RunningCommand) -> Void)? = nil) -> Finished {
        Command.run(
            ["record"] + arguments,
            environment: [
                "ALSA_CONFIG_PATH": ALSAConfiguration.directory + "/asound.conf", "XDG_STATE_HOME": folder["state"],
                "XDG_DATA_HOME": folder["data"],
            ], folder: folder.path, act: act)
    }

    private func record(_ name: String, from file: String, _ arguments: String...) -> Finished {
        record([name, "--input", "file:\(folder[file])", "--clock", "virtual", "--bits", "16"] + arguments)
    }

    /// The bytes of some channels of a file made by `Wave.ramp`.
    private func ramp(frames: Int, channels: [Int]) -> [UInt8] {
        (0..<frames).flatMap { frame in
            channels.flatMap { channel -> [UInt8] in
                let bits = UInt16(bitPattern: Int16(Wave.sample(frame, channel)))
                return [UInt8(truncatingIfNeeded: bits), UInt8(truncatingIfNeeded: bits >> 8)]
            }
        }
    }

    @Test("the first channels of a larger input are recorded bit for bit, and record names them")
    func larger() throws {
        folder.write("wide.wav", Wave.ramp(frames: 9000, channels: 4, rate: 48_000))
        let usual = record("a.wav", from: "wide.wav", "--json")
        #expect(usual.status == 0 && usual.error.contains("has 4 channels; the first 2 are recorded"), "\(usual.error)")
        #expect(usual.lines.first?.contains(#""input_channels":[1,2]"#) == true)
        #expect(Wave.data(of: folder.read("a.wav")) == ramp(frames: 9000, channels: [0, 1]))
        let three = record("b.wav", from: "wide.wav", "--channels", "3", "--exact")
        #expect(three.status == 0 && three.error.contains("the first 3 are recorded"), "\(three.error)")
        #expect(Wave.data(of: folder.read("b.wav")) == ramp(frames: 9000, channels: [0, 1, 2]))
        let four = record("c.wav", from: "wide.wav", "--channels", "4", "--exact")
        #expect(four.status == 0 && !four.error.contains("channels;"), "\(four.error)")
        #expect(Wave.data(of: folder.read("c.wav")) == ramp(frames: 9000, channels: [0, 1, 2, 3]))
        #expect(!record("d.wav", from: "wide.wav", "--input-channel", "4,1").error.contains("the first"))
    }

    @Test("another rate or fewer channels are reported, and refused with --exact before there is a file")
    func other() throws {
        folder.write("small.wav", Wave.ramp(frames: 8000, channels: 1, rate: 8000))
        let told = record("a.wav", from: "small.wav", "--rate", "44100", "--channels", "2")
        #expect(told.status == 0 && told.error.contains("has 1 channel, not 2; the take has as many"), "\(told.error)")
        #expect(told.error.contains("runs at 8000 Hz, not at 44100; the take has its rate"), "\(told.error)")
        #expect(Wave.data(of: folder.read("a.wav")) == ramp(frames: 8000, channels: [0]))
        // Without a request, no difference is reported.
        let usual = record("b.wav", from: "small.wav")
        #expect(usual.status == 0 && !usual.error.contains(" not "), "\(usual.error)")
        for (arguments, problem) in [
            (["--rate", "8000", "--channels", "2"], "has 1 channel, not 2"),
            (["--rate", "44100", "--channels", "1"], "runs at 8000 Hz, not at 44100"), ([], "has 1 channel, not 2"),
            (["--quality", "low"], "runs at 8000 Hz, not at 22050"),
        ] {
            let name = ["c.wav", "--input", "file:\(folder["small.wav"])", "--clock", "virtual", "--exact"]
            let run = record(name + arguments)
            #expect(run.status == 69 && run.error.contains(problem), "\(arguments): \(run.error)")
            #expect(run.errorLines.count == 2 && !folder.names.contains("c.wav"), "\(run.error)")
        }
        #expect(record("c.wav", from: "small.wav", "--exact", "--rate", "8000", "--channels", "1").status == 0)
    }

    @Test("a recording of a card with eight channels has the first two channels")
    func card() throws {
        var options = VirtualCardOptions()
        options.channels = 8...8
        options.rates = [44_100]
        let rig = try VirtualCardRig(options)
        withExtendedLifetime(rig) {
            let words = ["a.wav", "--input", rig.name, "--priority", "0", "--rate", "48000", "--channels", "2"]
            let run = record(words) { _ in
                #expect(rig.waits { rig.truth(.capture).framesTransferred > 12_000 })
                rig.inject(.unplug, .capture)
            }
            #expect(run.status == 69 && run.error.contains("has 8 channels; the first 2 are recorded"), "\(run.error)")
            #expect(run.error.contains("runs at 44100 Hz, not at 48000; the take has its rate"), "\(run.error)")
            #expect(run.error.contains("44100 Hz, 24 bit, stereo"), "\(run.error)")
        }
        #expect(try Clip(path: folder["a.wav"]).channelCount == 2)
    }
}
