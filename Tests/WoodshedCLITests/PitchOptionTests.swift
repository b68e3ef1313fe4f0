import TestSupport
import Testing

@testable import WoodshedCLI

@Suite("Options of the pitch")
struct PitchOptionTests {
    private let folder = TestFolder()

    private func rendered(_ options: [String]) throws -> [Float] {
        let run = Command.run(["render", folder["song.wav"], "-o", folder["out.wav"]] + options)
        #expect(run.status == 0, "\(run.error)")
        return try #require(Wave.floats(of: folder.read("out.wav")))
    }

    @Test("--varispeed at 50 % keeps every frame, and adds a frame between every two")
    func varispeed() throws {
        folder.write("song.wav", Wave.ramp(frames: 4000, channels: 1))
        let plain = try rendered([])
        let slow = try rendered(["--varispeed", "--speed", "50%"])
        #expect(slow.count == 2 * plain.count)
        // The last 5 ms fade out.
        for frame in 0..<3000 { #expect(slow[2 * frame] == plain[frame]) }
        #expect(try rendered(["--varispeed"]) == plain)
    }

    @Test("--formants keep and --formants move give different sounds at a changed pitch")
    func formants() throws {
        folder.write("song.wav", Wave.ramp(frames: 4000, channels: 1))
        let moved = try rendered(["--pitch", "3", "--formants", "move", "--material", "music"])
        #expect(try rendered(["--pitch", "3", "--material", "music"]) == moved)
        #expect(try rendered(["--pitch", "3", "--formants", "keep", "--material", "music"]) != moved)
    }

    private static let mistakes = ["--varispeed --pitch 2", "--formants low", "--varispeed=yes"]

    @Test("impossible options of the pitch are refused before a file is written", arguments: mistakes)
    func refused(options: String) {
        folder.write("song.wav", Wave.ramp(frames: 4000, channels: 1))
        let words = options.split(separator: " ").map(String.init)
        let run = Command.run(["render", folder["song.wav"], "-o", folder["out.wav"]] + words)
        #expect(run.status == 64)
        #expect(folder.read("out.wav").isEmpty)
    }
}
