internal import Samples

/// Two channels of which one is the other, later: as from two microphones, or after an effect that widens a sound.
///
/// A prediction continues each channel from its own last samples. The channel that is ahead has already played something by chance which the other
/// has yet to play, so each continues another sound, and the two no longer belong together. Here the channel that is behind is
/// continued by the other one, and only what that does not explain by its own prediction. Without a delay that would be
/// the same as two predictions, because a prediction is linear.
struct DelayedChannels {
    /// The channel that is ahead, and the other.
    let leader: Int
    let follower: Int
    /// By how many samples the follower is late, 1 or more.
    let delay: Int
    /// The follower's level over the leader's.
    let gain: Float

    /// Samples that are compared.
    private static let comparedCount = 2048
    /// The part of the follower's power that may remain unexplained.
    private static let largestRest: Float = 0.1
    /// And how much less that must be than without a delay.
    private static let leastGain: Float = 0.25

    /// What two channels have in common; nil if no delay explains one by the other.
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
        /// The part of the second channel that the first does not explain.
        func rest(_ delay: Int) -> Float {
            let place = longest - delay
            let common = tails.product(0, from: place, 1, from: longest)
            let other = tails.product(0, from: place, 0, from: place)
            return other > 0 ? 1 - common * common / (other * power) : 1
        }
        let together = rest(0)
        // Panned sound, or the same on both sides.
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

    /// Both channels after the last sample of `past`.
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

    /// The sum of products of two stretches.
    func product(_ a: Int, from one: Int, _ b: Int, from other: Int) -> Float {
        let (left, right) = (a == 0 ? first.view : second.view, b == 0 ? first.view : second.view)
        var sum = Lanes()
        for index in stride(from: 0, to: count, by: Lanes.scalarCount) {
            sum += left[lanes: one + index] * right[lanes: other + index]
        }
        return sum.sum()
    }
}
