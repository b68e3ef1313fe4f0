public import AudioDevices
public import DSP
internal import Realtime
internal import Synchronization

/// Status, events and statistics of a recorder, through all its stages; after the recorder's end, the last values stay.
/// Any thread.
///
/// A monitor does not keep the recorder alive: the recorder ends with the last stage, which closes the device.
public struct RecorderMonitor: Sendable {
    private let shared: RecorderShared
    private let tally: StreamTally

    /// The settings of the input; rate and channels may differ from the request.
    public let configuration: StreamConfiguration

    init(_ shared: RecorderShared, tally: StreamTally, configuration: StreamConfiguration) {
        self.shared = shared
        self.tally = tally
        self.configuration = configuration
    }

    /// The state of the recorder. Real-time safe: no.
    public var status: RecorderStatus { shared.progress.current }

    /// The waveform of the take, as of the previous call or slightly later, and complete once the take has ended. The
    /// first call may return nil. The waveform equals the file's waveform, byte for byte: samples count as stored.
    /// Real-time safe: no.
    public var waveform: Waveform? { shared.progress.takeWaveform() }

    /// The counters of the stream. Real-time safe: no.
    public var statistics: StreamStatistics { tally.statistics }

    /// Number of captured frames lost because the disk did not respond until the memory for waiting frames was full: 64
    /// MB, almost three minutes in stereo at 48 kHz. Real-time safe: no.
    package var droppedFrames: Int64 { shared.capture.droppedFrames }

    /// Events from now on. Every reader gets each event once, in order. The sequence ends with the recorder; a sequence
    /// requested later ends at once. Get the sequence before the start. A sequence keeps 2^20 unread events: the oldest
    /// 2^19 levels, which are more than 14 hours, and the newest other events. The status always has the state.
    /// Real-time safe: no.
    public var events: AsyncStream<RecorderEvent> { shared.events.stream }

    /// Number of events lost so far because nobody read their sequence, over all sequences of `events`. Real-time safe:
    /// no.
    public var lostEvents: Int64 { shared.events.lostEvents }

    /// A number that grows as long as the writer processes captured frames. While the number grows, waiting for a late
    /// end of a take makes sense.
    package var workCount: Int64 { shared.progress.workCount }

    /// Calls `observer` with every event from now on, before any reader gets the event, on the thread that reports the
    /// event. The observer must return at once.
    package func observe(_ observer: @escaping @Sendable (RecorderEvent) -> Void) { shared.events.observe(observer) }
}

/// The counters of a stream, for code that must not keep the stream alive.
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

    /// Stores the last counters, and releases the stream.
    func end() {
        let last = statistics
        source.withLock { $0 = .ended(last) }
    }
}
