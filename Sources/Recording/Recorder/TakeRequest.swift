public import AudioFiles
internal import Explanations
public import Takes

/// The destination and format of a take.
public struct TakeRequest: Sendable {
    /// Where a take is written.
    public enum Destination: Sendable, Hashable {
        /// A file that must not exist yet, in a container that is valid at every moment.
        case file(path: String, container: TakeContainer)
        /// A WAV stream to a descriptor of the caller, such as 1 for the standard output; it is not closed.
        case stream(fileDescriptor: Int32)
    }

    /// The destination.
    public var destination: Destination
    /// How the samples are stored.
    public var format: WaveSampleFormat
    /// Which channels of the input are recorded.
    public var channels: InputChannels
    /// The take ends by itself after this many recorded frames; nil for no limit.
    public var frameLimit: Int64?
    /// Where a running take in a file is registered, so that it can be recovered after a crash; nil for nowhere.
    public var registry: UnfinishedTakes?
    /// What a recovery tells of the take after a crash, besides its file; nil for nothing.
    package var attachment: String?

    /// The file; nil for a stream.
    var path: String? {
        if case .file(let path, _) = destination { return path }
        return nil
    }

    /// Makes a request. It is checked when the take is prepared. Real-time safe: no.
    ///
    /// - Parameters:
    ///   - destination: a file that must not exist yet, or a descriptor.
    ///   - format: how the samples are stored.
    ///   - channels: which channels of the input are recorded.
    ///   - frameLimit: the take ends by itself after this many frames; nil for no limit.
    ///   - registry: where the take is registered while it runs, so that it is found after a crash; nil for nowhere.
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

/// The channels of an input that are recorded.
public enum InputChannels: Sendable, Hashable {
    /// All of them, in their order.
    case all
    /// One channel: the mean of all.
    case mean
    /// These, counted from 0, in this order; a microphone on an interface with many inputs is one of them, at its full level.
    case chosen([Int])

    /// The channels that were chosen, from 0; nil if none were.
    package var chosen: [Int]? {
        if case .chosen(let list) = self { list } else { nil }
    }

    /// How many channels a take of an input has.
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
            problem =
                "the input has \(counted(inputChannels, "channel")), and no channel \(wrong + 1)"
        } else if list.isEmpty || Set(list).count < list.count {
            problem = "a take needs one channel or more, each once"
        } else {
            return
        }
        throw AudioFileError(
            .invalidRequest, path: path, problem, remedy: "Choose channels from 1 to \(inputChannels).")
    }
}
