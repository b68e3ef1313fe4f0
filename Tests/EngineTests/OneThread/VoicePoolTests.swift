import Clips
import EngineHarness
import Samples
import TestSupport
import Testing

@testable import Engine

@Suite("The voices of a player")
struct VoicePoolTests {
    static let rate = 8000

    @Test("a layer beyond the number of voices takes the voice of the oldest layer")
    func oneForEachLayer() throws {
        #expect(VoiceStorage.voiceCount == LayerStack.maximumLayers)
        let sound = testClip(channels: 1, frames: 6000, rate: Self.rate, seed: 3)
        let clip = try Clip.inMemory(sound, sampleRate: Self.rate)
        let plan = PracticePlan(
            sections: [try Section(0..<6000)], speeds: .constant(try Speed(factor: 0.7)), joint: .hard)
        let score = try Score(plan, clipFrameCount: 6000, sampleRate: Self.rate)
        let all = try Self.render(layers: 0..<LayerStack.maximumLayers + 1, of: clip, score)
        #expect(try Self.render(layers: 1..<LayerStack.maximumLayers + 1, of: clip, score) == all)
        #expect(all.contains { $0 != 0 })
    }

    /// The sound of layers that fade in over one another, each from another place of the clip on.
    static func render(layers: Range<Int>, of clip: Clip, _ score: Score) throws -> [Float] {
        var memory = PlayerMemory(channelCount: 1, sampleRate: rate, recordingLimit: 0)
        let storage = memory.storage(for: score, Preparation(unknownPartsOf: score), ticket: nil)
        let reader = clip.makeReader(waitsForPages: true)
        defer { clip.release(reader) }
        var stack = LayerStack(
            ClipSource(clip: reader, attacks: nil), sampleRate: rate, score: storage.renderScore)
        var playhead = Playhead(storage.renderScore, sampleRate: rate)
        reader.beginBlock()
        defer { reader.endBlock() }
        for layer in layers {
            playhead.go(to: Place(clipFrame: Int64(layer) * 1000), at: 0)
            stack.pushPass(of: playhead, entryLength: 500)
            guard case .voice = stack.topSource else {
                Issue.record("layer \(layer) has no voice")
                continue
            }
        }
        _ = stack.produce(256, of: playhead, at: 0)
        var output: [Float] = []
        for frame in 0..<256 { unsafe output.append(stack.sound.channel(0)[frame]) }
        withExtendedLifetime(storage) {}
        return output
    }
}
