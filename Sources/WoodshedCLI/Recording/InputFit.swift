import Explanations
import Terminal
import Woodshed

/// What is recorded of an input that has another rate, or another number of channels, than was asked for. A take is what the input gave: it is
/// never resampled.
struct InputFit {
    /// The channels that are recorded.
    let channels: InputChannels
    /// What differs, for the user.
    private(set) var notes: [String] = []
    /// What no take can make up for, and what to do about it.
    private var lacks: [(message: String, remedy: String)] = []

    /// - Parameters:
    ///   - input: The input as it was opened.
    ///   - rate: The rate that was asked for; nil for any.
    ///   - count: How many channels are recorded.
    ///   - isCountAsked: Whether the user named that number.
    ///   - chosen: The channels that the user chose; `count` then means nothing.
    init(_ input: StreamConfiguration, rate: Int?, count: Int, isCountAsked: Bool, chosen: [Int]?) {
        let (has, name) = (input.channelCount, input.deviceName)
        let all = counted(has, "channel")
        if let chosen {
            channels = .chosen(chosen)
        } else if count == 1, has > 1 {
            channels = .mean
        } else if count < has {
            channels = .chosen(Array(0..<count))
            notes.append("the input has \(all); the first \(count) are recorded, others with --input-channel")
        } else {
            channels = .all
            if count > has, isCountAsked {
                lacks.append(("\(name) has \(all), not \(count)", "Choose --channels \(has), or leave out --exact."))
                notes.append("the input has \(all), not \(count); the take has as many")
            }
        }
        if let rate, rate != input.sampleRate {
            let runs = "runs at \(input.sampleRate) Hz, not at \(rate)"
            lacks.append(("\(name) \(runs)", "Choose --rate \(input.sampleRate), or leave out --exact."))
            notes.append("the input \(runs); the take has its rate")
        }
    }

    /// Refuses an input that lacks something.
    func check() throws(CommandFailure) {
        guard let first = lacks.first else { return }
        throw CommandFailure(.unavailable, first.message, remedy: first.remedy)
    }
}
