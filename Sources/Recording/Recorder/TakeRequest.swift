public import AudioFiles
internal import Explanations
public import Takes

/// Destination and format of a take.
public struct TakeRequest: Sendable {
    /// Destination of a take.
    public enum Destination: Sendable, Hashable {
        /// A file that must not exist yet, in a container that is valid at every moment.
        case file(path: String, container: TakeContainer)
        /// A WAV stream to a descriptor of the caller, such as 1 for the standard output; the descriptor stays open.
        case stream(fileDescriptor: Int32)
    }

    /// The destination.
    package var destination: Destination
    /// Format of the stored samples.
    package var format: WaveSampleFormat
    /// Recorded channels of the input.
    package var channels: InputChannels
    /// The take ends by itself after this many recorded frames; nil for no limit.
    package var frameLimit: Int64?
    /// Registry of running takes in files, for recovery after a crash; nil for no registration.
    package var registry: UnfinishedTakes?
    /// Text that a recovery reports after a crash, besides the file of the take; nil for nothing.
    package var attachment: String?

    /// The file; nil for a stream.
    var path: String? {
        if case .file(let path, _) = destination { return path }
        return nil
    }

    /// Makes a request. `prepare` checks the request. Real-time safe: no.
    ///
    /// - Parameters:
    ///   - destination: a file that must not exist yet, or a descriptor.
    ///   - format: format of the stored samples.
    ///   - channels: recorded channels of the input.
    ///   - frameLimit: the take ends by itself after this many frames; nil for no limit.
    ///   - registry: registry of the take while it runs, for recovery after a crash; nil for no registration.
    public init(
        destination: Destination, format: WaveSampleFormat = .int24, channels: InputChannels = .all,
        frameLimit: Int64? = nil, registry: UnfinishedTakes? = UnfinishedTakes()
    ) {
        self.destination = destination
        self.format = format
        self.channels = channels
        self.frameLimit = frameLimit
        self.registry = registry
    }
}

/// Recorded channels of an input.
public enum InputChannels: Sendable, Hashable {
    /// All channels, in their order.
    case all
    /// One channel: the mean of all.
    case mean
    /// These channels, counted from 0, in this order. Use this case for a microphone on an interface with many inputs:
    /// its channel is recorded at full level.
    case chosen([Int])

    /// The chosen channels, from 0; nil without a choice.
    package var chosen: [Int]? {
        if case .chosen(let list) = self { list } else { nil }
    }

    /// Returns the number of channels in a take of an input.
    package func count(inputChannels: Int) -> Int {
        switch self {
        case .all: inputChannels
        case .mean: 1
        case .chosen(let list): list.count
        }
    }

    /// Refuses channels that an input does not have.
    func check(inputChannels: Int, path: String) throws(AudioFileError) {
        guard case .chosen(let list) = self else { return }
        let problem: String
        if let wrong = list.first(where: { !(0..<inputChannels).contains($0) }) {
            // A program may ask for any number, also for the greatest.
            let number = wrong < .max ? wrong + 1 : wrong
            problem = "the input has \(counted(inputChannels, "channel")), and no channel \(number)"
        } else if list.isEmpty || Set(list).count < list.count {
            problem = "a take needs one channel or more, each once"
        } else {
            return
        }
        throw AudioFileError(
            .invalidRequest, path: path, problem, remedy: "Choose channels from 1 to \(inputChannels).")
    }
}
