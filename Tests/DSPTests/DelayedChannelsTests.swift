import DSPHarness
import TestSupport
import Testing

@testable import Stretching

@Suite("Delayed channels")
struct DelayedChannelsTests {
    /// Noise under a chord; the second channel is the first, later and softer.
    private func delayed(by delay: Int, gain: Float = 0.7) -> [[Float]] {
        var random = SeededGenerator(seed: 8)
        let noise = random.noise(4000, amplitude: 0.15)
        let chord = tones([220, 331, 1250], amplitude: 0.1, frameCount: 4000)
        let sound = zip(noise, chord).map { $0 + $1 }
        return [Array(sound.dropFirst(delay)), sound.dropLast(delay).map { gain * $0 }]
    }

    @Test("a delay and a gain are found, whichever channel is late", arguments: [1, 7, 44])
    func delaysAreFound(delay: Int) throws {
        let channels = delayed(by: delay)
        let found = try #require(DelayedChannels(channels, longest: 44))
        #expect(found.leader == 0 && found.follower == 1 && found.delay == delay)
        #expect(abs(found.gain - 0.7) < 1e-3)
        let reversed = try #require(DelayedChannels(channels.reversed(), longest: 44))
        #expect(reversed.leader == 1 && reversed.follower == 0 && reversed.delay == delay)
    }

    @Test("channels that are equal, unrelated, silent, too late or too short have no delay")
    func othersAreLeft() {
        let channels = delayed(by: 7)
        var random = SeededGenerator(seed: 9)
        let other = random.noise(channels[0].count, amplitude: 0.1)
        let silence = [Float](repeating: 0, count: other.count)
        #expect(DelayedChannels([channels[0], channels[0].map { 0.3 * $0 }], longest: 44) == nil)
        #expect(DelayedChannels([channels[0], zip(channels[0], other).map { $0 + 0.3 * $1 }], longest: 44) == nil)
        #expect(DelayedChannels([channels[0], other], longest: 44) == nil)
        #expect(DelayedChannels([silence, silence], longest: 44) == nil)
        #expect(DelayedChannels([channels[0], silence], longest: 44) == nil)
        #expect(DelayedChannels(channels, longest: 6) == nil)
        #expect(DelayedChannels(channels.map { Array($0.prefix(200)) }, longest: 44) == nil)
        #expect(DelayedChannels([channels[0]], longest: 44) == nil)
        #expect(DelayedChannels([channels[0], channels[1], other], longest: 44) == nil)
    }

    @Test("a joint continuation keeps the delay between channels, and separate ones do not")
    func continuationsKeepTheDelay() throws {
        let channels = delayed(by: 7)
        let prediction = LinearPrediction(learning: channels, order: 200)
        let found = try #require(DelayedChannels(channels, longest: 44))
        let together = found.continuation(of: channels, prediction, count: 500)
        #expect(together.allSatisfy { $0.count == 500 })
        #expect(together[0] == prediction.continuation(of: channels[0], count: 500))
        /// The power of the part of the second channel that the first channel does not explain.
        func apart(_ second: [Float]) -> Double {
            let first = channels[0].suffix(7) + together[0]
            return decibels(power(zip(first, second).map { 0.7 * $0 - $1 }) / power(second))
        }
        #expect(apart(together[1]) < -60)
        #expect(apart(prediction.continuation(of: channels[1], count: 500)) > -40)
    }
}
