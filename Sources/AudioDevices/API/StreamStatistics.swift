public import Realtime

/// The position of a stream.
public struct StreamPosition: Sendable, Hashable, BitwiseCopyable {
    /// Frames written to the device.
    public let framesWritten: Int64
    /// Frames written but not heard yet, as the device reports them; 0 if it does not.
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
    /// How often the output was interrupted: it ran dry, was suspended, or was restarted with the input.
    public let xruns: Int64
    /// About how many frames of silence that caused; the stream itself skipped no frame of the sound.
    public let lostFrames: Int64
    /// How often the input was interrupted.
    public let overruns: Int64
    /// About how many frames were not recorded because of this.
    public let lostInputFrames: Int64
    /// Frames delivered to the input's callback.
    public let framesCaptured: Int64
    /// Incidents that found no room because earlier ones were not taken.
    public let incidentsMissed: Int64
    /// Blocks rendered or delivered.
    public let blocks: Int64
    /// Valid frames rendered.
    public let framesRendered: Int64
    /// How long the callback took.
    public let renderTime: RenderTime
    /// What the system granted to the device thread; nil before the stream has started.
    public let scheduling: RealtimeReport?
    /// The scheduling class the device thread obtained: `fifo` with its priority, or `ordinary`.
    package var schedulingClass: String { scheduling?.schedulingClass ?? "ordinary" }

    /// The measured difference of the input's clock from the output's in ppm, positive if it is faster; nil if they have one clock.
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
/// Quantiles are upper edges of logarithmic buckets: at most 6.3 % above the true value. The maximum is exact. Time
/// in which the system ran other programs is included.
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
