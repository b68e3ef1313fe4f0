import ArgumentParser
import Terminal
import TestSupport
import Testing

@testable import Engine
@testable import WoodshedCLI

@Suite("Options and keys of the strip")
struct StripOptionTests {
    private let folder = TestFolder()

    /// The left and the right channel of a rendering.
    private func rendered(_ options: [String]) throws -> [[Float]] {
        let run = Command.run(["render", folder["song.wav"], "-o", folder["out.wav"]] + options)
        #expect(run.status == 0, "\(run.error)")
        let samples = try #require(Wave.floats(of: folder.read("out.wav")))
        return (0..<2).map { channel in stride(from: channel, to: samples.count, by: 2).map { samples[$0] } }
    }

    @Test("a rendering has the requested channels, balance and gains")
    func render() throws {
        folder.write("song.wav", Wave.ramp(frames: 4000, channels: 2))
        let plain = try rendered([])
        #expect(try rendered(["--channel", "2"]) == [plain[1], plain[1]])
        let swapped = try rendered(["--channel", "2,1", "--balance", "-1"])
        #expect(swapped[0] == plain[1])
        #expect(swapped[1].allSatisfy { $0 == 0 })
        let mean = zip(plain[0], plain[1]).map { ($0 + $1) / 2 }
        #expect(try rendered(["--centre", "keep"]) == [mean, mean])
        #expect(try rendered(["--eq", "0,0,+0"]) == plain)
        #expect(try rendered(["--eq", "-12,0,3.5"]) != plain)
    }

    private static let mistakes: [(options: String, status: Int32)] = [
        ("--channel 3", 65), ("--channel 0", 64), ("--channel 1,2,3", 64), ("--channel 1 --centre remove", 65),
        ("--centre left", 64), ("--balance 2", 64), ("--eq 1,2", 64), ("--eq 0,0,13", 64), ("--eq nan,0,0", 64),
    ]

    @Test("impossible options of the strip are refused before a file is written", arguments: mistakes)
    func refused(options: String, status: Int32) {
        folder.write("song.wav", Wave.ramp(frames: 4000, channels: 2))
        let words = options.split(separator: " ").map(String.init)
        let run = Command.run(["render", folder["song.wav"], "-o", folder["out.wav"]] + words)
        #expect(run.status == status)
        #expect(folder.read("out.wav").isEmpty)
    }

    @Test("strip settings kept with a recording are read back, and unreadable settings are left out")
    func kept() throws {
        let strip = ChannelStrip(
            channels: .pair(left: 2, right: 1), centre: .removed, balance: -0.25, low: -6, mid: 0, high: 2.5)
        var settings = KeptSettings()
        settings.set(strip: strip)
        #expect(settings.texts == ["channel": "2,1", "centre": "remove", "balance": "-0.25", "eq": "-6,0,2.5"])
        #expect(try StripOptions.parse([]).strip(kept: settings) == strip)
        #expect(
            try StripOptions.parse(["--centre", "off", "--eq", "0,0,0"]).strip(kept: settings).centre == .asRecorded)
        settings.set(strip: .neutral)
        #expect(settings.isEmpty)
        let strange = KeptSettings(["channel": "x", "centre": "up", "balance": "9", "eq": ""])
        #expect(try StripOptions.parse([]).strip(kept: strange) == .neutral)
    }

    @Test("actions of the strip's keys are read from their words, and give the same words")
    func words() throws {
        for words in ["centre", "channel", "strip off", "balance +0.1", "eq low -3", "eq mid +1.5", "eq high +3"] {
            #expect(try KeyAction(words: words).words == words)
        }
        for words in ["eq", "eq low", "eq bass +3", "eq low 3", "balance 1", "balance"] {
            #expect(throws: ArgumentError.self) { try KeyAction(words: words) }
        }
    }
}
