import Explanations
import Terminal
import Woodshed

/// Fits a take to an input with another rate or another number of channels than requested. A take holds the input's own
/// samples, never resampled.
struct InputFit {
    /// Recorded channels.
    let channels: InputChannels
    /// Differences from the request, for the user.
    private(set) var notes: [String] = []
    /// Shortcomings of the input, each with a remedy.
    private var lacks: [(message: String, remedy: String)] = []

    /// - Parameters:
    ///   - input: Configuration of the opened input.
    ///   - asked: The request.
    init(_ input: StreamConfiguration, for asked: InputOptions) {
        let (has, name) = (input.channelCount, input.deviceName)
        let (all, count) = (counted(has, "channel"), asked.channelCount)
        if let chosen = asked.inputChannel?.channels {
            channels = .chosen(chosen)
        } else if count == 1, has > 1 {
            channels = .mean
        } else if count < has {
            channels = .chosen(Array(0..<count))
            notes.append("the input has \(all); the first \(count) are recorded, others with --input-channel")
        } else {
            channels = .all
            if count > has, asked.exact || asked.channels != nil {
                lacks.append(("\(name) has \(all), not \(count)", "Choose --channels \(has), or leave out --exact."))
                notes.append("the input has \(all), not \(count); the take has as many")
            }
        }
        // Without a rate and without --exact, the user accepts any rate.
        if let rate = asked.exact ? asked.wantedRate : asked.rate, rate != input.sampleRate {
            let runs = "runs at \(input.sampleRate) Hz, not at \(rate)"
            lacks.append(("\(name) \(runs)", "Choose --rate \(input.sampleRate), or leave out --exact."))
            notes.append("the input \(runs); the take has its rate")
        }
    }

    /// Refuses an input with a shortcoming.
    func check() throws(CommandFailure) {
        guard let first = lacks.first else { return }
        throw CommandFailure(.unavailable, first.message, remedy: first.remedy)
    }
}
