internal import DSP
internal import Explanations

/// The last stage of a player's sound, like one channel of a mixing desk: choice of channels, treatment of the centre,
/// balance, and an equaliser of three bands.
///
/// The strip applies to the output and not to the stored passes, so a change costs nothing and does not click. A
/// neutral strip leaves every sample unchanged. Samples raised above full scale by a strip are turned down; the event
/// `limited` reports the reduction.
public struct ChannelStrip: Sendable, Hashable {
    /// The audible channels of the clip.
    public enum Channels: Sendable, Hashable {
        /// All channels, unchanged.
        case all
        /// One channel, from 1, on both sides.
        case one(Int)
        /// Two channels, from 1: one left, one right.
        case pair(left: Int, right: Int)
    }

    /// Treatment of the centre: the part common to both channels of a pair, often a singer.
    public enum Centre: Sendable, Hashable {
        /// The centre stays.
        case asRecorded
        /// Only the centre plays: the mean of both channels.
        case kept
        /// Removes the centre: the difference of both channels plays on both sides, with the bass of the centre below
        /// 110 Hz. Reverberation of a voice recorded in stereo remains.
        case removed
    }

    /// The balance's range: −1 for the left channel alone, 1 for the right channel alone.
    package static let balanceRange: ClosedRange<Double> = -1...1
    /// The range of the equaliser's gains, in dB.
    package static let decibelRange: ClosedRange<Double> = -24...12

    /// A strip without effect.
    package static let neutral = ChannelStrip()

    /// The audible channels.
    public var channels: Channels
    /// Treatment of the centre. All values but `asRecorded` need two channels: the channels of a stereo clip, or the
    /// chosen pair.
    public var centre: Centre
    /// From −1, left alone, over 0 to 1, right alone. Needs two channels or more.
    public var balance: Double
    /// The gain below 250 Hz, in dB.
    public var low: Double
    /// The gain around 1 kHz, in dB.
    public var mid: Double
    /// The gain above 4 kHz, in dB.
    public var high: Double

    /// Makes a strip. `Player.setStrip(_:at:)` checks its values.
    ///
    /// - Parameters:
    ///   - channels: the audible channels.
    ///   - centre: the treatment of the centre.
    ///   - balance: −1 for the left channel alone to 1 for the right channel alone.
    ///   - low: the gain below 250 Hz, −24 to 12 dB.
    ///   - mid: the gain around 1 kHz, −24 to 12 dB.
    ///   - high: the gain above 4 kHz, −24 to 12 dB.
    public init(
        channels: Channels = .all, centre: Centre = .asRecorded, balance: Double = 0, low: Double = 0, mid: Double = 0,
        high: Double = 0
    ) {
        self.channels = channels
        self.centre = centre
        self.balance = balance
        self.low = low
        self.mid = mid
        self.high = high
    }

    /// Refuses a strip that does not fit a clip.
    ///
    /// - Parameter channelCount: The channels of the clip.
    /// - Throws: `ScoreError` of kind `stripOutOfRange` for a value outside its range, also for NaN. The kind is
    ///   `channelOutsideClip` for a missing channel, or a centre or a balance without two channels.
    package func check(channelCount: Int) throws(ScoreError) { _ = try settings(channelCount: channelCount) }

    func settings(channelCount: Int) throws(ScoreError) -> StripSettings {
        guard Self.balanceRange.contains(balance) else {
            throw ScoreError(
                .stripOutOfRange, "a balance of \(balance) cannot be played",
                remedy: "Choose a balance from -1 (left) to 1 (right).")
        }
        for decibels in [low, mid, high] where !Self.decibelRange.contains(decibels) {
            throw ScoreError(
                .stripOutOfRange, "an equaliser's gain of \(decibels) dB cannot be played",
                remedy: "Choose gains from -24 to 12 dB.")
        }
        if balance != 0 && channelCount < 2 {
            throw ScoreError(
                .channelOutsideClip, "the recording has one channel, so there is nothing to balance",
                remedy: "Leave out the balance.")
        }
        return StripSettings(
            pair: try pair(of: channelCount), centre: centre.setting, balance: balance,
            decibels: (low: low, mid: mid, high: high))
    }

    /// Returns the chosen channels, from 0; nil for all channels unchanged.
    private func pair(of channelCount: Int) throws(ScoreError) -> (left: Int, right: Int)? {
        let pair: (left: Int, right: Int)
        switch channels {
        case .all:
            guard centre != .asRecorded else { return nil }
            pair = (1, 2)
        case .one(let channel): pair = (channel, channel)
        case .pair(let left, let right): pair = (left, right)
        }
        for channel in [pair.left, pair.right] where channel < 1 || channel > channelCount && channels != .all {
            throw ScoreError(
                .channelOutsideClip, "there is no channel \(channel)",
                remedy: channelCount == 1
                    ? "The recording has one channel: leave out the choice."
                    : "Choose a channel from 1 to \(channelCount).")
        }
        guard centre == .asRecorded || pair.left != pair.right && (channels != .all || channelCount == 2) else {
            throw ScoreError(
                .channelOutsideClip, "a centre needs two channels",
                remedy: channelCount > 1
                    ? "Choose two channels, such as 1 and 2." : "The recording has one channel: leave out the centre.")
        }
        return (pair.left - 1, pair.right - 1)
    }
}

extension ChannelStrip.Centre {
    fileprivate var setting: StripSettings.Centre {
        switch self {
        case .asRecorded: .asRecorded
        case .kept: .kept
        case .removed: .removed
        }
    }
}
