internal import AudioDevices
public import AudioFiles
internal import Takes

/// A take that is ready to start: its file exists, empty and valid. If the take never starts, the file is removed.
public final class TakeDraft: @unchecked Sendable {
    // Unchecked because of the sink: this object passes the sink to one thread, once.
    let sink: any TakeSink
    let request: TakeRequest

    init(sink: any TakeSink, request: TakeRequest) {
        self.sink = sink
        self.request = request
    }

    /// Opens the destination of a request, for the input's rate and channels.
    convenience init(_ request: TakeRequest, _ input: StreamConfiguration) throws(AudioFileError) {
        let sampleRate = input.sampleRate
        let channels = request.channels.count(inputChannels: input.channelCount)
        let sink: any TakeSink
        switch request.destination {
        case .file(let path, let container):
            try request.channels.check(inputChannels: input.channelCount, path: path)
            sink = try TakeFile(
                path: path, container: container, format: request.format, sampleRate: sampleRate,
                channelCount: channels, registry: request.registry, attachment: request.attachment)
        case .stream(let descriptor):
            try request.channels.check(inputChannels: input.channelCount, path: "-")
            sink = StreamSink(
                try WaveWriter(
                    fileDescriptor: descriptor, sampleRate: sampleRate, channelCount: channels, format: request.format))
        }
        self.init(sink: sink, request: request)
    }

    /// Reason why a recovery would not find this take after a crash; nil if a recovery would, and for streams.
    public var registryWarning: AudioFileError? { (sink as? TakeFile)?.registryWarning }

    /// Removes the file of a take that was never started.
    ///
    /// Real-time safe: no. Throws if the file cannot be removed.
    public func discard() throws(AudioFileError) { try sink.discard() }
}
