// Channels to hear and their sound: options and their typed values.
import ArgumentParser
import Terminal
import Woodshed

/// The channel strip.
struct StripOptions: ParsableArguments {
    @Option(
        name: .long, parsing: .unconditional,
        help: .init("Play one channel on both sides: 1; or two: 3,4.", valueName: "n[,m]"),
        transform: { try ChannelText(parsing: optionValue($0)) })
    var channel: ChannelText?

    @Option(
        name: .long, help: .init("Centre (a singer): keep, remove or off. (default: off)", valueName: "what"),
        transform: { try CentreText(parsing: optionValue($0)) })
    var centre: CentreText?

    @Option(
        name: .long, parsing: .unconditional,
        help: .init("Balance, -1 (left) to 1 (right). (default: 0)", valueName: "b"),
        transform: { try BalanceText(parsing: optionValue($0)) })
    var balance: BalanceText?

    @Option(
        name: .customLong("eq"), parsing: .unconditional,
        help: .init("Gains of lows, mids, highs, -24 to 12 dB: -6,0,+3.", valueName: "low,mid,high"),
        transform: { try EqualiserText(parsing: optionValue($0)) })
    var equaliser: EqualiserText?

    /// Returns the strip. Values without an option come from the settings kept with the recording.
    func strip(kept: KeptSettings = KeptSettings()) -> ChannelStrip {
        let gains = equaliser ?? kept.equaliser
        return ChannelStrip(
            channels: (channel ?? kept.channel)?.channels ?? .all,
            centre: (centre ?? kept.centre)?.centre ?? .asRecorded,
            balance: (balance ?? kept.balance)?.balance ?? 0, low: gains?.low ?? 0, mid: gains?.mid ?? 0,
            high: gains?.high ?? 0)
    }
}

/// Channels as typed: `all`, `1`, or `3,4`.
struct ChannelText: Hashable, Sendable {
    let channels: ChannelStrip.Channels

    init(parsing text: String) throws(ArgumentError) {
        let numbers = text.split(separator: ",", omittingEmptySubsequences: false).map { wholeNumber($0) ?? 0 }
        let range: ClosedRange<Int64> = 1...64
        if text == "all" {
            channels = .all
        } else if numbers.count == 1, range.contains(numbers[0]) {
            channels = .one(Int(numbers[0]))
        } else if numbers.count == 2, range.contains(numbers[0]), range.contains(numbers[1]) {
            channels = .pair(left: Int(numbers[0]), right: Int(numbers[1]))
        } else {
            throw ArgumentError.unreadable(
                text, as: "a channel", remedy: "Write 1 for one on both sides, 3,4 for two, or all.")
        }
    }

    /// Returns the channels as a user would type them.
    static func text(_ channels: ChannelStrip.Channels) -> String {
        switch channels {
        case .all: "all"
        case .one(let channel): String(channel)
        case .pair(let left, let right): "\(left),\(right)"
        }
    }
}

/// Treatment of the centre, as typed.
enum CentreText: String, CaseIterable {
    case off
    case keep
    case remove

    init(_ centre: ChannelStrip.Centre) {
        switch centre {
        case .asRecorded: self = .off
        case .kept: self = .keep
        case .removed: self = .remove
        }
    }

    /// The engine's centre value.
    var centre: ChannelStrip.Centre {
        switch self {
        case .off: .asRecorded
        case .keep: .kept
        case .remove: .removed
        }
    }
}

/// Parses a number with or without a sign; nil for any other text.
private func signedDecimal(_ text: some StringProtocol) -> Double? {
    let isNegative = text.hasPrefix("-")
    let size = decimal(isNegative || text.hasPrefix("+") ? String(text.dropFirst()) : String(text))
    return size.map { isNegative && $0 != 0 ? -$0 : $0 }
}

/// A balance as typed.
struct BalanceText: Hashable, Sendable {
    let balance: Double

    init(parsing text: String) throws(ArgumentError) {
        guard let value = signedDecimal(text), ChannelStrip.balanceRange.contains(value) else {
            throw ArgumentError.unreadable(text, as: "a balance", remedy: "Write -1 (left only) to 1 (right only).")
        }
        balance = value
    }
}

/// An equaliser's gains as typed: `-6,0,+3`.
struct EqualiserText: Hashable, Sendable {
    let low: Double
    let mid: Double
    let high: Double

    init(parsing text: String) throws(ArgumentError) {
        let parts = text.split(separator: ",", omittingEmptySubsequences: false)
        let gains = parts.compactMap { signedDecimal($0) }
        guard parts.count == 3, gains.count == 3, gains.allSatisfy(ChannelStrip.decibelRange.contains) else {
            throw ArgumentError.unreadable(
                text, as: "a list of gains", remedy: "Write three gains from -24 to 12 dB, as in -6,0,+3.")
        }
        (low, mid, high) = (gains[0], gains[1], gains[2])
    }

    static func text(_ strip: ChannelStrip) -> String {
        [strip.low, strip.mid, strip.high].map(shortest).joined(separator: ",")
    }
}
