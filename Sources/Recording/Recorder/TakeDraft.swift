internal import AudioDevices
public import AudioFiles
internal import Takes

/// A take that is ready to be begun: its file is there, empty and valid. Without a beginning it goes again.
public final class TakeDraft: @unchecked Sendable {
    // Unchecked because of the sink: this object hands it to one thread, once.
    let sink: any TakeSink
    let request: TakeRequest

    init(sink: any TakeSink, request: TakeRequest) {
        self.sink = sink
        self.request = request
    }

    /// Opens what the request names, for an input of this shape.
    convenience init(_ request: TakeRequest, _ input: StreamConfiguration) throws(AudioFileError) {
        let (sampleRate, channels) = (input.sampleRate, request.isMono ? 1 : input.channelCount)
        let sink: any TakeSink
        switch request.destination {
        case .file(let path, let container):
            sink = try TakeFile(
                path: path, container: container, format: request.format, sampleRate: sampleRate,
                channelCount: channels, registry: request.registry)
        case .stream(let descriptor):
            sink = StreamSink(
                try WaveWriter(
                    fileDescriptor: descriptor, sampleRate: sampleRate, channelCount: channels, format: request.format))
        }
        self.init(sink: sink, request: request)
    }

    /// Why the next start would not find this take if it were never finished; nil where it would, and for streams.
    public var registryWarning: AudioFileError? { (sink as? TakeFile)?.registryWarning }

    /// Takes away what was made for the take; for one that was never begun.
    ///
    /// Real-time safe: no. Throws when it cannot be removed.
    public func discard() throws(AudioFileError) { try sink.discard() }
}
