import EngineHarness
import Glibc
import TestSupport
import Testing

@testable import Engine

@Suite("A player's sound")
struct PlayerSoundTests {
    static let rate = 8000
    static let clip = testClip(channels: 2, frames: 6000, rate: rate, seed: 7)

    /// 6000 frames of a sine wave.
    static func tone(_ frequency: Double, amplitude: Double) -> [Float] {
        (0..<6000).map { Float(amplitude * sin(2 * .pi * frequency * Double($0) / Double(rate))) }
    }

    func score(
        _ ranges: [Range<Int64>], passes: Int = 2, speed: Double = 1, gap: Gap = .none, joint: Joint = .hard
    ) throws -> Score {
        let plan = PracticePlan(
            sections: try ranges.map { try Section($0) }, passes: .count(passes),
            speeds: .constant(try Speed(factor: speed)), gap: gap, joint: joint)
        return try Score(plan, clipFrameCount: 6000, sampleRate: Self.rate)
    }

    func rendered(
        _ score: Score, extra: Int = 100, block: Int = 512, channels: Int? = nil, clip: [[Float]] = clip
    ) throws -> [[Float]] {
        let harness = try Harness(clip, rate: Self.rate, score: score)
        harness.player.start(at: 0)
        return harness.render(Int(score.length) + extra, outputChannels: channels) { block }
    }

    @Test("every pass at 100 % with hard joints is the clip bit for bit, and gaps are digital silence")
    func bitExactPasses() throws {
        let score = try score([100..<1100, 5000..<6000], passes: 3, gap: .frames(80))
        let output = try rendered(score)
        for channel in 0..<2 {
            var at = 0
            for section in [100..<1100, 5000..<6000] {
                for _ in 0..<3 {
                    #expect(Array(output[channel][at..<at + 1000]) == Array(Self.clip[channel][section]))
                    at += 1000
                    #expect(output[channel][at..<at + 80].allSatisfy { $0.bitPattern == 0 })
                    at += 80
                }
            }
            #expect(at == Int(score.length) + 80)
        }
    }

    @Test(
        "a player gives the same bits for every division into blocks",
        arguments: [1.0, 0.7, 1.6], cases(Joint.allCases, few: [.crossfade]))
    func blockIndependence(speed: Double, joint: Joint) throws {
        var generator = SeededGenerator(printedFor: #function)
        let score = try score([300..<1200, 2000..<2041], passes: 3, speed: speed, gap: .frames(30), joint: joint)
        let reference = try rendered(score, block: 8192)
        for block in cases([1, 63, 64, 512], few: [1, 63]) {
            #expect(try rendered(score, block: block) == reference, "blocks of \(block)")
        }
        let harness = try Harness(Self.clip, rate: Self.rate, score: score)
        harness.player.start(at: 0)
        let random = harness.render(reference[0].count) { Int.random(in: 1...700, using: &generator) }
        #expect(random == reference, "random blocks, \(generator)")
    }

    @Test("a crossfade continues past the end of the section under the start of the next pass")
    func crossfadeJoint() throws {
        let output = try rendered(try score([1000..<2000, 3000..<4000], passes: 1, joint: .crossfade))
        let fade = 40  // 5 ms at 8 kHz
        for frame in 0..<fade {
            let x = Double(frame) + 0.5
            let weight = 0.5 - 0.5 * cosine(.pi * x / Double(fade))
            let old = Double(Self.clip[0][2000 + frame])
            let new = Double(Self.clip[0][3000 + frame])
            // Float32 sums of values below 1: a few units in the last place.
            #expect(abs(Double(output[0][1000 + frame]) - (old + (new - old) * weight)) < 5e-7)
        }
        #expect(Array(output[0][1040..<1960]) == Array(Self.clip[0][3040..<3960]))
    }

    @Test("no step at a joint is larger than the steps inside the section", arguments: [1.0, 0.6, 1.5])
    func jointStep(speed: Double) throws {
        // A slow tone cut at its extremes: a hard splice would step by more than half of full scale.
        let tone = (0..<6000).map { Float(sine(2 * .pi * 55 * Double($0) / 8000)) * 0.5 }
        var inside: Float = 0
        for frame in 1..<tone.count { inside = max(inside, abs(tone[frame] - tone[frame - 1])) }
        for joint in [Joint.crossfade, .fade] {
            let score = try score([1036..<2109, 3000..<3900], passes: 3, speed: speed, joint: joint)
            let output = try rendered(score, clip: [tone, tone])
            var largest: Float = 0
            for frame in 1..<Int(score.length) {
                largest = max(largest, abs(output[0][frame] - output[0][frame - 1]))
            }
            // The fades last 24 to 40 frames and move by at most 1.57/length of the difference a frame: under 0.04
            // here.
            #expect(largest <= inside + 0.04, "\(joint)")
        }
        let hard = try rendered(try score([1036..<2109], passes: 2), clip: [tone, tone])
        let hardStep = abs(hard[0][1073] - hard[0][1072])
        #expect(hardStep > inside + 0.04, "the signal would not show a bad joint")
    }

    @Test(
        "a player starts with the section's own first sample, also when stretched",
        arguments: [1.0, 0.5, 0.75, 2.0])
    func firstSample(speed: Double) throws {
        let tolerance: Float = speed == 1 ? 0 : 0.01
        // Frames that overlap the start belong to other places; the pre-fill keeps the first sample within 1 % of full
        // scale. Only samples that differ from their neighbours by more than twice this tolerance are conclusive.
        let telling = (1000..<3000).filter { frame in
            (0..<2).allSatisfy { channel in
                let sound = Self.clip[channel]
                return min(abs(sound[frame] - sound[frame - 1]), abs(sound[frame] - sound[frame + 1])) > 0.02
            }
        }
        try #require(telling.count > 5)
        for start in stride(from: 0, to: telling.count, by: telling.count / 5).map({ telling[$0] }) {
            let range = Int64(start)..<Int64(start) + 1500
            let output = try rendered(try score([range], passes: 1, speed: speed, joint: .crossfade))
            for channel in 0..<2 {
                #expect(abs(output[channel][0] - Self.clip[channel][start]) <= tolerance, "section from \(start)")
            }
        }
    }

    @Test("a player is silent before the start and after the end, and exactly as long as the score")
    func silenceAround() throws {
        let score = try score([1000..<1777], passes: 2, speed: 0.7, joint: .crossfade)
        let harness = try Harness(Self.clip, rate: Self.rate, score: score)
        harness.player.start(at: 123)
        let output = harness.render(Int(score.length) + 400) { 64 }
        let end = 123 + Int(score.length)
        #expect(output[0][..<123].allSatisfy { $0 == 0 })
        #expect(output[0][end...].allSatisfy { $0 == 0 })
        #expect(harness.player.status.state == .finished)
    }

    @Test("mono sound reaches every channel, stereo becomes mono as the mean, extra channels are silent")
    func channelMapping() throws {
        let score = try score([0..<500], passes: 1)
        let mono = try rendered(score, channels: 1)
        for frame in 0..<500 {
            #expect(mono[0][frame] == (Self.clip[0][frame] + Self.clip[1][frame]) * 0.5)
        }
        let wide = try rendered(score, channels: 4)
        #expect(Array(wide[1][..<500]) == Array(Self.clip[1][..<500]))
        #expect(wide[3].allSatisfy { $0 == 0 })
        let spread = try rendered(score, channels: 3, clip: [Self.clip[0]])
        #expect(spread[0] == spread[2] && Array(spread[2][..<500]) == Array(Self.clip[0][..<500]))
    }

    @Test("sound turned up above full scale is limited, for every block size", arguments: [1, 333])
    func overload(block: Int) throws {
        let score = try score([0..<6000], passes: 1)
        let clip = [Self.tone(100.3, amplitude: 0.5)]
        func output(_ block: Int) throws -> [Float] {
            let harness = try Harness(clip, rate: Self.rate, score: score)
            harness.player.start(at: 0)
            harness.player.setGain(decibels: 12, at: 1000)
            harness.player.setGain(decibels: 0, at: 2000)
            return harness.render(6000) { block }[0]
        }
        let sound = try output(block)
        #expect(try sound == output(512))
        #expect(sound.allSatisfy { abs($0) <= 1 })
        #expect((sound[1200..<2000].max() ?? 0) > 0.98)
        #expect(sound[..<1000] == clip[0][..<1000])
    }

    @Test("a copy above full scale passes unchanged at gain 1")
    func loudCopy() throws {
        let score = try score([0..<6000], passes: 1)
        let clip = [Self.tone(100.3, amplitude: 1.5)]
        let harness = try Harness(clip, rate: Self.rate, score: score)
        harness.player.start(at: 0)
        #expect(harness.render(6000) { 333 }[0] == clip[0])
    }

    @Test("a pass that is turned down reports the reduction before its end, except for a copy")
    func reported() async throws {
        for (speed, isTold) in [(1.0, false), (0.6, true)] {
            let clip = [zip(Self.tone(100.3, amplitude: 0.7), Self.tone(700.7, amplitude: 0.7)).map(+)]
            let harness = try Harness(clip, rate: Self.rate, score: try score([0..<6000], passes: 1, speed: speed))
            let events = harness.player.events
            harness.player.start(at: 0)
            let sound = harness.render(11_000) { 512 }[0]
            var kinds: [PlayerEvent.Kind] = []
            try await withPatience { for await event in events { kinds.append(event.kind) } }
            let reduction = kinds.lazy.compactMap { kind in
                if case .limited(let decibels) = kind { decibels } else { nil }
            }.first
            #expect((reduction != nil) == isTold)
            guard let reduction, isTold else { continue }
            #expect(reduction > 2 && reduction < 4)
            // The pass begins with a copy of its first frames.
            #expect(sound[264...].allSatisfy { abs($0) <= 1 })
            let place = kinds.firstIndex(of: .limited(decibels: reduction))
            #expect(place.map { kinds[$0 + 1] } == .passEnded)
        }
    }

    @Test("the gain changes without a step, and the sound at gain 1 is the clip again bit for bit")
    func gainGlide() throws {
        let score = try score([0..<6000], passes: 1)
        let harness = try Harness([[Float](repeating: 0.5, count: 6000)], rate: Self.rate, score: score)
        harness.player.start(at: 0)
        harness.player.setGain(decibels: -20, at: 1000)
        harness.player.setGain(decibels: 0, at: 3000)
        let output = harness.render(6000) { 333 }[0]
        #expect(output[..<1000].allSatisfy { $0 == 0.5 })
        #expect(output[1160..<3000].allSatisfy { abs($0 - 0.05) < 1e-7 })
        #expect(output[3160...].allSatisfy { $0 == 0.5 })
        for frame in 1..<6000 { #expect(abs(output[frame] - output[frame - 1]) <= 0.45 / 160 + 1e-6) }
    }
}

private func cosine(_ x: Double) -> Double { cos(x) }
private func sine(_ x: Double) -> Double { sin(x) }
