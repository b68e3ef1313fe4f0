import EngineHarness
import Testing

@testable import Clips
@testable import Engine

/// Live, into a slowed section whose decoding the test controls.
@Suite("A seek to a place that is not decoded yet")
struct LateSeekTests {
    private static let rate = 44_100
    private static let frames = 40 * 16_384
    private static let samples = testClip(channels: 1, frames: frames, rate: rate, seed: 51)
    /// First frame of the page after the page with the first sound.
    private static let nextPage: Int64 = 31 * 16_384
    /// A voice from this frame needs some of the page before its first sound, and some of the page after it.
    private static let target = nextPage - 1000
    private static let block = 512

    private let decoder: HeldDecoder
    private let late: Harness
    private let score: Score

    init() throws {
        let plan = PracticePlan(
            sections: [try Section(0..<200_000), try Section(400_000..<Int64(Self.frames))],
            speeds: .constant(try Speed(factor: 0.5)))
        score = try Score(plan, clipFrameCount: Int64(Self.frames), sampleRate: Self.rate)
        // Everything that is decoded ahead of the playing place and of section starts, so that only the seek's frames
        // are held.
        decoder = HeldDecoder(Self.samples, sampleRate: Self.rate, permitting: 0..<30 * 16_384)
        let clip = try Clip(decoder, sampleRate: nil, memoryBudget: 1 << 30)
        late = Harness(Self.samples, clip: clip, score: score, waits: false)
        try clip.waitUntilLoaded([0..<30 * 16_384])
        late.player.start()
    }

    /// The same sound from memory, with the seek at the frame of the audible change.
    private func expected(_ total: Int, seekAt frame: Int64) throws -> [[Float]] {
        let whole = try Harness(Self.samples, rate: Self.rate, score: score, waits: false)
        whole.player.start()
        try whole.player.seek(toClipFrame: Self.target, at: frame)
        return whole.render(total) { Self.block }
    }

    private func part(_ sound: [[Float]], _ range: Range<Int>) -> [[Float]] { sound.map { Array($0[range]) } }

    @Test("a late seek keeps the old sound until the first frames are decoded, and then misses no frame")
    func waits() throws {
        let (before, wait, after) = (8 * Self.block, 16 * Self.block, 40 * Self.block)
        var sound = late.render(before) { Self.block }
        try late.player.seek(toClipFrame: Self.target)
        // The page with the first sound is there, and the page before it, in which the voice begins; the next page is
        // missing.
        decoder.permit(Self.nextPage - 16_384..<Self.nextPage)
        try late.player.clip.waitUntilLoaded([Self.nextPage - 16_384..<Self.nextPage])
        for (channel, samples) in late.render(wait, from: before, nextBlock: { Self.block }).enumerated() {
            sound[channel] += samples
        }
        #expect(late.player.status.section == 1 && late.player.status.starvedFrames == 0)
        // Meanwhile a program counts from the place of the seek.
        #expect(late.player.statusAfterMoves.clipFrame == Self.target)
        decoder.permit(Self.nextPage..<Int64(Self.frames))
        try late.player.clip.waitUntilLoaded([Self.nextPage..<Int64(Self.frames)])
        for (channel, samples) in late.render(after, from: before + wait, nextBlock: { Self.block }).enumerated() {
            sound[channel] += samples
        }
        #expect(late.player.status.section == 2 && late.player.status.starvedFrames == 0)
        #expect(late.player.statusAfterMoves.clipFrame == late.player.status.clipFrame)
        #expect(sound == (try expected(before + wait + after, seekAt: Int64(before + wait))))
    }

    @Test("a late seek waits half a second for its frames, and no longer")
    func bound() throws {
        try late.player.seek(toClipFrame: Self.target)
        // The first block in which the seek is more than half a second ago.
        let blocks = Self.rate / 2 / Self.block + 1
        let sound = late.render(blocks * Self.block) { Self.block }
        #expect(late.player.status.section == 1 && late.player.status.starvedFrames == 0)
        _ = late.render(Self.block, from: blocks * Self.block) { Self.block }
        #expect(late.player.status.section == 2 && late.player.status.starvedFrames > 0)
        #expect(sound == part(try expected(sound[0].count, seekAt: Int64(sound[0].count)), 0..<sound[0].count))
    }

    @Test("a late seek before the first sound takes effect at once")
    func idle() throws {
        let idle = Harness(Self.samples, clip: late.player.clip, score: score, waits: false)
        try idle.player.seek(toClipFrame: Self.target)
        _ = idle.render(Self.block) { Self.block }
        #expect(idle.player.status.clipFrame == 0 && idle.player.statusAfterMoves.clipFrame == Self.target)
        // As at the end of a previous player.
        unsafe idle.player.core.core.pointee.take(over: Int64(Self.block), fade: 0)
        _ = idle.render(Self.block, from: Self.block) { Self.block }
        #expect(idle.player.status.section == 2 && idle.player.status.state == .playing)
        #expect(idle.player.statusAfterMoves.clipFrame == idle.player.status.clipFrame)
    }
}
