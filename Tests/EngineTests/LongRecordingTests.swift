import AudioFiles
import EngineHarness
import Glibc
import Realtime
import Synchronization
import TestSupport
import Testing

@testable import Clips
@testable import Engine

@Suite("A recording longer than its memory budget")
struct LongRecordingTests {
    static let rate = 22_050
    /// Three pages of each sixteen that the smallest budget holds: 41 s, seven pages of attacks.
    static let frames = 3 * 16 * 16_384 + 5000
    static let samples = testClip(channels: 1, frames: frames, rate: rate, seed: 31)

    /// The smallest possible budget: sixteen pages.
    static func clip() throws -> Clip {
        try Clip(MemoryDecoder(samples, sampleRate: rate), sampleRate: nil, memoryBudget: 0)
    }

    static func score(
        _ sections: [Range<Int64>], speed: Double, material: MaterialChoice = .music, quality: StretchQuality = .light
    ) throws -> Score {
        let plan = PracticePlan(
            sections: try sections.map { try Section($0) }, speeds: .constant(try Speed(factor: speed)),
            material: material, quality: quality)
        return try Score(plan, clipFrameCount: Int64(frames), sampleRate: rate)
    }

    @Test(
        "a recording beyond its memory budget is slowed down bit for bit as if it were in memory",
        .enabled(if: Workload.isOptimised),
        arguments: cases(
            [(MaterialChoice.music, StretchQuality.full), (.music, .light), (.speech, .light), (.auto, .full)],
            few: [(.music, .light)]))
    func slowed(material: MaterialChoice, quality: StretchQuality) throws {
        let end = Int64(Self.frames)
        let score = try Self.score(
            [0..<3000, 250_000..<290_000, 5000..<9000, end - 30_000..<end], speed: 0.75, material: material,
            quality: quality)
        let short = try #require(patiently { try RenderedSound(of: try Self.clip(), score: score) })
        let whole = try RenderedSound(of: try Clip.inMemory(Self.samples, sampleRate: Self.rate), score: score)
        #expect(short == whole)
        #expect(short.frameCount == score.frameCount && short.starvedFrames == 0)
    }

    @Test(
        "two players of one clip wait for its pages at the same time, and both play to the end",
        .enabled(if: Workload.isOptimised))
    func twoAtOnce() throws {
        let (first, second) = (
            try Self.score([300_000..<340_000], speed: 0.75), try Self.score([20_000..<60_000], speed: 0.75)
        )
        let clip = try Self.clip()
        let other = Mutex<RenderedSound?>(nil)
        let thread = PlainThread(name: "test-player") {
            let sound = try? RenderedSound(of: clip, score: second)
            other.withLock { $0 = sound }
        }
        let sound = try #require(patiently { try RenderedSound(of: clip, score: first) })
        thread?.join()
        let whole = try Clip.inMemory(Self.samples, sampleRate: Self.rate)
        #expect(sound == (try RenderedSound(of: whole, score: first)))
        #expect(other.withLock { $0 } == (try RenderedSound(of: whole, score: second)))
    }

    @Test(
        "a recording that cannot be read to its end stops the player with the reason",
        .enabled(if: Workload.isOptimised))
    func unreadable() throws {
        let decoder = ShortDecoder(Self.samples, sampleRate: Self.rate, readableFrames: 300_000)
        let clip = try Clip(decoder, sampleRate: nil, memoryBudget: 0)
        let score = try Self.score([200_000..<400_000], speed: 0.75)
        let sound = try #require(patiently { try RenderedSound(of: clip, score: score) })
        #expect(sound.failure?.kind == .io && sound.frameCount < score.length)
    }
}
