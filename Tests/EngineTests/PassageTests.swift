import Clips
import EngineHarness
import TestSupport
import Testing

@testable import Engine

@Suite("A section of speech and music")
struct PassageTests {
    static let rate = 22_050
    static let change = 10 * rate

    /// Ten seconds of syllables with a falling pitch, hisses and pauses, then ten of a chord with attacks.
    static let clip: [[Float]] = {
        var random = SeededGenerator(seed: 5)
        var samples: [Float] = []
        var phase: Float = 0
        var syllable = 0
        while samples.count < change {
            let length = Int.random(in: 3000...5500, using: &random)
            let start = Float.random(in: 110...190, using: &random)
            for frame in 0..<length {
                phase += start * (1 - 0.35 * Float(frame) / Float(length)) / Float(rate)
                phase -= phase.rounded(.down)
                let edge = min(1, Float(min(frame, length - frame)) / 500)
                samples.append(edge * (0.5 * (1 - phase) * (1 - phase) * (1 - phase) - 0.125))
            }
            for _ in 0..<1300 { samples.append(Float.random(in: -0.08...0.08, using: &random)) }
            let pause = syllable % 4 == 3 ? 7000 : 900
            for _ in 0..<pause { samples.append(Float.random(in: -1e-4...1e-4, using: &random)) }
            syllable += 1
        }
        samples.removeSubrange(change...)
        samples += testClip(channels: 1, frames: 10 * rate, rate: rate, seed: 3)[0]
        return [samples]
    }()

    static func score(
        _ material: MaterialChoice = .auto, speeds: SpeedSchedule? = nil, passes: Int = 1, semitones: Double = 0
    ) throws -> Score {
        let plan = PracticePlan(
            sections: [try Section(3000..<Int64(clip[0].count - 3000))], passes: .count(passes),
            speeds: try speeds ?? .constant(Speed(factor: 0.75)), pitch: try Pitch(semitones: semitones),
            material: material)
        return try Score(plan, clipFrameCount: Int64(clip[0].count), sampleRate: rate)
    }

    static func rendered(_ score: Score, block: Int) throws -> [Float] {
        let harness = try Harness(clip, rate: rate, score: score, listens: true)
        harness.player.start(at: 0)
        return harness.render(Int(score.length) + 100) { block }[0]
    }

    @Test("a section of speech and music is reported as two passages", .enabled(if: Workload.isOptimised))
    func news() async throws {
        let harness = try Harness(Self.clip, rate: Self.rate, score: try Self.score(), listens: true)
        let events = harness.player.events
        harness.player.start(at: 0)
        _ = harness.render(100) { 100 }
        harness.player.endEvents()
        var told: [SectionMaterial] = []
        try await withPatience {
            for await event in events { if case .materialChosen(let section) = event.kind { told.append(section) } }
        }
        let passages = told.first?.passages ?? []
        #expect(told.count == 1 && passages.map(\.material) == [.speech, .music])
        #expect(passages.first?.clipFrames.lowerBound == 3000)
        #expect(passages.last?.clipFrames.upperBound == Int64(Self.clip[0].count - 3000))
        let found = passages.first?.clipFrames.upperBound ?? 0
        #expect(abs(found - Int64(Self.change)) <= Int64(2 * Self.rate))
    }

    @Test(
        "a section of speech and music has the same samples for every block length, in each pass",
        .enabled(if: Workload.isWhole), arguments: [0.0, 3])
    func partition(semitones: Double) throws {
        let score = try Self.score(passes: 2, semitones: semitones)
        let whole = try Self.rendered(score, block: 8192)
        #expect(try Self.rendered(score, block: 997) == whole)
        let pass = Int(score.length) / 2
        // Except for the crossfade at the joint, and a frame of rounding.
        #expect(Array(whole[200..<pass - 200]) == Array(whole[pass + 200..<2 * pass - 200]))
        for material in [MaterialChoice.speech, .music] {
            #expect(try Self.rendered(Self.score(material, passes: 2, semitones: semitones), block: 8192) != whole)
        }
    }

    @Test(
        "a curve runs through all passages of a section, and ends at its exact frame from any entry",
        .enabled(if: Workload.isWhole))
    func curves() throws {
        let glide = SpeedSchedule.glide(from: try Speed(factor: 0.6), to: try Speed(factor: 0.9))
        for speeds in [glide, .constant(try Speed(factor: 0.75))] {
            let score = try Self.score(speeds: speeds)
            let total = Int(score.length)
            let whole = try Self.rendered(score, block: 1024)
            #expect(try Self.rendered(score, block: 640) == whole)
            #expect(whole[total...].allSatisfy { $0 == 0 } && whole[total - 2000..<total].contains { $0 != 0 })
            for target in [Int64(40_000), 300_000] {
                let harness = try Harness(Self.clip, rate: Self.rate, score: score, listens: true)
                harness.player.start(at: 0)
                try harness.player.seek(toClipFrame: target, at: 1000)
                let output = harness.render(total) { 512 }[0]
                let end = output.lastIndex { $0 != 0 } ?? 0
                let curve = score.parts[0].curve
                let rest = score.length - Int64(curve.time(toCover: Double(target - 3000)).rounded())
                #expect(abs(Int64(end + 1) - 1000 - rest) <= 2)
            }
        }
    }

    @Test("a section is played as speech and music as soon as the analysis is known", .enabled(if: Workload.isWhole))
    func live() throws {
        let score = try Self.score()
        let harness = try Harness(Self.clip, rate: Self.rate, score: score, waits: false, listens: true)
        try harness.player.clip.waitUntilLoaded([0..<Int64(Self.clip[0].count)])
        harness.player.start(at: 0)
        var output = harness.render(5000) { 1000 }[0]
        harness.player.waitUntilPrepared()
        var place = 5000
        while place < Int(score.length) + 100 {
            harness.player.waitUntilPrepared()
            output += harness.render(1000, from: place) { 1000 }[0]
            place += 1000
        }
        let known = try Self.rendered(score, block: 1000)
        // The spliced part ends at the nominal time, where the vocoder begins: the music sounds the same for any
        // beginning of speech.
        let music = Int(Double(Self.change + 3 * Self.rate) / 0.75)..<Int(score.length) - 200
        let equal = (-1...1).contains { shift in music.allSatisfy { output[$0] == known[$0 + shift] } }
        #expect(equal)
    }
}
