import Samples
import Testing

@testable import Engine

@Suite("The gain of a player")
struct GainGlideTests {
    @Test("a gain glides evenly to its end, and a new glide begins at the present gain")
    func even() {
        var gain = GainGlide(1)
        gain.glide(to: 0, over: 4, at: 10)
        #expect((8..<15).map { gain.value(at: $0) } == [1, 1, 0.75, 0.5, 0.25, 0, 0])
        gain.glide(to: 1, over: 2, at: 12)
        #expect((11..<15).map { gain.value(at: $0) } == [0.5, 0.75, 1, 1])
    }

    /// Ones after a glide from 1 to 0.25, in blocks of a length, from output frame 90 on.
    private static func glide(block: Int) -> [Float] {
        var gain = GainGlide(1)
        gain.glide(to: 0.25, over: 37, at: 100)
        var sound: [Float] = []
        while sound.count < 128 {
            let buffer = PlanarBuffer(channelCount: 2, frameCount: block)
            for channel in 0..<2 {
                for frame in 0..<block { unsafe buffer.channel(channel)[frame] = 1 }
            }
            gain.apply(to: buffer, channelCount: 2, frameCount: block, at: 90 + Int64(sound.count))
            for frame in 0..<block {
                let (left, right) = unsafe (buffer.channel(0)[frame], buffer.channel(1)[frame])
                #expect(left == right)
                sound.append(left)
            }
        }
        return Array(sound[..<128])
    }

    @Test("blocks of any length give the same gains", arguments: [1, 7, 64])
    func anyBlocks(block: Int) {
        let sound = Self.glide(block: 128)
        #expect(Self.glide(block: block) == sound)
        #expect(sound[..<10].allSatisfy { $0 == 1 } && sound[47...].allSatisfy { $0 == 0.25 })
    }

    @Test("the frames that may be louder than the clip are those of a gain above 1 and of glides from or to it")
    func louder() {
        var gain = GainGlide(1)
        #expect(gain.louderFrames(at: 0, 100) == 0)
        gain.glide(to: 2, over: 20, at: 50)
        #expect(gain.louderFrames(at: 50, 100) == 100)
        gain.glide(to: 0.5, over: 20, at: 200)
        #expect(gain.louderFrames(at: 200, 100) == 20)
        #expect(gain.louderFrames(at: 215, 100) == 5)
        #expect(gain.louderFrames(at: 220, 100) == 0)
    }
}
