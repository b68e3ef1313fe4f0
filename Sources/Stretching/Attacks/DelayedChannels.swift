internal import Samples

/// Two channels, one of which is a delayed copy of the other: as from two microphones, or after an effect that widens a
/// sound.
///
/// A prediction continues each channel from its own last samples. The leading channel has already played random sound
/// that the other channel has yet to play. The two predictions therefore continue different sounds, and the channels no
/// longer belong together. Here the leading channel continues the delayed channel, and the delayed channel's own
/// prediction continues only the unexplained rest. Without a delay the result would equal two predictions, because a
/// prediction is linear.
struct DelayedChannels {
    /// Index of the leading channel, and index of the delayed channel.
    let leader: Int
    let follower: Int
    /// Delay of the follower in samples, 1 or more.
    let delay: Int
    /// The follower's level over the leader's.
    let gain: Float

    /// Number of samples compared.
    private static let comparedCount = 2048
    /// Largest unexplained part of the follower's power.
    private static let largestRest: Float = 0.1
    /// Largest unexplained part relative to the unexplained part without a delay.
    private static let leastGain: Float = 0.25

    /// Finds the delay between two channels; nil if no delay explains one channel by the other.
    ///
    /// - Parameter longest: The longest delay, in samples.
    init?(_ channels: [[Float]], longest: Int) {
        guard channels.count == 2, longest > 0, channels[0].count >= Self.comparedCount / 8 + 2 * longest else {
            return nil
        }
        let count = min(Self.comparedCount, channels[0].count - 2 * longest) / Lanes.scalarCount * Lanes.scalarCount
        let tails = Tails(channels, count: count, before: longest)
        let power = tails.product(1, from: longest, 1, from: longest)
        guard power > 0 else { return nil }
        /// Returns the part of the second channel that the first does not explain.
        func rest(_ delay: Int) -> Float {
            let place = longest - delay
            let common = tails.product(0, from: place, 1, from: longest)
            let other = tails.product(0, from: place, 0, from: place)
            return other > 0 ? 1 - common * common / (other * power) : 1
        }
        let together = rest(0)
        // Fully explained without a delay: panned sound, or the same sound on both sides.
        guard together > 1e-5 else { return nil }
        var (best, least) = (0, together)
        for delay in -longest...longest {
            let remaining = rest(delay)
            if remaining < least { (best, least) = (delay, remaining) }
        }
        guard best != 0, least < Self.largestRest, least < Self.leastGain * together else { return nil }
        (leader, follower, delay) = best > 0 ? (0, 1, best) : (1, 0, -best)
        let place = longest - delay
        gain =
            tails.product(leader, from: place, follower, from: longest)
            / max(tails.product(leader, from: place, leader, from: place), 1e-30)
    }

    /// Returns both channels after the last sample of `past`.
    func continuation(of past: [[Float]], _ prediction: LinearPrediction, count: Int) -> [[Float]] {
        let size = past[0].count
        let lead = prediction.continuation(of: past[leader], count: count)
        let known = past[leader]
        let rest = (delay..<size).map { past[follower][$0] - gain * known[$0 - delay] }
        let own = prediction.continuation(of: rest, count: count)
        var result = [lead, lead]
        for index in 0..<count {
            let source = index < delay ? known[size - delay + index] : lead[index - delay]
            result[follower][index] = gain * source + own[index]
        }
        return result
    }
}

/// The last samples of two channels.
private struct Tails: ~Copyable {
    private let first: FloatStorage
    private let second: FloatStorage
    private let count: Int

    init(_ channels: [[Float]], count: Int, before longest: Int) {
        first = FloatStorage(Array(channels[0].suffix(count + 2 * longest)))
        second = FloatStorage(Array(channels[1].suffix(count + 2 * longest)))
        self.count = count
    }

    /// Returns the sum of products of two stretches.
    func product(_ a: Int, from one: Int, _ b: Int, from other: Int) -> Float {
        let (left, right) = (a == 0 ? first.view : second.view, b == 0 ? first.view : second.view)
        var sum = Lanes()
        for index in stride(from: 0, to: count, by: Lanes.scalarCount) {
            sum += left[lanes: one + index] * right[lanes: other + index]
        }
        return sum.sum()
    }
}
