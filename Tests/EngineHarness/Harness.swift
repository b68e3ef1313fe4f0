// Drives a player without an engine or a device, for the tests of the player and of code that uses the player. The
// folder OneThread has the slow player that tests compare with the engine.
package import Clips
import Samples
import TestSupport

@testable package import Engine

/// A player without a device: commands at exact frames, blocks of any length, the output as arrays.
package struct Harness {
    package let clip: [[Float]]
    package let rate: Int
    package let player: Player

    /// - Parameter listens: false leaves every voice plain, as the slow reference is.
    package init(
        _ clip: [[Float]], rate: Int, score: Score, recordingLimit: Int = ScoreStorage.recordingLimit,
        waits: Bool = true, listens: Bool = false
    ) throws {
        self.init(
            clip, clip: try Clip.inMemory(clip, sampleRate: rate), score: score, recordingLimit: recordingLimit,
            waits: waits, listens: listens)
    }

    /// For a clip that need not be in memory.
    package init(
        _ samples: [[Float]], clip: Clip, score: Score, recordingLimit: Int = ScoreStorage.recordingLimit,
        waits: Bool = true, listens: Bool = false
    ) {
        self.clip = samples
        rate = clip.sampleRate
        player = Player(
            clip, score: score, waitsForPages: waits, recordingLimit: recordingLimit, listens: listens)
    }

    /// Renders `total` frames, from output frame `first` on, in blocks with the lengths from `nextBlock`, serving the
    /// control side between blocks.
    package func render(_ total: Int, from first: Int = 0, outputChannels: Int? = nil, nextBlock: () -> Int)
        -> [[Float]]
    {
        let channels = outputChannels ?? clip.count
        var output = [[Float]](repeating: [], count: channels)
        let block = PlanarBuffer(channelCount: channels, frameCount: 8192)
        var frame = 0
        while frame < total {
            player.serve(isBetweenBlocks: true)
            let count = min(nextBlock(), total - frame, 8192)
            _ = unsafe player.core.core.pointee.render(
                into: block.channels, outputChannels: channels, frameCount: count, adds: false,
                at: Int64(first + frame))
            for channel in 0..<channels {
                for index in 0..<count { unsafe output[channel].append(block.channel(channel)[index]) }
            }
            frame += count
        }
        player.serve()
        return output
    }
}

/// A seeded piece of something like music: a few partials under an envelope with attacks, and a little noise.
package func testClip(channels: Int, frames: Int, rate: Int, seed: UInt64) -> [[Float]] {
    var generator = SeededGenerator(seed: seed)
    return (0..<channels).map { channel in
        let partials = (0..<4).map { _ in Float.random(in: 0.01...0.15, using: &generator) }
        return (0..<frames).map { frame in
            var value: Float = 0
            for (index, step) in partials.enumerated() {
                // A parabolic sine: no mathematics library, and many partials.
                let phase = (step * Float(frame) + Float(channel)).truncatingRemainder(dividingBy: 2) - 1
                value += 4 * phase * (1 - abs(phase)) / Float(index + 2)
            }
            let envelope = 1 - Float(frame % (rate / 4)) / Float(rate / 4)
            return value * envelope * 0.4 + Float.random(in: -0.01...0.01, using: &generator)
        }
    }
}

extension Score {
    /// The length of a score that ends.
    package var length: Int64 { frameCount ?? .max }
}
