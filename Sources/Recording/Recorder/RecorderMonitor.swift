public import AudioDevices
public import DSP
internal import Realtime
internal import Synchronization

/// What can be seen and heard of a recorder: the same through all its stages, and afterwards what it was last. Any thread.
///
/// It does not keep the recorder: that ends, and its device is closed, with the last stage.
public struct RecorderMonitor: Sendable {
    private let shared: RecorderShared
    private let tally: StreamTally

    /// What the input agreed to; rate and channels may differ from what was asked for.
    public let configuration: StreamConfiguration

    init(_ shared: RecorderShared, tally: StreamTally, configuration: StreamConfiguration) {
        self.shared = shared
        self.tally = tally
        self.configuration = configuration
    }

    /// What the recorder does now. Real-time safe: no.
    public var status: RecorderStatus { shared.progress.current }

    /// What the take looks like, by the last call before this one or a moment later, and whole once it has ended; the first call
    /// may give nil. It is that of the file, byte for byte: samples count as the file keeps them. Real-time safe: no.
    public var waveform: Waveform? { shared.progress.takeWaveform() }

    /// What the stream has counted. Real-time safe: no.
    public var statistics: StreamStatistics { tally.statistics }

    /// Frames that were captured and lost because the disk stood still for too long.
    public var droppedFrames: Int64 { shared.capture.droppedFrames }

    /// Everything that happens from now on, to every reader; ends with the recorder, and is over at once when asked for after
    /// that. Ask before the start.
    public var events: AsyncStream<RecorderEvent> { shared.events.stream }
}

/// What a stream has counted, for those who are not to keep the stream.
final class StreamTally: Sendable {
    private enum Source {
        case running(any InputStream)
        case ended(StreamStatistics)
    }

    private let source: Mutex<Source>

    init(_ stream: any InputStream) { source = Mutex(.running(stream)) }

    var statistics: StreamStatistics {
        source.withLock { source in
            switch source {
            case .running(let stream): stream.statistics
            case .ended(let statistics): statistics
            }
        }
    }

    /// Keeps what was counted last, and lets go of the stream.
    func end() {
        let last = statistics
        source.withLock { $0 = .ended(last) }
    }
}
