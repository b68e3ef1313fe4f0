public import Realtime

/// The position of a stream.
public struct StreamPosition: Sendable, Hashable, BitwiseCopyable {
    /// Frames written to the device.
    public let framesWritten: Int64
    /// Frames written but not heard yet, as reported by the device; 0 without a report.
    public let delayFrames: Int64

    /// The frame that is audible now.
    ///
    /// Real-time safe: yes.
    public var framesHeard: Int64 { max(0, framesWritten - delayFrames) }

    /// Makes a position, for custom streams. Real-time safe: yes.
    package init(framesWritten: Int64, delayFrames: Int64) {
        self.framesWritten = framesWritten
        self.delayFrames = delayFrames
    }
}

/// Counters of a stream since it was opened.
public struct StreamStatistics: Sendable {
    /// Number of interruptions of the output: the output ran dry, was suspended, or was restarted with the input.
    public let xruns: Int64
    /// Approximate number of frames of silence in these interruptions; the stream itself skipped no frame of the sound.
    public let lostFrames: Int64
    /// Number of interruptions of the input.
    public let overruns: Int64
    /// Approximate number of frames not recorded in these interruptions.
    public let lostInputFrames: Int64
    /// Frames delivered to the input's callback.
    public let framesCaptured: Int64
    /// Number of incidents dropped for lack of room because nobody took earlier incidents.
    package let incidentsMissed: Int64
    /// Blocks rendered or delivered.
    public let blocks: Int64
    /// Valid frames rendered.
    public let framesRendered: Int64
    /// Distribution of the callback's duration.
    public let renderTime: RenderTime
    /// Answers of the system to the device thread's requests; nil before the stream has started.
    public let scheduling: RealtimeReport?
    /// The scheduling class obtained by the device thread: `fifo` with its priority, or `ordinary`.
    package var schedulingClass: String { scheduling?.schedulingClass ?? "ordinary" }

    /// The measured difference of the input's clock from the output's in ppm, positive if the input's clock is faster;
    /// nil for a common clock.
    public let inputClockPPM: Double?

    /// Makes statistics, for custom streams. Real-time safe: no.
    package init(
        xruns: Int64, lostFrames: Int64, blocks: Int64, framesRendered: Int64, renderTime: RenderTime,
        scheduling: RealtimeReport?, overruns: Int64 = 0, lostInputFrames: Int64 = 0, framesCaptured: Int64 = 0,
        incidentsMissed: Int64 = 0, inputClockPPM: Double? = nil
    ) {
        self.xruns = xruns
        self.lostFrames = lostFrames
        self.blocks = blocks
        self.framesRendered = framesRendered
        self.renderTime = renderTime
        self.scheduling = scheduling
        self.overruns = overruns
        self.lostInputFrames = lostInputFrames
        self.framesCaptured = framesCaptured
        self.incidentsMissed = incidentsMissed
        self.inputClockPPM = inputClockPPM
    }
}

/// The distribution of render times, in microseconds of wall time.
///
/// Quantiles are upper edges of logarithmic buckets: at most 6.3 % above the true value. The maximum is exact. The
/// times include time in which the system ran other programs.
public struct RenderTime: Sendable, Hashable {
    /// Half of the blocks took no longer.
    public let medianMicroseconds: Double
    /// 99.9 % of the blocks took no longer.
    public let p999Microseconds: Double
    /// The longest block.
    public let maximumMicroseconds: Double

    /// Makes a distribution, for custom streams. Real-time safe: yes.
    package init(medianMicroseconds: Double, p999Microseconds: Double, maximumMicroseconds: Double) {
        self.medianMicroseconds = medianMicroseconds
        self.p999Microseconds = p999Microseconds
        self.maximumMicroseconds = maximumMicroseconds
    }
}
