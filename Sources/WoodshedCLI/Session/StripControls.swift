// The keys of the channel strip: channels, centre, balance and equaliser.
import Terminal
import Woodshed

/// Changes the strip of a player by keys.
struct StripControls {
    let player: Player

    /// Carries out an action.
    ///
    /// - Returns: The new setting, in a few words.
    func apply(_ action: KeyAction.Strip) -> String {
        var strip = player.strip
        let channelCount = player.clip.channelCount
        switch action {
        case .centre:
            strip.centre =
                switch strip.centre {
                case .asRecorded: .removed
                case .removed: .kept
                case .kept: .asRecorded
                }
        case .channel:
            strip.channels = Self.next(after: strip.channels, of: channelCount)
            // A single channel has no centre.
            if case .one = strip.channels { strip.centre = .asRecorded }
        case .balance(let step): strip.balance = Self.moved(strip.balance, by: step, in: ChannelStrip.balanceRange)
        case .equaliser(.low, let step): strip.low = Self.moved(strip.low, by: step, in: ChannelStrip.decibelRange)
        case .equaliser(.mid, let step): strip.mid = Self.moved(strip.mid, by: step, in: ChannelStrip.decibelRange)
        case .equaliser(.high, let step): strip.high = Self.moved(strip.high, by: step, in: ChannelStrip.decibelRange)
        case .off: strip = .neutral
        }
        do throws(ScoreError) {
            try player.setStrip(strip)
            return Self.words(strip).isEmpty ? "as recorded" : Self.words(strip).joined(separator: ", ")
        } catch {
            return error.message
        }
    }

    /// Returns the strip's settings in words; empty for a neutral strip.
    static func words(_ strip: ChannelStrip) -> [String] {
        var words: [String] = []
        switch strip.channels {
        case .all: break
        case .one(let channel): words.append("channel \(channel)")
        case .pair(let left, let right): words.append("channels \(left) and \(right)")
        }
        switch strip.centre {
        case .asRecorded: break
        case .kept: words.append("centre only")
        case .removed: words.append("centre removed")
        }
        if strip.balance != 0 {
            words.append("balance \(percentText(abs(strip.balance))) \(strip.balance < 0 ? "left" : "right")")
        }
        if strip.low != 0 || strip.mid != 0 || strip.high != 0 {
            let gains = [strip.low, strip.mid, strip.high].map { ($0 > 0 ? "+" : "") + shortest($0) }
            words.append("low \(gains[0]), mid \(gains[1]), high \(gains[2]) dB")
        }
        return words
    }

    /// Returns the next choice: all channels, then each channel alone.
    private static func next(after channels: ChannelStrip.Channels, of count: Int) -> ChannelStrip.Channels {
        switch channels {
        case .all: count > 1 ? .one(1) : .all
        case .one(let channel): channel < count ? .one(channel + 1) : .all
        case .pair: .all
        }
    }

    private static func moved(_ value: Double, by step: Double, in range: ClosedRange<Double>) -> Double {
        // Rounded to a hundredth, so a step up and a step down lead back.
        min(max(((value + step) * 100).rounded() / 100, range.lowerBound), range.upperBound)
    }
}
