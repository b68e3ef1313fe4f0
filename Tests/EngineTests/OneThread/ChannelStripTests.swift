import EngineHarness
import Explanations
import TestSupport
import Testing

@testable import Engine

@Suite("A player's strip")
struct ChannelStripTests {
    private static let clip = testClip(channels: 2, frames: 6000, rate: 8000, seed: 7)

    private func harness(_ clip: [[Float]] = clip, speed: Double = 1) throws -> Harness {
        let plan = PracticePlan(
            sections: [try Section(0..<6000)], passes: 2, speeds: .constant(try Speed(factor: speed)), joint: .hard)
        return try Harness(clip, rate: 8000, score: try Score(plan, clipFrameCount: 6000, sampleRate: 8000))
    }

    @Test("a strip holds from the first frame on or from its frame on, and is gone bit for bit after")
    func times() throws {
        let harness = try harness()
        try harness.player.setStrip(ChannelStrip(channels: .one(2)))
        harness.player.start(at: 0)
        try harness.player.setStrip(.neutral, at: 3000)
        let output = harness.render(6000) { 333 }
        #expect(output[0][..<3000] == Self.clip[1][..<3000] && output[1][..<3000] == Self.clip[1][..<3000])
        for channel in 0..<2 { #expect(output[channel][3160...] == Self.clip[channel][3160..<6000]) }
        #expect(harness.player.strip == .neutral)
    }

    @Test("a strip gives the same samples for all blocks, at any speed and with kept passes", arguments: [1.0, 0.7])
    func blocks(speed: Double) throws {
        func output(_ block: Int) throws -> [[Float]] {
            let harness = try harness(speed: speed)
            harness.player.start(at: 0)
            try harness.player.setStrip(ChannelStrip(centre: .removed, low: 6, mid: -3), at: 1000)
            try harness.player.setStrip(ChannelStrip(channels: .pair(left: 2, right: 1), balance: -0.5), at: 1080)
            try harness.player.setStrip(ChannelStrip(high: 12), at: 9000)
            return harness.render(12_000) { block }
        }
        let reference = try output(4096)
        for block in [1, 63, 512] { #expect(try output(block) == reference, "blocks of \(block)") }
    }

    @Test("sound that a strip raises above full scale is turned down")
    func overload() throws {
        let harness = try harness([PlayerSoundTests.tone(100.3, amplitude: 0.9)])
        try harness.player.setStrip(ChannelStrip(low: 12))
        harness.player.start(at: 0)
        let sound = harness.render(6000) { 512 }[0]
        #expect(sound.allSatisfy { abs($0) <= 1 } && (sound[3000...].max() ?? 0) > 0.99)
    }

    @Test(
        "a strip that does not fit the clip is refused, and changes nothing",
        arguments: [
            (1, ChannelStrip(channels: .one(2)), ScoreError.Kind.channelOutsideClip),
            (2, ChannelStrip(channels: .pair(left: 1, right: 0)), .channelOutsideClip),
            (1, ChannelStrip(centre: .kept), .channelOutsideClip), (1, ChannelStrip(balance: 1), .channelOutsideClip),
            (2, ChannelStrip(channels: .one(1), centre: .removed), .channelOutsideClip),
            (3, ChannelStrip(centre: .removed), .channelOutsideClip), (2, ChannelStrip(balance: 1.1), .stripOutOfRange),
            (2, ChannelStrip(balance: .nan), .stripOutOfRange), (2, ChannelStrip(mid: 13), .stripOutOfRange),
            (2, ChannelStrip(high: -.infinity), .stripOutOfRange),
        ])
    func refused(channelCount: Int, strip: ChannelStrip, kind: ScoreError.Kind) throws {
        let clip = testClip(channels: channelCount, frames: 6000, rate: 8000, seed: 7)
        let harness = try harness(clip)
        let error = #expect(throws: ScoreError.self) { try harness.player.setStrip(strip) }
        #expect(error?.kind == kind)
        #expect(harness.player.strip == .neutral)
        harness.player.start(at: 0)
        #expect(harness.render(6000) { 512 } == clip)
    }

    @Test("a chosen pair of channels of a wider clip has a centre")
    func pair() throws {
        let clip = testClip(channels: 4, frames: 6000, rate: 8000, seed: 7)
        let harness = try harness(clip)
        try harness.player.setStrip(ChannelStrip(channels: .pair(left: 3, right: 4), centre: .kept))
        harness.player.start(at: 0)
        let output = harness.render(6000, outputChannels: 2) { 512 }
        let mean = zip(clip[2], clip[3]).map { ($0 + $1) / 2 }
        #expect(output == [mean, mean])
    }
}
