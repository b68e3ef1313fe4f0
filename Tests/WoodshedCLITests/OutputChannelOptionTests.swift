// `--output-channel` from a user's side.
import TestSupport
import Testing

@testable import WoodshedCLI

@Suite("The option --output-channel")
struct OutputChannelOptionTests {
    private let folder = TestFolder()

    private func play(_ file: String, _ arguments: String...) -> Finished {
        Command.run(
            ["play", file, "--output", "file:out.wav", "--clock", "virtual"] + arguments,
            environment: ["XDG_DATA_HOME": folder["data"], "XDG_STATE_HOME": folder["state"]], folder: folder.path)
    }

    @Test("--output-channel plays on the chosen channels, and the other channels are silent")
    func chosen() throws {
        folder.write("song.wav", Wave.ramp(frames: 1000, channels: 2, rate: 8000))
        #expect(play("song.wav").status == 0)
        let whole = try #require(Wave.data(of: folder.read("out.wav")))
        #expect(play("song.wav", "--output-channel", "4,2").status == 0)
        let placed = try #require(Wave.data(of: folder.read("out.wav")))
        let (frame, sample) = (whole.count / 1000, whole.count / 2000)
        #expect(placed.count == 2 * whole.count && sample > 0)
        for index in 0..<1000 {
            let (both, all) = (whole.dropFirst(index * frame), placed.dropFirst(2 * index * frame))
            let channels = (0..<4).map { Array(all.dropFirst($0 * sample).prefix(sample)) }
            let silence = [UInt8](repeating: 0, count: sample)
            #expect(channels[0] == silence && channels[2] == silence)
            #expect(channels[3] == Array(both.prefix(sample)))
            #expect(channels[1] == Array(both.dropFirst(sample).prefix(sample)))
        }
        // A voice is audible on both channels.
        folder.write("voice.wav", Wave.ramp(frames: 100, channels: 1, rate: 8000))
        #expect(play("voice.wav", "--output-channel", "3").status == 0)
    }

    @Test("wrong lists for --output-channel are usage errors, and create no file")
    func refused() {
        folder.write("song.wav", Wave.ramp(frames: 100, channels: 2, rate: 8000))
        for list in ["0", "1,1", "65", "left", "1,", ""] {
            #expect(play("song.wav", "--output-channel", list).status == 64, "\(list)")
        }
        #expect(!folder.names.contains("out.wav"))
    }
}
