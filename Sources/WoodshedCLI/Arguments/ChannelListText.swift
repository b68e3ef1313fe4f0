import Explanations
import Terminal
import Woodshed

/// Channels as typed: `3`, or `1,2`.
struct ChannelListText: Hashable, Sendable {
    /// Channel numbers, from 0.
    let channels: [Int]

    init(parsing text: String) throws(ArgumentError) {
        let words = text.split(separator: ",", omittingEmptySubsequences: false)
        let numbers = words.compactMap { wholeNumber($0) }
        guard numbers.count == words.count, numbers.allSatisfy({ (1...64).contains($0) }),
            Set(numbers).count == numbers.count
        else {
            throw ArgumentError.unreadable(
                text, as: "a list of channels", remedy: "Write 3, or 1,2: each number once, from 1 to 64.")
        }
        channels = numbers.map { Int($0) - 1 }
    }

    /// Number of channels a device needs for this list.
    var deviceChannels: Int { (channels.max() ?? 0) + 1 }

    /// Refuses channels missing on an opened device.
    ///
    /// - Parameters:
    ///   - count: Number of the device's channels.
    ///   - device: The device's name, for the message.
    func check(_ count: Int, of device: String) throws(CommandFailure) {
        guard let wrong = channels.first(where: { $0 >= count }) else { return }
        throw CommandFailure(
            .unavailable, "\(device) has \(counted(count, "channel")), and no channel \(wrong + 1)",
            remedy: "Choose channels from 1 to \(count).")
    }
}
