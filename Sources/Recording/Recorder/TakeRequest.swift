public import AudioFiles
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
    /// Whether to record the mean of all channels as one channel.
    public var isMono: Bool
    /// The take ends by itself after this many recorded frames; nil for no limit.
    public var frameLimit: Int64?
    /// Where a running take in a file is registered, so that it can be recovered after a crash; nil for nowhere.
    public var registry: UnfinishedTakes?

    /// Makes a request. It is checked when the take is prepared. Real-time safe: no.
    public init(
        destination: Destination, format: WaveSampleFormat = .int24, isMono: Bool = false, frameLimit: Int64? = nil,
        registry: UnfinishedTakes? = UnfinishedTakes()
    ) {
        self.destination = destination
        self.format = format
        self.isMono = isMono
        self.frameLimit = frameLimit
        self.registry = registry
    }
}
