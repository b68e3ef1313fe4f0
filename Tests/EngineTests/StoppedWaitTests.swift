import AudioDevices
import AudioFiles
import EngineHarness
import Glibc
import Realtime
import TestSupport
import Testing

@testable import Clips
@testable import Engine

@Suite("An engine under the virtual clock, stopped during a wait")
struct StoppedWaitTests {
    private static let rate = 44_100
    private static let page: Int64 = 16_384
    /// Three pages of attacks and a bit.
    private static let frames = 3 * 16 * 16_384 + 5000
    private static let samples = testClip(channels: 1, frames: frames, rate: rate, seed: 61)

    private static let period = 1000

    struct Wait: Sendable {
        let speed: Double
        let section: Range<Int64>
        /// All frames that are ever decoded.
        let decoded: Range<Int64>
        /// Minimum of frames in whole blocks that these frames give; the exact number where no wait is for attacks.
        let made: Int
    }

    /// A wait for a page of sound; and, in a page of attacks whose sound is there, a wait for the attacks, which are
    /// not known before the attacks of the page after it.
    private static let forPage = Wait(speed: 1, section: 0..<400_000, decoded: 0..<10 * page, made: 163_000)
    private static let forAttacks = Wait(
        speed: 0.75, section: 8 * page..<20 * page, decoded: 0..<42 * page, made: 100_000)

    @Test(
        "an engine stopped while it waits for frames ends, with the written frames of the score",
        arguments: cases([forPage, forAttacks], few: [forPage]))
    func stops(wait: Wait) throws {
        let plan = PracticePlan(
            sections: [try Section(wait.section)], speeds: .constant(try Speed(factor: wait.speed)), material: .music)
        let score = try Score(plan, clipFrameCount: Int64(Self.frames), sampleRate: Self.rate)
        let scratch = try EngineStreamTests.Scratch()
        let path = "\(scratch.path)/out.wav"
        let period = Self.period
        let request = try StreamRequest(
            sampleRate: Self.rate, channelCount: 1, periodFrames: period, clock: .virtual, realtimePriority: nil)
        let engine = try Engine(output: .file(path: path), request: request)
        let decoder = HeldDecoder(Self.samples, sampleRate: Self.rate, permitting: wait.decoded)
        let clip = try Clip(decoder, sampleRate: nil, memoryBudget: 1 << 30)
        let player = try engine.makePlayer(clip, score: score)
        player.start(at: 0)
        try engine.start()
        // The frames that the device's thread needs next never come.
        #expect(eventually { isWaiting(engine, clip, score, wait) })
        try #require(patiently { engine.stop() } != nil)
        #expect(player.status.starvedFrames == 0)

        let written = try EngineStreamTests().samples(of: path)
        #expect(written[0].count >= wait.made && written[0].count % period == 0)
        let whole = try Harness(Self.samples, rate: Self.rate, score: score, listens: true)
        whole.player.start(at: 0)
        // As on a device's thread.
        let flush = FlushToZero()
        let expected = whole.render(written[0].count) { period }
        flush.restore()
        #expect(written == expected)
    }

    /// Whether the device's thread waits for attacks, or has made all possible blocks before a wait for a page.
    private func isWaiting(_ engine: Engine, _ clip: Clip, _ score: Score, _ wait: Wait) -> Bool {
        guard wait.speed != 1 else { return engine.position.framesWritten == Int64(wait.made) }
        guard engine.position.framesWritten >= Int64(wait.made),
            let store = ClipAnalysis.shared(for: clip)?.requests.store
        else { return false }
        return store.lock.withLock { !store.awaited.isEmpty }
    }
}
