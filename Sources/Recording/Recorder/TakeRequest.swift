public import AudioFiles
public import Takes

/// What is to become of a recording: where it goes and how it is stored.
public struct TakeRequest: Sendable {
    /// Where a take is written.
    public enum Destination: Sendable, Hashable {
        /// A file that must not exist yet, in a container that is valid at every instant.
        case file(path: String, container: TakeContainer)
        /// A WAV stream into a descriptor the caller has, such as 1 for the standard output; it is not closed.
        case stream(fileDescriptor: Int32)
    }

    /// Where it goes.
    public var destination: Destination
    /// How the samples are stored.
    public var format: WaveSampleFormat
    /// Whether the mean of all channels is recorded as one.
    public var isMono: Bool
    /// The take ends by itself after so many recorded frames; nil for no end.
    public var frameLimit: Int64?
    /// Where a take in a file is noted until its end, so that the next start finds it after a death; nil for nowhere.
    public var registry: UnfinishedTakes?

    /// Asks for a take. What is wrong with it is told when it is begun. Real-time safe: no.
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
