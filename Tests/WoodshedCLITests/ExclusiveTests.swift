// The card itself, opened exclusively for the command.
import Testing
import VirtualCardSupport
import Woodshed

@testable import WoodshedCLI

@Suite("The command with --exclusive", .serialized)
struct ExclusiveTests {
    private let folder = TestFolder()
    private let rig: VirtualCardRig

    /// A machine whose first card takes one format, and whose default device converts to this format.
    init() throws {
        var options = VirtualCardOptions()
        options.formats = ["S16_LE"]
        rig = try VirtualCardRig(options)
        folder.write("song.wav", Wave.ramp(frames: 4800, channels: 2, rate: 48_000))
        let configuration = """
            <\(ALSAConfiguration.directory)/asound.conf>
            pcm.hw {
                @args [ CARD DEV SUBDEV ]
                @args.CARD { type string default "\(rig.cardName)" }
                @args.DEV { type string default "0" }
                @args.SUBDEV { type string default "0" }
                type virtual_card
                card $CARD
            }
            pcm.!default { type plug slave.pcm { type virtual_card card "\(rig.cardName)" } }

            """
        folder.write("asound.conf", Array(configuration.utf8))
    }

    private func play(_ options: String...) -> Finished {
        Command.run(
            ["play", folder["song.wav"], "--priority", "0", "--verbose"] + options,
            environment: ["ALSA_CONFIG_PATH": folder["asound.conf"]])
    }

    @Test("default is the card itself with --exclusive, and the converting plug-in without")
    func hardware() {
        let shared = play("--output", "default")
        #expect(shared.status == 0 && shared.error.contains("; default: ") && shared.error.contains("FLOAT_LE"))
        let alone = play("--exclusive")
        #expect(alone.status == 0 && alone.error.contains("; hw: ") && alone.error.contains("S16_LE"), "\(alone.error)")
        #expect(rig.truth(.playback).opens == 2 && rig.truth(.playback).framesTransferred >= 2 * 4800)
    }

    @Test("--exclusive refuses a card that another program plays on, and null")
    func refusals() throws {
        let held = try openOutput(
            .system(rig.name), StreamRequest(sampleRate: 48_000, channelCount: 2, realtimePriority: nil))
        defer { held.stop() }
        let busy = play("--exclusive")
        #expect(busy.status == 69)
        #expect(busy.errorLines.first == "woodshed: another program is using the device hw")
        #expect(busy.errorLines.last?.contains("without --exclusive") == true)
        #expect(play("--exclusive", "--output", "null").status == 64)
    }
}
